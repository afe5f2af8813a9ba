"""Terms as they were asked for, s(), l() and f(), in a saved model."""

from __future__ import annotations

from typing import Any, get_args

from pugam.storage.reading import Node
from pugam.terms import Factor, Linear, Smooth, TermSpec
from pugam.terms.specs import MIN_BASIS_SIZE, KnotPlacement, MissingPolicy, ScaleChoice, UnseenPolicy

__all__ = ["SPEC_KEYS", "read_kind", "read_range", "read_spec", "write_spec"]

SPEC_KEYS = {
    "smooth": ("kind", "column", "k", "bounds", "knots", "missing", "scale"),
    "linear": ("kind", "column", "missing"),
    "factor": ("kind", "column", "missing", "unseen"),
}
MOST_BASIS_SIZE = 2**31
WIDEST = 1.7e308


def write_spec(spec: TermSpec) -> dict[str, Any]:
    """Write a term with all its options."""
    match spec:
        case Smooth():
            bounds = None if spec.bounds is None else list(spec.bounds)
            return _with_keys("smooth", spec.column, spec.k, bounds, spec.knots, spec.missing, spec.scale)
        case Linear():
            return _with_keys("linear", spec.column, spec.missing)
        case Factor():
            return _with_keys("factor", spec.column, spec.missing, spec.unseen)


def read_kind(node: Node) -> str:
    """Look up which kind of term an object describes, and so which keys it has."""
    if not isinstance(node.value, dict) or "kind" not in node.value:
        raise node.error(f'an object with a "kind", one of {", ".join(SPEC_KEYS)}')
    return node.fields("kind", others=True)["kind"].choice(tuple(SPEC_KEYS))


def read_spec(kind: str, parts: dict[str, Node]) -> TermSpec:
    """Read a term and its options."""
    column = parts["column"].text()
    if not column:
        raise parts["column"].error("the name of a column")
    missing: MissingPolicy = parts["missing"].choice(get_args(MissingPolicy))
    if kind == "linear":
        return Linear(column, missing)
    if kind == "factor":
        unseen: UnseenPolicy = parts["unseen"].choice(get_args(UnseenPolicy))
        return Factor(column, missing, unseen)
    k = parts["k"].whole(MIN_BASIS_SIZE, MOST_BASIS_SIZE)
    bounds = None if parts["bounds"].value is None else read_range(*parts["bounds"].items(2))
    knots: KnotPlacement = parts["knots"].choice(get_args(KnotPlacement))
    scale: ScaleChoice = parts["scale"].choice(get_args(ScaleChoice))
    return Smooth(column, k, bounds, knots, missing, scale)


def read_range(lower: Node, upper: Node) -> tuple[float, float]:
    """Read the ends of an interval."""
    low = lower.number(-WIDEST, WIDEST)
    high = upper.number(-WIDEST, WIDEST)
    if not 0.0 < high - low <= WIDEST:
        raise upper.error(f"a number above {low!r}, the lower end, and not too far from it")
    return low, high


def _with_keys(kind: str, *values: Any) -> dict[str, Any]:
    return dict(zip(SPEC_KEYS[kind], (kind, *values), strict=True))
