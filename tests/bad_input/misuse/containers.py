"""Tables in all the forms in which people pass them, with all the names that their columns have."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

__all__ = ["ARRAYS", "FRAMES", "INDICES", "NAMES", "NO_TABLES", "frame_of", "make_container", "named"]

NAMES = {
    "usual": lambda j: f"c{j}",
    "numbers": lambda j: j,
    "with blanks": lambda j: f"dose no {j} (mg/l)",
    "odd": lambda j: ["é", "a`b", "s(x)", "a\nb", "1", "~", "s", "z", "x0"][j % 9] + "'" * (j // 9),
    "pairs": lambda j: ("group", j),
    "nearly empty": lambda j: " " * (j + 1),
    "one empty": lambda j: "c" * j,
    "none": lambda j: None if j == 0 else f"c{j}",
    "all the same": lambda j: "c",
    "one and text of it": lambda j: [1, "1"][j % 2] if j < 2 else f"c{j}",
}
INDICES = {
    "usual": lambda n: pd.RangeIndex(n),
    "shuffled": lambda n: pd.Index(np.random.default_rng(0).permutation(n)),
    "repeated": lambda n: pd.Index(np.zeros(n, dtype=int)),
    "text": lambda n: pd.Index([f"row {i}" for i in range(n)]),
    "dates": lambda n: pd.date_range("2020-01-01", periods=n),
    "nested": lambda n: pd.MultiIndex.from_arrays([np.arange(n) % 2, np.arange(n)]),
}


def _numbers(frame):
    """The frame as an array of floats where it can be one, else of objects."""
    values = frame.to_numpy()
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return values


def _as_type(dtype):
    def convert(frame):
        values = _numbers(frame)
        return values.astype(dtype) if values.dtype == np.float64 else values

    return convert


def _every_second(frame):
    values = _numbers(frame)
    wide = np.zeros((2 * values.shape[0], 3 * values.shape[1]), dtype=values.dtype)
    wide[::2, 1::3] = values
    return wide[::2, 1::3]


def _read_only(frame):
    values = _numbers(frame).copy()
    values.flags.writeable = False
    return values


def _read_only_frame(frame):
    """A frame on top of an array that may not be written to."""
    return pd.DataFrame(_read_only(frame), index=frame.index, columns=frame.columns)


def _masked(frame):
    values = _numbers(frame)
    if values.dtype != np.float64:
        return values
    return np.ma.MaskedArray(np.nan_to_num(values), mask=np.isnan(values))


def _polars(frame):
    """A polars frame where polars can take these columns, else the frame itself."""
    try:
        return pl.DataFrame({str(name): frame[name].tolist() for name in frame})
    except (Exception, pl.exceptions.PanicException):
        return frame


def _arrow(frame):
    try:
        return pa.table({str(name): frame[name].tolist() for name in frame})
    except Exception:
        return frame


FRAMES = {
    "pandas": lambda frame: frame,
    "polars": _polars,
    "arrow": _arrow,
    "read-only pandas": _read_only_frame,
    "pandas of objects": lambda frame: frame.astype(object),
}
ARRAYS = {
    "array": _numbers,
    "Fortran order": lambda frame: np.asfortranarray(_numbers(frame)),
    "every second": _every_second,
    "reversed": lambda frame: _numbers(frame)[:, ::-1][:, ::-1],
    "read-only": _read_only,
    "byte-swapped": _as_type(">f8"),
    "float32": _as_type(np.float32),
    "float16": _as_type(np.float16),
    "long double": _as_type(np.longdouble),
    "object array": lambda frame: frame.to_numpy().astype(object),
    "masked": _masked,
    "list of lists": lambda frame: _numbers(frame).tolist(),
    "tuple of tuples": lambda frame: tuple(map(tuple, _numbers(frame).tolist())),
    "matrix": lambda frame: np.matrix(_numbers(frame)),
}
NO_TABLES = {
    "sparse": lambda frame: sparse.csr_matrix(np.nan_to_num(np.ones(frame.shape))),
    "sparse array": lambda frame: sparse.csc_array(np.ones(frame.shape)),
    "complex array": lambda frame: np.ones(frame.shape) + 1j,
    "text array": lambda frame: np.full(frame.shape, "a"),
    "array of dates": lambda frame: np.full(frame.shape, np.datetime64("2020-01-31")),
    "three dimensions": lambda frame: np.ones((*frame.shape, 2)),
    "one dimension": lambda frame: np.ones(len(frame)),
    "no dimension": lambda frame: np.float64(3.0),
    "ragged": lambda frame: [[1.0] * (1 + row % 2) for row in range(len(frame))],
    "records": lambda frame: np.zeros(len(frame), dtype=[("a", float), ("b", float)]),
    "a series": lambda frame: frame.iloc[:, 0],
    "a dict": lambda frame: {str(name): frame[name].tolist() for name in frame},
    "lazy polars": lambda frame: pl.DataFrame({"a": np.ones(len(frame)), "b": np.arange(len(frame))}).lazy(),
    "None": lambda frame: None,
    "text": lambda frame: "no_such_file.csv",
    "no columns": lambda frame: frame.iloc[:, :0],
    "no rows": lambda frame: frame.iloc[:0],
    "a generator": lambda frame: (row for row in [[1.0, 2.0]]),
    "void array": lambda frame: np.zeros(frame.shape, dtype="V8"),
}
CONTAINERS = {**FRAMES, **ARRAYS, **NO_TABLES}


def _series(column):
    try:
        return pd.Series(column)
    except OverflowError:  # pandas 2.1 holds no integers beyond floats
        return pd.Series([str(value) for value in column])


def named(columns, names, index):
    """A pandas frame of columns under these names."""
    frame = pd.concat([_series(column).reset_index(drop=True) for column in columns], axis=1)
    frame.columns = pd.Index([NAMES[names](j) for j in range(len(columns))], dtype=object, tupleize_cols=False)
    frame.index = INDICES[index](len(frame))
    return frame


def frame_of(container, frame):
    """The frame with the names that its columns will have: only pandas bears the same name twice."""
    if container == "pandas" or frame.columns.is_unique:
        return frame
    return frame.set_axis([f"c{j}" for j in range(frame.shape[1])], axis=1)


def make_container(container, frame):
    return CONTAINERS[container](frame_of(container, frame))
