"""Collects the effects that a report shows, at the estimate and with pi fixed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference import Center, centered_curves, term_center
from pugam.presentation.grids import grid_of
from pugam.presentation.pictures import Panel, Picture, picture_of
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.content import Curves, Effect, Map, Shown, plain_numbers
from pugam.presentation.report.formats import number
from pugam.presentation.rows import rug_of
from pugam.presentation.views import Detail, view_title
from pugam.solvers import Fitted

__all__ = ["collect_effects"]

Array = NDArray[np.float64]

DETAIL = Detail(curve=61, map=31, levels=40)
RUG_MARKS = 60


@dataclass(frozen=True, eq=False)
class _Term:
    """A term in a report: its picture, its coefficients with pi fixed at K values, and where u is zero."""

    picture: Picture
    coef: Array
    center: Center

    def with_pi_fixed(self, panel: Panel, missing: bool) -> Array:
        """Return effects at all points of a panel, behind them that of missing values: shape (K, n_points)."""
        basis = self.picture.basis
        grid = grid_of(basis, [panel.view], missing)
        return centered_curves(basis, grid, self.coef, self.center)

    def title(self, panel: Panel) -> str:
        """Name a panel."""
        return view_title(self.picture.basis.spec.label, panel.view, len(self.picture.panels))

    def notes(self, panel: Panel) -> tuple[str, ...]:
        """Say what a panel does not show."""
        return tuple(self._notes(panel))

    def _notes(self, panel: Panel) -> Iterator[str]:
        view, missing = panel.view, self.picture.missing
        if self.picture.basis.spec.is_known:
            yield "Known beforehand and added as it is, so it has no interval."
        if self.picture.basis.spec.is_labelling:
            yield "The logarithm of the chance that a positive is labelled. Probabilities of rows do not count it."
        if missing is not None and len(view.axes) > 1 and view.along and panel is self.picture.panels[0]:
            yield f"Missing values: effect {number(missing.u)} ({number(missing.lower)} to {number(missing.upper)})."
        if view.left_out:
            yield f"Shown are the {len(view.cases)} most frequent of {len(view.cases) + view.left_out}."


def collect_effects(
    model: FittedModel, fitted: Fitted, coef: Array, level: float, order: Sequence[int]
) -> Iterator[tuple[Shown, ...]]:
    """Yield what is drawn of each term, in this order, with its effects by other coefficients, shape (K, p)."""
    design = fitted.design
    for place in order:
        block = design.blocks[place]
        picture = picture_of(model, place, DETAIL, level)
        term = _Term(picture, coef[:, block], term_center(fitted.fit, design, place))
        yield tuple(PANELS[len(panel.view.along)](term, panel) for panel in picture.panels)


def _points(term: _Term, panel: Panel) -> Effect:
    return _effect(term, panel, panel.view.names)


def _curves(term: _Term, panel: Panel) -> Effect | Curves:
    view = panel.view
    (x,), (along,) = view.ticks, view.along
    rug = _rug(term.picture.rows[:, along], x)
    if len(view.axes) == 1:
        return _effect(term, panel, plain_numbers(x), rug)
    fixed = term.with_pi_fixed(panel, missing=False).reshape(-1, *view.shape).swapaxes(0, 1)
    title, (column,) = term.title(panel), view.columns
    curves = [
        Effect(
            title,
            column,
            plain_numbers(x),
            plain_numbers(u),
            plain_numbers(lower),
            plain_numbers(upper),
            _lists(at),
            rug,
        )
        for u, lower, upper, at in zip(*panel.effect, fixed, strict=True)
    ]
    far = tuple(tuple(case) for case in (panel.distance >= 1.0).tolist())
    return Curves(title, column, view.fixed, view.names, tuple(curves), far, term.notes(panel))


def _effect(term: _Term, panel: Panel, x: tuple[float | str, ...], rug: tuple[float, ...] = ()) -> Effect:
    """One curve, or levels, missing values last."""
    missing = term.picture.missing
    u, lower, upper = (values.ravel() for values in panel.effect)
    if missing is not None:
        x = (*x, "missing")
        u, lower, upper = (np.append(values, at) for values, at in zip((u, lower, upper), missing, strict=True))
    return Effect(
        label=term.title(panel),
        column=", ".join(term.picture.basis.spec.columns),
        x=x,
        u=plain_numbers(u),
        lower=plain_numbers(lower),
        upper=plain_numbers(upper),
        with_pi_fixed=_lists(term.with_pi_fixed(panel, missing is not None)),
        rug=rug,
        missing=missing is not None,
        notes=term.notes(panel),
    )


def _map(term: _Term, panel: Panel) -> Map:
    x, y = panel.view.columns
    picture = term.picture
    return Map(term.title(panel), (x, y), picture.surface(panel), picture.largest, term.notes(panel))


PANELS: dict[int, Callable[[_Term, Panel], Shown]] = {0: _points, 1: _curves, 2: _map}  # by columns drawn along


def _rug(values: Array, x: Array) -> tuple[float, ...]:
    marks = rug_of(values, RUG_MARKS)
    return plain_numbers(marks[(marks >= x[0]) & (marks <= x[-1])])


def _lists(values: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(plain_numbers, values))
