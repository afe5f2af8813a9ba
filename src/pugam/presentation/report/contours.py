"""Contour lines and the areas between them, as outlines in the coordinates of an SVG picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from contourpy import FillType, LineType, contour_generator
from numpy.typing import NDArray

from pugam.presentation.report.drawing import CHARACTER, Box, Label, polygon

__all__ = ["Field", "place_labels"]

Array = NDArray[np.float64]

SHORTEST = 40.0  # contour line that is labelled
TRIED = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # where along a line its label may stand


@dataclass(frozen=True, eq=False)
class Field:
    """Values over the plane.

    Attributes
    ----------
    x, y : arrays of shape (n,) and (m,)
        Places in the picture.
    values : array of shape (m, n), some of it masked perhaps
    """

    x: Array
    y: Array
    values: Array

    def above(self, level: float) -> str:
        """Return the outline of the area where values are at or above a level."""
        highest = max([level, *np.ma.compressed(self.values)])
        generator = contour_generator(self.x, self.y, self.values, fill_type=FillType.OuterOffset)
        found: Any = generator.filled(level, highest + 1.0)
        rings = (points[start:end] for points, ends in zip(*found, strict=True) for start, end in pairwise(ends))
        return "".join(polygon((float(x), float(y)) for x, y in ring[:-1]) for ring in rings)

    def lines(self, level: float) -> list[Array]:
        """Return the contour lines at a level, each as points of shape (n, 2); none where values are masked."""
        generator = contour_generator(self.x, self.y, self.values, line_type=LineType.Separate)
        found: Any = generator.lines(level)
        return list(found)


def place_labels(lines: Sequence[tuple[str, Array]], box: Box) -> list[Label]:
    """Place the labels of contour lines, at most one on each, where they stick out nowhere and overlap no other."""
    placed: list[Label] = []
    for text, points in sorted(lines, key=lambda line: -_length(line[1])):
        if _length(points) < max(SHORTEST, CHARACTER * len(text) + 12.0):
            continue
        free = (
            label
            for label in _candidates(text, points)
            if label.is_inside(box) and not any(label.overlaps(other) for other in placed)
        )
        placed.extend(label for label in [next(free, None)] if label is not None)
    return placed


def _length(points: Array) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _candidates(text: str, points: Array) -> Iterator[Label]:
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    for share in TRIED:
        x, y = (float(np.interp(share * along[-1], along, values)) for values in points.T)
        yield Label(x, y, text)
