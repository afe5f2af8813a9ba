"""The walk from a file to a report, and other pages: their commands, run again, say what the pages show."""

import runpy
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
RUN_PAGE = runpy.run_path(str(DOCS / "run_page.py"))
STEPS = RUN_PAGE["read_steps"]((DOCS / "from_file_to_report.md").read_text(encoding="utf-8"))
# Others are run by tests of their own, or need data that are not in the repository.
PAGES = {
    str(path.relative_to(DOCS)): path
    for path in (DOCS / "start.md", *DOCS.glob("howto/*.md"), *DOCS.glob("model/*.md"))
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("walk")


@pytest.fixture(scope="module")
def said(folder):
    """What every command printed, given in this order, each in a process of its own."""
    return RUN_PAGE["run_steps"](STEPS, folder)


@pytest.mark.parametrize("number", range(len(STEPS)), ids=[step.command for step in STEPS])
def test_a_command_says_what_the_page_shows(said, number):
    assert_alike(said[number], STEPS[number].shown)


def assert_alike(said, shown):
    """The same words, and the same numbers but for last digits that other machines round otherwise."""
    found, shown = (RUN_PAGE["split_numbers"](text) for text in (said, shown))
    assert found[0] == shown[0]
    assert found[1] == pytest.approx(shown[1], rel=1e-5)


@pytest.mark.skipif(np.__version__ < "2", reason="pages show numbers as newer libraries print them")
@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_code_of_a_page_prints_what_the_page_shows(name, tmp_path):
    steps = RUN_PAGE["read_steps"](PAGES[name].read_text(encoding="utf-8"))

    for step, said in zip(steps, RUN_PAGE["run_steps"](steps, tmp_path), strict=True):
        assert_alike(said, step.shown)


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
