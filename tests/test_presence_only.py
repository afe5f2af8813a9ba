"""The page on presence-only ecology: its commands, run again, say what the page shows."""

import os
import re
import runpy
import shutil
from pathlib import Path

import pytest

from pugam import PUGAM

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "presence_only.md").read_text(encoding="utf-8")
RUN_PAGE = runpy.run_path(str(DOCS / "run_page.py"))
STEPS = RUN_PAGE["read_steps"](PAGE)
TABLE = Path(os.environ.get("PUGAM_DATA") or "nowhere", "bradypus.csv")

needs_the_table = pytest.mark.skipif(
    not TABLE.exists(), reason="the page's table, bradypus.csv, is in no folder that PUGAM_DATA names"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("sloth")
    shutil.copy(TABLE, found)
    return found


@pytest.fixture(scope="module")
def said(folder):
    """What every command printed, given in this order."""
    return RUN_PAGE["run_steps"](STEPS, folder)


@needs_the_table
@pytest.mark.parametrize("number", range(len(STEPS)))
def test_a_command_says_what_the_page_shows(said, number):
    found, shown = (RUN_PAGE["split_numbers"](text) for text in (said[number], STEPS[number].shown))

    assert found[0] == shown[0], STEPS[number].command
    # Other machines round the last digits otherwise.
    assert found[1] == pytest.approx(shown[1], rel=1e-3), STEPS[number].command


@needs_the_table
def test_the_report_and_the_model_are_there(said, folder):
    assert said
    assert (folder / "sloth.html").exists()
    assert (folder / "sloth.json").exists()


def test_the_page_has_commands_of_both_kinds_with_what_they_print():
    assert [step.kind for step in STEPS].count("console") == 3
    assert all(step.shown for step in STEPS if step.kind == "console" or step.command.startswith(("print(", "for ")))


def test_pictures_and_pages_that_it_points_to_are_there():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", PAGE):
        assert (DOCS / target).exists(), target


def test_its_formulas_can_be_read():
    for terms in re.findall(r'--terms "(.*?)"', PAGE):
        assert PUGAM(terms).terms == terms
