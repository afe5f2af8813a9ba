"""How often a fit goes over the rows of a file, by the mode and by marginal likelihood, the default.

usage: python benchmarks/passes.py [ROWS ...]      (default: 400,000 1,500,000)
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from reporting import write_table

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.engines.stream import StreamedParts

N_ROWS = [400_000, 1_500_000]
SETTINGS = 1, 2, 3
ESTIMATES = "mode", "marginal"


def count(calls: Counter[str], name: str) -> Callable[..., Any]:
    """Return the method of parts that come from a file, with its calls counted: each goes over all of them."""
    method = getattr(StreamedParts, name)

    def counted(*arguments: Any, **options: Any) -> Any:
        calls[name] += 1
        return method(*arguments, **options)

    return counted


def main(sizes: list[int]) -> None:
    calls: Counter[str] = Counter()
    for name in ("map", "sum"):
        setattr(StreamedParts, name, count(calls, name))
    rows = []
    for n_rows in sizes:
        for setting in SETTINGS:
            data = simulate(setting, n0=n_rows // 3, n=n_rows, pi=0.4, random_state=setting)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "rows.parquet")
                pd.DataFrame(data.X).assign(z=data.z).to_parquet(path)
                counts = []
                for estimate in ESTIMATES:
                    calls.clear()
                    PUGAM(engine="stream", estimate=estimate, check=False).fit(path, "z")
                    counts += [calls["map"], calls["sum"]]
            rows.append([f"{n_rows:,}", setting, *counts])
            print(*rows[-1], flush=True)
    write_table(
        "passes",
        "Passes over the rows of a file in a fit",
        ["rows", "Setting", "mode: to draw samples", "to sum", "marginal: to draw samples", "to sum"],
        rows,
        "Passes that find out what columns hold come before these. One data set each; n0 = n/3, pi = 0.4.",
    )


if __name__ == "__main__":
    main([int(float(word)) for word in sys.argv[1:]] or N_ROWS)
