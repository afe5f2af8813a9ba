"""Other estimators beside ours on real tables with hidden labels, all in the same run.

usage: python benchmarks/peers --data FOLDER [--out DIR] [--replicates 10] [--jobs J] [--seed S] [--methods a,b]

FOLDER holds CSV files whose last column is y, 1 or 0. A run that was stopped goes on when the same command is given.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from pugam.errors import InputError
from pugam.studies import Plan
from pugam.studies.answers import Method
from pugam.studies.our_methods import OURS
from pugam.studies.plans import DEFAULT_SEED
from pugam.studies.provenance import write_runs
from pugam.studies.realdata import realdata

LIBRARIES = {"pulearn": "pulearn", "pu-toolbox": "pu_toolbox"}  # the first word of a method's name, and what it imports


def main(arguments: list[str] | None = None) -> None:
    methods = all_methods()
    options = read_options(arguments, list(methods))
    try:
        chosen = {name: methods[name] for name in options.methods}
        require_libraries(chosen)
        plan = Plan(options.out, options.replicates, jobs=options.jobs, seed=options.seed, data=options.data)
        realdata(plan, chosen)
        print(write_runs(plan.folder).read_text(encoding="utf-8"))
    except InputError as error:
        sys.exit(str(error))


def all_methods() -> dict[str, Method]:
    """Ours and others; the workers, which are given this path, find the others' code by the name of their package."""
    if not __package__:  # started as `python benchmarks/peers`, which puts the inside of the package on the path
        sys.path[0] = str(Path(__file__).resolve().parents[1])
    from peers import PEERS

    return {**OURS, **PEERS}


def read_options(arguments: list[str] | None, names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="peers", description="Other estimators of pi beside ours, on real tables.")
    parser.add_argument("--data", help="folder of CSV files whose last column is y, 1 or 0; else PUGAM_DATA")
    parser.add_argument("--out", default="results", help="folder for tables, picture and the records to resume from")
    parser.add_argument("--replicates", type=int, help="maskings of each table at each share; 10 by default")
    parser.add_argument("--jobs", type=int, help="processes; one per core by default")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--methods", help=f"some of these, separated by commas: {', '.join(names)}")
    options = parser.parse_args(arguments)
    options.methods = names if options.methods is None else [name.strip() for name in options.methods.split(",")]
    unknown = [name for name in options.methods if name not in names]
    if unknown:
        parser.error(f"there is no method {unknown[0]!r}; there are {', '.join(names)}")
    return options


def require_libraries(methods: Mapping[str, Method]) -> None:
    """Refuse to begin without them: each run would be kept as a failure of the method."""
    needed = {LIBRARIES[word] for word in (name.split()[0] for name in methods) if word in LIBRARIES}
    missing = sorted(library for library in needed if find_spec(library) is None)
    if missing:
        raise InputError(
            f"{' and '.join(missing)} cannot be imported: pip install '.[peers]' in the clone, or name other methods."
        )


if __name__ == "__main__":
    sys.argv[0] = str(Path(__file__).parent)  # the log of runs is to name the folder, however it was started
    main()
