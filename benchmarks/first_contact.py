"""First contact: a process that imports pugam, and one that fits 5000 x 5, against scikit-learn's LogisticRegression.

usage: python benchmarks/first_contact.py
"""

from __future__ import annotations

import subprocess
import sys

from reporting import best_time, write_table

TABLE = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.random((5000, 5))
positive = rng.random(5000) < 0.7
X[positive] = np.sqrt(X[positive])
z = (positive & (rng.random(5000) < 0.7)).astype(int)
"""
OURS, THEIRS = "from pugam import PUGAM", "from sklearn.linear_model import LogisticRegression"
CASES = {
    "import": (OURS, THEIRS),
    "import and fit": (
        f"{TABLE}{OURS}; PUGAM(check=False).fit(X, z)",
        f"{TABLE}{THEIRS}; LogisticRegression().fit(X, z)",
    ),
    "import, fit and verdict": (
        f"{TABLE}{OURS}; PUGAM().fit(X, z)",
        f"{TABLE}{THEIRS}; LogisticRegression().fit(X, z)",
    ),
}


def seconds(code: str) -> float:
    return best_time(lambda: subprocess.run([sys.executable, "-c", code], check=True), 7)


if __name__ == "__main__":
    rows = []
    for name, codes in CASES.items():
        seconds(codes[0])  # fill the disk cache for both
        ours, theirs = map(seconds, codes)
        rows.append([name, ours, theirs, ours / theirs])
    write_table(
        "first_contact",
        "A process that imports pugam, and one that fits 5000 x 5",
        ["process", "pugam, s", "LogisticRegression, s", "ratio"],
        rows,
        "Best of 7 processes each. Target: the import at most 1.15 times scikit-learn's. The verdict is the default's, "
        "by boosted trees among others; LogisticRegression has none.",
    )
