"""Shrunken curves in a saved model: the ridge that shrank them, and how rows held out adjusted them."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from pugam.likelihood import expit
from pugam.nodes import Node
from pugam.solvers import Adjustment, Fit, ShrunkenFit
from pugam.storage.matrices import read_symmetric, require_variances, write_symmetric
from pugam.terms import Design

__all__ = ["read_ridge", "read_shrinkage", "write_shrinkage"]

KEYS = ("ridge", "penalty", "logit_pi", "intercept", "steepness", "objective", "logit_variance", "covariance")
NOT_NEGATIVE = "a number that is not negative"


@singledispatch
def write_shrinkage(fit: Fit, design: Design) -> dict[str, Any] | None:
    """Write how the curves of a design were shrunken and adjusted, if they were."""
    return None


@write_shrinkage.register
def _write_shrunken(fit: ShrunkenFit, design: Design) -> dict[str, Any]:
    assert design.ridge is not None
    found = fit.adjustment
    values = [
        fit.ridge,
        design.ridge.tolist(),
        found.logit_pi,
        found.intercept,
        found.steepness,
        found.value,
        found.logit_variance if np.isfinite(found.logit_variance) else None,
        write_symmetric(found.covariance),
    ]
    stray = {"stray": found.stray} if found.stray else {}
    return dict(zip(KEYS, values, strict=True)) | stray


def read_ridge(node: Node, design: Design) -> Design:
    """Read the ridge on the columns of a design, if there is one."""
    if node.value is None:
        return design
    return design.with_ridge(node.fields(*KEYS, optional=("stray",))["penalty"].penalties(design.n_columns))


def read_shrinkage(node: Node) -> tuple[float, Adjustment]:
    """Read the strength of the ridge that shrank the curves, and how they were adjusted."""
    parts = node.fields(*KEYS, optional=("stray",))
    logit_pi = parts["logit_pi"].number()
    if not 0.0 < float(expit(np.array(logit_pi))) < 1.0:
        raise parts["logit_pi"].error("the logit of a share strictly between 0 and 1")
    covariance = read_symmetric(parts["covariance"], 3)
    require_variances(parts["covariance"], covariance)
    variance = parts["logit_variance"]
    return (
        parts["ridge"].number(0.0, what=NOT_NEGATIVE),
        Adjustment(
            logit_pi,
            parts["intercept"].number(),
            parts["steepness"].number(0.0, what=NOT_NEGATIVE),
            parts["objective"].number(),
            covariance,
            float("inf") if variance.value is None else variance.number(0.0, what=NOT_NEGATIVE),
            parts["stray"].number(0.0, 0.5, "a share of at most one half") if "stray" in parts else 0.0,
        ),
    )
