"""Which tables of results are older than the code they rest on, how to make them again, and how long that takes.

usage: python benchmarks/freshness.py [--write]      (--write: renew benchmarks/README.md, too)

`tables.toml` lists every table with the rooms of `src/pugam` it rests on; the table itself, or runs.md beside it, names
the commit it was made at. It is stale if a function, method or constant of these rooms has changed or gone since. What
is not code does not count: comments, docstrings and texts, and neither do new functions, which nothing old calls, nor
functions that moved to another module. Of the estimator, which computes nothing, the defaults count.
"""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REGISTER = ROOT / "benchmarks/tables.toml"
PAGE = ROOT / "benchmarks/README.md"
DEFAULTS = "estimator/pugam.py"
MADE = re.compile(r"^(?:Made|The first table was made)\b.*?commit ([0-9a-f]{7,40})", flags=re.MULTILINE | re.DOTALL)
COMMIT = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True)
class Run:
    """A command, the tables it writes, what it takes, and the rooms of the package that decide what it finds."""

    tables: tuple[str, ...]
    command: str
    takes: str
    rests_on: tuple[str, ...]
    quick: str = ""
    needs: str = ""
    experiment: str = ""


@dataclass(frozen=True)
class Older:
    """Tables that are known to be stale, each with its commit, and why they are still quoted."""

    tables: dict[str, str]
    why: str


@dataclass(frozen=True)
class Register:
    """All runs, tables that are known to be stale, and tables kept by hand with what they count."""

    runs: tuple[Run, ...]
    older: tuple[Older, ...]
    by_hand: dict[str, str]
    apart: tuple[str, ...]

    @property
    def known(self) -> dict[str, str]:
        """The commit of each table that is known to be stale."""
        return {table: commit for entry in self.older for table, commit in entry.tables.items()}


def read_register(path: Path = REGISTER) -> Register:
    """Read which runs there are; `rests_on` may name groups of rooms."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    groups = found["groups"] | found["apart"]

    def run_of(entry: dict[str, Any]) -> Run:
        named = entry.pop("rests_on", ["fit"])
        rooms = tuple(room for name in named for room in groups.get(name, [name]))
        return Run(tables=tuple(map(path_of, entry.pop("tables"))), rests_on=rooms, **entry)

    return Register(
        runs=tuple(map(run_of, found["run"])),
        older=tuple(
            Older({path_of(name): commit for name, commit in entry["tables"].items()}, entry["why"])
            for entry in found.get("older", [])
        ),
        by_hand={path_of(name): why for name, why in found["by_hand"].items()},
        apart=tuple(module for modules in found["apart"].values() for module in modules),
    )


def path_of(name: str) -> str:
    """Where a table is, from the root of the repository: `bands` is benchmarks/results/bands.md."""
    return name if "/" in name else f"benchmarks/results/{name}.md"


def commit_of(table: str, run: Run, root: Path = ROOT) -> str:
    """The commit at which a table was made: its own word, or the last run that runs.md beside it lists."""
    path = root / table
    if not run.experiment:
        made = MADE.findall(path.read_text(encoding="utf-8"))
        return made[-1] if made else ""
    rows = [line.split("|") for line in (path.parent / "runs.md").read_text(encoding="utf-8").splitlines()]
    commits = [row[5].strip() for row in rows if len(row) > 5 and row[1].strip() == run.experiment]
    named = COMMIT.match(commits[-1]) if commits else None
    return named[0] if named else ""


# ---- what code is


def definitions(source: str) -> Iterator[tuple[str, str]]:
    """Names and code of what a module defines, without imports, comments, docstrings and texts."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        _forget_words(node)
    yield from _defined(tree.body, "")


