"""The walk from a file to a report: its commands, run again, say what the page shows."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
RUN_PAGE = runpy.run_path(str(DOCS / "run_page.py"))
STEPS = RUN_PAGE["read_steps"]((DOCS / "from_file_to_report.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("walk")


@pytest.fixture(scope="module")
def said(folder):
    """What every command printed, given in this order, each in a process of its own."""
    return RUN_PAGE["run_steps"](STEPS, folder)


@pytest.mark.parametrize("number", range(len(STEPS)), ids=[step.command for step in STEPS])
def test_a_command_says_what_the_page_shows(said, number):
    found, shown = (RUN_PAGE["split_numbers"](text) for text in (said[number], STEPS[number].shown))

    assert found[0] == shown[0]
    # Other machines round the last digits otherwise.
    assert found[1] == pytest.approx(shown[1], rel=1e-5)


def test_the_report_and_the_model_are_there(said, folder):
    assert said
    assert (folder / "report.html").stat().st_size < 3_000_000
    assert (folder / "model.json").exists()


def test_a_page_is_renewed_with_what_its_commands_print_and_nothing_else(tmp_path):
    console = "```console\n$ echo new\nold\n```\n"
    python = "```python\n>>> a = 2\n>>> a\n3\n>>> print(a + 2)\n\n```\n"
    page = f"# A\n\n{console}\nB\n\n{python}\n```\n$ no command\n```\n"
    renewed = RUN_PAGE["renew"](page, tmp_path)

    assert renewed == page.replace("old", "new").replace("a\n3\n", "a\n2\n").replace("+ 2)\n", "+ 2)\n4\n")
    assert RUN_PAGE["renew"](renewed, tmp_path) == renewed
