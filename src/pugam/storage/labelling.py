"""Who is labelled, in a saved model: what belongs to the preference besides its terms."""

from __future__ import annotations

from typing import Any

from pugam.nodes import Node
from pugam.solvers import LabellingFit

__all__ = ["read_labelling", "write_labelling"]

KEYS = ("log_mean", "factor")


def write_labelling(labelling: LabellingFit) -> dict[str, Any]:
    """Write what the chance of a label depends on besides coefficients."""
    return dict(zip(KEYS, (labelling.log_mean, labelling.factor), strict=True))


def read_labelling(node: Node | None) -> LabellingFit | None:
    """Read it; None where labels were given at random."""
    if node is None:
        return None
    parts = node.fields(*KEYS)
    factor = parts["factor"].number()
    if not factor > 0.0:
        raise parts["factor"].error("a positive number")
    return LabellingFit(parts["log_mean"].number(), factor)