def _forget_words(node: ast.AST) -> None:
    """Texts with a space in them are for people, and so is what an exception says."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
        node.value = ""
    if isinstance(node, ast.Raise):
        node.exc = None
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
        node.body = [part for part in node.body if not _is_docstring(part)]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _defined(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            yield from _defined(list(methods), f"{owner}{node.name}.")
            node.body = [part for part in node.body if part not in methods]
        name = owner + _name(node)
        if not isinstance(node, ast.Import | ast.ImportFrom) and name != "__all__":
            yield name, f"{owner} {ast.dump(node)}"


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return ast.unparse(target) if target is not None else f"line {node.lineno}"


def defaults(source: str) -> Iterator[tuple[str, str]]:
    """The default of each parameter of the estimator."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            for argument, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                yield argument.arg, f"{argument.arg} = {ast.unparse(value) if value else 'required'}"


# ---- what has changed


class History:
    """The package as it is in the working tree, and as it was at a commit."""

    def __init__(self, root: Path = ROOT, source: str = "src/pugam", apart: tuple[str, ...] = ()) -> None:
        self.root, self.source, self.apart = root, source, apart
        self._of_blob = cache(self._of_blob_anew)
        self._files_at = cache(self._files_at_anew)
        self._now = cache(self._now_anew)
        self._of_file = cache(self._of_file_anew)

    def git(self, *arguments: str) -> str | None:
        """What git says, or None where it is missing or has no answer."""
        try:
            asked = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, check=False)
        except FileNotFoundError:
            return None
        return asked.stdout.decode() if asked.returncode == 0 else None

    @property
    def is_whole(self) -> bool:
        """Whether every commit is here: not in a shallow clone, nor without git."""
        return (self.git("rev-parse", "--is-shallow-repository") or "").strip() == "false"

    def knows(self, commit: str) -> bool:
        return bool(commit) and self.git("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def changes(self, commit: str, rests_on: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Modules and names of what was there at a commit and is not there any more as it was."""
        blobs, codes = self._now(rests_on)
        for path, blob in self._files_at(commit).items():
            if self._is_under(path, rests_on) and blobs.get(path) != blob:
                yield from ((path, name) for name, code in self._of_blob(path, blob) if code not in codes)

    def _is_under(self, path: str, rests_on: tuple[str, ...]) -> bool:
        """Whether a module is among these or in one of these rooms; some count only where they are named themselves."""
        return path in rests_on or (path not in self.apart and any(path.startswith(f"{room}/") for room in rests_on))

    def _files_at_anew(self, commit: str) -> dict[str, str]:
        listed = self.git("ls-tree", "-r", commit, "--", self.source) or ""
        found = (line.split(None, 3) for line in listed.splitlines() if line.endswith(".py"))
        return {path.removeprefix(f"{self.source}/"): blob for _, _, blob, path in found}

    def _of_blob_anew(self, path: str, blob: str) -> list[tuple[str, str]]:
        return list(_reader(path)(self.git("cat-file", "blob", blob) or ""))

    def _now_anew(self, rests_on: tuple[str, ...]) -> tuple[dict[str, str], set[str]]:
        top = self.root / self.source
        blobs: dict[str, str] = {}
        codes: set[str] = set()
        for file in sorted(top.rglob("*.py")):
            path = file.relative_to(top).as_posix()
            if self._is_under(path, rests_on):
                blobs[path], defined = self._of_file(path)
                codes |= defined
        return blobs, codes

    def _of_file_anew(self, path: str) -> tuple[str, set[str]]:
        """What git calls the content of a file, and the codes defined there."""
        content = (self.root / self.source / path).read_bytes()
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        return blob, {code for _, code in _reader(path)(content.decode())}


def _reader(path: str) -> Any:
    return defaults if path == DEFAULTS else definitions


@dataclass(frozen=True)
class State:
    """How a table stands to the code: its commit, whether that is known, and what has changed since."""

    table: str
    run: Run
    commit: str
    is_known: bool
    changed: tuple[tuple[str, str], ...]

    @property
    def is_stale(self) -> bool:
        return not self.is_known or bool(self.changed)

    def __str__(self) -> str:
        if not self.is_known:
            return f"{self.table}: commit {self.commit or '(none named)'} is not known here"
        first = ", ".join(f"{name} ({path})" for path, name in self.changed[:2])
        return f"{self.table}: changed since {self.commit}: {first}, ..."


def states(register: Register, history: History, at_most: int | None = None) -> Iterator[State]:
    """How every table stands; of what has changed, `at_most` so many are looked for."""
    for run in register.runs:
        for table in run.tables:
            commit = commit_of(table, run, history.root)
            is_known = history.knows(commit)
            found = history.changes(commit, run.rests_on) if is_known else iter(())
            changed = tuple(pair for pair, _ in zip(found, range(at_most or 10**9), strict=False))
            yield State(table, run, commit, is_known, changed)


# ---- the page


def page_of(register: Register) -> str:
    """The page on all runs: command, what it takes, tables; and the tables that are older than the code."""
    runs = "\n".join(
        f"| {_links(run.tables)} | `{run.command}` | {run.takes}{f'; needs {run.needs}' if run.needs else ''} |"
        for run in sorted(register.runs, key=lambda run: run.tables)
    )
    older = "\n\n".join(
        f"{entry.why}\n\n" + ", ".join(f"{_links((table,))} ({commit})" for table, commit in entry.tables.items()) + "."
        for entry in register.older
    )
    by_hand = "\n".join(f"- {_links((table,))}: {why}" for table, why in register.by_hand.items())
    return TEMPLATE.format(runs=runs, older=older, by_hand=by_hand)


def _links(tables: tuple[str, ...]) -> str:
    return ", ".join(f"[{_short(table)}](../{table})" for table in tables)


def _short(table: str) -> str:
    return table.removeprefix("benchmarks/results/").removeprefix("results/").removesuffix(".md")


TEMPLATE = """# Making the tables again

Every table of results, the command that writes it, and how long that takes. `python benchmarks/rerun.py NAME` (or
`make table TABLE=NAME`) runs the command of one table; `make results-quick DATA=folder` runs all of them in a reduced
form, into a folder of its own: it shows that they work, not what they find. DATA is the folder of
[real tables](../docs/datasets.md).

`make fresh` lists the tables that are older than the code they rest on, and a test fails if the README or the
documentation links to one that is not listed below. `benchmarks/tables.toml` is where this page comes from, and
`python benchmarks/freshness.py --write` writes it.

| table | command | takes |
| --- | --- | --- |
{runs}

"About" is an estimate from the reduced form, which was run beside other work: good to a factor of two or three. Every
script has a reduced form but `gpu.py`, and `nhanes.py`, whose fits need most of the survey's cycles.

## Tables that are older than the code

Why they are still quoted, each with the commit it was made at.

{older}

## Kept by hand

{by_hand}
"""


def main(arguments: list[str]) -> None:
    register = read_register()
    history = History(apart=register.apart)
    if "--write" in arguments:
        PAGE.write_text(page_of(register), encoding="utf-8")
    if not history.is_whole:
        sys.exit("The commits of the tables are needed: a whole clone (git fetch --unshallow), and git.")
    found = list(states(register, history))
    stale = [state for state in found if state.is_stale]
    unknown = [state for state in stale if register.known.get(state.table) != state.commit]
    for state in stale:
        rooms = sorted({path.split("/")[0] for path, _ in state.changed})
        print("STALE" if state in unknown else "known", state, f"{len(state.changed)} in {', '.join(rooms)}")
    print(f"{len(found) - len(stale)} of {len(found)} tables are fresh, {len(stale) - len(unknown)} known to be older.")
    if unknown:
        lines = ", ".join(f'"{state.table}" = "{state.commit}"' for state in unknown)
        print(f"Run the others again, or say why they stand, in tables.toml: tables = {{ {lines} }}")


if __name__ == "__main__":
    main(sys.argv[1:])
