"""Pictures of the studies, drawn with matplotlib: histograms of estimates and mean curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.presentation.panels import BAND, LINE, MARK, ZERO, make_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any

__all__ = ["Figure", "histograms", "mean_curves", "write"]

BINS = 25
NAMES = {"GAET": "the paper's method", "default": "the default"}
STYLES = (("#009E73", "-."), (MARK, ":"), (LINE, "--"))
RESOLUTION = 150  # dots an inch


def histograms(estimates: Mapping[tuple[str, int], Sequence[float]], pi: float, n: int) -> Figure:
    """Draw estimates of pi, one panel for each method and setting, with the truth and their mean."""
    figure, panels = _lines_of(list(estimates), width=3.2)
    everything = np.concatenate(list(estimates.values()))
    edges = np.linspace(everything.min(), everything.max(), BINS + 1)
    for ax, ((method, setting), values) in zip(panels, estimates.items(), strict=True):
        ax.hist(values, edges, color=BAND, edgecolor="white", linewidth=0.5)
        ax.axvline(pi, color=MARK, label=f"truth, {pi:g}")
        ax.axvline(float(np.mean(values)), color=LINE, linestyle=":", label=f"mean, {np.mean(values):.3f}")
        ax.set_title(f"Setting {setting}, {NAMES[method]}", fontsize=10)
        ax.set_xlabel("estimate of pi")
        ax.set_ylabel("replicates")
        ax.margins(y=0.35)  # room for the legend
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    figure.suptitle(f"Estimates of pi in {len(next(iter(estimates.values())))} replicates, n = {n}", fontsize=11)
    return figure


def mean_curves(
    grid: np.ndarray, means: Mapping[tuple[str, int, int], np.ndarray], truths: Mapping[int, np.ndarray]
) -> Figure:
    """Draw mean estimates of u_3 for several sample sizes, one panel for each method and setting, and the truth."""
    figure, panels = _lines_of(list(dict.fromkeys(key[:2] for key in means)), width=4.2)
    sizes = list(dict.fromkeys(n for _, _, n in means))
    for ax, (method, setting) in zip(panels, dict.fromkeys(key[:2] for key in means), strict=True):
        ax.plot(grid, truths[setting], color=ZERO, linewidth=2.5, label="truth")
        for n, (colour, style) in zip(sizes, STYLES, strict=True):
            ax.plot(grid, means[method, setting, n], color=colour, linestyle=style, label=f"n = {n}")
        ax.set_title(f"Setting {setting}, {NAMES[method]}", fontsize=10)
        ax.set_xlabel("x3")
        ax.set_ylabel("mean of u3")
        curves = [truths[setting], *(curve for key, curve in means.items() if key[1] == setting)]
        lowest, highest = float(np.min(curves)), float(np.max(curves))
        ax.set_ylim(lowest - 0.05 * (highest - lowest), highest + 0.05 * (highest - lowest))
    panels[0].legend(frameon=False, fontsize=8)
    return figure


def write(figure: Figure, folder: Path, name: str) -> Figure:
    """Write NAME.png and NAME.svg into a folder; the same figure gives the same bytes."""
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=RESOLUTION)
    return figure


def _lines_of(panels: Sequence[tuple[str, int]], width: float) -> tuple[Figure, list[Any]]:
    """Panels in lines, one for each method."""
    return make_panels(len(panels), width=width, columns=len({setting for _, setting in panels}))
