"""`pugam fit` on files that are read in parts: the numbers of a fit in memory, and what is refused."""

import numpy as np
import pytest

import pugam

ROWS = 600


@pytest.fixture
def rows(make_rows):
    table = make_rows(250, ROWS)
    rng = np.random.default_rng(0)
    return table.assign(
        code=rng.choice(["01", "02", "1"], ROWS),
        who=[f"{n:03}" for n in range(ROWS)],
        w=rng.integers(0, 3, ROWS).astype(float),
        state=np.where(table["z"] == 1, "case", "open"),
    )


@pytest.fixture(params=["rows.csv", "rows.parquet"])
def path(request, rows, empty_folder, monkeypatch):
    monkeypatch.setattr("pugam.engines.file_rows.BATCH_ROWS", 130)
    if request.param.endswith("csv"):
        rows.to_csv(request.param, index=False)
    else:
        rows.to_parquet(request.param, row_group_size=170)
    return request.param


@pytest.fixture
def model_of(pugam_says):
    def run(*arguments):
        code, _, err = pugam_says("fit", *arguments, "--out", "model.json", "--quiet")
        assert code == 0
        assert all(line.startswith(VERDICTS) for line in err.splitlines())
        return pugam.load("model.json")

    return run


VERDICTS = ("! pi is not determined.", "! pi is weakly determined.", "! The model does not fit these data.")


STREAMED = {
    "all columns": ["--label", "z", "--drop", "who,state,w"],
    # Where the rest is as in the first, smoothing is given: there are fewer passes over the file.
    "weights": ["--label", "z", "--drop", "state,who", "--weights", "w", "--shrinkage", "never", "--smoothing", "0.1"],
    "words for labels": [
        "--label",
        "state",
        "--positive",
        "case",
        "--terms",
        "s(x1) + x2 + f(code)",
        "--smoothing",
        "0.1",
    ],
    "missing values": ["--label", "z", "--drop", "state,who", "--missing", "effect", "--smoothing", "0.1"],
}
# Numbers are read alike from both kinds of files, texts and gaps are what text files make difficult.
RARE = {
    ("rows.csv", "all columns"),
    ("rows.csv", "weights"),
    ("rows.parquet", "words for labels"),
    ("rows.parquet", "missing values"),
}


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        pytest.param(name, flags, marks=[pytest.mark.long] if (name, kind) in RARE else [], id=f"{name}-{kind}")
        for name in ("rows.csv", "rows.parquet")
        for kind, flags in STREAMED.items()
    ],
    indirect=["path"],
)
def test_a_stream_gives_the_model_of_a_fit_in_memory(path, model_of, flags):
    in_memory = model_of(path, *flags, "--engine", "memory")
    streamed = model_of(path, *flags, "--engine", "stream")

    assert [term.column for term in streamed.terms_] == [term.column for term in in_memory.terms_]
    assert streamed.pi_ == pytest.approx(in_memory.pi_, abs=1e-9)
    assert (streamed.n0_, streamed.n1_) == (in_memory.n0_, in_memory.n1_)


@pytest.mark.parametrize("path", [pytest.param("rows.csv", marks=pytest.mark.long), "rows.parquet"], indirect=True)
def test_large_files_are_streamed_without_being_asked(path, pugam_says, monkeypatch):
    monkeypatch.setattr("pugam.estimator.training.LARGE_BYTES", 0)
    monkeypatch.setattr("pugam.command_line.fitting.read_rows", None)

    code, out, err = pugam_says("fit", path, "--label", "z", "--terms", "s(x1) + s(x2)")

    assert (code, err) == (0, "")
    assert out.startswith("pi = ")
    assert "well determined" in out or "determined" in out


@pytest.mark.parametrize("path", [pytest.param("rows.csv", marks=pytest.mark.long), "rows.parquet"], indirect=True)
def test_a_streamed_fit_has_a_report(path, pugam_says, empty_folder):
    code, _, err = pugam_says(
        "fit", path, "--label", "z", "--terms", "s(x1) + s(x2)", "--engine", "stream", "--report", "page.html", "-q"
    )

    assert (code, err) == (0, "")
    assert "<svg" in (empty_folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "say which column tells the labelled positives"),
        (["--label", "nothing"], "no column 'nothing'"),
        (["--label", "z", "--strata", "code"], "--strata needs --groups where rows are read in parts"),
        (["--label", "z", "--missing", "drop"], "--missing drop needs to see all rows"),
        (["--label", "state"], "--positive case or --positive open"),
        (["--label", "state", "--positive", "closed"], "no row is a labelled positive"),
        (["--label", "z", "--missing", "sometimes"], "--missing is error, drop or effect"),
    ],
)
def test_what_a_stream_cannot_do_is_said_in_one_line(path, pugam_says, flags, message):
    code, out, err = pugam_says("fit", path, *flags, "--engine", "stream")

    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_fault_is_placed_in_the_file(rows, pugam_says, empty_folder, monkeypatch):
    monkeypatch.setattr("pugam.engines.file_rows.BATCH_ROWS", 130)
    rows.loc[400, "x1"] = np.nan
    rows.to_csv("gap.csv", index=False)

    code, _, err = pugam_says("fit", "gap.csv", "--label", "z", "--terms", "s(x1) + s(x2)", "--engine", "stream")

    assert code == 2
    assert "gap.csv, line 402" in err
    assert "an effect of their own (--missing effect)." in err
    assert "--missing drop" not in err  # which needs to see all rows


def test_a_cluster_needs_a_client(path, pugam_says):
    code, _, err = pugam_says("fit", path, "--label", "z", "--engine", "dask")

    assert code == 2
    assert "DASK_SCHEDULER_ADDRESS" in err


@pytest.mark.parametrize("path", [pytest.param("rows.csv", marks=pytest.mark.long), "rows.parquet"], indirect=True)
def test_identifiers_are_not_read(path, pugam_says):
    terms = ["--terms", "s(x1) + s(x2)", "--smoothing", "0.1"]
    code, _, err = pugam_says("fit", path, "--label", "z", *terms, "--id", "who", "--engine", "stream", "-q")

    assert code == 0
    assert "--id is not read" in err


def test_two_files_are_read_into_memory(path, pugam_says):
    code, _, err = pugam_says("fit", "--positive-file", path, "--unlabeled-file", path, "--engine", "stream")

    assert code == 2
    assert "--engine stream reads one file" in err
