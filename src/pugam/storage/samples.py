"""Shares of several samples in a saved model."""

from __future__ import annotations

from typing import Any

import numpy as np

from pugam.data import ALL_ROWS, sample_name
from pugam.likelihood import expit
from pugam.nodes import Node
from pugam.solvers import EvidenceCurve, PooledShares, SampledShares
from pugam.storage.matrices import read_symmetric, require_weighted_squares, write_symmetric
from pugam.terms import Design

__all__ = [
    "read_curve",
    "read_samples",
    "require_effects_of_samples",
    "require_shares_of",
    "write_curve",
    "write_samples",
]

CURVE_KEYS = ("logits", "evidence", "slopes")
ROUNDING = 1e-9  # of a share
SMALLEST = 1e-300  # number of rows, or factor by which evidence may fall more slowly
KEYS = ("names", "rows", "audited", "logits", "factors", "correlation", "curves")
NEW_KEYS = ("negatives", "pooled", "column", "own_curves")  # files written before there were any lack them
POOLED_KEYS = ("mean", "spread", "logits", "covariance", "curves")


def write_samples(shares: SampledShares | None) -> dict[str, Any] | None:
    """Write the shares of several samples; nothing where there is one sample."""
    if shares is None:
        return None
    values = [
        list(shares.names),
        shares.rows.tolist(),
        shares.audited.tolist(),
        shares.logits.tolist(),
        shares.factors.tolist(),
        write_symmetric(shares.correlation),
        [write_curve(curve) for curve in shares.curves],
        shares.negatives,
        _write_pooled(shares.pooled),
        shares.column,
        shares.has_own_curves,
    ]
    return dict(zip((*KEYS, *NEW_KEYS), values, strict=True))


def read_samples(node: Node) -> SampledShares | None:
    """Read the shares of several samples."""
    if node.value is None:
        return None
    parts = node.fields(*KEYS, optional=NEW_KEYS)
    names = tuple(item.text() for item in parts["names"].items())
    if not names or len(set(names)) < len(names):
        raise parts["names"].error("names of samples, one at least and none twice")
    if len(names) > 1 and ALL_ROWS in names:
        raise parts["names"].error(f"names of samples, of which {ALL_ROWS!r} is none: it means all of them together")
    rows = parts["rows"].numbers(len(names), SMALLEST, "a positive number")
    audited = parts["audited"].numbers(len(names), 0.0, "a number that is not negative")
    factors = parts["factors"].numbers(len(names), SMALLEST, "a positive number")
    correlation = read_symmetric(parts["correlation"], len(names))
    require_weighted_squares(parts["correlation"], correlation)
    curves = tuple(read_curve(item.fields(*CURVE_KEYS)) for item in parts["curves"].items(len(names)))
    logits = parts["logits"].numbers(len(names))
    negatives = parts["negatives"].number(0.0, what="a number that is not negative") if "negatives" in parts else 0.0
    pooled = _read_pooled(parts["pooled"], len(names)) if "pooled" in parts else None
    own = _read_column(parts)
    return SampledShares(names, rows, audited, logits, curves, factors, correlation, negatives, pooled, *own)


def require_shares_of(node: Node, shares: SampledShares | None, pi: float) -> None:
    """Refuse shares of samples whose mean, by rows, is not the share of all unlabelled rows: these are one estimate."""
    if shares is not None and abs(np.average(expit(shares.logits), weights=shares.rows) - pi) > ROUNDING:
        raise node.error(f"samples whose shares have the mean {pi:.6g}, which estimate.logit_pi says")


def require_effects_of_samples(node: Node, design: Design) -> None:
    """Refuse samples with curves of their own that the terms do not have: effects of samples are the last of them."""
    shares = read_samples(node)
    if shares is None or shares.column is None:
        return
    if shares.own_column is None:
        if shares.column in design.columns_used:
            raise node.error(f"own_curves, as terms read {shares.column!r}, the column of the samples")
        return
    column, last = shares.own_column, design.bases[-1]
    common = [(basis, basis.common(column)) for basis in design.bases]
    sizes = [(basis.size, own.size) for basis, own in common if own is not None]
    levels = last.axes[0].levels if last.spec.columns == (column,) else ()
    is_last = tuple(map(sample_name, levels)) == shares.names and last.size == len(shares.names) - 1
    if not is_last or not sizes or any(size != len(shares.names) * own for size, own in sizes):
        raise node.error(f"samples for each of which terms have a curve along levels of {column!r}")


def _read_column(parts: dict[str, Node]) -> tuple[str | None, bool]:
    """Read the column that tells samples apart, and whether curves vary with it."""
    own = "own_curves" in parts and parts["own_curves"].flag()
    if "column" not in parts or parts["column"].value is None:
        if own:
            raise parts["own_curves"].error("false where no column tells samples apart")
        return None, False
    return parts["column"].text(), own


def _write_pooled(pooled: PooledShares | None) -> dict[str, Any] | None:
    if pooled is None:
        return None
    curves = [write_curve(curve) for curve in pooled.curves]
    values = pooled.mean, pooled.spread, pooled.logits.tolist(), write_symmetric(pooled.covariance), curves
    return dict(zip(POOLED_KEYS, values, strict=True))


def _read_pooled(node: Node, size: int) -> PooledShares | None:
    if node.value is None:
        return None
    parts = node.fields(*POOLED_KEYS)
    covariance = read_symmetric(parts["covariance"], size)
    require_weighted_squares(parts["covariance"], covariance)
    spread = parts["spread"].number(0.0, what="a number that is not negative")
    curves = tuple(read_curve(item.fields(*CURVE_KEYS)) for item in parts["curves"].items(size))
    return PooledShares(parts["mean"].number(), spread, parts["logits"].numbers(size), covariance, curves)


def write_curve(curve: EvidenceCurve) -> dict[str, Any]:
    """Write the evidence along the logit of a share."""
    return dict(zip(CURVE_KEYS, (x.tolist() for x in (curve.places, curve.values, curve.slopes)), strict=True))


def read_curve(parts: dict[str, Node]) -> EvidenceCurve:
    """Read the evidence along the logit of a share."""
    places = parts["logits"].numbers()
    if len(places) < 1 or not (np.diff(places) > 0.0).all():
        raise parts["logits"].error("increasing logits of pi, one at least")
    return EvidenceCurve(places, *(parts[key].numbers(len(places)) for key in ("evidence", "slopes")))
