"""What a panel of a term's picture shows: points at levels, curves along one column, or a map of the plane of two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.terms import Axis

__all__ = ["Case", "Detail", "View", "view_title"]

Array = NDArray[np.float64]
Case = dict[int, Any]


class Detail(NamedTuple):
    """How fine a picture is: points along a curve and along each side of a map, and at most so many levels."""

    curve: int
    map: int
    levels: int


@dataclass(frozen=True, eq=False)
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
        What the other axes are fixed at, for each point, each curve, or the map.
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
    def fixed(self) -> str:
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


def view_title(label: str, view: View, n_views: int) -> str:
    """Name a view: the term, and what it shows of it where it is one of several."""
    if n_views == 1:
        return label
    along = f" along {view.columns[0]}" if len(view.along) == 1 else ""
    return f"{label}{along}{', ' if view.background else ''}{view.background}"
