"""Pictures of the effects that would go with other values of pi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference import Center, Sensitivity, centered_curves, term_center
from pugam.presentation.annotations import MOST_LEVELS, SMALL, explain_curves, name_levels
from pugam.presentation.grids import grid_of
from pugam.presentation.panels import CURVES, LINE, ZERO, make_panels, panel_size, use_axes
from pugam.presentation.pictures import encoded_rows
from pugam.presentation.protocol import FittedModel
from pugam.presentation.rows import rows_of
from pugam.presentation.view_layouts import views_of
from pugam.presentation.views import Detail, View, view_title
from pugam.terms import Basis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_sensitivity"]

Array = NDArray[np.float64]

DETAIL = Detail(curve=100, map=2, levels=MOST_LEVELS)  # of maps only their slices are drawn
SMALLEST, LARGEST = 0.35, 1.0  # darkness of curves from the smallest to the largest pi


def plot_sensitivity(found: Sensitivity, model: FittedModel, axes: Any = None) -> Figure:
    """Draw every effect once for each value at which pi was fixed, darker for larger ones; of surfaces their slices."""
    design, encoded = model._design, encoded_rows(model)
    n_terms = len(design.bases)
    figure, panels = make_panels(n_terms, *panel_size(design.bases)) if axes is None else use_axes(axes, n_terms)
    rows = [None] * n_terms if encoded is None else encoded
    for number, (encoded_values, ax) in enumerate(zip(rows, panels, strict=True)):
        basis, coef = design.bases[number], found.coef[:, design.blocks[number]]
        center = term_center(model._fit, design, number)
        _draw(ax, basis, found.pi, coef, center, rows_of(basis, encoded_values))
    _explain_shades(panels[0])
    if axes is not None:
        return figure
    figure.suptitle("Effects with pi fixed at several values", fontsize=11)
    figure.supylabel("effect on log density ratio", fontsize=10)
    return figure


def _draw(ax: Axes, basis: Basis, pi: Array, coef: Array, center: Center, rows: Array) -> None:
    """Draw one term with several sets of coefficients."""
    *_, view = views = views_of(basis.axes, rows, DETAIL)
    with_missing = basis.has_missing_effect and not view.along
    effects = centered_curves(basis, grid_of(basis, [view], with_missing), coef, center)
    for u, value, shade in zip(effects, pi, np.linspace(SMALLEST, LARGEST, len(pi)), strict=True):
        _draw_effect(ax, view, u, {"alpha": float(shade), "label": f"pi = {value:.2f}"})
    if not view.along:
        name_levels(ax, view, with_missing)
    ax.axhline(0.0, color=ZERO, linewidth=0.8, zorder=0)
    ax.set_title(view_title(basis.spec.label, view, len(views)), fontsize=10)
    if len(basis.axes) > 1 and view.along:
        ax.set_xlabel(view.columns[0])
        explain_curves(ax, view)


def _draw_effect(ax: Axes, view: View, u: Array, style: dict[str, Any]) -> None:
    """Draw points of levels, or curves, in the style of one value of pi."""
    if not view.along:
        ax.plot(np.arange(len(u)), u, "o", color=LINE, **style)
        return
    for number, curve in enumerate(u.reshape(view.shape)):
        own = style if number == 0 else {**style, "label": "_"}  # matplotlib's name of what is in no legend
        ax.plot(view.ticks[0], curve, color=CURVES[number], linewidth=1.5, **own)


def _explain_shades(ax: Axes) -> None:
    """Say which shade stands for which pi, besides which colour stands for which curve."""
    beside = ax.get_legend()
    if beside is not None:
        ax.add_artist(beside)
    ax.legend(fontsize=SMALL, frameon=False)
