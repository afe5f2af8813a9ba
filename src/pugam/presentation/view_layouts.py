"""Which panels the picture of a term has, and the values that the columns not drawn along are fixed at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, product
from math import floor, log10, prod

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.rows import common_levels, quantiles_of, range_for_drawing
from pugam.presentation.views import Case, Detail, View
from pugam.terms import Axis

__all__ = ["views_of"]

Array = NDArray[np.float64]

MOST_CURVES, MOST_MAPS = 6, 6  # more could not be told apart
SLICES = (0.1, 0.5, 0.9)  # quantiles of a column at which the effect of another is shown
FEW_VALUES = 2  # of a number: between them there is nothing to draw
FINENESS = 100  # values at which a column is fixed are rounded to so many parts of its range


def views_of(axes: tuple[Axis, ...], rows: Array, detail: Detail) -> tuple[View, ...]:
    """Return the panels of a term's picture, by how many numeric columns it has; maps come before slices.

    A number of two values is drawn like a factor of two levels.

    Parameters
    ----------
    axes : tuple of Axis
        Those of the term.
    rows : array of shape (n_rows, n_axes)
        Values of the rows; without any the whole range is drawn.
    detail : Detail
    """
    n_numeric = sum(axis.is_numeric for axis in axes)
    if len(axes) == n_numeric == 1 and 0 < len(np.unique(rows)) <= FEW_VALUES:
        return (View(axes, (), (), tuple({0: value} for value in np.unique(rows).tolist())),)
    return LAYOUTS[min(n_numeric, 2)](axes, rows, detail)


def _points(axes: tuple[Axis, ...], rows: Array, detail: Detail) -> tuple[View, ...]:
    cases, left_out = _cases(axes, rows, range(len(axes)), detail.levels)
    return (View(axes, (), (), cases, left_out),)


def _curves(axes: tuple[Axis, ...], rows: Array, detail: Detail) -> tuple[View, ...]:
    along = next(number for number, axis in enumerate(axes) if axis.is_numeric)
    others = [number for number in range(len(axes)) if number != along]
    cases, left_out = _cases(axes, rows, others, MOST_CURVES)
    return (View(axes, (along,), (_ticks(axes[along], rows[:, along], detail.curve),), cases, left_out),)


def _surfaces(axes: tuple[Axis, ...], rows: Array, detail: Detail) -> tuple[View, ...]:
    """Maps of the first two numeric columns, and slices along the first of them at values of the second."""
    x, y, *others = [number for number, axis in enumerate(axes) if axis.is_numeric]
    levels = [number for number, axis in enumerate(axes) if not axis.is_numeric]
    middle: Case = {number: _middle(axes[number], rows[:, number]) for number in others}
    heights = [{**middle, z: value} for z in others[:1] for value in _held_at(axes[z], rows[:, z])] or [middle]
    by_level, left_out = _cases(axes, rows, levels, MOST_MAPS // len(heights))
    plane = tuple(_ticks(axes[number], rows[:, number], detail.map) for number in (x, y))
    maps = [View(axes, (x, y), plane, ({**level, **fixed},), left_out) for level in by_level for fixed in heights]
    (commonest,), _ = _cases(axes, rows, levels, 1)
    slices = tuple({y: value, **commonest, **middle} for value in _held_at(axes[y], rows[:, y]))
    return (*maps, View(axes, (x,), (_ticks(axes[x], rows[:, x], detail.curve),), slices))


Layout = Callable[[tuple[Axis, ...], Array, Detail], tuple[View, ...]]
LAYOUTS: dict[int, Layout] = {0: _points, 1: _curves, 2: _surfaces}  # by the number of numeric columns, two or more


def _ticks(axis: Axis, values: Array, n_points: int) -> Array:
    return np.linspace(*range_for_drawing(axis, values), n_points)


def _held_at(axis: Axis, values: Array) -> list[float]:
    """Low, middle and high values of a column, or its ends where hardly any value differs from the middle."""
    found = sorted({_rounded(axis, value) for value in quantiles_of(axis, values, SLICES)})
    return found if len(found) > 1 else sorted({*found, axis.lower, axis.upper})


def _middle(axis: Axis, values: Array) -> float:
    return _rounded(axis, float(quantiles_of(axis, values, (0.5,))[0]))


def _rounded(axis: Axis, value: float) -> float:
    """Round a value so that it can be named; its error cannot be seen."""
    width = axis.upper - axis.lower
    step = 10.0 ** floor(log10(width / FINENESS)) if width > 0.0 else 1.0
    return float(f"{round(value / step) * step:.12g}")


def _cases(axes: Sequence[Axis], rows: Array, numbers: Sequence[int], most: int) -> tuple[tuple[Case, ...], int]:
    """Combinations of levels in order, those that most rows have if there are too many; and how many are left out."""
    sizes = [len(axes[number].levels) for number in numbers]
    codes = list(islice(product(*map(range, sizes)), most))
    if len(codes) < prod(sizes) and len(rows):
        codes = common_levels(rows[:, list(numbers)], most)
    cases = [{number: axes[number].levels[code] for number, code in zip(numbers, case, strict=True)} for case in codes]
    return tuple(cases), prod(sizes) - len(cases)
