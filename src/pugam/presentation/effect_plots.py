"""How matplotlib draws an effect: points with bars, curves with bands, or a map between contour lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.presentation.heat import CLOUD, CONTOUR, VEIL, VEIL_STRENGTH, HeatScale
from pugam.presentation.panels import BAND, CURVES, LINE, ZERO
from pugam.presentation.pictures import EffectAt, Panel, Picture
from pugam.presentation.surfaces import Surface
from pugam.presentation.views import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_LEVELS", "SMALL", "draw_panel", "explain_curves", "name_levels"]

RUG_MARKS, CLOUD_DOTS = 100, 300
LONGEST_LEVELS = 34  # characters of all names of levels that have room side by side
MOST_LEVELS = 24  # whose names have room when they stand upright
MOST_FOLD = 100.0  # by which factors on the odds may differ on a straight axis
HATCH, HATCHING = "////", "#b5b9bc"
SMALL, LINE_HEIGHT = 7, 8.4
BELOW = -34.0  # points from the axis to what is said below its name
LEGEND_STYLE: dict[str, Any] = {
    "fontsize": SMALL,
    "frameon": False,
    "borderpad": 0.2,
    "columnspacing": 1.0,
    "handlelength": 1.5,
}


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
    for color, u, lower, upper, distance in zip(CURVES, *panel.effect, panel.distance, strict=False):
        band, line, alpha = (BAND, LINE, 0.35) if is_single else (color, color, 0.35 / len(view.cases))
        ax.fill_between(x, lower, upper, color=band, alpha=alpha, linewidth=0)
        ax.plot(x, np.where(distance < 1.0, u, np.nan), color=line, linewidth=1.8)
        if (distance >= 1.0).any():
            ax.plot(x, u, ":", color=line, linewidth=1.2)
    if rug:
        _draw_rug(ax, picture.rows[:, along])
    _draw_zero(ax, picture)
    if is_single and picture.missing is not None:
        _draw_missing(ax, x, picture.missing)
    if not is_single:
        ax.set_xlabel(view.columns[0])
        explain_curves(ax, view, bool((panel.distance >= 1.0).any()))
        _say_below(ax, picture, panel)


def _draw_map(ax: Axes, picture: Picture, panel: Panel, heat: HeatScale, rug: bool) -> None:
    """Draw bands of colour between contour lines, a veil where nothing is clear, and hatches where no rows are near."""
    surface = picture.surface(panel)
    x, y = surface.x, surface.y
    u = np.clip(surface.u, heat.edges[0], heat.edges[-1])
    bands = ax.contourf(x, y, u, levels=heat.edges, colors=heat.colours)
    ax.contourf(x, y, -surface.certainty, levels=[0.0, np.inf], colors=[VEIL], alpha=VEIL_STRENGTH)
    away = ax.contourf(x, y, surface.distance, levels=[1.0, np.inf], colors=["white"], hatches=[HATCH])
    away.set_edgecolor(HATCHING)
    away.set_linewidth(0.0)
    shown = np.ma.masked_where(surface.distance > 1.0, u)
    lines = ax.contour(x, y, shown, levels=heat.lines, colors=CONTOUR, linewidths=0.7, linestyles="solid")
    ax.clabel(lines, fmt=heat.name, fontsize=SMALL)
    if rug:
        dots = surface.rows[:: max(1, len(surface.rows) // CLOUD_DOTS)]
        ax.plot(dots[:, 0], dots[:, 1], ".", color=CLOUD, markersize=1.5, alpha=0.5)
    ax.set_xlabel(panel.view.columns[0])
    ax.set_ylabel(panel.view.columns[1])
    _draw_key(ax, bands, heat, picture.quantity.split()[0])
    _explain_map(ax, surface)
    _say_below(ax, picture, panel, lines_above=1.5)


DRAWERS: dict[int, Callable[[Axes, Picture, Panel, HeatScale, bool], None]] = {
    0: _draw_points,
    1: _draw_curves,
    2: _draw_map,
}


def _draw_key(ax: Axes, bands: Any, heat: HeatScale, title: str) -> None:
    """Draw the colours and what they stand for beside a map."""
    key = ax.inset_axes((1.03, 0.0, 0.04, 1.0))
    bar = ax.figure.colorbar(bands, cax=key, ticks=heat.lines)
    bar.ax.set_yticklabels([heat.name(line) for line in heat.lines], fontsize=SMALL)
    bar.ax.set_title(title, fontsize=SMALL, loc="left")
    bar.outline.set_linewidth(0.4)


def _explain_map(ax: Axes, surface: Surface) -> None:
    """Say below a map what is grey and what is hatched."""
    from matplotlib.patches import Patch
    from matplotlib.transforms import ScaledTranslation

    keys = [Patch(color=VEIL, label="not distinguishable from zero")]
    if (surface.distance > 1.0).any():
        keys.append(Patch(facecolor="white", edgecolor=HATCHING, hatch=HATCH, linewidth=0.0, label="no rows near"))
    below = ax.transAxes + ScaledTranslation(0.0, BELOW / 72.0, ax.figure.dpi_scale_trans)
    ax.legend(
        handles=keys, loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=below, ncols=2, **LEGEND_STYLE
    )


def explain_curves(ax: Axes, view: View, is_dotted: bool = False) -> None:
    """Say beside several curves which is which."""
    from matplotlib.lines import Line2D

    names = view.names if len(view.along) == 1 and len(view.cases) > 1 else ()
    keys = [Line2D([], [], color=color, label=name) for color, name in zip(CURVES, names, strict=False)]
    if is_dotted:
        keys.append(Line2D([], [], linestyle=":", color=ZERO, label="no rows near"))
    if keys:
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        ax.legend(handles=keys, title=view.held, title_fontsize=SMALL, **place, **LEGEND_STYLE)


def name_levels(ax: Axes, view: View, with_missing: bool) -> None:
    """Name levels along the axis, upright where there is no room otherwise, and say below it which are shown."""
    names = [*view.names, *(["missing"] if with_missing else [])]
    is_long = sum(map(len, names)) > LONGEST_LEVELS
    ax.set_xticks(range(len(names)), names, rotation=90 if is_long else 0, fontsize=SMALL if is_long else None)
    columns = [view.held] if len(view.axes) > 1 else []
    ax.set_xlabel("\n".join([*columns, *_left_out(view)]), fontsize=SMALL if view.left_out else None)


def _left_out(view: View) -> list[str]:
    n_cases = len(view.cases)
    return [f"the {n_cases} most frequent of {n_cases + view.left_out} are shown"] if view.left_out else []


def _draw_zero(ax: Axes, picture: Picture) -> None:
    if picture.odds and ax.dataLim.y1 > MOST_FOLD * max(ax.dataLim.y0, 0.0):
        ax.set_yscale("log")
    ax.axhline(1.0 if picture.odds else 0.0, color=ZERO, linewidth=0.8, zorder=0)


def _draw_rug(ax: Axes, values: Any) -> None:
    """Mark quantiles of the values along the lower edge, within what is drawn."""
    present, ends = values[~np.isnan(values)], ax.get_xlim()
    if len(present):
        marks = np.quantile(present, np.linspace(0.0, 1.0, min(len(present), RUG_MARKS)))
        marks = marks[(marks >= ends[0]) & (marks <= ends[1])]
        ax.plot(
            marks, np.zeros(len(marks)), "|", color=ZERO, markersize=7, transform=ax.get_xaxis_transform(), zorder=3
        )


def _draw_missing(ax: Axes, x: Any, missing: EffectAt) -> None:
    """Draw the effect of missing values to the right of a curve."""
    place = x[-1] + 0.08 * (x[-1] - x[0])
    u, lower, upper = missing
    ax.errorbar([place], [u], yerr=[[u - lower], [upper - u]], fmt="o", color=LINE, ecolor=BAND, capsize=3)
    ax.annotate("missing", (place, u), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8)


def _say_below(ax: Axes, picture: Picture, panel: Panel, lines_above: float = 0.0) -> None:
    """Say below a panel what it cannot show."""
    said = []
    if picture.missing is not None and panel is picture.panels[0]:
        u, lower, upper = picture.missing
        said.append(f"missing values: {u:.2f} ({lower:.2f} to {upper:.2f})".replace("-", "−"))  # noqa: RUF001
    said.extend(_left_out(panel.view))
    if said:
        ax.annotate(
            "\n".join(said),
            (0.5, 0.0),
            xycoords="axes fraction",
            xytext=(0.0, BELOW - lines_above * LINE_HEIGHT),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=SMALL,
        )
