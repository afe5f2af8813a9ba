"""How terms vary over unlabelled rows, in a saved model."""

from __future__ import annotations

from typing import Any

import numpy as np

from pugam.inference import TermMoments
from pugam.nodes import Node
from pugam.storage.matrices import read_symmetric, require_variances, write_symmetric
from pugam.terms import Design

__all__ = ["read_moments", "write_moments"]


def write_moments(moments: TermMoments) -> dict[str, Any]:
    """Write covariances of the model columns of each term, and how known effects vary."""
    return {"covariances": [write_symmetric(one) for one in moments.covariances], "known": moments.known.tolist()}


def read_moments(node: Node | None, design: Design) -> TermMoments | None:
    """Read the same; None where it was not kept."""
    if node is None:
        return None
    parts, blocks = node.fields("covariances", "known"), design.blocks[: design.n_effects]
    covariances = []
    for item, block in zip(parts["covariances"].items(len(blocks)), blocks, strict=True):
        size = block.stop - block.start
        covariances.append(read_symmetric(item, size) if size else np.zeros((0, 0)))  # as of known effects
        require_variances(item, covariances[-1])
    return TermMoments(tuple(covariances), parts["known"].numbers(len(blocks), 0.0, "a number that is not negative"))
