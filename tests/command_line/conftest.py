"""The command line in an empty folder: what it is given, and what it says."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

import pugam
from pugam import PUGAM
from pugam.command_line import main


@pytest.fixture(autouse=True, scope="module")
def _quick_diagnoses(no_trees, few_places):
    """Of modules, so that what their fixtures keep of a diagnosis is as quick."""
    with no_trees(), few_places():
        yield


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Every command is given in an empty folder, and finds no data elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PUGAM_DATA", raising=False)
    monkeypatch.delattr(sklearn.datasets, "fetch_openml")
    return tmp_path


@pytest.fixture(scope="session")
def make_rows():
    """Make tables whose features determine pi, so that fits need not shrink curves, which takes ten times as long."""

    def make(n_labelled, n_rows):
        numbers = np.arange(n_rows)
        positive = numbers < n_labelled + 0.4 * (n_rows - n_labelled)
        X = np.random.default_rng(3).normal(size=(n_rows, 3)) + 1.2 * positive[:, None]
        return pd.DataFrame(X, columns=["x1", "x2", "x3"]).assign(z=(numbers < n_labelled).astype(int))

    return make


@pytest.fixture
def is_verdict():
    """Tell whether nothing stands on standard error but, at most, a line with a verdict, as such tables may have."""
    line = re.compile(r"(! (pi is (weakly|not) determined|The model does not fit these data)\. [^\n]*\n)?")
    return lambda err: line.fullmatch(err) is not None


@pytest.fixture
def pugam_says(monkeypatch, capsys):
    """Give a command and return its exit code, what it printed and what it complained of."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pugam", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return end.value.code or 0, printed.out, printed.err

    return run


@pytest.fixture(scope="session")
def rows(make_rows):
    """Three features, text and numbers that are none, and the label z: 200 labelled positives, 120 unlabelled rows."""
    numbers = np.arange(320)
    sites = np.array(["north", "south", "NA"])[numbers % 3]
    return make_rows(200, 320).assign(site=sites, who=[f"{n:03}" for n in numbers])


@pytest.fixture(scope="session")
def features(rows):
    return rows[["x1", "x2", "x3"]]


@pytest.fixture(scope="session")
def plain(rows, features):
    """PUGAM's own fit."""
    return PUGAM().fit(features, rows["z"])


@pytest.fixture(scope="session")
def plain_given(rows, features):
    """PUGAM's own fit, with smoothing given."""
    return PUGAM(smoothing=0.1).fit(features, rows["z"])


@pytest.fixture
def data(empty_folder, rows, features):
    """The features and the label in a CSV file."""
    features.assign(z=rows["z"]).to_csv("data.csv", index=False)
    return "data.csv"


VERDICTS = ("! pi is not determined.", "! pi is weakly determined.", "! The model does not fit these data.")


@pytest.fixture
def fitted(pugam_says):
    """Fit, and return the model that was saved and what was printed."""

    def run(*arguments):
        code, out, err = pugam_says("fit", *arguments, "--out", "model.json", "--quiet")
        assert code == 0
        assert all(line.startswith(VERDICTS) for line in err.splitlines())
        return pugam.load("model.json"), out

    return run
