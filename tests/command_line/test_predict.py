"""`pugam predict`: posteriors as of the model itself, for files of any format, in batches, with all that was there."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import pugam
from pugam import PUGAM
from pugam.files.csv_files import CsvFile
from pugam.files.parquet_files import ParquetFiles

ROWS = 600
NEW = ["p_positive", "log_density_ratio"]


@pytest.fixture(scope="module")
def rows(make_rows):
    """Features of several kinds and identifiers that are easily lost, with the label z."""
    table = make_rows(250, ROWS)
    numbers = np.arange(ROWS)
    return table[["x1", "x2"]].assign(
        site=np.array(["north", "south", "NA"])[numbers % 3],
        code=np.array([3, 7, 12])[numbers // 2 % 3],
        flag=numbers % 5 < 2,
        who=np.array(["007", "NA", "1e3", "None", "a,b"])[numbers % 5],
        z=table["z"],
    )


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("s(x1) + x2 + f(site)").fit(rows, rows["z"])


@pytest.fixture
def saved(empty_folder, model):
    model.save("model.json")
    return "model.json"


@pytest.fixture
def scored(pugam_says):
    """Predict, and return the table that was written; only of pi in doubt and of new levels something is said."""

    def run(*arguments, to="scored.parquet"):
        code, out, err = pugam_says("predict", *arguments, "--out", to, "--quiet")
        assert (code, out) == (0, "")
        told = [line for line in err.splitlines() if "that the fit did not see" not in line]
        assert not told or (told[0].startswith("! pi is weakly determined by the rows of the fit") and len(told) == 1)
        return read(to)

    return run


def write(table, name):
    if name.endswith(".parquet"):
        table.to_parquet(name, index=False)
    else:
        table.to_csv(name, index=False)
    return name


def read(name):
    """Read a table with every number to the last bit; other columns of CSV files as they are written."""
    if name.endswith(".parquet"):
        return pd.read_parquet(name)
    table = pd.read_csv(name, dtype=str, keep_default_na=False, sep="\t" if name.endswith(".tsv") else ",")
    new = [name for name in table.columns if name.startswith(("p_", "log_"))]
    return table.assign(**{name: table[name].map(float) for name in new})


def in_another_process(*arguments):
    """Give a command to a fresh Python."""
    home = str(Path(pugam.__file__).parents[1])
    command = [sys.executable, "-m", "pugam", *arguments]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": home}, capture_output=True, text=True, check=True)


@pytest.mark.long
def test_a_model_predicts_the_same_bits_in_another_process(scored, rows):
    table = rows.drop(columns="who")
    own = PUGAM("s(x1) + x2 + f(site) + flag").fit(table, table["z"])
    write(table, "rows.parquet")
    write(table, "rows.csv")

    in_another_process(
        "fit", "rows.parquet", "--label", "z", "--terms", "s(x1) + x2 + f(site) + flag", "--out", "model.json"
    )
    said = in_another_process("predict", "model.json", "rows.parquet", "--out", "scored.parquet")

    loaded = pugam.load("model.json")
    posterior = loaded.predict_proba(table)[:, 1]
    assert said.stdout == f"{ROWS} rows: scored.parquet\n"
    assert (read("scored.parquet")["p_positive"] == posterior).all()
    assert (read("scored.parquet")["log_density_ratio"] == loaded.log_density_ratio(table)).all()
    assert (scored("model.json", "rows.csv", to="scored.csv")["p_positive"] == posterior).all()
    np.testing.assert_allclose(posterior, own.predict_proba(table)[:, 1], rtol=1e-9)


@pytest.mark.parametrize("source", ["rows.csv", "rows.csv.gz", "rows.parquet"])
@pytest.mark.parametrize("target", ["scored.csv", "scored.csv.gz", "scored.tsv", "scored.parquet"])
def test_posteriors_are_those_of_the_model_in_every_format(pugam_says, rows, model, saved, source, target):
    write(rows, source)

    code, out, err = pugam_says("predict", saved, source, "--out", target)

    table = read(target)
    assert (code, out, err) == (0, f"{ROWS} rows: {target}\n", "")
    assert list(table.columns) == [*rows.columns, *NEW]
    assert (table["p_positive"] == model.predict_proba(rows)[:, 1]).all()
    assert (table["log_density_ratio"] == model.log_density_ratio(rows)).all()


def test_all_columns_of_a_csv_file_come_out_as_they_are_written(pugam_says, empty_folder, rows, saved):
    text = rows.to_csv(index=False)
    Path("rows.csv").write_text(text, encoding="utf-8")

    scored = Path("scored.csv")
    pugam_says("predict", saved, "rows.csv", "--out", str(scored))

    kept = read("scored.csv").drop(columns=NEW)
    assert (kept == read("rows.csv")).all(axis=None)
    assert kept["who"].tolist()[:5] == ["007", "NA", "1e3", "None", "a,b"]
    assert kept["site"].tolist() == rows["site"].tolist()


def test_all_columns_of_a_parquet_file_keep_their_types(scored, rows, saved):
    table = rows.assign(day=pd.Timestamp("2024-01-31"), kind=pd.Categorical(rows["site"]), small=np.int8(3))
    write(table, "rows.parquet")

    scored(saved, "rows.parquet")

    before, after = (pyarrow.parquet.read_table(name) for name in ("rows.parquet", "scored.parquet"))
    assert after.drop_columns(NEW).equals(before)
    assert after.schema.field("p_positive").type == pa.float64()


def test_columns_that_the_model_does_not_know_may_be_missing_and_in_any_order(scored, rows, model, saved):
    write(rows[["site", "x2", "x1"]], "rows.csv")

    table = scored(saved, "rows.csv")

    assert list(table.columns) == ["site", "x2", "x1", *NEW]
    assert (table["p_positive"] == model.predict_proba(rows)[:, 1]).all()


def test_rows_stay_in_their_order(scored, rows, model, saved):
    shuffled = rows.sample(frac=1.0, random_state=0)
    write(shuffled, "rows.csv")

    table = scored(saved, "rows.csv")

    assert table["x1"].tolist() == shuffled["x1"].tolist()
    assert (table["p_positive"] == model.predict_proba(shuffled)[:, 1]).all()


def test_a_file_is_not_replaced_by_its_own_posteriors(pugam_says, rows, saved, empty_folder):
    write(rows, "rows.csv")
    before = (empty_folder / "rows.csv").read_bytes()

    code, out, err = pugam_says("predict", saved, "rows.csv", "--out", "rows.csv")

    assert (code, out) == (2, "")
    assert "--out rows.csv is the file to be read; give another name." in err
    assert (empty_folder / "rows.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("well determined", ""),
        ("weakly determined", "! pi is weakly determined by the rows of the fit, and probabilities depend on it."),
        ("not determined", "! pi is not determined by the rows of the fit, and probabilities depend on it."),
        ("does not fit", "! The model does not fit the rows it was fitted to, and probabilities rest on it."),
    ],
)
def test_a_verdict_that_leaves_doubts_is_told_with_the_probabilities(pugam_says, rows, saved, verdict, said):
    write(rows, "new.csv")
    document = json.loads(Path(saved).read_text(encoding="utf-8"))
    judged = {**document, "judgement": {"verdict": verdict, "other_pi": []}}
    Path("judged.json").write_text(json.dumps(judged), encoding="utf-8")

    code, _, err = pugam_says("predict", "judged.json", "new.csv", "--out", "scored.csv", "--quiet")
    _, _, with_pi = pugam_says("predict", "judged.json", "new.csv", "--out", "other.csv", "--quiet", "--pi", "0.3")

    assert code == 0
    assert err.startswith(said) if said else err == ""
    assert (with_pi == err) is (verdict in ("well determined", "does not fit"))


def test_pi_re_targets_the_posterior(scored, rows, model, saved):
    write(rows, "rows.parquet")

    table = scored(saved, "rows.parquet", "--pi", "0.05")

    assert (table["p_positive"] == model.predict_proba(rows, pi=0.05)[:, 1]).all()
    assert (table["log_density_ratio"] == model.log_density_ratio(rows)).all()


@pytest.mark.parametrize("flags", [[], ["--level", "0.8"], ["--pi", "0.1"]], ids=" ".join)
def test_intervals_are_those_of_predict_interval(scored, rows, model, saved, flags):
    write(rows, "rows.parquet")

    table = scored(saved, "rows.parquet", "--interval", *flags)

    options = {flag[2:]: float(value) for flag, value in zip(flags[::2], flags[1::2], strict=True)}
    limits = model.predict_interval(rows, **options)
    assert list(table.columns) == [*rows.columns, *NEW, "p_se", "p_lower", "p_upper"]
    for mine, own in (("p_positive", "p_positive"), ("p_se", "se"), ("p_lower", "lower"), ("p_upper", "upper")):
        np.testing.assert_allclose(table[mine], limits[own], rtol=1e-13)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("rows.csv", "scored.parquet"),
        ("rows.parquet", "scored.csv"),
        pytest.param("rows.csv", "scored.csv", marks=pytest.mark.long),
        pytest.param("rows.parquet", "scored.parquet", marks=pytest.mark.long),
    ],
)
def test_batches_of_a_few_rows_give_the_same_file(scored, rows, saved, monkeypatch, source, target):
    write(rows, source)
    scored(saved, source, "--interval", to=target)
    whole = Path(target).read_bytes()

    counted = []
    for kind in (CsvFile, ParquetFiles):
        monkeypatch.setattr(kind, "batches", _in_sevens(kind.batches, counted))
    scored(saved, source, "--interval", to=target)

    assert len(counted) == ROWS // 7 + 1
    assert max(counted) == 7
    if target == "scored.csv":
        assert Path(target).read_bytes() == whole
    else:
        before = pyarrow.parquet.read_table(pa.BufferReader(whole))
        assert pyarrow.parquet.read_table(target).equals(before)


def _in_sevens(batches, counted):
    def read_few(self, *arguments, **options):
        for batch in batches(self, *arguments, **options, batch_rows=7):
            counted.append(batch.num_rows)
            yield batch

    return read_few


def test_a_folder_of_parquet_files_is_one_table(scored, rows, model, saved):
    Path("parts").mkdir()
    for place, part in enumerate((rows[:50], rows[50:51], rows[51:51], rows[51:])):
        part.to_parquet(f"parts/{place}.parquet", index=False)

    table = scored(saved, "parts")

    assert table["who"].tolist() == rows["who"].tolist()
    assert (table["p_positive"] == model.predict_proba(rows)[:, 1]).all()


def test_a_semicolon_may_delimit_the_cells(scored, rows, model, saved):
    rows.to_csv("rows.csv", index=False, sep=";")

    assert (scored(saved, "rows.csv", "--delimiter", ";")["p_positive"] == model.predict_proba(rows)[:, 1]).all()


@pytest.fixture
def fit_and_predict(pugam_says, is_verdict, scored):
    return partial(do_fit_and_predict, pugam_says, is_verdict, scored)


# What a column means does not depend on how it is smoothed, and a smoothing that is given is fitted faster.
GIVEN = 0.1


def own_fit(formula, table):
    """The fit of `fit_and_predict`, to a table in memory."""
    return PUGAM(formula, smoothing=GIVEN, shrinkage="never").fit(table, table["z"])


def do_fit_and_predict(pugam_says, is_verdict, scored, fitted_to, predicted, formula):
    flags = ["--label", "z", "--terms", formula, "--smoothing", str(GIVEN), "--shrinkage", "never"]
    code, _, err = pugam_says("fit", fitted_to, *flags, "--out", "model.json", "--quiet")
    assert code == 0
    assert is_verdict(err)
    return scored("model.json", predicted)["p_positive"].to_numpy()


KINDS = {
    "text": "f(site)",
    "whole numbers": "f(code)",
    "booleans": "f(flag)",
    "booleans as numbers": "l(flag)",
    "whole numbers as a line": "code",
}


# From one kind of file to the other, all that could differ does; from a file to one of its kind, one case will do.
CSV, PARQUET = "rows.csv", "rows.parquet"
ACROSS, WITHIN = [(CSV, PARQUET), (PARQUET, CSV)], [(CSV, CSV), (PARQUET, PARQUET)]


def pairs_of_files(cases, once):
    """Cases by name, each with all pairs of files; but for `once`, all but one across kinds in make test-long alone."""
    for number, (name, case) in enumerate(cases.items()):
        for pair in (*ACROSS, *WITHIN):
            rare = pair != ACROSS[number % 2] and name != once
            yield pytest.param(case, *pair, marks=[pytest.mark.long] if rare else [], id="-".join((name, *pair)))


@pytest.mark.parametrize(("term", "fitted_to", "predicted"), [*pairs_of_files(KINDS, "booleans")])
def test_levels_mean_the_same_in_all_formats(fit_and_predict, rows, term, fitted_to, predicted):
    table = rows.drop(columns="who")
    for name in {fitted_to, predicted}:
        write(table, name)
    formula = f"s(x1) + x2 + {term}"

    posterior = fit_and_predict(fitted_to, predicted, formula)

    own = own_fit(formula, table)
    np.testing.assert_allclose(posterior, own.predict_proba(table)[:, 1], rtol=1e-9)


@pytest.mark.parametrize(
    ("fitted_to", "predicted"),
    [ACROSS[0], *(pytest.param(*pair, marks=pytest.mark.long) for pair in (*ACROSS[1:], *WITHIN))],
)
def test_columns_without_a_formula_mean_the_same_in_all_formats(pugam_says, scored, rows, fitted_to, predicted):
    table = rows.drop(columns="who")
    for name in {fitted_to, predicted}:
        write(table, name)

    pugam_says("fit", fitted_to, "--label", "z", "--out", "model.json", "--quiet")

    own = PUGAM().fit(table.drop(columns="z"), table["z"])
    np.testing.assert_allclose(scored("model.json", predicted)["p_positive"], own.predict_proba(table)[:, 1], rtol=1e-9)


@pytest.mark.parametrize(
    ("gaps", "fitted_to", "predicted"), [*pairs_of_files({name: name for name in ("x1", "site", "code")}, "site")]
)
def test_missing_values_with_an_effect_of_their_own_have_it_in_all_formats(
    fit_and_predict, rows, gaps, fitted_to, predicted
):
    table = rows.drop(columns=["who", "flag"])
    table[gaps] = table[gaps].where(np.arange(ROWS) % 6 != 1)
    for name in {fitted_to, predicted}:
        write(table, name)
    effect = "s(x1, missing='effect')" if gaps == "x1" else f"s(x1) + f({gaps}, missing='effect')"

    posterior = fit_and_predict(fitted_to, predicted, f"x2 + {effect}")

    own = own_fit(f"x2 + {effect}", table)
    np.testing.assert_allclose(posterior, own.predict_proba(table)[:, 1], rtol=1e-9)


def test_a_batch_without_any_value_has_the_effect_of_missing_values(fit_and_predict, rows):
    table = rows.assign(site=rows["site"].where(np.arange(ROWS) % 6 != 1))
    write(table, "rows.csv")
    write(table[1::6], "gaps.csv")

    formula = "s(x1) + x2 + f(site, missing='effect')"
    posterior = fit_and_predict("rows.csv", "gaps.csv", formula)

    own = own_fit(formula, table)
    np.testing.assert_allclose(posterior, own.predict_proba(table)[1::6, 1], rtol=1e-9)


def test_a_csv_file_out_is_written_as_the_one_it_answers(pugam_says, saved, model, rows):
    rows.to_csv("rows.csv", index=False, sep=";", decimal=",")
    how = ["--delimiter", ";", "--decimal", ","]
    assert pugam_says("predict", saved, "rows.csv", *how, "--out", "scored.csv")[0] == 0

    written = pd.read_csv("scored.csv", sep=";", decimal=",", keep_default_na=False)
    np.testing.assert_allclose(written["x1"], rows["x1"])
    np.testing.assert_allclose(written["p_positive"], model.predict_proba(rows)[:, 1])

    assert pugam_says("explain", saved, "rows.csv", *how, "--row", "1", "--out", "explained.csv")[0] == 0
    assert pd.read_csv("explained.csv", sep=";", decimal=",")["contribution"].dtype == float


def test_unseen_levels_have_no_effect_where_the_fit_allowed_it(fit_and_predict, rows):
    write(rows, "rows.csv")
    write(rows.assign(site="elsewhere"), "new.csv")

    posterior = fit_and_predict("rows.csv", "new.csv", "s(x1) + x2 + f(site, unseen='zero')")

    own = own_fit("s(x1) + x2 + f(site, unseen='zero')", rows)
    np.testing.assert_allclose(posterior, own.predict_proba(rows.assign(site="elsewhere"))[:, 1], rtol=1e-9)


def test_names_may_be_hostile(pugam_says, scored, rows):
    names = {"x1": "<script>alert(1)</script>", "x2": "größe, in cm", "site": 'a`b"c'}
    table = rows.rename(columns=names)
    write(table, "rows.csv")
    pugam_says("fit", "rows.csv", "--label", "z", "--id", "who", "--out", "model.json", "--quiet")

    written = scored("model.json", "rows.csv", to="scored.csv")

    assert list(written.columns) == [*table.columns, *NEW]
    own = PUGAM().fit(table.drop(columns=["z", "who"]), table["z"])
    np.testing.assert_allclose(written["p_positive"], own.predict_proba(table)[:, 1], rtol=1e-9)


def test_ctrl_c_leaves_no_half_of_a_file(pugam_says, empty_folder, rows, saved, monkeypatch):
    write(rows, "rows.csv")
    Path("scored.csv").write_text("what was here before")
    calls = []

    def interrupt(self, *arguments, batches=CsvFile.batches, **options):
        for batch in batches(self, *arguments, **options, batch_rows=100):
            if calls:
                raise KeyboardInterrupt
            calls.append(batch)
            yield batch

    monkeypatch.setattr(CsvFile, "batches", interrupt)

    code, out, _ = pugam_says("predict", saved, "rows.csv", "--out", "scored.csv")

    assert (code, out) == (130, "")
    assert sorted(path.name for path in empty_folder.iterdir()) == ["model.json", "rows.csv", "scored.csv"]
    assert Path("scored.csv").read_text() == "what was here before"


def test_cells_of_the_model_go_out_as_they_were_written_from_text_to_text(pugam_says, rows, saved, empty_folder):
    write(rows, "rows.csv")
    lines = (empty_folder / "rows.csv").read_text(encoding="utf-8").splitlines()
    place = lines[0].split(",").index("x1")
    cells = lines[1].split(",")
    cells[place] = "+0.50"
    (empty_folder / "rows.csv").write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]), encoding="utf-8")

    pugam_says("predict", saved, "rows.csv", "--out", "scored.csv")

    assert (empty_folder / "scored.csv").read_text(encoding="utf-8").splitlines()[1].split(",")[place] == "+0.50"


def test_rows_outside_the_range_of_the_fit_are_told(pugam_says, rows, saved, empty_folder):
    write(rows.assign(x1=rows["x1"].where(rows.index != rows.index[0], 40.0)), "rows.csv")

    code, _, err = pugam_says("predict", saved, "rows.csv", "--out", "scored.csv")

    assert code == 0
    assert "! 1 row lies outside the range of the fit in column 'x1'" in err


def test_a_model_of_an_array_reads_files_by_the_names_of_its_columns(rows, make_rows, empty_folder, pugam_says, scored):
    array = make_rows(250, ROWS)[["x1", "x2"]].assign(x3=np.arange(ROWS) % 7).to_numpy()
    model = PUGAM("x2 + x0", check=False).fit(array, rows["z"])
    model.save("array.json")
    X = pd.DataFrame(array, columns=["x0", "x1", "x2"])[["x1", "x2", "x0"]].assign(id=np.arange(ROWS))
    X.to_csv("rows.csv", index=False)
    X.rename(columns={"x1": "x3"}).to_csv("other.csv", index=False)

    table = scored("array.json", "rows.csv", to="scored.csv")

    np.testing.assert_allclose(table["p_positive"], model.predict_proba(array)[:, 1])
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(array))
    code, _, err = pugam_says("predict", "array.json", "other.csv", "--out", "refused.csv")
    assert code == 2
    assert "by the names x0 to x2, and has no x1; name its columns so" in err
