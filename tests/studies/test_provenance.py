"""The log of runs: who made which replicates, in what time, and nothing about runs that made none."""

import subprocess
import sys

import pytest

from pugam.studies.provenance import RunLog, describe_machine, write_runs
from pugam.version import __version__


@pytest.fixture
def log(tmp_path):
    (tmp_path / "records").mkdir()
    return RunLog(tmp_path / "records" / "estimates.runs.jsonl")


def run(log, replicates, jobs=2, error=None):
    with log.session(jobs=jobs) as session:
        session.replicates += replicates
        if error is not None:
            raise error


def test_a_log_without_a_file_has_no_sessions(log):
    assert log.sessions() == []


def test_sessions_are_logged_in_their_order(log):
    run(log, 3, jobs=1)
    run(log, 5, jobs=2)

    assert [(one["replicates"], one["jobs"]) for one in log.sessions()] == [(3, 1), (5, 2)]
    assert log.sessions()[0]["machine"] == describe_machine()
    assert log.sessions()[0]["seconds"] >= 0.0


def test_a_session_that_added_nothing_is_not_logged(log):
    run(log, 0)

    assert log.sessions() == []


def test_an_interrupted_session_is_logged_with_what_it_did(log):
    with pytest.raises(KeyboardInterrupt):
        run(log, 4, error=KeyboardInterrupt())

    assert [one["replicates"] for one in log.sessions()] == [4]


def test_the_command_can_be_pasted_into_a_shell(log, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/usr/local/bin/pugam", "study", "table1", "--out", "my results"])

    run(log, 1)

    assert log.sessions()[0]["command"] == "pugam study table1 --out 'my results'"


@pytest.mark.parametrize("no_git", [True, False], ids=["no git", "no checkout"])
def test_the_version_stands_in_for_the_commit(log, monkeypatch, no_git):
    def git(*arguments, **options):
        if no_git:
            raise FileNotFoundError("git")
        return subprocess.CompletedProcess(arguments, 128, stdout="", stderr="fatal: not a git repository")

    monkeypatch.setattr(subprocess, "run", git)

    run(log, 1)

    assert log.sessions()[0]["commit"] == f"version {__version__}"


def test_the_page_has_a_line_for_each_session_of_each_experiment(tmp_path, log, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["pugam", "study", "all"])
    run(log, 3)
    run(log, 7)
    run(RunLog(tmp_path / "records" / "basis.runs.jsonl"), 2, jobs=1)

    page = write_runs(tmp_path)

    assert page == tmp_path / "runs.md"
    header, rule, *lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert len(header.split("|")) == len(rule.split("|")) == len(lines[0].split("|"))
    assert [(line[0], line[1], line[3], line[6]) for line in cells] == [
        ("basis", "2", "1", "`pugam study all`"),
        ("estimates", "3", "2", "`pugam study all`"),
        ("estimates", "7", "2", "`pugam study all`"),
    ]


def test_minutes_are_shown(tmp_path, log):
    line = '{"replicates": 9, "seconds": 150.0, "jobs": 2, "commit": "abc", "machine": "m", "command": "c"}\n'
    log.path.write_text(line, encoding="utf-8")

    assert "| estimates | 9 | 2.5 | 2 | abc | m | `c` |" in write_runs(tmp_path).read_text(encoding="utf-8")
