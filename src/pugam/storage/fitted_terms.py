"""Terms that have met the data, with their coefficients and smoothing, in a saved model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.storage.bases import Shelf
from pugam.storage.reading import Node
from pugam.storage.specs import SPEC_KEYS, read_kind, read_range, read_spec, write_spec
from pugam.terms import Basis, Factor, FactorBasis, Linear, LinearBasis, MissingBasis, Smooth, SmoothBasis
from pugam.terms.scales import LogScale
from pugam.terms.splines import PiecewiseBasis

__all__ = ["FittedTerm", "read_fitted_term", "write_fitted_term"]

Array = NDArray[np.float64]
Complete = SmoothBasis | LinearBasis | FactorBasis

FOUND_KEYS = {"smooth": ("lower", "upper", "logarithm", "basis"), "linear": ("lower", "upper"), "factor": ("levels",)}
ESTIMATED_KEYS = ("stand_in", "smoothing", "coefficients")

FARTHEST_POLE = 1e302  # of a logarithm: no further than the widest range goes


@dataclass(frozen=True, eq=False)
class FittedTerm:
    """A term, its smoothing parameter, and its block of the coefficients theta."""

    basis: Basis
    kappa: float
    theta: Array


def write_fitted_term(term: FittedTerm, shelf: Shelf) -> dict[str, Any]:
    """Write a term: what was asked for, what was found in the column, what was estimated."""
    basis, stand_in = term.basis, None
    if isinstance(basis, MissingBasis):
        stand_in, basis = basis.stand_in, basis.inner
    return {
        **write_spec(basis.spec),
        **_write_found(basis, shelf),
        "stand_in": stand_in.item() if isinstance(stand_in, np.generic) else stand_in,
        "smoothing": float(term.kappa),
        "coefficients": term.theta.tolist(),
    }


def read_fitted_term(node: Node, bases: list[PiecewiseBasis]) -> FittedTerm:
    """Read a term."""
    kind = read_kind(node)
    parts = node.fields(*SPEC_KEYS[kind], *FOUND_KEYS[kind], *ESTIMATED_KEYS)
    inner = _read_found(kind, parts, bases)
    basis: Basis = inner
    if parts["stand_in"].value is not None:
        basis = MissingBasis(inner, _read_stand_in(parts["stand_in"], inner))
    kappa = parts["smoothing"].number(0.0, what="a number that is not negative")
    return FittedTerm(basis, kappa, parts["coefficients"].coefficients(len(basis.roughness)))


def _write_found(basis: Basis, shelf: Shelf) -> dict[str, Any]:
    match basis:
        case SmoothBasis():
            return {
                "lower": basis.lower,
                "upper": basis.upper,
                "logarithm": None if basis.scale is None else _write_scale(basis.scale),
                "basis": shelf.number(basis.functions),
            }
        case LinearBasis():
            return {"lower": basis.lower, "upper": basis.upper}
        case FactorBasis():
            # The contrasts follow from the number of levels by sums of whole numbers, square roots and divisions,
            # which every machine rounds alike.
            return {"levels": list(basis.levels)}
        case _:
            raise TypeError(f"a saved model has no place for {type(basis).__name__}")


def _read_found(kind: str, parts: dict[str, Node], bases: list[PiecewiseBasis]) -> Complete:
    match read_spec(kind, parts):
        case Smooth() as spec:
            lower, upper = read_range(parts["lower"], parts["upper"])
            if spec.bounds is not None and spec.bounds != (lower, upper):
                raise parts["bounds"].error("the same numbers as lower and upper, or null")
            functions = _one_of(bases, parts["basis"])
            if len(functions.roughness) >= spec.k:
                raise parts["k"].error(f"at least {len(functions.roughness) + 1}, the size of the term's basis")
            scale = None if parts["logarithm"].value is None else _read_scale(parts["logarithm"], spec, lower, upper)
            return SmoothBasis(spec, lower, upper, functions, scale)
        case Linear() as spec:
            return LinearBasis(spec, *read_range(parts["lower"], parts["upper"]))
        case Factor() as spec:
            return FactorBasis(spec, _read_levels(parts["levels"]))


def _write_scale(scale: LogScale) -> dict[str, Any]:
    """Write the pole of the logarithm; the end of the range next to it follows."""
    return {"mirrored": scale.mirrored, "shift": scale.shift}


def _read_scale(node: Node, spec: Smooth, lower: float, upper: float) -> LogScale:
    parts = node.fields("mirrored", "shift")
    if spec.scale != "log":
        raise node.error('null, as the term does not say scale = "log"')
    mirrored, shift = parts["mirrored"].choice((False, True)), parts["shift"].number(-FARTHEST_POLE, FARTHEST_POLE)
    if not (shift > upper if mirrored else shift < lower):
        raise parts["shift"].error("a number outside the range, below it or, if mirrored, above")
    scale = LogScale(mirrored, shift, upper if mirrored else lower)
    low, high = scale(np.array([lower, upper]))
    if not low < high:
        raise parts["shift"].error("a number near enough to the range for logarithms to differ within it")
    return scale


def _one_of(bases: list[PiecewiseBasis], node: Node) -> PiecewiseBasis:
    if not bases:
        raise node.error("a basis, of which the file has none")
    return bases[node.whole(0, len(bases) - 1)]


def _read_levels(node: Node) -> tuple[object, ...]:
    """Read levels, each of the type it is written in: 1 is whole, 1.0 is not, though they are equal."""
    levels = [_read_level(item) for item in node.items()]
    if len(levels) < 2 or len(set(levels)) < len(levels):
        raise node.error("at least two levels, all different")
    return tuple(levels)


def _read_level(node: Node) -> object:
    level = node.plain()
    if level is None:
        raise node.error("a level: text, true, false or a finite number")
    return level


def _read_stand_in(node: Node, inner: Complete) -> object:
    """Read the value that is put, and then ignored, where the column has gaps: one that the term can take."""
    if inner.spec.missing != "effect":
        raise node.error('null, as the term does not say missing = "effect"')
    if isinstance(inner, FactorBasis):
        if node.plain() not in inner.levels:
            raise node.error("one of the levels, or null")
        return node.value
    # Numbers come from a column of numbers, true and false from one of booleans, which takes nothing else.
    return node.value if type(node.value) is bool else node.number()
