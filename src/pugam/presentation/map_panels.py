"""How matplotlib draws the effect of two numeric columns: as a map between contour lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.presentation.annotations import BELOW, LEGEND_STYLE, SMALL, say_below
from pugam.presentation.heat import CLOUD, CONTOUR, VEIL, VEIL_STRENGTH, HeatScale
from pugam.presentation.pictures import Panel, Picture
from pugam.presentation.rows import blurred
from pugam.presentation.surfaces import Surface

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_map"]

CLOUD_DOTS = 300
HATCH, HATCHING = "////", "#b5b9bc"


def draw_map(ax: Axes, picture: Picture, panel: Panel, heat: HeatScale, rug: bool) -> None:
    """Draw bands of colour between contour lines, a veil where nothing is clear, and hatches where no rows are near."""
    surface = picture.surface(panel)
    bands = _draw_surface(ax, surface, heat)
    if rug:
        dots = blurred(surface.rows[:: max(1, len(surface.rows) // CLOUD_DOTS)])
        ax.plot(dots[:, 0], dots[:, 1], ".", color=CLOUD, markersize=1.5, alpha=0.5)
    ax.set_xlabel(panel.view.columns[0])
    ax.set_ylabel(panel.view.columns[1])
    _draw_key(ax, bands, heat, picture.quantity.split()[0])
    _explain_map(ax, surface)
    say_below(ax, picture, panel, lines_above=1.5)


def _draw_surface(ax: Axes, surface: Surface, heat: HeatScale) -> Any:
    """Draw the map itself; return its bands of colour, for the key."""
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
    return bands


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
