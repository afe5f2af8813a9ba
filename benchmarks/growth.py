"""How time and peak memory grow with rows and with features, and how long the default takes beside the mode.

Every table is fitted in a process of its own.

usage: python benchmarks/growth.py [MOST_ROWS]      (default: 1,000,000)
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from reporting import write_table

ROWS = (1_000, 10_000, 100_000, 1_000_000)
FEATURES = (2, 5, 10, 20, 50)
MIB = 2**20
MOST_REPEATS, MANY_CELLS = 5, 200_000  # tables of so many cells are fitted twice, smaller ones more often


def memory(kind: str) -> float:
    """Read VmRSS (now) or VmHWM (peak) of this process, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(kind + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(f"{kind} is not in /proc/self/status: this benchmark needs Linux")


def one_fit(n: int, p: int) -> dict[str, float]:
    from pugam import PUGAM

    rng = np.random.default_rng(0)
    PUGAM(check=False).fit(rng.random((200, 2)), np.arange(200) % 2)
    before = memory("VmRSS")
    X, z = made_up_table(n, p, rng)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    PUGAM(check=False).fit(X, z)
    peak = memory("VmHWM") - before
    fits = {"mode": PUGAM(estimate="mode", check=False), "default": PUGAM(check=False)}
    seconds = dict.fromkeys(fits, np.inf)
    for _ in range(min(max(2, MANY_CELLS // X.size), MOST_REPEATS)):
        for name, model in fits.items():  # in turn, so that a machine that slows down slows down both
            start = time.perf_counter()
            model.fit(X, z)
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds | {"peak": peak, "table": X.nbytes / MIB}


def made_up_table(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Uniform features, the first four of them with effects; half labelled, 40% of the rest positive."""
    X = rng.random((n, p))
    positive = rng.random(n) < 0.7
    for j in range(min(p, 4)):  # positives lean to large values
        X[positive, j] = np.sqrt(X[positive, j])
    labelled = positive & (rng.random(n) < 0.7)
    return X, labelled.astype(int)


def measure(n: int, p: int) -> dict[str, float]:
    command = [sys.executable, __file__, "one", str(n), str(p)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main(most: int) -> None:
    rows = []
    for n, p in [(n, 5) for n in ROWS if n <= most] + [(min(most, 20_000), p) for p in FEATURES]:
        got = measure(n, p)
        beyond = got["peak"] - 3 * got["table"]
        mode, default = got["mode"], got["default"]
        rows.append([n, p, default, mode, default / mode, 1e6 * default / n, got["table"], got["peak"], beyond])
    write_table(
        "growth",
        "Growth of time and memory with rows n and features p (a default fit)",
        [
            "n",
            "p",
            "default, s",
            "mode, s",
            "default / mode",
            "microseconds per row",
            "table, MiB",
            "peak, MiB",
            "peak - 3 x table, MiB",
        ],
        rows,
        f"Times: best of {MOST_REPEATS} for small tables, of 2 for large ones, default and mode in turn. Targets: "
        "default / mode at most 3 for p <= 10 and 2 for p = 50. Peak: resident memory during the first fit, table "
        "included, above that of a process that has imported pugam and fitted a tiny table. Targets: the last column "
        "stays below a constant (the cache of model columns, 128 MiB, and room to work), and time per row levels off.",
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(one_fit(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        main(int(float(sys.argv[1])) if len(sys.argv) > 1 else max(ROWS))
