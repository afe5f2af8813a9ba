"""Columns of all kinds that people have in their tables: usable, awkward and impossible ones."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd

__all__ = ["AWKWARD", "HOPELESS", "LEVELS", "PLAIN", "make_column"]

GAPS = 0.15


def _with(values, rows, value):
    """A copy with another value in some rows."""
    changed = np.array(values, dtype=object if not isinstance(value, float) else float)
    changed[rows] = value
    return changed


def _some(rng, n, share=GAPS):
    """Some rows, one at least."""
    rows = rng.random(n) < share
    rows[rng.integers(n)] = True
    return rows


def _letters(x, letters):
    return np.array(letters, dtype=object)[np.clip(np.floor(x + len(letters) / 2), 0, len(letters) - 1).astype(int)]


def _objects(values):
    """An object array of one dimension, whatever the values are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


# Each is made of numbers x, about standard normal, which are higher for positives.
PLAIN = {
    "normal": lambda x, rng, n: x,
    "skewed": lambda x, rng, n: np.exp(1.5 * np.clip(x, -50, 50)),
    "heavy-tailed": lambda x, rng, n: x + rng.standard_t(1.5, n),
    "counts": lambda x, rng, n: np.floor(np.abs(x) * 3).astype(int),
    "two-valued": lambda x, rng, n: (x > 0.5).astype(int),
    "mostly zero": lambda x, rng, n: np.where(rng.random(n) < 0.7, 0.0, x),
    "rounded": lambda x, rng, n: np.round(x, 1),
}
LEVELS = {
    "text": lambda x, rng, n: _letters(x, ["a", "b", "c"]),
    "text with empty ones": lambda x, rng, n: _letters(x, ["", "b", " "]),
    "odd text": lambda x, rng, n: _letters(x, ["NA", "None", "été", "x" * 200, "a\nb"]),
    "booleans": lambda x, rng, n: x > 0,
    "boolean objects": lambda x, rng, n: (x > 0).astype(object),
    "categories": lambda x, rng, n: pd.Categorical(_letters(x, ["a", "b"]), categories=["z", "b", "a", "never"]),
    "ordered categories": lambda x, rng, n: pd.Categorical(_letters(x, ["low", "high"]), ordered=True),
    "categories of numbers": lambda x, rng, n: pd.Categorical(np.floor(np.clip(x, -2, 2))),
    "categories of intervals": lambda x, rng, n: pd.cut(x, 3) if np.ptp(x) > 0 else pd.Categorical(["all"] * n),
    "pandas text": lambda x, rng, n: pd.array(_letters(x, ["a", "b"]), dtype="string"),
    "pandas booleans": lambda x, rng, n: pd.array(x > 0, dtype="boolean"),
    "arrow text": lambda x, rng, n: pd.array(_letters(x, ["a", "b"]), dtype="string[pyarrow]"),
    "one odd level": lambda x, rng, n: _with(np.full(n, "a", dtype=object), rng.integers(n), "b"),
}
AWKWARD = {
    "nearly constant": lambda x, rng, n: _with(np.zeros(n), rng.integers(n), 1.0),
    "constant": lambda x, rng, n: np.full(n, 3.5),
    "constant huge": lambda x, rng, n: np.full(n, 1e300),
    "numbering": lambda x, rng, n: np.arange(n),
    "huge": lambda x, rng, n: x * 1e299,
    "too huge": lambda x, rng, n: x * 1.5e308 / max(np.abs(x).max(), 1.0),
    "tiny": lambda x, rng, n: x * 1e-250,
    "too tiny": lambda x, rng, n: x * 1e-300,
    "denormal": lambda x, rng, n: np.round(x * 5) * 5e-324,
    "tiny and huge": lambda x, rng, n: np.where(x > 0, 1e300, 1e-300) * np.abs(x),
    "powers of ten": lambda x, rng, n: 10.0 ** np.clip(np.round(60 * x), -300, 300),
    "far from zero": lambda x, rng, n: 1e15 + np.round(x * 8),
    "next to each other": lambda x, rng, n: 1.0 + np.round(x) * 2.0**-52,
    "one outlier": lambda x, rng, n: _with(x, rng.integers(n), 1e12),
    "minus zero": lambda x, rng, n: np.where(x > 0, 0.0, -0.0) + np.round(np.maximum(x, 0)),
    "float32": lambda x, rng, n: x.astype(np.float32),
    "float16": lambda x, rng, n: np.clip(x, -6e4, 6e4).astype(np.float16),
    "int8": lambda x, rng, n: np.clip(20 * x, -128, 127).astype(np.int8),
    "uint64": lambda x, rng, n: np.uint64(2**63) + np.clip(1000 * (x + 10), 0, 1e6).astype(np.uint64),
    "int64 ends": lambda x, rng, n: np.where(x > 0, 2**63 - 1, -(2**63)).astype(np.int64),
    "huge integers": lambda x, rng, n: _objects([int(v * 1e6) * 2**80 for v in x]),
    "object floats": lambda x, rng, n: x.astype(object),
    "decimals": lambda x, rng, n: _objects([Decimal(repr(float(v))) for v in x]),
    "fractions": lambda x, rng, n: _objects([Fraction(int(v * 100), 7) for v in x]),
    "Int64": lambda x, rng, n: pd.array(np.floor(x * 5), dtype="Int64"),
    "Float32 of pandas": lambda x, rng, n: pd.array(x, dtype="Float32"),
    "arrow numbers": lambda x, rng, n: pd.array(x, dtype="double[pyarrow]"),
    "sparse column": lambda x, rng, n: pd.arrays.SparseArray(np.where(x > 0, x, 0.0)),
    "gap": lambda x, rng, n: _with(x, rng.integers(n), np.nan),
    "gaps": lambda x, rng, n: _with(x, _some(rng, n), np.nan),
    "Int64 with gaps": lambda x, rng, n: pd.array(_with(np.floor(x * 5), _some(rng, n), np.nan), dtype="Int64"),
    "boolean with gaps": lambda x, rng, n: pd.array(_with(x > 0, _some(rng, n), None), dtype="boolean"),
    "text with gaps": lambda x, rng, n: _with(_letters(x, ["a", "b", "c"]), _some(rng, n), None),
    "categories with gaps": lambda x, rng, n: pd.Categorical(_with(_letters(x, ["a", "b"]), _some(rng, n), None)),
    "numbers with None": lambda x, rng, n: _with(x.astype(object), _some(rng, n), None),
    "first": lambda x, rng, n: None,  # a copy of the first column
    "first, scaled": lambda x, rng, n: None,
    "nearly first": lambda x, rng, n: None,
    "labels": lambda x, rng, n: None,  # the labels give themselves away
}
HOPELESS = {
    "plus infinity": lambda x, rng, n: _with(x, rng.integers(n), np.inf),
    "minus infinity": lambda x, rng, n: _with(x, _some(rng, n), -np.inf),
    "nothing but gaps": lambda x, rng, n: np.full(n, np.nan),
    "nothing but None": lambda x, rng, n: _objects([None] * n),
    "gigantic integers": lambda x, rng, n: _objects([int(v * 1e6) * 10**400 for v in x]),
    "gigantic fractions": lambda x, rng, n: _objects([Fraction(int(v * 100) * 10**400, 7) for v in x]),
    "infinite decimals": lambda x, rng, n: _with(_objects([Decimal(1)] * n), rng.integers(n), Decimal("Infinity")),
    "signalling decimals": lambda x, rng, n: _with(_objects([Decimal(1)] * n), rng.integers(n), Decimal("sNaN")),
    "dates": lambda x, rng, n: np.datetime64("2020-01-31") + np.round(x).astype("timedelta64[D]"),
    "timedeltas": lambda x, rng, n: np.round(x).astype("timedelta64[D]"),
    "days": lambda x, rng, n: _objects([datetime.date(2020, 1, 1 + int(abs(v)) % 28) for v in x]),
    "dates with zones": lambda x, rng, n: pd.DatetimeIndex(np.full(n, "2020-01-31")).tz_localize("UTC"),
    "months": lambda x, rng, n: pd.PeriodIndex(np.full(n, "2020-01"), freq="M"),
    "mixed": lambda x, rng, n: _with(x.astype(object), _some(rng, n), "text"),
    "mixed with booleans": lambda x, rng, n: _with(x.astype(object), _some(rng, n), True),
    "complex": lambda x, rng, n: x + 1j,
    "lists": lambda x, rng, n: _objects([[v] for v in x]),
    "dicts": lambda x, rng, n: _objects([{"a": v} for v in x]),
    "bytes": lambda x, rng, n: _objects([b"a" if v > 0 else b"b" for v in x]),
    "objects": lambda x, rng, n: _objects([object() for _ in x]),
    "names": lambda x, rng, n: _objects([f"person {row}" for row in range(n)]),
    "digits": lambda x, rng, n: _objects([str(round(v, 3)) for v in x]),
}
ALL = {**PLAIN, **LEVELS, **AWKWARD, **HOPELESS}


def make_column(kind, x, rng, first, positive):
    """Make a column of this kind; `first` is the first column of the table."""
    if kind == "labels":
        return positive.astype(float)
    if kind == "first" or (kind in ("first, scaled", "nearly first") and not _is_float(first)):
        return first
    if kind == "first, scaled":
        return 3.0 - 2.0 * first
    if kind == "nearly first":
        return first * (1.0 + 1e-9 * rng.normal(size=len(x)))
    return ALL[kind](x, rng, len(x))


def _is_float(column):
    return isinstance(column, np.ndarray) and column.dtype == np.float64
