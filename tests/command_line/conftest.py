"""The command line in an empty folder: what it is given, and what it says."""

import sys

import pytest
import sklearn.datasets

from pugam.command_line import main


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Every command is given in an empty folder, and finds no data elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PUGAM_DATA", raising=False)
    monkeypatch.delattr(sklearn.datasets, "fetch_openml")
    return tmp_path


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
