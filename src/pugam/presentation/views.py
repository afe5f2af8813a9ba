"""What a picture of a term shows: points at levels, curves along one column, or maps of the plane of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import floor, log10, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.presentation.rows import common_levels, quantiles_of, range_for_drawing
from pugam.terms import Axis, Basis

__all__ = ["Case", "Detail", "View", "grid_of", "split", "view_title", "views_of"]

Array = NDArray[np.float64]
Case = dict[int, Any]

MOST_CURVES, MOST_MAPS = 6, 6  # more could not be told apart
SLICES = (0.1, 0.5, 0.9)  # quantiles of a column at which the effect of another is shown
FINENESS = 100  # values at which a column is held are rounded to so many parts of its range


class Detail(NamedTuple):
    """How fine a picture is: points along a curve and along each side of a map, and at most so many levels."""

    curve: int
    map: int
    levels: int


@dataclass(frozen=True)
class View:
    """One panel: an effect along none, one or two numeric columns, for one or several cases of the other columns.

    Attributes
    ----------
    axes : tuple of Axis
        All axes of the term.
    along : tuple of int
        Numbers of the axes drawn along: none for points, one for curves, two for a map.
    ticks : tuple of arrays
        Values along each of them.
    cases : tuple of mappings
        What the other axes are held at, for each point, each curve, or the map.
    left_out : int
        How many cases are not shown.
    """

    axes: tuple[Axis, ...]
    along: tuple[int, ...]
    ticks: tuple[Array, ...]
    cases: tuple[Case, ...]
    left_out: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cases, then of values along each axis."""
        return (len(self.cases), *map(len, self.ticks))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns drawn along."""
        return tuple(self.axes[number].column for number in self.along)

    @property
    def held(self) -> str:
        """The columns that tell cases apart."""
        return ", ".join(self.axes[number].column for number in self._telling)

    @property
    def names(self) -> tuple[str, ...]:
        """The cases, told apart by values of the columns that differ."""
        return tuple(", ".join(self._name(case[number]) for number in self._telling) for case in self.cases)

    @property
    def background(self) -> str:
        """What all cases have in common: `bmi = 25`; empty where that is nothing."""
        first, telling = self.cases[0], self._telling
        common = [number for number in first if number not in telling]
        return ", ".join(f"{self.axes[number].column} = {self._name(first[number])}" for number in common)

    @property
    def _telling(self) -> list[int]:
        return [number for number in self.cases[0] if len({str(case[number]) for case in self.cases}) > 1]

    @staticmethod
    def _name(value: Any) -> str:
        return f"{value:.6g}".replace("-", "−") if isinstance(value, float) else str(value)  # noqa: RUF001, a minus

    def points(self) -> Iterator[tuple[Any, ...]]:
        """All points, a value for each axis; those of the first case first, and the last axis running fastest."""
        for case in self.cases:
            for values in product(*(ticks.tolist() for ticks in self.ticks)):
                point = {**case, **dict(zip(self.along, values, strict=True))}
                yield tuple(point[number] for number in range(len(self.axes)))


def views_of(axes: tuple[Axis, ...], rows: Array, detail: Detail) -> tuple[View, ...]:
    """Return the panels of a term's picture, by how many numeric columns it has; maps come before slices.

    Parameters
    ----------
    axes : tuple of Axis
        Those of the term.
    rows : array of shape (n_rows, n_axes)
        Values of the rows; without any the whole range is drawn.
    detail : Detail
    """
    n_numeric = sum(axis.is_numeric for axis in axes)
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
    maps = [View(axes, (x, y), plane, ({**level, **held},), left_out) for level in by_level for held in heights]
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


def view_title(label: str, view: View, n_views: int) -> str:
    """Name a view: the term, and what it shows of it where it is one of several."""
    if n_views == 1:
        return label
    along = f" along {view.columns[0]}" if len(view.along) == 1 else ""
    return f"{label}{along}{', ' if view.background else ''}{view.background}"


def grid_of(basis: Basis, views: Sequence[View], missing: bool = False) -> Any:
    """Return all points of some views as a grid for `effect`, behind them one where values are missing."""
    points = [point for view in views for point in view.points()]
    if missing:
        points.append(tuple(axis.gap for axis in basis.axes))
    columns = [list(values) for values in zip(*points, strict=True)]
    return columns[0] if len(columns) == 1 else dict(zip(basis.spec.columns, columns, strict=True))


def split(views: Sequence[View], values: Any) -> tuple[list[Array], Array]:
    """Take values at the points of a grid apart: those of each view, in its shape, and what is left of them."""
    ends = np.cumsum([prod(view.shape) for view in views])
    *parts, rest = np.split(np.asarray(values, dtype=float), ends)
    return [part.reshape(view.shape) for part, view in zip(parts, views, strict=True)], rest
