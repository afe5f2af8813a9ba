"""What an installation takes: size on disk and time to import of every library that pugam asks for.

usage: python benchmarks/dependencies.py, in an environment that holds pugam[all] and nothing else
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution, requires

from packaging.requirements import Requirement
from reporting import write_table

MODULES = {"scikit-learn": "sklearn"}
REPEATS = 5
IMPORT = "import time, numpy; start = time.process_time(); import {module}; print(time.process_time() - start)"


def asked_for(name: str, extras: set[str]) -> Iterator[str]:
    """Names of the libraries that one asks for, with these extras."""
    for text in requires(name) or []:
        wish = Requirement(text)
        if wish.marker is None or any(wish.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield wish.name.lower()


def brought_by(name: str) -> set[str]:
    """Names of a library and of all that it brings along."""
    found, waiting = set(), {name}
    while waiting:
        found.add(one := waiting.pop())
        waiting |= set(asked_for(one, set())) - found
    return found


def megabytes(names: set[str]) -> float:
    files = (file for name in names for file in distribution(name).files or [])
    return sum(path.stat().st_size for path in (file.locate() for file in files) if path.is_file()) / 1e6


def seconds(module: str) -> float:
    command = [sys.executable, "-c", IMPORT.format(module=module)]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(REPEATS))


if __name__ == "__main__":
    required = list(asked_for("pugam", set()))
    bare = set().union(*map(brought_by, required))
    rows, seen = [], set()
    for extra in ("", "plot", "fast", "dask"):
        for name in (one for one in asked_for("pugam", {extra}) if not extra or one not in required):
            new = brought_by(name) - seen - (bare if extra else set())
            seen |= new
            rows.append(
                [name, extra or "required", megabytes({name}), megabytes(new), seconds(MODULES.get(name, name))]
            )
    rows.append(["all that is required", "required", megabytes(bare), megabytes(bare), seconds("pugam")])
    write_table(
        "dependencies",
        "What an installation takes",
        ["library", "extra", "size, MB", "with what it brings and none above does, MB", "import, s"],
        rows,
        f"Seconds of processor time after NumPy, best of {REPEATS} processes.",
    )
