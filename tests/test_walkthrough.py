"""The walk from a file to a report, and other pages: their commands, run again, say what the pages show."""

import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from pugam.command_line import main

DOCS = Path(__file__).parent.parent / "docs"
RUN_PAGE = runpy.run_path(str(DOCS / "run_page.py"))
# Other pages are run by tests of their own, or need data that are not in the repository.
FOLDERS = ("howto/*.md", "model/*.md")
NAMES = [
    "from_file_to_report.md",
    "start.md",
    *(str(path.relative_to(DOCS)) for each in FOLDERS for path in DOCS.glob(each)),
]


DEMO = ["demo", "--quiet"]


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    """Where the files of a demonstration are kept, and what it said: pages begin with the same one."""
    return tmp_path_factory.mktemp("demonstration") / "demo", []


@pytest.fixture
def pugam(monkeypatch, capsys, demonstration):
    """Run `pugam` in this process: a page of commands would spend most of its time on imports."""
    folder, said = demonstration

    def run(arguments):
        monkeypatch.setattr(sys, "argv", ["pugam", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main()
        return "".join(capsys.readouterr())

    def run_once(arguments):
        if arguments != DEMO:
            return run(arguments)
        if not said:
            said.append(run(arguments))
            shutil.copytree("demo", folder)
        shutil.copytree(folder, "demo", dirs_exist_ok=True)
        return said[0]

    return run_once


# Hundreds of refits, or a dozen fits that other pages show as well.
SLOW = (
    *("howto/clusters.md", "howto/comparing_models.md", "howto/reproducible.md", "howto/weights.md"),
    *("howto/known_pi.md", "howto/missing_values.md", "howto/engines.md", "howto/surveys.md"),
)
# Pages that show the verdict on a fit that Python made. What the others show does not depend on it, and to reach it
# takes longer than the fit: they are run with verdicts, and reports with all values of their slider, in the long tests.
SHOW_VERDICTS = ("howto/another_population.md", "howto/interactions.md", "howto/samples.md")


@pytest.fixture
def _few_places(few_places):
    with few_places():
        yield


def runs_of_pages():
    for name in sorted(NAMES):
        is_quick = name in SHOW_VERDICTS
        yield pytest.param(name, True, marks=[] if is_quick else pytest.mark.long, id=f"{name}, with verdicts")
        if not is_quick and name not in SLOW:
            yield pytest.param(name, False, id=name)


@pytest.mark.parametrize(("name", "with_verdicts"), list(runs_of_pages()))
def test_the_code_of_a_page_prints_what_the_page_shows(name, with_verdicts, tmp_path, pugam, request):
    request.getfixturevalue("checked" if with_verdicts else "_few_places")
    steps = RUN_PAGE["read_steps"]((DOCS / name).read_text(encoding="utf-8"))
    if np.__version__ < "2" and any(step.kind == "python" for step in steps):
        pytest.skip("pages show numbers and frames as newer libraries print them")

    for step, said in zip(steps, RUN_PAGE["run_steps"](steps, tmp_path, pugam), strict=True):
        found, shown = (RUN_PAGE["split_numbers"](text) for text in (said, step.shown))
        assert found[0] == shown[0]
        # Other machines round the last digits otherwise.
        assert found[1] == pytest.approx(shown[1], rel=1e-5)

    if name == "from_file_to_report.md":
        assert (tmp_path / "report.html").stat().st_size < 3_000_000
        assert (tmp_path / "model.json").exists()


def test_a_page_is_renewed_with_what_its_commands_print_and_nothing_else(tmp_path):
    console = "```console\n$ echo new\nold\n```\n"
    python = "```python\n>>> a = 2\n>>> a\n3\n>>> print(a + 2)\n\n```\n"
    page = f"# A\n\n{console}\nB\n\n{python}\n```\n$ no command\n```\n"
    renewed = RUN_PAGE["renew"](page, tmp_path)

    assert renewed == page.replace("old", "new").replace("a\n3\n", "a\n2\n").replace("+ 2)\n", "+ 2)\n4\n")
    assert RUN_PAGE["renew"](renewed, tmp_path) == renewed
