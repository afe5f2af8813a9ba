"""The effect of a term at all points of its picture, with its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.grids import grid_of, split
from pugam.presentation.nearness import distances
from pugam.presentation.protocol import FittedModel
from pugam.presentation.rows import rows_of
from pugam.presentation.surfaces import Surface, surface_of
from pugam.presentation.view_layouts import views_of
from pugam.presentation.views import Detail, View
from pugam.terms import Basis, Encoded

__all__ = ["EffectAt", "Panel", "Picture", "encoded_rows", "picture_of"]

Array = NDArray[np.float64]

EFFECT, FACTOR = "effect on log density ratio", "factor on the odds"
DERIVATIVE = f"derivative of the {EFFECT}"


class EffectAt(NamedTuple):
    """An effect and its limits: arrays of one shape, or numbers."""

    u: Any
    lower: Any
    upper: Any


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel: what it shows, the effect there, and how far that is from all rows, in the shape of the view."""

    view: View
    effect: EffectAt
    distance: Array

    @property
    def is_map(self) -> bool:
        """Whether it goes along two columns."""
        return len(self.view.along) == 2


@dataclass(frozen=True, eq=False)
class Picture:
    """The picture of a term.

    Attributes
    ----------
    basis : Basis
    rows : array of shape (n_rows, n_axes)
        Values of the rows; none for a model that has lost them.
    panels : tuple of Panel
    missing : EffectAt or None
        The effect of missing values, where they have one.
    quantity : str
        What is drawn: the effect, its derivative, or the factor on the odds.
    """

    basis: Basis
    rows: Array
    panels: tuple[Panel, ...]
    missing: EffectAt | None = None
    quantity: str = EFFECT

    @property
    def odds(self) -> bool:
        """Whether effects are factors on the odds, not logarithms of them."""
        return self.quantity == FACTOR

    @property
    def largest(self) -> float:
        """The largest effect on its maps, on the log scale."""
        return max((self.surface(panel).largest for panel in self.panels if panel.is_map), default=0.0)

    def surface(self, panel: Panel) -> Surface:
        """Return what a map shows, on the log scale."""
        values = [np.log(value) for value in panel.effect] if self.odds else panel.effect
        return surface_of(panel.view, list(values), panel.distance, self.rows)


def encoded_rows(model: FittedModel) -> tuple[Encoded, ...] | None:
    """Return the values of the rows that pictures show, for each term; None where a model has lost its rows."""
    rows = getattr(model, "_rows", None)
    return None if rows is None else rows[0].shown.encoded


def picture_of(model: FittedModel, number: int, detail: Detail, level: float, **options: Any) -> Picture:
    """Evaluate a term wherever its picture shows it; options are those of `effect`.

    Effects are centred as `effect` centres them by default.
    """
    basis, encoded = model._design.bases[number], encoded_rows(model)
    rows = rows_of(basis, None if encoded is None else encoded[number])
    views = views_of(basis.axes, rows, detail)
    grid = grid_of(basis, views, missing=basis.has_missing_effect and not options.get("derivative"))
    frame = model.effect(basis.spec.label, grid, level, **options)
    parts, rests = zip(*(split(views, frame[name]) for name in EffectAt._fields), strict=True)
    panels = [
        Panel(view, EffectAt(*values), _distances(view, rows)) for view, *values in zip(views, *parts, strict=True)
    ]
    missing = EffectAt(*(float(rest[0]) for rest in rests)) if len(rests[0]) else None
    return Picture(basis, rows, tuple(panels), missing, _quantity(**options))


def _distances(view: View, rows: Array) -> Array:
    """Distances of terms of several columns: what a single one goes along is drawn to the ends of its rows only."""
    return distances(view, rows) if len(view.axes) > 1 else np.zeros(view.shape)


def _quantity(scale: str = "log", derivative: bool | str = False, **_: Any) -> str:
    if scale == "odds":
        return FACTOR
    if isinstance(derivative, str):
        return f"{DERIVATIVE} along {derivative}"
    return DERIVATIVE if derivative else EFFECT
