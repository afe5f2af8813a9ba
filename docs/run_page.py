"""Runs the commands on a page of the documentation, and puts what they print below them.

Commands stand in blocks of `console` ($ and a command line, then what it prints) and of `python` (>>>, as in a
doctest); they are run from top to bottom, in one folder, in one Python session.

usage: python docs/run_page.py docs/from_file_to_report.md
       python docs/run_page.py docs/presence_only.md --data FOLDER    (with bradypus.csv)
"""

import argparse
import contextlib
import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d+\.\d+(?:e[+-]\d+)?|\d+e[+-]\d+")


@dataclass(frozen=True)
class Step:
    """A command on a page, what the page shows below it, and where that stands."""

    kind: str
    command: str
    shown: str
    start: int
    end: int


def read_steps(page: str) -> list[Step]:
    """Return the commands of a page, from top to bottom."""
    steps = []
    for block in BLOCK.finditer(page):
        kind, body = block.groups()
        if kind == "console":
            command, shown = re.fullmatch(r"\$ (.*?)\n(.*)", body, flags=re.DOTALL).groups()
            steps.append(Step(kind, command, shown, block.end(2) - len(shown), block.end(2)))
            continue
        lines = body.splitlines(keepends=True)
        for example in doctest.DocTestParser().get_examples(body):
            first = example.lineno + example.source.count("\n")
            last = first + example.want.count("\n")
            start, end = (block.start(2) + sum(map(len, lines[:line])) for line in (first, last))
            steps.append(Step(kind, example.source, example.want, start, end))
    return steps


def run_steps(steps: list[Step], folder: Path, pugam: Callable[[list[str]], str] | None = None) -> list[str]:
    """Run commands in a folder and return what each printed.

    Each command line runs in a process of its own, unless `pugam` is given: a function of the arguments of a `pugam`
    command that returns what the command prints.
    """
    names: dict[str, object] = {"__name__": "__main__"}
    return [_run(step, folder, pugam) if step.kind == "console" else _execute(step, folder, names) for step in steps]


def _run(step: Step, folder: Path, pugam: Callable[[list[str]], str] | None) -> str:
    if pugam is None or not step.command.startswith("pugam "):
        return _shell(re.sub(r"^pugam ", f"'{sys.executable}' -m pugam ", step.command), folder)
    command, *pipe = step.command.split(" | ", maxsplit=1)
    with contextlib.chdir(folder):
        printed = pugam(shlex.split(command)[1:])
    return _shell(pipe[0], folder, printed) if pipe else printed


def _shell(command: str, folder: Path, given: str | None = None) -> str:
    done = subprocess.run(command, shell=True, cwd=folder, input=given, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _execute(step: Step, folder: Path, names: dict[str, object]) -> str:
    printed = io.StringIO()
    hook, sys.displayhook = sys.displayhook, sys.__displayhook__
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            exec(compile(step.command, "page", "single"), names)
    finally:
        sys.displayhook = hook
    return printed.getvalue()


def split_numbers(text: str) -> tuple[list[str], list[float]]:
    """Return the words of a text, with # for numbers that have decimals, and these numbers."""
    return NUMBER.sub("#", text).split(), [float(number) for number in NUMBER.findall(text)]


def renew(page: str, folder: Path) -> str:
    """Return the page with what its commands print now."""
    steps = read_steps(page)
    for step, found in reversed(list(zip(steps, run_steps(steps, folder), strict=True))):
        page = page[: step.start] + found + page[step.end :]
    return page


def main() -> None:
    """Renew pages, each in a folder of its own."""
    parser = argparse.ArgumentParser(description="Puts what the commands on a page print below them.")
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--data", type=Path, help="folder of CSV files that the pages read")
    given = parser.parse_args()
    for path in given.pages:
        with tempfile.TemporaryDirectory() as folder:
            for table in given.data.glob("bradypus.csv") if given.data else ():
                shutil.copy(table, folder)
            path.write_text(renew(path.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
