"""Figures of the effects of a model: a panel or two for each term."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.data import read_flag
from pugam.errors import InputError
from pugam.inference import OrderName
from pugam.presentation.annotations import MOST_LEVELS
from pugam.presentation.effect_panels import draw_panel
from pugam.presentation.heat import heat_scale
from pugam.presentation.panels import make_panels, name_quantity, panel_size, share_scale, use_axes
from pugam.presentation.pictures import Panel, Picture, picture_of
from pugam.presentation.protocol import FittedModel
from pugam.presentation.views import Detail, view_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_effects"]

DETAIL = Detail(curve=100, map=61, levels=MOST_LEVELS)
LONGEST_TITLE = 36  # in large letters


def plot_effects(
    model: FittedModel,
    level: float = 0.95,
    terms: Any = None,
    rug: bool = True,
    shared_scale: bool = False,
    axes: Any = None,
    order: OrderName = "importance",
    **options: Any,
) -> Figure:
    """Draw each term's effect on the log density ratio with its band, one panel a term.

    The effect of two numeric columns is a map with contour lines, grey where it cannot be told from zero and hatched
    where no rows are near, and a second panel of slices, which have bands; levels share a panel as curves side by side.
    Effects have mean zero over the unlabelled rows of the fit, as those of `effect`.

    Parameters
    ----------
    terms : list of str, optional
        The terms to draw; all by default.
    rug : bool
        Mark where the rows lie, along the axis or on the map; a stored model knows its rows after `attach` only.
    shared_scale : bool
        Give all panels the same vertical axis, and all maps the same colours, so that effects can be compared.
    axes : matplotlib axes, one for each panel, optional
        Where to draw; a new figure by default. If there are only as many as terms, each shows the first of its panels.
    order : {"importance", "formula"}
        Draw the terms that matter most first, as of `importance`, or all as in the formula, as terms of a stored model,
        which does not know its rows, are anyway.
    **options
        As of `effect`: simultaneous, scale, derivative. A derivative along a column is drawn of terms that read it.
    """
    _refuse_unknown(options)
    rug, shared_scale = read_flag("rug", rug), read_flag("shared_scale", shared_scale)
    numbers = _numbers(model, terms, order, options.get("derivative", False))
    pictures = [picture_of(model, number, DETAIL, level, **options) for number in numbers]
    drawn = _panels_drawn(pictures, axes)
    size = panel_size(picture.basis for picture in pictures)
    figure, panels = make_panels(len(drawn), *size) if axes is None else use_axes(axes, len(drawn))
    largest = max(picture.largest for picture in pictures)
    for (picture, panel), ax in zip(drawn, panels, strict=True):
        draw_panel(ax, picture, panel, heat_scale(largest if shared_scale else picture.largest, picture.odds), rug)
        title = view_title(picture.basis.spec.label, panel.view, len(picture.panels))
        ax.set_title(title, fontsize=10 if len(title) <= LONGEST_TITLE else 8)
    upright = [ax for (_, panel), ax in zip(drawn, panels, strict=True) if not panel.is_map]
    if shared_scale:
        share_scale(upright)
    name_quantity(upright, pictures[0].quantity, None if axes is not None or len(upright) < len(panels) else figure)
    if axes is None and len(numbers) > 1:
        figure.suptitle(f"Share of positives among the unlabelled: {model.pi_interval(level)}", fontsize=11)
    return figure


def _refuse_unknown(options: Mapping[str, Any]) -> None:
    unknown = [name for name in options if name not in ("simultaneous", "scale", "derivative")]
    if unknown:
        known = "terms, order, rug, shared_scale, axes, simultaneous, scale and derivative"
        raise InputError(f"plot('effects') takes {known}; got {', '.join(unknown)}.")


def _panels_drawn(pictures: Sequence[Picture], axes: Any) -> list[tuple[Picture, Panel]]:
    """All panels, or the first of each term where the caller has one of the axes for each term."""
    one_each = axes is not None and np.size(np.asarray(axes, dtype=object)) == len(pictures)
    return [(picture, panel) for picture in pictures for panel in picture.panels[: 1 if one_each else None]]


def _numbers(model: FittedModel, terms: Any, order: OrderName, derivative: bool | str) -> Sequence[int]:
    """Which terms are drawn: those asked for, or all that have a derivative along the column named."""
    if terms is not None:
        listed = [terms] if isinstance(terms, str) or not isinstance(terms, Iterable) else list(terms)
        if not listed:
            raise InputError("terms names no term to draw; name one, or leave terms out to draw all.")
        return [model._number(term) for term in listed]
    numbers = model._order(order)
    if not isinstance(derivative, str):
        return numbers
    found = [number for number in numbers if derivative in model.terms_[number].columns]
    if not found:
        raise InputError(f"There is no term of {derivative!r} in the model, along which a derivative could be drawn.")
    return found
