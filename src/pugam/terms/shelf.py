"""Spline bases in a saved model: the polynomials themselves, each distinct basis once.

They could be computed again from the knots, but by an eigen-decomposition, whose last bits and signs are not the
same on every machine; coefficients belong to the functions they were estimated with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.nodes import Node
from pugam.terms.splines import CUBIC_ORDER, PiecewiseBasis

__all__ = ["Shelf", "read_basis", "take_from", "write_basis"]

Array = NDArray[np.float64]

LEAST_ORDER = 2  # straight lines, of a column with two values


def take_from(shelf: Sequence[PiecewiseBasis], node: Node) -> PiecewiseBasis:
    """Return the basis of which a saved term gives the number."""
    if not shelf:
        raise node.error("a basis, of which the file has none")
    return shelf[node.whole(0, len(shelf) - 1)]


class Shelf:
    """The distinct bases of a model, in the order in which terms use them."""

    def __init__(self) -> None:
        self.bases: list[PiecewiseBasis] = []
        self._numbers: dict[bytes, int] = {}

    def number(self, basis: PiecewiseBasis) -> int:
        """Return where a basis stands, putting it there if it is new."""
        key = b"".join(part.tobytes() for part in (basis.breaks, basis.roughness, basis.coefficients))
        if key not in self._numbers:
            self._numbers[key] = len(self.bases)
            self.bases.append(basis)
        return self._numbers[key]


def write_basis(basis: PiecewiseBasis) -> dict[str, Any]:
    """Write knots, roughness and polynomials; where each polynomial starts follows from the knots."""
    return {
        "order": len(basis.coefficients),
        "knots": basis.breaks[1:-1].tolist(),
        "roughness": basis.roughness.tolist(),
        "coefficients": basis.coefficients.tolist(),
    }


def read_basis(node: Node) -> PiecewiseBasis:
    """Read a basis, whose knots permit no more functions than there are; of shrunken curves there are fewer."""
    parts = node.fields("order", "knots", "roughness", "coefficients")
    order = parts["order"].whole(LEAST_ORDER, CUBIC_ORDER)
    breaks = _read_breaks(parts["knots"])
    most = len(breaks) + order - 3
    roughness = parts["roughness"].numbers(low=0.0, what="a number that is not negative")
    n_functions = len(roughness)
    if not 1 <= n_functions <= most:
        raise parts["roughness"].error(f"a list of 1 to {most} numbers")
    powers = [_read_power(power, len(breaks) + 1, n_functions) for power in parts["coefficients"].items(order)]
    coefficients = np.stack(powers)
    if coefficients[2:, [0, -1]].any():
        raise parts["coefficients"].error("straight lines before the first and after the last knot")
    return PiecewiseBasis(breaks, np.concatenate([[0.0], breaks[:-1], [1.0]]), coefficients, roughness)


def _read_breaks(node: Node) -> Array:
    """Read the knots, and add the ends of the range."""
    breaks = np.concatenate([[0.0], node.numbers(), [1.0]])
    if not (np.diff(breaks) > 0.0).all():
        raise node.error("increasing numbers strictly between 0 and 1")
    return breaks


def _read_power(node: Node, n_intervals: int, n_functions: int) -> Array:
    return np.stack([interval.coefficients(n_functions) for interval in node.items(n_intervals)])
