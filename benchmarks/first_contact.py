"""First contact: a process that imports and fits 5000 x 5, ours against scikit-learn's LogisticRegression.

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
OURS = TABLE + "from pugam import PUGAM; PUGAM().fit(X, z)"
THEIRS = TABLE + "from sklearn.linear_model import LogisticRegression; LogisticRegression().fit(X, z)"


def seconds(code: str) -> float:
    return best_time(lambda: subprocess.run([sys.executable, "-c", code], check=True), 7)


if __name__ == "__main__":
    seconds(OURS)  # fill the disk cache for both
    ours, theirs = seconds(OURS), seconds(THEIRS)
    write_table(
        "first_contact",
        "A process that imports and fits 5000 x 5",
        ["pugam, s", "LogisticRegression, s", "ratio"],
        [[ours, theirs, ours / theirs]],
        "Best of 7 processes each. Target: ratio at most 3.",
    )
