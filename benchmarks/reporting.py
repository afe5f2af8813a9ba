"""Tables of benchmark results: printed, and kept in benchmarks/results with the command and machine behind them."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

RESULTS = Path(os.environ.get("PUGAM_RESULTS", Path(__file__).parent / "results"))


def best_time(run: Callable[[], Any], repeats: int) -> float:
    """Return the shortest of several wall times, in seconds: what the work costs when nothing else disturbs it."""
    times = []
    for _ in range(1 if os.environ.get("PUGAM_QUICK") else repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def write_table(name: str, title: str, header: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> None:
    """Print a Markdown table and keep it in benchmarks/results/NAME.md."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    lines += ["| " + " | ".join(_text(cell) for cell in row) + " |" for row in rows]
    table = "\n".join(lines)
    print(f"\n{title}\n\n{table}\n" + (f"\n{note}\n" if note else ""), flush=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    page = f"# {title}\n\n{table}\n\n" + (f"{note}\n\n" if note else "") + f"{_provenance()}\n"
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")


def error_by_table(values: np.ndarray, tables: Sequence[Any]) -> float:
    """Standard error of a mean over tables that were masked many times: maskings of one table are alike."""
    means = [values[[other == name for other in tables]].mean() for name in dict.fromkeys(tables)]
    return float(np.std(means, ddof=1) / np.sqrt(len(means)))


def _text(cell: Any) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def _provenance() -> str:
    arguments = " ".join("FOLDER" if any(Path(argument).glob("*.csv")) else argument for argument in sys.argv[1:])
    command = f"python benchmarks/{Path(sys.argv[0]).name} {arguments}".strip()
    folder = Path(__file__).parent
    commit = os.environ.get("PUGAM_COMMIT", "")  # on a machine that has no clone
    if not commit:
        asked = ["git", "describe", "--always", "--exclude=*", "--dirty"]
        commit = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False).stdout.strip()
    return (
        f"Made by `{command}` at commit {commit or 'unknown'} on {time.strftime('%Y-%m-%d')}: {os.cpu_count()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}."
    )
