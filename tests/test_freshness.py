"""A table of results that a page links to is as new as the code it rests on, or the register says why it is not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from freshness import History, defaults, definitions, page_of, path_of, read_register, states  # noqa: E402

TABLES = [
    *(ROOT / "benchmarks/results").glob("*.md"),
    *(path for path in (ROOT / "results").rglob("*.md") if path.name != "runs.md" and "records" not in path.parts),
]
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
REGISTER = read_register()
MADE_BY_RUNS = {table for run in REGISTER.runs for table in run.tables}


def quoted():
    """The tables to which the README and the documentation link."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    links = ((page.parent / link).resolve() for page in pages for link in LINK.findall(page.read_text("utf-8")))
    return {path.relative_to(ROOT).as_posix() for path in links if path in TABLES}


@pytest.fixture(scope="module")
def found():
    history = History(apart=REGISTER.apart)
    if not history.is_whole:
        pytest.skip("the commits of the tables are not here: a shallow clone, or no git")
    return {state.table: state for state in states(REGISTER, history, at_most=1)}


def test_every_table_is_in_the_register_once():
    listed = [table for run in REGISTER.runs for table in run.tables] + list(REGISTER.by_hand)
    assert sorted(listed) == sorted(path.relative_to(ROOT).as_posix() for path in TABLES)


def test_tables_that_pages_link_to_are_fresh_or_known_to_be_older(found):
    linked = quoted()
    unknown = [
        str(state)
        for table, state in found.items()
        if state.is_stale and table in linked and REGISTER.known.get(table) != state.commit
    ]
    assert unknown == []  # make fresh; run them again, or say in benchmarks/tables.toml why their figures stand


def test_what_is_called_older_is_a_stale_table_of_that_commit(found):
    wrong = [
        table
        for table, commit in REGISTER.known.items()
        if table not in found or not found[table].is_stale or found[table].commit != commit
    ]
    assert wrong == []


def test_the_page_on_all_tables_is_that_of_the_register():
    assert (ROOT / "benchmarks/README.md").read_text(encoding="utf-8") == page_of(REGISTER)


def test_the_makefile_names_tables_of_the_register():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    named = [
        name for line in re.findall(r"^\t\$\(RERUN\) (.*)$", makefile, flags=re.MULTILINE) for name in line.split()
    ]

    assert len(named) > 20
    assert {path_of(name) for name in named} - {path_of("$(TABLE)"), path_of("--quick")} <= MADE_BY_RUNS


def test_scripts_of_the_register_are_there():
    scripts = {word for run in REGISTER.runs for word in run.command.split() if word.startswith("benchmarks/")}
    assert scripts
    assert [script for script in scripts if not (ROOT / script).exists()] == []


BEFORE = '''"""What lives here."""

import os

LIMIT = 3


def climb(steps):
    """Go up."""
    if steps > LIMIT:
        raise ValueError("too many steps")
    return steps + 1


class Fit:
    """A fit."""

    size: int = 2

    def value(self):
        return self.size
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Go up.", "Go up, step by step."),
        ("too many steps", "fewer steps, please"),
        ("import os\n", "import os\nimport sys\n"),
        ("    return steps + 1", "    return steps + 1  # one more"),
        ("class Fit", "def other():\n    return 1\n\n\nclass Fit"),
        (
            "        return self.size\n",
            "        return self.size\n\n    def twice(self):\n        return 2 * self.size\n",
        ),
    ],
)
def test_words_and_what_is_new_change_nothing(old, new):
    then, now = definitions(BEFORE), definitions(BEFORE.replace(old, new))
    assert {code for _, code in then} <= {code for _, code in now}


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("LIMIT = 3", "LIMIT = 4", "LIMIT"),
        ("steps + 1", "steps + 2", "climb"),
        ("return self.size", "return -self.size", "Fit.value"),
        ("size: int = 2", "size: int = 3", "Fit"),
    ],
)
def test_changed_code_is_named(old, new, name):
    now = {code for _, code in definitions(BEFORE.replace(old, new))}
    assert [found for found, code in definitions(BEFORE) if code not in now] == [name]


def test_a_default_of_the_estimator_counts_and_a_new_parameter_does_not():
    then = dict(defaults("class P:\n    def __init__(self, terms=None, *, estimate='mode', pi): ..."))
    now = dict(defaults("class P:\n    def __init__(self, terms=None, *, estimate='marginal', pi, unseen=1): ..."))
    assert {name for name in then if then[name] != now[name]} == {"estimate"}


def test_a_change_since_the_commit_of_a_table_is_found_and_a_move_is_none(tmp_path):
    room = tmp_path / "src/pugam/solvers"
    room.mkdir(parents=True)
    (room / "fits.py").write_text(BEFORE, encoding="utf-8")
    (tmp_path / "src/pugam/solvers/words.py").write_text("HINT = 1\n", encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()

    def changes(*named):
        history = History(tmp_path, apart=("solvers/words.py",))
        assert history.is_whole
        assert history.knows(commit)
        assert not history.knows("0123456")
        return list(history.changes(commit, ("solvers", *named)))

    (room / "fits.py").rename(room / "climbs.py")
    (room / "words.py").write_text("HINT = 2\n", encoding="utf-8")
    assert changes() == []
    assert changes("solvers/words.py") == [("solvers/words.py", "HINT")]
    (room / "climbs.py").write_text(BEFORE.replace("steps + 1", "steps + 2"), encoding="utf-8")
    assert changes() == [("solvers/fits.py", "climb")]
