"""Audits and known negatives on the command line: in memory, in parts, in files of their own; pooled shares."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, load

N, LABELLED, KNOWN = 1000, 350, 150
CHEAP = ["--terms", "s(x1, k=5) + s(x2, k=5)", "--interactions", "none", "--quiet"]
WHOLE = ["year", "checked", "healthy"]
ROLES = ["--sample", "year", "--audit", "checked", "--audit-chance", "chance", "--negative", "healthy"]


@pytest.fixture(scope="module")
def table():
    """Labelled rows, then unlabelled ones of three years, one in five of them audited, then known negatives."""
    numbers, rng = np.arange(N), np.random.default_rng(5)
    z, known = numbers < LABELLED, numbers >= N - KNOWN
    y = z | ((rng.random(N) < 0.4) & ~known)
    X = rng.normal(size=(N, 2)) + 1.5 * y[:, None]
    rows = pd.DataFrame(X, columns=["x1", "x2"]).assign(
        z=z.astype(int),
        year=pd.Series(2022 + numbers % 3).mask(z),
        checked=pd.Series(y.astype(float)).where(~z & ~known & (numbers % 5 == 0)),
        chance=pd.Series(np.where(X[:, 0] > 0.5, 0.4, 0.1)).mask(z),
        healthy=known.astype(float),
        w=rng.choice([0.0, 1.0, 2.0], N),
    )
    return rows.astype(dict.fromkeys(WHOLE, "Int64"))


def written(table, **columns):
    """A file of the rows with some columns changed."""
    table.assign(**columns).to_csv("rows.csv", index=False)
    return ["fit", "rows.csv", "--label", "z", *CHEAP]


def shares_in(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))["marginal"]["samples"]


def fit_in_python(table, *weights, **options):
    roles = {"sample": "year", "audit": "checked", "audit_chance": "chance", "negative": "healthy"}
    known = {role: table[name] for role, name in roles.items()}
    model = PUGAM("s(x1, k=5) + s(x2, k=5)", interactions=None, check=False)
    return model.fit(table[["x1", "x2"]], table["z"], *weights, **known, **options)


# What is fitted


def test_all_flags_together_are_the_fit_in_python(table, pugam_says):
    flags = [*ROLES, "--shares", "pooled", "--weights", "w", "--out", "model.json"]
    code, out, err = pugam_says(*written(table), *flags)
    assert code == 0, err
    here, there = fit_in_python(table, table["w"], shares="pooled"), load("model.json")
    assert f"{here.n1_:,.6g} unlabelled rows" in out
    for name in ("sample", "rows", "audited"):
        assert there.shares()[name].tolist() == here.shares()[name].tolist()
    for name in ("pi", "lower", "upper"):
        expected = here.shares(model_error=False)[name].to_numpy()
        assert there.shares(model_error=False)[name].to_numpy() == pytest.approx(expected, abs=1e-8)
    assert there._fit.samples.negatives == table["w"][N - KNOWN :].sum()


def test_a_report_knows_the_roles_of_the_fit(table, pugam_says):
    fit = [*written(table), *ROLES, "--shares", "pooled", "--out", "model.json"]
    assert pugam_says(*fit, "--report", "page.html")[0] == 0
    assert pugam_says("report", "model.json", "rows.csv", "--out", "again.html", "-q")[0] == 0
    page, again = (Path(name).read_text(encoding="utf-8") for name in ("page.html", "again.html"))
    shares, audit = (page.index(f">{name}</h2>") for name in ("Shares of the samples", "Audit"))
    pooled = load("model.json")._fit.samples.pooled
    assert f"Their log odds have mean {pooled.mean:.2f} and standard deviation {pooled.spread:.2f}" in page[shares:]
    assert f"In addition, {KNOWN} rows are known to be negative; no share counts them." in page[shares:]
    assert f"500 unlabelled in 3 samples, {KNOWN} known to be negative" in page
    assert again[again.index(">Shares of the samples</h2>") :][:4000] == page[shares:][:4000]
    # Chances say how much each audited row counts, without the model.
    estimate = fit_in_python(table).check_audit()["estimate"].iloc[-1]
    assert f"{estimate:.1%}" in page[audit : audit + 6000]
    assert f"{estimate:.1%}" in again[again.index(">Audit</h2>") :][:6000]


def test_a_report_of_a_model_from_python_is_told_the_roles(table, pugam_says):
    fit_in_python(table).save("model.json")
    written(table)
    code, _, err = pugam_says("report", "model.json", "rows.csv", "--label", "z", "-q")
    assert code != 0
    assert "give the same --sample, --audit and --negative as in the fit." in err
    assert pugam_says("report", "model.json", "rows.csv", "--label", "z", *ROLES, "-q")[0] == 0


def test_the_summary_counts_known_negatives_and_tells_of_pooling(table, pugam_says):
    flags = [flag for flag in written(table) if flag != "--quiet"]
    code, out, _ = pugam_says(*flags, *ROLES, "--shares", "pooled", "--out", "model.json")
    pooled = load("model.json")._fit.samples.pooled
    assert code == 0
    assert f"\nknown negatives: {KNOWN} rows\n" in out
    assert f"logits with mean {pooled.mean:.3f} and standard deviation {pooled.spread:.3f}\n" in out


def test_rows_left_out_keep_what_is_known_of_the_others(table, pugam_says):
    """Every third row lacks a feature: the fit is that to the others."""
    lacking = np.arange(N) % 3 == 1
    gaps = [*written(table, x1=table["x1"].mask(lacking)), *ROLES, "--weights", "w", "--missing", "drop"]
    code, _, err = pugam_says(*gaps, "--out", "gaps.json")
    assert code == 0, err
    assert f"Left out {lacking.sum()} of {N:,} rows" in err
    assert pugam_says("report", "gaps.json", "rows.csv", "-q")[0] == 0
    assert pugam_says(*written(table[~lacking]), *ROLES, "--weights", "w", "--out", "fewer.json")[0] == 0
    assert shares_in("gaps.json") == shares_in("fewer.json")


# In parts


SAMPLES = ["years", "years with gaps", "texts", "both"]
OFTEN = {("rows.csv", "both")}


@pytest.mark.parametrize(
    ("name", "sample"),
    [
        pytest.param(name, sample, marks=[] if (name, sample) in OFTEN else [pytest.mark.long])
        for name in ("rows.csv", "rows.parquet")
        for sample in SAMPLES
    ],
)
def test_a_stream_gives_the_shares_of_a_fit_in_memory(table, pugam_says, monkeypatch, name, sample):
    """Years are numbers, as integers and, where labelled rows have none, as decimals; their names are the same."""
    monkeypatch.setattr("pugam.engines.file_rows.BATCH_ROWS", 130)
    year = table["year"].fillna(2022).astype(int)
    columns = {
        "years": (year, ["2022", "2023", "2024"]),
        "years with gaps": (table["year"].astype(float), ["2022", "2023", "2024"]),
        "texts": (year.map({2022: "north", 2023: "south", 2024: "west"}), ["north", "south", "west"]),
        "both": (year.astype(str).mask(year == 2022, "pilot"), ["2023", "2024", "pilot"]),
    }
    values, names = columns[sample]
    flags = ["fit", name, *written(table, year=values)[2:], *ROLES, "--weights", "w"]
    table.assign(year=values).to_parquet("rows.parquet", row_group_size=170)
    for engine in ("memory", "stream"):
        code, _, err = pugam_says(*flags, "--engine", engine, "--out", f"{engine}.json")
        assert code == 0, err
    here, there = shares_in("memory.json"), shares_in("stream.json")
    assert here["names"] == there["names"] == names
    for part in ("rows", "audited", "logits", "factors", "negatives"):
        assert there[part] == pytest.approx(here[part], rel=1e-7)


@pytest.mark.long
def test_large_files_are_read_in_parts_with_all_that_is_known(table, pugam_says, monkeypatch):
    flags = written(table)
    monkeypatch.setattr("pugam.estimator.training.LARGE_BYTES", 0)
    monkeypatch.setattr("pugam.command_line.fitting.read_rows", None)
    code, _, err = pugam_says(*flags, *ROLES, "--shares", "pooled", "--out", "model.json")
    assert code == 0, err
    assert (shares_in("model.json")["negatives"], sum(shares_in("model.json")["audited"])) == (KNOWN, 100)
    code, _, err = pugam_says(*flags, "--strata", "year")
    assert code != 0
    assert "--strata needs --groups where rows are read in parts" in err


@pytest.mark.long
def test_clusters_of_a_survey_may_be_read_in_parts(table, pugam_says):
    """With known negatives among them."""
    found = []
    for engine in ("memory", "stream"):
        flags = ["--negative", "healthy", "--groups", "village", "--weights", "w", "--engine", engine]
        villages = np.arange(len(table)) // 8
        code, _, err = pugam_says(*written(table, village=villages), *flags, "--out", f"{engine}.json")
        assert code == 0, err
        found.append(load(f"{engine}.json"))
    here, there = found
    assert there._fit.survey.n_clusters == here._fit.survey.n_clusters
    assert there.covariance() == pytest.approx(here.covariance(), rel=1e-5, abs=1e-9)


# Files for each kind of rows


@pytest.fixture
def files(table):
    """The rows in a file for each kind."""
    features = table[["x1", "x2", "w"]]
    features[:LABELLED].to_csv("known.csv", index=False)
    features[LABELLED : N - KNOWN].to_csv("open.csv", index=False)
    features[N - KNOWN :].to_csv("healthy.csv", index=False)
    return ["--positive-file", "known.csv", "--unlabeled-file", "open.csv", "--negative-file", "healthy.csv"]


def test_known_negatives_may_be_a_file(table, files, pugam_says):
    weighted = ["--weights", "w"]
    code, _, err = pugam_says("fit", *files, *CHEAP, *weighted, "--out", "files.json", "--report", "page.html")
    assert code == 0, err
    assert pugam_says(*written(table), *weighted, "--negative", "healthy", "--out", "one.json")[0] == 0
    assert shares_in("files.json") == shares_in("one.json")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "known.csv (positives), open.csv (unlabelled), healthy.csv (known negatives)" in page
    assert pugam_says("report", "files.json", *files, "-q")[0] == 0
    code, _, err = pugam_says("report", "files.json", *files[:4], "-q")
    assert code != 0
    assert "not the samples the model was fitted to" in err


@pytest.mark.long
def test_known_negatives_may_be_a_file_beside_several_samples(table, files, pugam_says):
    years = table["year"][LABELLED : N - KNOWN]
    for year in (2022, 2023, 2024):
        pd.read_csv("open.csv")[(years == year).to_numpy(bool)].to_csv(f"{year}.csv", index=False)
    several = [part for year in (2022, 2023, 2024) for part in ("--unlabeled-file", f"{year}.csv")]
    flags = [*files[:2], *several, *files[4:], *CHEAP, "--drop", "w", "--out", "files.json"]
    assert pugam_says("fit", *flags)[0] == 0
    one = [*written(table), "--sample", "year", "--negative", "healthy", "--out", "one.json"]
    assert pugam_says(*one)[0] == 0
    assert shares_in("files.json")["names"] == ["2022", "2023", "2024"]
    assert shares_in("files.json")["negatives"] == KNOWN
    assert shares_in("files.json")["logits"] == pytest.approx(shares_in("one.json")["logits"], abs=1e-6)


def test_files_that_do_not_go_together_are_refused(table, files, pugam_says):
    cases = {
        "Both --negative and --negative-file tell known negatives": [*files, "--negative", "w"],
        "--engine stream reads one file; put all rows into it": [*files, "--engine", "stream"],
        "or both --positive-file and --unlabeled-file": files[4:],
        "--negative-file goes with --positive-file and --unlabeled-file": [*written(table)[1:4], *files[4:]],
    }
    for words, flags in cases.items():
        code, out, err = pugam_says("fit", *flags)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1
    pd.read_csv("healthy.csv").rename(columns={"x2": "x_2"}).to_csv("healthy.csv", index=False)
    code, _, err = pugam_says("fit", *files)
    assert code != 0
    assert "known.csv has no column 'x_2', which healthy.csv has; its nearest name is 'x2'" in err


# What is wrong


def at(row, value, column):
    """A column with one other value; the row is counted as a line of a file with a header."""
    return lambda table: {column: table[column].mask(table.index == row - 2, value)}


BAD = {
    "no such column of negatives": (["--negative", "helthy"], None, "no column 'helthy'; the nearest name is 'health"),
    "no such column of chances": (
        ["--audit", "checked", "--audit-chance", "chanc"],
        None,
        "no column 'chanc'; the nearest name is 'chance'",
    ),
    "chances without audits": (["--audit-chance", "chance"], None, "--audit-chance goes with --audit"),
    "a chance of zero": (ROLES, at(400, 0.0, "chance"), "--audit-chance is 0 in rows.csv, line 400;"),
    "an audit against a label": (ROLES, at(5, 0, "checked"), "--audit says that a labelled row is negative, rows.csv"),
    "a negative with a label": (
        ROLES,
        at(5, 1, "healthy"),
        "--negative says that a labelled row is negative, rows.csv, line 5; correct one of the two",
    ),
    "another code": (ROLES, at(7, 2, "healthy"), "--negative is 2 in rows.csv, line 7; write 1 for a known negative"),
    "a small sample": (
        ROLES,
        lambda table: {"year": table["year"].mask(table.index.isin(range(400, 405)), 1999)},
        "Sample '1999' has 5 unlabelled rows, but a share of its own needs at least 10",
    ),
    "samples of labelled rows only": (
        ROLES,
        lambda table: {"year": pd.Series(2023, index=table.index).where(table["z"] == 1).astype("Int64")},
        "--sample is missing in rows.csv, line 352; name the sample of every unlabelled row.",
    ),
    "nothing unlabelled": (
        ["--negative", "healthy"],
        lambda table: {"healthy": 1 - table["z"]},
        "--negative leaves no unlabelled row",
    ),
    "nothing to pool": (
        ["--shares", "pooled"],
        None,
        "--shares pooled needs at least 3 unlabelled samples, told apart by --sample; there is 1.",
    ),
    "another word": (["--shares", "poled"], None, "--shares is separate or pooled; got 'poled'."),
    "a share that is given": (
        ["--sample", "year", "--pi", "0.3"],
        None,
        "leave --pi, --smoothing, --shrinkage and --estimate at their defaults",
    ),
}


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize(("flags", "change", "words"), BAD.values(), ids=list(BAD))
def test_what_is_wrong_is_said_in_one_line(table, pugam_says, flags, change, words, engine):
    command = written(table, **({} if change is None else change(table)))
    code, out, err = pugam_says(*command, *flags, "--engine", engine)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("found", [pytest.param(0, marks=pytest.mark.long), 1])
def test_audits_of_one_class_pull_the_share_towards_it(table, pugam_says, found):
    """They are taken for what they are, an audit that found nothing else."""
    one = table["checked"].where((table["checked"] == found).fillna(False))
    assert pugam_says(*written(table), "--negative", "healthy", "--out", "without.json")[0] == 0
    code, _, err = pugam_says(*written(table, checked=one), *ROLES[2:4], *ROLES[6:], "--out", "with.json")
    assert code == 0, err
    without, pulled = (load(f"{name}.json").pi_ for name in ("without", "with"))
    assert pulled > without + 0.01 if found else pulled < without - 0.01


def test_samples_that_only_labelled_rows_have_are_none(table, pugam_says):
    flags = written(table, year=table["year"].fillna(1950))
    assert pugam_says(*flags, "--sample", "year", "--out", "model.json")[0] == 0
    assert shares_in("model.json")["names"] == ["2022", "2023", "2024"]


def test_levels_of_a_parquet_file_keep_their_gaps(table, pugam_says):
    """A row without a sample is not taken for one of another."""
    year = table["year"].fillna(2022).astype(str).mask(table.index == 500).astype("category")
    flags = ["fit", "rows.parquet", *written(table)[2:], "--sample", "year"]
    table.assign(year=year).to_parquet("rows.parquet")
    for engine in ("memory", "stream"):
        code, _, err = pugam_says(*flags, "--engine", engine)
        assert code == 2
        assert "--sample is missing in rows.parquet, row 501" in err


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_rows_of_known_class_are_neither_new_nor_to_be_reviewed(table, pugam_says, suffix):
    X, roles = table[["x1", "x2"]], {"label": "z", "audit": "checked", "negative": "healthy"}
    model = PUGAM("x1 + x2", check=False).fit(X[: N - KNOWN], table["z"][: N - KNOWN])
    model.save("model.json", data=roles)
    file = f"rows.{suffix}"
    table.to_csv(file, index=False) if suffix == "csv" else table.to_parquet(file, index=False)
    n_audited = int(table["checked"].notna().sum())

    code, out, _ = pugam_says("predict", "model.json", file, "--top", str(N), "--out", "list.csv")
    assert code == 0
    assert out.splitlines()[0] == (
        f"{LABELLED} rows are labelled already (column 'z'), {KNOWN} rows are known negatives (column 'healthy'), "
        f"{n_audited} rows were audited (column 'checked') and left out; --labelled keep ranks them, too."
    )
    listed = pd.read_csv("list.csv")
    assert len(listed) == N - LABELLED - KNOWN - n_audited
    assert listed[["checked"]].isna().all(axis=None)

    code, out, _ = pugam_says("drift", "model.json", file)
    new = X[LABELLED : N - KNOWN]  # audited rows are drawn from the population, too
    assert code == 0
    assert out.splitlines() == [
        f"{len(new)} unlabelled rows; {KNOWN} known negatives left out",
        *str(model.drift(new)).splitlines(),
    ]


def test_an_odd_word_about_a_known_class_is_told(table, pugam_says):
    PUGAM("x1 + x2", check=False).fit(table[["x1", "x2"]], table["z"]).save("model.json", data={"negative": "healthy"})
    table.assign(healthy="yes").to_csv("rows.csv", index=False)
    for command in (
        ["drift", "model.json", "rows.csv"],
        ["predict", "model.json", "rows.csv", "--top", "3", "--out", "o.csv"],
    ):
        code, _, err = pugam_says(*command)
        assert code == 2
        assert "column 'healthy' holds 'yes', but it says 1, 0 or nothing" in err


# Refits from several files


@pytest.fixture
def of_files(table):
    """A model of known negatives and two years, which were files."""
    X, z = table[["x1", "x2"]], table["z"]
    year = table["year"].replace(2024, 2023)
    model = PUGAM("x1 + x2", interactions=None, check=False).fit(X, z, sample=year, negative=table["healthy"])
    model.save("may.json")
    return ["refit", "may.json", "-q", "--out", "june.json"]


def write_years(table):
    features, year = table[["x1", "x2"]], table["year"].replace(2024, 2023)
    for name in (2022, 2023):
        features[(year == name).fillna(False)][: N - KNOWN].to_csv(f"{name}.csv", index=False)
    return ["--unlabeled-file", "2022.csv", "--unlabeled-file", "2023.csv"]


def test_a_refit_needs_all_kinds_of_files(table, files, pugam_says, of_files):
    years = write_years(table)
    code, _, err = pugam_says(*of_files, *files[:2], *years)
    assert code == 2
    assert "The model has known negatives, but these files do not tell them; give --negative-file, too." in err
    code, _, err = pugam_says(*of_files, *files)
    assert code == 2
    assert "The model has samples, but these files do not tell them; give an --unlabeled-file for each, too." in err
    code, _, err = pugam_says(*of_files, *files[:2], *years, *files[4:])
    assert code == 0, err
    assert shares_in("june.json")["negatives"] == KNOWN


def test_files_take_the_place_of_columns_of_the_fit(table, files, pugam_says, of_files):
    years = write_years(table)
    PUGAM("x1 + x2", check=False).fit(table[["x1", "x2"]], table["z"], negative=table["healthy"]).save(
        "may.json", data={"label": "z", "negative": "healthy", "sample": "year"}
    )
    flags = [*of_files, *files[:2], *years, *files[4:]]
    code, _, err = pugam_says(*flags)
    assert code == 0, err
    assert shares_in("june.json")["names"] == ["2022", "2023"]
    for column, words in (
        (
            "healthy",
            "--negative-file would tell which rows are known negatives, but column 'healthy' of the files does",
        ),
        ("year", "Several --unlabeled-file would tell the samples, but column 'year' of the files does"),
    ):
        pd.read_csv("2022.csv").assign(**{column: 0}).to_csv("2022.csv", index=False)
        code, _, err = pugam_says(*flags)
        assert code == 2
        assert words in err
        write_years(table)
