"""Pictures of a fitted model, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pugam.inference import Interval
from pugam.terms import Factor, TermSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_effects"]

LINE, BAND, ZERO = "#0072B2", "#56B4E9", "#999999"  # Okabe and Ito's palette, safe for colour-blind readers
MOST_COLUMNS = 4
PANEL_WIDTH, PANEL_HEIGHT = 3.0, 2.6


class FittedModel(Protocol):
    """What a picture needs of a fitted model."""

    terms_: list[TermSpec]

    def effect(self, term: str, grid: Any = None, level: float = 0.95) -> Any:
        """Return a term's effect as a frame."""
        ...

    def pi_interval(self, level: float = 0.95) -> Interval:
        """Return an interval for pi."""
        ...


def plot_effects(model: FittedModel, level: float = 0.95) -> Figure:
    """Draw each term's effect on the log density ratio with its pointwise band, one panel a term."""
    from matplotlib.figure import Figure

    n_terms = len(model.terms_)
    n_lines = -(-n_terms // MOST_COLUMNS)
    n_columns = -(-n_terms // n_lines)
    figure = Figure(figsize=(PANEL_WIDTH * n_columns, PANEL_HEIGHT * n_lines + 0.4), layout="constrained")
    panels = figure.subplots(n_lines, n_columns, squeeze=False).ravel()
    for term, ax in zip(model.terms_, panels, strict=False):
        frame = model.effect(term.column, level=level)
        x, u, lower, upper = (np.asarray(frame[name]) for name in ("x", "u", "lower", "upper"))
        (_draw_levels if isinstance(term, Factor) else _draw_curve)(ax, x, u, lower, upper)
        ax.axhline(0.0, color=ZERO, linewidth=0.8, zorder=0)
        ax.set_title(term.label, fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    for ax in panels[n_terms:]:
        ax.set_visible(False)
    figure.suptitle(f"Share of positives among the unlabelled: {model.pi_interval(level)}", fontsize=11)
    figure.supylabel("effect on log density ratio", fontsize=10)
    return figure


def _draw_curve(ax: Axes, x: Any, u: Any, lower: Any, upper: Any) -> None:
    ax.fill_between(x, lower, upper, color=BAND, alpha=0.35, linewidth=0)
    ax.plot(x, u, color=LINE, linewidth=1.8)
    missing = np.isnan(x)
    if missing.any():
        place = np.nanmax(x) + 0.08 * (np.nanmax(x) - np.nanmin(x))
        bars = [u[missing] - lower[missing], upper[missing] - u[missing]]
        ax.errorbar([place], u[missing], yerr=bars, fmt="o", color=LINE, ecolor=BAND, capsize=3)
        ax.annotate(
            "missing", (place, u[missing][0]), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8
        )


def _draw_levels(ax: Axes, x: Any, u: Any, lower: Any, upper: Any) -> None:
    places = np.arange(len(x))
    ax.errorbar(places, u, yerr=[u - lower, upper - u], fmt="o", color=LINE, ecolor=BAND, capsize=3)
    ax.set_xticks(places, ["missing" if value is None or value != value else str(value) for value in x])
