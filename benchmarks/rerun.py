"""Run the command of a table again; or all of them in a reduced form, to see that they work.

usage: python benchmarks/rerun.py NAME [--data FOLDER]
       python benchmarks/rerun.py --quick [NAME ...] [--data FOLDER]

A NAME is that of a table, as `bands` or `results/table1.md`. The reduced form writes to a folder of its own, so that no
committed table is touched, and leaves out what needs more than is there: a folder of real tables, a GPU.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from freshness import ROOT, Run, path_of, read_register

SMALL = ("concrete", "heart", "ionosphere")


def words_of(command: str, data: str, out: str) -> list[str]:
    """A command of the register as it is run here: with this Python, and its folders filled in."""
    program = {"python": [sys.executable], "pugam": [sys.executable, "-m", "pugam"]}
    first, *rest = shlex.split(command)
    folders = {"FOLDER": data, "FEW": f"{out}/few", "OUT": out}
    return program[first] + [_filled(word, folders) for word in rest]


def _filled(word: str, folders: dict[str, str]) -> str:
    name, slash, rest = word.partition("/")
    return folders.get(name, name) + slash + rest


def link_few(data: str, out: str) -> None:
    """Make a folder with the smaller of the real tables alone."""
    few = Path(out, "few")
    few.mkdir()
    for name in SMALL:
        if Path(data, f"{name}.csv").exists():
            (few / f"{name}.csv").symlink_to(Path(data, f"{name}.csv"))


def run(command: str, data: str, out: str) -> float:
    """Run a command from the root of the repository and return the seconds it took."""
    started = time.perf_counter()
    variables = {**os.environ, "PUGAM_DATA": data}
    if out != "results":
        variables |= {"PUGAM_RESULTS": str(Path(out, "benchmarks")), "PUGAM_QUICK": "1"}
    subprocess.run(words_of(command, data, out), cwd=ROOT, env=variables, check=True)
    return time.perf_counter() - started


def run_all(runs: list[Run], data: str) -> bool:
    """Run reduced forms one after the other; say what each took, and whether all went well."""
    out = tempfile.mkdtemp(prefix="quick-results-")
    link_few(data, out)
    took: dict[str, float | None] = {}
    for command in dict.fromkeys(each.quick for each in runs if each.quick):
        if {"FOLDER", "FEW"} & set(shlex.split(command)) and not Path(data).is_dir():
            print(f"left out, because there is no folder {data!r}: {command}")
            continue
        try:
            took[command] = run(command, data, out)
        except subprocess.CalledProcessError:
            took[command] = None
    print(f"\nTables are in {out}. Seconds:")
    for command, seconds in took.items():
        print("failed" if seconds is None else f"{seconds:6.1f}", command)
    print(f"{sum(filter(None, took.values())):6.1f} in all")
    return None not in took.values()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", default=os.environ.get("PUGAM_DATA", "data"))
    asked = parser.parse_args()
    wanted = set(map(path_of, asked.names))
    runs = [each for each in read_register().runs if not wanted or wanted & set(each.tables)]
    if wanted - {table for each in runs for table in each.tables} or not (wanted or asked.quick):
        parser.error("name tables of benchmarks/README.md, or take --quick for all of them")
    data = str(Path(asked.data).resolve())
    if asked.quick:
        sys.exit(not run_all(runs, data))
    for each in runs:
        run(each.command, data, "results")


if __name__ == "__main__":
    main()
