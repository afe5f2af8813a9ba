"""Draws the two samples and their plateau for docs/start.md, and the tree of docs/choosing.md.

usage: python docs/draw_start.py
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pugam.presentation.panels import LINE, MARK

IMAGES = Path(__file__).parent / "images"
GREY, PALE, RULE = "#8a8f98", "#eef1f5", "#c6ccd4"
N_LABELLED, N_UNLABELLED, SHARE = 60, 140, 0.3
FREQUENCY = N_LABELLED / (N_LABELLED + N_UNLABELLED * SHARE)
NEGATIVE, POSITIVE, SPREAD = 2.0, 5.0, 0.9  # where a feature of the two classes lies


def draw_samples(ax: Axes) -> None:
    """Draw both samples as rows of points; hidden positives have a ring."""
    rng = np.random.default_rng(4)
    hidden = rng.random(N_UNLABELLED) < SHARE
    places = np.where(hidden, POSITIVE, NEGATIVE) + SPREAD * rng.normal(size=N_UNLABELLED)
    heights = rng.uniform(0.1, 0.9, N_UNLABELLED)
    ax.scatter(places[~hidden], heights[~hidden], s=16, color=GREY, linewidth=0)
    ax.scatter(places[hidden], heights[hidden], s=16, facecolor=GREY, edgecolor=MARK, linewidth=1.2)
    known = POSITIVE + SPREAD * rng.normal(size=N_LABELLED)
    ax.scatter(known, rng.uniform(1.75, 2.5, N_LABELLED), s=16, color=MARK, linewidth=0)
    ax.text(-0.8, 2.7, "labelled: all of them are positive", color=MARK, fontsize=9)
    ax.text(-0.8, 1.1, "unlabelled: a share pi is positive (ringed),\nbut nobody sees the rings", fontsize=9)
    ax.set_ylim(0.0, 3.0)
    ax.set_yticks([])
    ax.set_title("Two samples", fontsize=10, loc="left")


def draw_plateau(ax: Axes) -> None:
    """Draw the chance of being positive and of being labelled, both rows pooled."""
    x = np.linspace(-1.0, 8.0, 300)
    among = (N_LABELLED + N_UNLABELLED * SHARE) / (N_UNLABELLED * (1.0 - SHARE))
    log_ratio = ((x - NEGATIVE) ** 2 - (x - POSITIVE) ** 2) / (2.0 * SPREAD**2)
    positive = 1.0 / (1.0 + np.exp(-log_ratio) / among)
    ax.plot(x, positive, color=GREY, linewidth=1.5, linestyle="--")
    ax.plot(x, FREQUENCY * positive, color=LINE, linewidth=2.2)
    ax.axhline(FREQUENCY, color=MARK, linewidth=0.9, linestyle=":")
    ax.text(-0.9, FREQUENCY + 0.03, "plateau c: of all positives,\nso many have a label", color=MARK, fontsize=9)
    ax.text(7.9, 0.93, "is positive", color=GREY, fontsize=9, ha="right")
    ax.text(7.9, FREQUENCY - 0.09, "has a label", color=LINE, fontsize=9, ha="right")
    ax.set_ylim(0.0, 1.05)
    ax.set_yticks([0.0, 0.5, 1.0])
    ax.set_title("How often a row with this value ...", fontsize=10, loc="left")


def start() -> Figure:
    """Draw the samples and the plateau side by side."""
    figure = Figure(figsize=(8.0, 3.1), layout="constrained")
    for ax, draw in zip(figure.subplots(1, 2), (draw_samples, draw_plateau), strict=True):
        draw(ax)
        ax.set_xlim(-1.0, 8.0)
        ax.set_xlabel("a feature", fontsize=9)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    return figure


QUESTIONS = (
    ("Images, text or sound?", "yes", "a neural network:\nnnPU if pi is known, else TED^n"),
    ("Many more columns\nthan rows?", "yes", "PUlasso if pi is known;\nelse choose columns first"),
    ("Is a ranking enough, or are\nhidden positives rare?", "yes", "any classifier of the labels"),
    (
        "Are labelled rows a random\nsample of the positives?",
        "no",
        "chances known: sample_weight=\ncolumns known: labelling=\n"
        "else: audit=, or do not report pi,\nbut labelling_bounds()",
    ),
    (
        "Do you know pi, or\nlimits for it?",
        "yes",
        "pi: PUGAM(pi=0.3), not together with\nlabelling=, sample=, audit=, negative=\nlimits: PUGAM(pi=(0.1, 0.5))",
    ),
    (
        "Several groups:\nsites, years?",
        "yes",
        "labelled rows from one source: sample=\n"
        "each group has its own: a fit for each\n"
        "labelled at one rate: group as a feature",
    ),
    ("Was the class of some\nrows found out?", "yes", "fit(X, z, audit=found)\nfit(X, z, negative=healthy)"),
    (
        "Are rows in clusters,\nor from a survey?",
        "yes",
        "fit(X, z, weights,\ngroups=psu, strata=stratum)\n(with labelling=: a bootstrap)",
    ),
)
LAST = "fit with all of these,\nthen read diagnose()"
OTHER_METHODS = 3  # the first questions end in another method; after the others one goes on
STEP = 1.35


def tree() -> Figure:
    """Draw the questions from top to bottom, with what to do at their right."""
    figure = Figure(figsize=(6.9, 10.0))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    for number, (question, answer, advice) in enumerate(QUESTIONS):
        height = -STEP * number
        _box(ax, 1.6, height, question, "white", LINE)
        _box(ax, 5.75, height, advice, PALE, RULE if number < OTHER_METHODS else MARK)
        ax.annotate("", (4.1, height), (3.1, height), arrowprops={"arrowstyle": "->", "color": GREY})
        ax.text(3.6, height + 0.1, answer, ha="center", fontsize=9, color=GREY)
        ax.annotate("", (1.6, height - STEP + 0.4), (1.6, height - 0.4), arrowprops={"arrowstyle": "->", "color": GREY})
        down = {"yes": "no", "no": "yes"}[answer] if number < OTHER_METHODS else "then"
        ax.text(1.7, height - STEP / 2, down, va="center", fontsize=9, color=GREY)
    _box(ax, 1.6, -STEP * len(QUESTIONS), LAST, MARK, MARK, colour="white")
    ax.set_xlim(0.0, 7.6)
    ax.set_ylim(-STEP * len(QUESTIONS) - 0.6, 0.6)
    return figure


def _box(ax: Axes, x: float, y: float, text: str, face: str, edge: str, colour: str = "black") -> None:
    shape = {"boxstyle": "round,pad=0.45", "facecolor": face, "edgecolor": edge}
    ax.text(x, y, text, ha="center", va="center", fontsize=10, color=colour, bbox=shape, linespacing=1.3)


if __name__ == "__main__":
    start().savefig(IMAGES / "two_samples.png", dpi=130)
    tree().savefig(IMAGES / "choosing.png", dpi=100)
