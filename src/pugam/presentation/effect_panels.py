"""How matplotlib draws a panel of an effect: points with bars, curves with bands, or a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.presentation.annotations import explain_curves, name_levels, say_below
from pugam.presentation.heat import HeatScale
from pugam.presentation.map_panels import draw_map
from pugam.presentation.panels import BAND, CURVES, LINE, ZERO
from pugam.presentation.pictures import EffectAt, Panel, Picture
from pugam.presentation.rows import rug_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_panel"]

RUG_MARKS = 100
MOST_FOLD = 100.0  # by which factors on the odds may differ on a straight axis


def draw_panel(ax: Axes, picture: Picture, panel: Panel, heat: HeatScale, rug: bool) -> None:
    """Draw a panel, by how many columns it goes along."""
    DRAWERS[len(panel.view.along)](ax, picture, panel, heat, rug)


def _draw_points(ax: Axes, picture: Picture, panel: Panel, heat: HeatScale, rug: bool) -> None:
    """Draw levels as points with bars, missing values last."""
    u, lower, upper = panel.effect
    if picture.missing is not None:
        u, lower, upper = (np.append(values, at) for values, at in zip(panel.effect, picture.missing, strict=True))
    ax.errorbar(np.arange(len(u)), u, yerr=[u - lower, upper - u], fmt="o", color=LINE, ecolor=BAND, capsize=3)
    name_levels(ax, panel.view, picture.missing is not None)
    _draw_zero(ax, picture)


def _draw_curves(ax: Axes, picture: Picture, panel: Panel, heat: HeatScale, rug: bool) -> None:
    """Draw curves with bands, dotted where no rows are near, and a rug."""
    view = panel.view
    (x,), (along,) = view.ticks, view.along
    is_single = len(view.axes) == 1
    _draw_bands(ax, panel)
    if rug:
        _draw_rug(ax, picture.rows[:, along])
    _draw_zero(ax, picture)
    if is_single and picture.missing is not None:
        _draw_missing(ax, x, picture.missing)
    if not is_single:
        ax.set_xlabel(view.columns[0])
        explain_curves(ax, view, bool((panel.distance >= 1.0).any()))
        say_below(ax, picture, panel)


def _draw_bands(ax: Axes, panel: Panel) -> None:
    """Draw the curves themselves; several have colours, and bands that let each other through."""
    (x,), is_single = panel.view.ticks, len(panel.view.axes) == 1
    for color, u, lower, upper, distance in zip(CURVES, *panel.effect, panel.distance, strict=False):
        band, line, alpha = (BAND, LINE, 0.35) if is_single else (color, color, 0.35 / len(panel.view.cases))
        ax.fill_between(x, lower, upper, color=band, alpha=alpha, linewidth=0)
        ax.plot(x, np.where(distance < 1.0, u, np.nan), color=line, linewidth=1.8)
        if (distance >= 1.0).any():
            ax.plot(x, u, ":", color=line, linewidth=1.2)


DRAWERS: dict[int, Callable[[Axes, Picture, Panel, HeatScale, bool], None]] = {
    0: _draw_points,
    1: _draw_curves,
    2: draw_map,
}


def _draw_zero(ax: Axes, picture: Picture) -> None:
    if picture.odds and ax.dataLim.y1 > MOST_FOLD * max(ax.dataLim.y0, 0.0):
        ax.set_yscale("log")
    ax.axhline(1.0 if picture.odds else 0.0, color=ZERO, linewidth=0.8, zorder=0)


def _draw_rug(ax: Axes, values: Any) -> None:
    """Mark where values are along the lower edge, within what is drawn."""
    marks, ends = rug_of(values, RUG_MARKS), ax.get_xlim()
    marks = marks[(marks >= ends[0]) & (marks <= ends[1])]
    if len(marks):
        ax.plot(
            marks, np.zeros(len(marks)), "|", color=ZERO, markersize=7, transform=ax.get_xaxis_transform(), zorder=3
        )


def _draw_missing(ax: Axes, x: Any, missing: EffectAt) -> None:
    """Draw the effect of missing values to the right of a curve."""
    place = x[-1] + 0.08 * (x[-1] - x[0])
    u, lower, upper = missing
    ax.errorbar([place], [u], yerr=[[u - lower], [upper - u]], fmt="o", color=LINE, ecolor=BAND, capsize=3)
    ax.annotate("missing", (place, u), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8)
