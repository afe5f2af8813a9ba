"""Draws the pictures of docs/model/identifiability.md: a flat and a sharp profile of pi; pi where the model is wrong.

usage: python docs/draw_identifiability.py
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pugam import PUGAM
from pugam.presentation.panels import LINE, MARK, ZERO, make_panels

HERE = Path(__file__).parent
IMAGES, RESULTS = HERE / "images", HERE.parent / "benchmarks" / "results"
N_LABELLED, N_UNLABELLED, SHARE, SHIFT = 1500, 1500, 0.4, 1.5
SECOND = {"noise": 0.0, "a second feature": SHIFT}  # by how much it differs between classes
LIMIT, HIGHEST = 3.84, 12.0
GREEN = "#009E73"


def make_table(shift: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Make the rows of examples/unidentified.py, with this difference between classes in the second feature."""
    rng = np.random.default_rng(0)
    hidden = rng.binomial(N_UNLABELLED, SHARE)
    y = np.repeat([1, 0], [N_LABELLED + hidden, N_UNLABELLED - hidden])
    X = pd.DataFrame({"first": rng.normal(size=len(y)) + SHIFT * y, "second": rng.normal(size=len(y)) + shift * y})
    return X, (np.arange(len(y)) < N_LABELLED).astype(int)


def draw_profiles() -> Figure:
    """Draw the profile of pi with one feature that matters, and with two."""
    figure, panels = make_panels(len(SECOND), 4.4, 3.0)
    shares = np.linspace(0.01, 0.75, 75)
    for ax, (name, shift) in zip(panels, SECOND.items(), strict=True):
        model = PUGAM(estimate="mode").fit(*make_table(shift))
        verdict = model.diagnose().verdict
        ax.plot(shares, model.sensitivity(shares).deviance, color=LINE, linewidth=1.8)
        ax.axhline(LIMIT, color=ZERO, linewidth=0.8)
        ax.annotate("95%", (0.75, LIMIT), ha="right", va="bottom", fontsize=8)
        ax.axvline(SHARE, color=MARK, linewidth=1.0, linestyle="--")
        ax.annotate("truth", (SHARE, HIGHEST), (3, -10), textcoords="offset points", fontsize=8, color=MARK)
        ax.set_ylim(0.0, HIGHEST)
        ax.set_xlim(0.0, 0.75)
        ax.set_title(f"one feature and {name}: {verdict}", fontsize=10)
        ax.set_xlabel("pi fixed at")
    panels[0].set_ylabel("deviance")
    return figure


FILES = ("misspecification.md", "misspecification_waves.md")


def draw_misspecification() -> Figure:
    """Draw the estimates of benchmarks/misspecification.py: mean, and where 95% of them lie."""
    text = "".join((RESULTS / name).read_text(encoding="utf-8") for name in FILES)
    truth = float(re.search(r"pi = ([\d.]+)", text).group(1))
    lines = [line for line in text.splitlines() if re.match(r"\| (strong|weaker) ", line)]
    rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in lines]
    kinds = list(dict.fromkeys(row[0] for row in rows))
    figure, panels = make_panels(len(kinds), 4.6, 3.4)
    for ax, kind in zip(panels, kinds, strict=True):
        some = [row for row in rows if row[0] == kind]
        places = -np.arange(len(some))
        means = truth + np.array([float(row[2].split(" ")[0]) for row in some])
        spread = 1.96 * np.array([float(row[3]) for row in some])
        ax.errorbar(means, places, xerr=spread, fmt="o", color=LINE, markersize=5.0, elinewidth=1.6)
        ax.axvline(truth, color=MARK, linewidth=1.0, linestyle="--")
        ax.set_yticks(places, [row[1] for row in some] if ax is panels[0] else [""] * len(some), fontsize=8)
        ax.set_xlim(0.12, 0.58)
        ax.set_title(f"{kind} features", fontsize=10)
        ax.set_xlabel("estimate of pi: mean, and 1.96 sd either way")
    return figure


if __name__ == "__main__":
    draw_profiles().savefig(IMAGES / "identifiability_profiles.png", dpi=110)
    draw_misspecification().savefig(IMAGES / "identifiability_misspecification.png", dpi=110)
