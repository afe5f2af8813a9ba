"""Fits by marginal likelihood in a saved model: the variances of coefficients, and the evidence along pi."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from pugam.nodes import Node
from pugam.solvers import Averaging, Fit, MarginalFit, Search
from pugam.storage.samples import (
    read_curve,
    read_samples,
    require_effects_of_samples,
    require_shares_of,
    write_curve,
    write_samples,
)
from pugam.terms import Design

__all__ = ["read_marginal", "read_precision", "write_marginal"]

KEYS = (
    "families",
    "precisions",
    "penalty",
    "logits",
    "evidence",
    "slopes",
    "averaging",
    "samples",
    "pi_without_pairs",
    "n_pairs",
    "added",
    "gain",
)
AVERAGING_KEYS = ("intercept", "variances", "range")
NOT_NEGATIVE = "a number that is not negative"


@singledispatch
def write_marginal(fit: Fit, design: Design) -> dict[str, Any] | None:
    """Write what a fit by marginal likelihood knows beside its curves; nothing of others."""
    return None


@write_marginal.register
def _write(fit: MarginalFit, design: Design) -> dict[str, Any]:
    assert design.ridge is not None
    values = [
        list(fit.families),
        fit.precisions.tolist(),
        design.ridge.tolist(),
        *write_curve(fit.curve).values(),
        _write_averaging(fit.averaging),
        write_samples(fit.samples),
        fit.search.pi,
        fit.search.n_pairs,
        list(fit.search.added),
        fit.search.gain,
    ]
    return dict(zip(KEYS, values, strict=True))


def _write_averaging(averaging: Averaging | None) -> dict[str, Any] | None:
    if averaging is None:
        return None
    values = averaging.intercept, list(averaging.variances), list(averaging.range)
    return dict(zip(AVERAGING_KEYS, values, strict=True))


def read_precision(node: Node, design: Design) -> Design:
    """Read the prior precision of the coefficients of a design, if there is one."""
    if node.value is None:
        return design
    parts = node.fields(*KEYS)
    require_effects_of_samples(parts["samples"], design)
    return design.with_ridge(parts["penalty"].penalties(design.n_columns))


def read_marginal(node: Node, pi: float) -> dict[str, Any]:
    """Read what a fit by marginal likelihood consists of beside its curves and its share of positives."""
    parts = node.fields(*KEYS)
    samples = read_samples(parts["samples"])
    require_shares_of(parts["samples"], samples, pi)
    families = tuple(item.text() for item in parts["families"].items())
    return {
        "families": families,
        "precisions": parts["precisions"].numbers(len(families), 0.0, NOT_NEGATIVE),
        "curve": read_curve(parts),
        "search": _read_search(parts),
        "averaging": _read_averaging(parts["averaging"]),
        "samples": samples,
    }


def _read_search(parts: Mapping[str, Node]) -> Search:
    return Search(
        parts["pi_without_pairs"].number(0.0, 1.0, "a share from 0 to 1"),
        parts["n_pairs"].whole(0),
        tuple(item.text() for item in parts["added"].items()),
        parts["gain"].number(),
    )


def _read_averaging(node: Node) -> Averaging | None:
    if node.value is None:
        return None
    parts = node.fields(*AVERAGING_KEYS)
    constant, slope, bend = (float(value) for value in parts["variances"].numbers(3))
    low, high = (float(value) for value in parts["range"].numbers(2))
    if low > high:
        raise parts["range"].error("a lower and an upper end")
    return Averaging(parts["intercept"].number(), (constant, slope, bend), (low, high))
