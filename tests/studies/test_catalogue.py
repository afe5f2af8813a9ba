"""Studies by name: which there are, what a run of one or of all of them writes, and what it says of it."""

import os

import pytest

from pugam.errors import InputError
from pugam.studies import STUDIES, Plan, catalogue, run_study
from pugam.studies.plans import Experiment
from pugam.studies.running import gather


def fake_study(name, ran):
    """A study that writes one file from the records of one tiny experiment."""

    def study(plan):
        ran.append(name)
        gather(Experiment(name, lambda cell, rng, plan: {"u": rng.random()}, name), [(1,)], plan)
        (plan.folder / f"{name}.md").write_text(name, encoding="utf-8")

    return study


@pytest.fixture
def ran(monkeypatch):
    """Put two quick studies in the place of all, and list those that are run."""
    names = []
    monkeypatch.setattr(catalogue, "load_tables", lambda plan: names.append("load"))
    monkeypatch.setattr(catalogue, "STUDIES", {name: fake_study(name, names) for name in ("first", "second")})
    return names


def test_every_table_and_figure_has_its_study():
    of_paper = ["table1", "table2", "table3", "table4", "figure1", "figure2", "basis", "curves"]
    assert list(STUDIES) == [*of_paper, "realdata"]


def test_an_unknown_study_is_refused_and_nothing_written(make_plan):
    plan = make_plan()

    with pytest.raises(InputError, match=r"There is no study 'table5'; there are table1, .*, realdata, and all\."):
        run_study("table5", plan)

    assert not plan.folder.exists()


def test_one_study_returns_what_it_wrote(make_plan, ran):
    plan = make_plan()

    written = run_study("second", plan)

    assert ran == ["second"]
    assert written == [plan.folder / "runs.md", plan.folder / "second.md"]
    assert all(path.is_file() for path in written)


def test_all_runs_every_study(make_plan, ran):
    plan = make_plan()

    written = run_study("all", plan)

    assert ran == ["load", "first", "second"]  # without data, the first study would be run in vain
    assert {path.name for path in written} == {"first.md", "second.md", "runs.md"}
    page = (plan.folder / "runs.md").read_text(encoding="utf-8")
    assert "| first | 2 |" in page
    assert "| second | 2 |" in page


def test_all_is_of_the_paper_only(make_plan, ran, monkeypatch):
    monkeypatch.setitem(catalogue.STUDIES, "realdata", fake_study("realdata", ran))

    run_study("all", make_plan())

    assert ran == ["load", "first", "second"]


def test_files_of_earlier_runs_are_not_claimed_but_rewritten_ones_are(make_plan, ran):
    plan = make_plan()
    for path in run_study("all", plan):
        os.utime(path, (0, 0))  # long ago

    written = run_study("first", plan)

    assert {path.name for path in written} == {"first.md", "runs.md"}
    assert ran == ["load", "first", "second", "first"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path, ran):
    (tmp_path / "taken").write_text("no folder", encoding="utf-8")

    with pytest.raises(InputError, match=r"taken.* cannot be written \(.*\); choose another out\."):
        run_study("first", Plan(tmp_path / "taken", replicates=2, jobs=1))
