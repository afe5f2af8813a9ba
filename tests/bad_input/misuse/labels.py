"""Labels and weights in all the forms in which people pass them, right and wrong ones."""

import numpy as np
import pandas as pd
import polars as pl

__all__ = ["LABELS", "WEIGHTS", "WRONG_LABELS", "WRONG_WEIGHTS"]


def _changed(values, row, value):
    changed = np.array(values, dtype=object if isinstance(value, str) or value is None else float)
    changed[row] = value
    return changed


# Each is made of booleans.
LABELS = {
    "integers": lambda z, rng: z.astype(int),
    "booleans": lambda z, rng: z,
    "floats": lambda z, rng: z.astype(float),
    "minus one": lambda z, rng: np.where(z, 1, -1),
    "unsigned": lambda z, rng: z.astype(np.uint8),
    "float16": lambda z, rng: z.astype(np.float16),
    "byte-swapped": lambda z, rng: z.astype(">i4"),
    "objects": lambda z, rng: z.astype(int).astype(object),
    "boolean objects": lambda z, rng: z.astype(object),
    "a list": lambda z, rng: z.astype(int).tolist(),
    "a series of another index": lambda z, rng: pd.Series(z.astype(int), index=np.arange(len(z))[::-1]),
    "nullable": lambda z, rng: pd.Series(z.astype(int), dtype="Int64"),
    "nullable booleans": lambda z, rng: pd.Series(z, dtype="boolean"),
    "categories": lambda z, rng: pd.Series(pd.Categorical(z.astype(int))),
    "polars": lambda z, rng: pl.Series(z.astype(int)),
    "a column": lambda z, rng: z.astype(int)[:, None],
    "read-only": lambda z, rng: _read_only(z.astype(int)),
    "every second": lambda z, rng: np.repeat(z.astype(int), 2)[::2],
}
WRONG_LABELS = {
    "all positive": lambda z, rng: np.ones(len(z)),
    "none positive": lambda z, rng: np.zeros(len(z)),
    "text": lambda z, rng: np.where(z, "yes", "no"),
    "digits": lambda z, rng: np.where(z, "1", "0"),
    "a gap": lambda z, rng: _changed(z, rng.integers(len(z)), np.nan),
    "None among them": lambda z, rng: _changed(z.astype(int), rng.integers(len(z)), None),
    "a nullable gap": lambda z, rng: pd.Series(_changed(z, 0, np.nan), dtype="Int64"),
    "infinity": lambda z, rng: _changed(z, rng.integers(len(z)), np.inf),
    "one and two": lambda z, rng: z.astype(int) + 1,
    "three values": lambda z, rng: np.arange(len(z)) % 3,
    "both codes": lambda z, rng: _changed(z, rng.integers(len(z)), -1.0),
    "fractions": lambda z, rng: rng.random(len(z)),
    "complex": lambda z, rng: z + 0j,
    "dates": lambda z, rng: np.full(len(z), np.datetime64("2020-01-31")),
    "huge": lambda z, rng: [2**70 if labelled else 0 for labelled in z],
    "too few": lambda z, rng: z[:-1].astype(int),
    "too many": lambda z, rng: np.append(z, True),
    "two columns": lambda z, rng: np.column_stack([z, z]),
    "a number": lambda z, rng: 1,
    "none": lambda z, rng: None,
    "a name": lambda z, rng: "z",
    "nested": lambda z, rng: [[1, 2]] * len(z),
    "a dict": lambda z, rng: {"z": z},
}
WEIGHTS = {
    "none": lambda z, rng: None,
    "ones": lambda z, rng: np.ones(len(z)),
    "counts": lambda z, rng: rng.integers(0, 4, len(z)),
    "uneven": lambda z, rng: rng.exponential(size=len(z)),
    "very uneven": lambda z, rng: 10.0 ** rng.uniform(-8, 8, len(z)),
    "one counts most": lambda z, rng: _changed(np.ones(len(z)), rng.integers(len(z)), 1e9),
    "all small": lambda z, rng: np.full(len(z), 1e-6),
    "all large": lambda z, rng: np.full(len(z), 1e9),
    "few left": lambda z, rng: np.where(np.arange(len(z)) % 7 == 0, 1.0, 0.0),
    "labelled tiny": lambda z, rng: np.where(z, 1e-12, 1.0),
    "unlabelled tiny": lambda z, rng: np.where(z, 1.0, 1e-12),
    "one number": lambda z, rng: 2.0,
    "float32": lambda z, rng: rng.exponential(size=len(z)).astype(np.float32),
    "a list": lambda z, rng: rng.integers(1, 3, len(z)).tolist(),
    "a series": lambda z, rng: pd.Series(rng.exponential(size=len(z)), index=np.arange(len(z))[::-1]),
    "nullable": lambda z, rng: pd.Series(rng.integers(1, 3, len(z)), dtype="Int64"),
    "read-only": lambda z, rng: _read_only(rng.exponential(size=len(z))),
}
WRONG_WEIGHTS = {
    "all tiny": lambda z, rng: np.full(len(z), 1e-300),
    "denormal": lambda z, rng: np.full(len(z), 5e-324),
    "all huge": lambda z, rng: np.full(len(z), 1e300),
    "sum overflows": lambda z, rng: np.full(len(z), 1.7e308),
    "all zero": lambda z, rng: np.zeros(len(z)),
    "negative": lambda z, rng: _changed(np.ones(len(z)), rng.integers(len(z)), -1.0),
    "a gap": lambda z, rng: _changed(np.ones(len(z)), rng.integers(len(z)), np.nan),
    "infinite": lambda z, rng: _changed(np.ones(len(z)), rng.integers(len(z)), np.inf),
    "labelled zero": lambda z, rng: np.where(z, 0.0, 1.0),
    "unlabelled zero": lambda z, rng: np.where(z, 1.0, 0.0),
    "text": lambda z, rng: ["heavy"] * len(z),
    "too few": lambda z, rng: np.ones(len(z) - 1),
    "two columns": lambda z, rng: np.ones((len(z), 2)),
    "complex": lambda z, rng: np.ones(len(z)) + 1j,
    "dates": lambda z, rng: np.full(len(z), np.datetime64("2020-01-31")),
    "a nullable gap": lambda z, rng: pd.Series(_changed(np.ones(len(z)), 0, np.nan), dtype="Float64"),
    "a dict": lambda z, rng: {"w": 1.0},
    "gigantic integers": lambda z, rng: np.array([10**400] * len(z), dtype=object),
}


def _read_only(values):
    values.flags.writeable = False
    return values
