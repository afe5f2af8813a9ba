"""What is kept of the columns of unlabelled rows in a saved model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference import QUANTILES, ColumnDigest
from pugam.nodes import Node
from pugam.terms import Axis, Basis

__all__ = ["read_columns", "write_columns"]

FEWEST_ROWS = 1e-9


def write_columns(digests: Sequence[ColumnDigest] | None) -> list[dict[str, Any]] | None:
    """Write what is kept of each column; null where nothing is."""
    return None if digests is None else [_write(digest) for digest in digests]


def _write(digest: ColumnDigest) -> dict[str, Any]:
    known = {"column": digest.column, "rows": float(digest.n_rows), "missing": float(digest.missing)}
    if digest.quantiles is not None:
        return known | {"quantiles": digest.quantiles.tolist()}
    return known | {"shares": list(digest.levels.values())}


def read_columns(node: Node, bases: Sequence[Basis]) -> tuple[ColumnDigest, ...] | None:
    """Read what is kept of each column that terms read; None where nothing is."""
    if node.value is None:
        return None
    axes: dict[str, Axis] = {}
    for axis in (axis for basis in bases for axis in basis.axes):
        axes.setdefault(axis.column, axis)
    return tuple(_read(item, axis) for item, axis in zip(node.items(len(axes)), axes.values(), strict=True))


def _read(node: Node, axis: Axis) -> ColumnDigest:
    parts = node.fields("column", "rows", "missing", "quantiles" if axis.is_numeric else "shares")
    if parts["column"].value != axis.column:
        raise parts["column"].error(f"{axis.column!r}, a column of the terms")
    known = axis.column, parts["rows"].number(FEWEST_ROWS), parts["missing"].number(0.0, 1.0)
    if axis.is_numeric:
        all_missing = parts["missing"].value == 1.0
        return ColumnDigest(*known, _read_quantiles(parts["quantiles"], 0 if all_missing else len(QUANTILES)), {})
    shares = parts["shares"].numbers(len(axis.levels), 0.0, "a share", 1.0).tolist()
    return ColumnDigest(*known, None, dict(zip(axis.levels, shares, strict=True)))


def _read_quantiles(node: Node, count: int) -> NDArray[np.float64]:
    most = sys.float_info.max
    quantiles = node.numbers(count, -most, high=most)
    if (quantiles[1:] < quantiles[:-1]).any():
        raise node.error("numbers that do not fall")
    return quantiles
