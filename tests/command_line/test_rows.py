"""From files to rows: formats, two files, weights, groups, names and missing values, as PUGAM reads data frames."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pugam
from pugam import PUGAM
from pugam.command_line.columns import Features, Roles
from pugam.command_line.rows import KindFiles, read_rows
from pugam.data import is_missing

ROWS = 320
HOSTILE = "<script>alert(1)</script>"
# Files and labels are read alike however curves are smoothed; with smoothing given, a fit takes a fraction of the time.
GIVEN = ("--smoothing", "0.1")


def first_line(text):
    return text.split("\n", 1)[0]


def write_folder(table, name):
    Path(name, "deeper").mkdir(parents=True)
    table[:100].to_parquet(Path(name, "a.parquet"), index=False)
    table[100:].to_parquet(Path(name, "deeper", "b.parquet"), index=False)
    Path(name, "_SUCCESS").touch()


FORMATS = {
    "data.csv": lambda table, name: table.to_csv(name, index=False),
    "data.csv.gz": lambda table, name: table.to_csv(name, index=False),
    "data.tsv": lambda table, name: table.to_csv(name, index=False, sep="\t"),
    "data.parquet": lambda table, name: table.to_parquet(name, index=False),
    "folder": write_folder,
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if name == "data.csv.gz" else []) for name in FORMATS],
)
def test_all_formats_give_the_result_of_a_data_frame(fitted, rows, features, plain_given, name):
    FORMATS[name](features.assign(z=rows["z"]), name)

    model, out = fitted(name, "--label", "z", *GIVEN)

    assert model.pi_ == plain_given.pi_
    assert model.formula_ == plain_given.formula_
    assert (model.predict_proba(features) == plain_given.predict_proba(features)).all()
    assert first_line(out) == f"pi = {plain_given.pi_interval()}"


def test_another_delimiter_may_be_given(fitted, rows, features, plain_given):
    features.assign(z=rows["z"]).to_csv("data.csv", index=False, sep=";")

    assert fitted("data.csv", "--label", "z", "--delimiter", ";", *GIVEN)[0].pi_ == plain_given.pi_


@pytest.mark.long
def test_text_and_numbers_are_features_of_all_formats_alike(fitted, rows):
    table = rows.drop(columns="who")
    own = PUGAM(smoothing=0.1).fit(table.drop(columns="z"), table["z"])
    assert own.formula_ == "s(x1) + s(x2) + s(x3) + f(site)"
    for name, write in FORMATS.items():
        write(table, name)

        model, _ = fitted(name, "--label", "z", *GIVEN)

        assert (model.pi_, model.formula_) == (own.pi_, own.formula_), name


@pytest.mark.parametrize(
    "kinds",
    [("csv", "parquet"), *(pytest.param((kind, kind), marks=pytest.mark.long) for kind in ("csv", "parquet"))],
    ids="-".join,
)
def test_two_files_are_one_file_with_labels(fitted, rows, kinds):
    table = rows.drop(columns="who")
    table.to_csv("both.csv", index=False)
    names = [f"{name}.{kind}" for name, kind in zip(("yes", "no"), kinds, strict=True)]
    for label, name in zip((1, 0), names, strict=True):
        part = table[table["z"] == label].drop(columns="z")
        # Columns are known by their names, whatever their order.
        FORMATS[f"data.{name.split('.')[1]}"](part if label else part[part.columns[::-1]], name)

    one, _ = fitted("both.csv", "--label", "z", *GIVEN)
    two, _ = fitted("--positive-file", names[0], "--unlabeled-file", names[1], *GIVEN)

    assert two.pi_ == one.pi_
    assert two.formula_ == one.formula_


def test_a_column_that_one_of_two_files_has_may_be_dropped(fitted, rows, features):
    features[rows["z"] == 1].to_csv("yes.csv", index=False)
    features[rows["z"] == 0].assign(note="seen").to_csv("no.csv", index=False)

    model, _ = fitted("--positive-file", "yes.csv", "--unlabeled-file", "no.csv", "--drop", "note", *GIVEN)

    assert model.formula_ == "s(x1) + s(x2) + s(x3)"


def test_an_identifier_with_gaps_is_asked_about_with_the_flag_that_drops_it(pugam_says, rows, features):
    identifiers = np.random.default_rng(1).permutation(3 * ROWS)[:ROWS]
    features.assign(z=rows["z"], **{"claim id": identifiers}).to_csv("data.csv", index=False)

    code, _, err = pugam_says("fit", "data.csv", "--label", "z", "--quiet", "--shrinkage", "never")

    assert code == 0
    assert err.count("different in every row") == 1
    assert "if it identifies rows, leave it out (--drop 'claim id', or --id 'claim id' to name rows by it)." in err


def test_identifiers_that_begin_anew_in_each_of_two_files_are_asked_about(pugam_says, rows, features):
    for label, name in ((1, "yes.csv"), (0, "no.csv")):
        part = features[rows["z"] == label]
        part.assign(number=np.arange(len(part)) + 1).to_csv(name, index=False)
    files = ["--positive-file", "yes.csv", "--unlabeled-file", "no.csv"]

    _, _, asked = pugam_says("fit", *files, "--quiet", *GIVEN)
    _, _, dropped = pugam_says("fit", *files, "--quiet", *GIVEN, "--id", "number")

    assert "Column 'number' holds whole numbers, different in every row of a file; if it identifies rows" in asked
    assert "different in every row" not in dropped


@pytest.mark.parametrize("engine", [pytest.param("memory", marks=pytest.mark.long), "stream"])
def test_frames_of_a_model_that_read_its_rows_from_a_file_are_those_of_pandas(fitted, data, engine):
    model, _ = fitted(data, "--label", "z", "--engine", engine, *GIVEN)

    assert isinstance(model.effect("x1"), pd.DataFrame)


def test_codes_inside_f_are_levels_also_where_they_look_like_numbers(fitted, rows):
    codes = np.array(["007", "7", "08"])[np.arange(ROWS) % 3]
    rows.assign(code=codes).to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", "--terms", "s(x1) + x2 + f(code)", *GIVEN)

    assert sorted(model.effect("code")["x"].to_list()) == ["007", "08", "7"]


def test_codes_inside_f_inside_an_interaction_are_levels_too(fitted, rows):
    codes = np.array(["007", "7", "08"])[np.arange(ROWS) % 3]
    rows.assign(code=codes).to_csv("data.csv", index=False)

    terms = "s(x1) + x2 + f(code) + ti(l(x2), f(code))"
    model, _ = fitted("data.csv", "--label", "z", "--terms", terms, "--pi", "0.5")

    assert sorted(set(model.effect("ti(l(x2), f(code))")["x2"])) == ["007", "08", "7"]


def test_dropped_columns_and_identifiers_are_no_features(fitted, rows, plain_given):
    rows.to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", "--drop", "site", "--id", "who", *GIVEN)
    dropped, _ = fitted("data.csv", "--label", "z", "--drop", "site", "--drop", "who", *GIVEN)

    assert model.pi_ == dropped.pi_ == plain_given.pi_
    assert list(model.feature_names_in_) == ["x1", "x2", "x3"]


def test_weights_are_those_of_sample_weight(fitted, rows, features):
    weights = np.where(np.arange(ROWS) % 7, 1.5, 0.0)
    features.assign(w=weights, z=rows["z"]).to_csv("data.csv", index=False)

    model, out = fitted("data.csv", "--label", "z", "--weights", "w", *GIVEN)

    own = PUGAM(smoothing=0.1).fit(features, rows["z"], weights)
    assert (model.pi_, model.n1_, model.formula_) == (own.pi_, own.n1_, own.formula_)
    assert f"among the {own.n1_:g} unlabelled rows" in out


def test_groups_are_drawn_together_and_a_seed_repeats_them(fitted, rows, features):
    clinics = np.arange(ROWS) // 8
    features.assign(clinic=clinics, z=rows["z"]).to_csv("data.csv", index=False)
    flags = ["--label", "z", "--groups", "clinic", "--ci", "bootstrap", "--resamples", "40", *GIVEN]

    model, out = fitted("data.csv", *flags, "--seed", "7")
    _, again = fitted("data.csv", *flags, "--seed", "7")
    _, other = fitted("data.csv", *flags, "--seed", "8")

    own = PUGAM(random_state=7, smoothing=0.1).fit(features, rows["z"], groups=clinics)
    interval = own.pi_interval(method="bootstrap", n_resamples=40)
    assert first_line(out) == f"pi = {interval}"
    assert "bootstrap" in out.splitlines()[1]
    assert out == again != other
    assert list(model.feature_names_in_) == ["x1", "x2", "x3"]


def test_groups_may_be_text_and_rows_of_no_weight_are_left_out_of_them(fitted, rows, features):
    clinics, weights = [f"clinic {n // 8}" for n in range(ROWS)], np.where(np.arange(ROWS) % 9, 1.0, 0.0)
    features.assign(clinic=clinics, w=weights, z=rows["z"]).to_csv("data.csv", index=False)
    flags = ["--weights", "w", "--groups", "clinic", "--ci", "bootstrap", "--resamples", "40", "--seed", "1", *GIVEN]

    _, out = fitted("data.csv", "--label", "z", *flags, "--shrinkage", "never")

    own = PUGAM(random_state=1, shrinkage="never", smoothing=0.1).fit(features, rows["z"], weights, groups=clinics)
    assert first_line(out) == f"pi = {own.pi_interval(method='bootstrap', n_resamples=40)}"


def test_a_survey_is_known_to_intervals_and_to_the_report(fitted, rows, features):
    clinics, regions = np.arange(ROWS) // 8, np.arange(ROWS) // 8 % 4
    weights = np.where(np.arange(ROWS) % 3, 1.0, 2.0)
    table = features.assign(clinic=clinics, region=regions, w=weights, z=rows["z"])
    table.to_csv("data.csv", index=False)
    flags = ["--weights", "w", "--groups", "clinic", "--strata", "region", "--shrinkage", "never", *GIVEN]

    model, out = fitted("data.csv", "--label", "z", *flags)

    own = PUGAM(shrinkage="never", smoothing=0.1).fit(features, rows["z"], weights, groups=clinics, strata=regions)
    assert first_line(out) == f"pi = {own.pi_interval()}"
    assert out.splitlines()[1].startswith("share of positives among the unlabelled rows of the survey, ")
    assert f"in {len(set(clinics))} clusters of 4 strata" in str(model.summary())
    assert model.provenance_["data"]["strata"] == "region"
    assert list(model.feature_names_in_) == ["x1", "x2", "x3"]


NAMES = {"x1": HOSTILE, "x2": "größe in cm, 身長", "x3": "a`b'c\"d\\e ${x} {{y}}"}


@pytest.mark.parametrize("name", ["data.csv", pytest.param("data.parquet", marks=pytest.mark.long)])
def test_names_may_be_hostile_and_of_any_language(pugam_says, empty_folder, rows, features, plain_given, name):
    FORMATS[name](features.assign(z=rows["z"]).rename(columns={**NAMES, "z": "ist krank?"}), name)

    written = ["--out", "model.json", "--report", "report.html"]
    code, out, err = pugam_says("fit", name, "--label", "ist krank?", *written, *GIVEN)

    model, page = pugam.load("model.json"), (empty_folder / "report.html").read_text(encoding="utf-8")
    assert (code, err) == (0, "")
    assert model.pi_ == plain_given.pi_
    assert list(model.feature_names_in_) == list(NAMES.values())
    assert "s(größe in cm, 身長)" in out
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_hostile_names_can_be_asked_for_in_a_formula_and_dropped(fitted, rows, features):
    features.assign(z=rows["z"]).rename(columns=NAMES).to_csv("data.csv", index=False)

    terms = f"s(`{HOSTILE}`) + l(`größe in cm, 身長`)"
    model, _ = fitted("data.csv", "--label", "z", "--shrinkage", "never", *GIVEN, "--terms", terms)
    dropped, _ = fitted("data.csv", "--label", "z", "--shrinkage", "never", *GIVEN, "--drop", NAMES["x3"])

    assert model.pi_ == PUGAM("s(x1) + x2", shrinkage="never", smoothing=0.1).fit(features, rows["z"]).pi_
    assert dropped.pi_ == PUGAM(shrinkage="never", smoothing=0.1).fit(features[["x1", "x2"]], rows["z"]).pi_


def gaps(frame):
    """The same rows, of which some lack x1 or x2."""
    return frame.assign(x1=frame["x1"].where(frame.index % 9 != 0), x2=frame["x2"].where(frame.index % 11 != 0))


def test_rows_that_lack_a_value_are_left_out_or_have_an_effect_of_their_own(pugam_says, empty_folder, make_rows):
    frame = gaps(make_rows(600, 900))
    frame.to_csv("data.csv", index=False)
    command = ["fit", "data.csv", "--label", "z", "--quiet", "--out", "model.json", *GIVEN]

    assert pugam_says(*command)[0] == 2
    code, out, err = pugam_says(*command, "--missing", "drop")
    complete = frame.dropna()
    expected = PUGAM(smoothing=0.1).fit(complete[["x1", "x2", "x3"]], complete["z"])
    assert (code, out.splitlines()[0]) == (0, f"pi = {expected.pi_interval()}")
    assert f"! Left out {len(frame) - len(complete)} of 900 rows: they lack a value in a feature.\n" in err
    assert pugam_says("report", "model.json", "data.csv", "--out", "report.html")[0] == 0

    code, out, _ = pugam_says(*command, "--missing", "effect")
    terms = "s(x1, missing='effect') + s(x2, missing='effect') + s(x3)"
    expected = PUGAM(terms, smoothing=0.1).fit(frame[["x1", "x2", "x3"]], frame["z"])
    assert (code, out.splitlines()[0]) == (0, f"pi = {expected.pi_interval()}")
    assert pugam_says(*command, "--missing", "guess")[2].startswith("pugam: --missing is error, drop or effect")


def test_several_columns_may_be_dropped_at_once(pugam_says, rows):
    rows.to_csv("data.csv", index=False)

    together = pugam_says("fit", "data.csv", "--label", "z", "--drop", "site,who", "--quiet", *GIVEN)
    apart = pugam_says("fit", "data.csv", "--label", "z", "--drop", "site", "--drop", "who", "--quiet", *GIVEN)

    assert together == apart
    assert together[0] == 0


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_the_index_of_a_table_put_together_in_pandas_is_no_feature(pugam_says, make_rows, engine):
    rows = make_rows(80, 200)
    parts = [part.reset_index(drop=True) for _, part in rows.groupby("z")]
    pd.concat(parts).to_parquet("rows.parquet")

    code, _, err = pugam_says("fit", "rows.parquet", "--label", "z", "--engine", engine, "--out", "model.json", *GIVEN)

    assert code == 0
    assert "! Left out __index_level_0__: this was the index of a pandas data frame" in err
    assert "__index_level_0__" not in pugam.load("model.json").formula_


def test_a_column_that_tells_how_files_were_put_together_is_named(pugam_says, make_rows):
    rows = make_rows(80, 200)
    rows.assign(source=np.where(rows["z"] == 1, "cases.csv", "register.csv")).to_csv("rows.csv", index=False)

    code, _, err = pugam_says("fit", "rows.csv", "--label", "z", *GIVEN)

    assert code == 0
    assert "! Column 'source' has no value that labelled and unlabelled rows share." in err
    assert "leave it out (--drop source)" in err


@pytest.mark.parametrize("missing", ["drop", "effect"])
def test_a_nan_that_is_not_null_is_missing_too(pugam_says, make_rows, missing):
    rows = make_rows(80, 200)
    rows.loc[::20, "x1"] = np.nan
    rows.to_csv("rows.csv", index=False)
    pq.write_table(pa.table({name: pa.array(rows[name].to_numpy()) for name in rows}), "rows.parquet")

    flags = ["--label", "z", "--missing", missing, *GIVEN]
    told = [pugam_says("fit", file, *flags) for file in ("rows.csv", "rows.parquet")]

    assert pq.read_table("rows.parquet")["x1"].null_count == 0
    assert told[0] == told[1]
    assert told[0][0] == 0
    assert ("Left out 10 of 200 rows: they lack a value" in told[0][2]) == (missing == "drop")


LONG = 2**53
CLINICS = [LONG + number % 2 for number in range(40)]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("role", ["sample", "groups", "strata", "kind"])
def test_long_numbers_that_name_something_stay_different(tmp_path, role, suffix):
    frame = pd.DataFrame({"x": np.arange(40.0), "z": [1, 0] * 20, "by": pd.array(CLINICS, "Int64")})
    frame.loc[0, "by"] = pd.NA
    path = tmp_path / f"rows.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path, index=False)

    roles = Roles(label="z", groups="by", strata="by") if role == "strata" else Roles(label="z", **{role: "by"})
    found = read_rows(path, roles, Features()).roles[role].tolist()
    assert list(map(str, found[1:])) == list(map(str, CLINICS[1:]))
    assert is_missing(found[0])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return KindFiles(Path("yes.csv"), (Path("no.csv"),))


def test_a_column_may_be_empty_in_one_of_several_files(files):
    pd.DataFrame({"x": [1.0, 2.0], "site": ["", ""], "dose": ["", ""]}).to_csv("yes.csv", index=False)
    pd.DataFrame({"x": [3.0, 4.0], "site": ["north", "south"], "dose": [5, ""]}).to_csv("no.csv", index=False)

    X = read_rows(None, Roles(), Features(), files).X
    assert X["site"].to_pylist() == [None, None, "north", "south"]
    assert X["dose"].to_pylist() == [None, None, 5.0, None]


def test_kinds_of_positives_are_told_in_their_file_only(files):
    pd.DataFrame({"x": [1.0, 2.0], "type": ["a", "b"]}).to_csv("yes.csv", index=False)
    pd.DataFrame({"x": [3.0, 4.0]}).to_csv("no.csv", index=False)

    rows = read_rows(None, Roles(kind="type"), Features(), files)
    assert rows.roles["kind"].tolist() == ["a", "b", None, None]
    assert rows.X.column_names == ["x"]


def test_clusters_are_read_alike_from_all_files(files):
    pd.DataFrame({"x": [1.0, 2.0], "ward": [1, 2]}).to_csv("yes.csv", index=False)
    pd.DataFrame({"x": [3.0, 4.0], "ward": [LONG, LONG + 1]}).to_csv("no.csv", index=False)

    assert read_rows(None, Roles(groups="ward"), Features(), files).roles["groups"].tolist() == [
        *("1", "2"),
        *(str(LONG), str(LONG + 1)),
    ]
