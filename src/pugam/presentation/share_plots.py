"""Pictures of the shares of several samples, or of several kinds of positives: forest plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pugam.errors import InputError
from pugam.inference import WELL
from pugam.presentation.panels import LINE, MARK, ZERO, make_panels, use_axes
from pugam.presentation.protocol import FittedModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_kinds", "plot_shares"]

WIDTH, HEIGHT_OF_A_ROW, MARGIN = 6.0, 0.32, 1.1


def plot_shares(model: FittedModel, level: float = 0.95, axes: Any = None, **options: Any) -> Figure:
    """Draw the share of each sample with its interval, and that of all unlabelled rows together below them.

    Shares that are not well determined have an open mark.
    """
    if options:
        raise InputError(f"plot('shares') takes axes; got {', '.join(options)}.")
    rows = model._share_rows(level)
    names = [f"{row.sample}  ({row.rows:g})" for row in rows]
    return _forest(rows, names, f"share of positives, {100 * level:g}% intervals (unlabelled rows)", axes)


def plot_kinds(model: FittedModel, level: float = 0.95, axes: Any = None, **options: Any) -> Figure:
    """Draw the share of each kind of positives with its interval, and that of all together below them."""
    if options:
        raise InputError(f"plot('kinds') takes axes; got {', '.join(options)}.")
    rows = model._kind_rows(level)
    names = [f"{row.kind}  ({row.rows:g})" for row in rows]
    return _forest(rows, names, f"share of unlabelled rows, {100 * level:g}% intervals (labelled rows)", axes)


def _forest(rows: Sequence[Any], names: Sequence[str], label: str, axes: Any) -> Figure:
    """Draw shares with their intervals; the last is that of all."""
    height = MARGIN + HEIGHT_OF_A_ROW * len(rows)
    figure, (ax,) = make_panels(1, WIDTH, height) if axes is None else use_axes(axes, 1)
    for place, row in enumerate(rows):
        together = place == len(rows) - 1
        colour = MARK if together else LINE
        filled = row.verdict in (WELL, None)
        ax.plot([row.interval.lower, row.interval.upper], [place, place], color=colour, linewidth=1.8)
        ax.plot(
            row.interval.estimate,
            place,
            marker="D" if together else "o",
            color=colour,
            markerfacecolor=colour if filled else "white",
        )
    ax.axvline(rows[-1].interval.estimate, color=ZERO, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(rows)), names, fontsize=8)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel(label)
    return figure
