"""Array-likes in: single values and arrays of them, each kept as the user wrote it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np

from pugam.errors import InputError

__all__ = ["LARGEST_EXACT", "TIME_CLASSES", "as_array", "holds_times", "is_missing", "object_array"]

# A class of pandas is recognised by its name, so that pandas need not be imported to meet one.
MISSING_CLASS_NAMES = ("NoneType", "NAType", "NaTType")
NAN_CLASSES = (float, np.floating)
TIME_CLASSES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
LARGEST_EXACT = 2**53  # up to which all whole numbers are floats


def is_missing(value: object) -> bool:
    """Say whether a single value stands for "no value": None, NaN, NA or NaT."""
    if type(value).__name__ in MISSING_CLASS_NAMES:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # comparing a signalling one raises
    return isinstance(value, NAN_CLASSES) and value != value


def as_array(values: Any) -> np.ndarray:
    """Turn an array-like into an array that keeps every value as the user wrote it."""
    if isinstance(values, np.ma.MaskedArray):
        unmasked = np.ma.getdata(values).astype(object)
        unmasked[np.ma.getmaskarray(values)] = None
        return unmasked
    if _is_arrow_dictionary(values):
        return object_array(values.to_pylist())  # where Arrow makes an array, gaps hold one of the levels
    if _has_gaps_beside_long_integers(values):
        return object_array(values.to_pylist() if hasattr(values, "to_pylist") else values.to_list())
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError("The rows differ in length; an array needs as many values in each row.") from None
    # NumPy turns the numbers of a list that also holds text into text.
    mixes_text = array.dtype.kind == "U" and not isinstance(values, np.ndarray)
    return np.asarray(values, dtype=object) if mixes_text else array


def _is_arrow_dictionary(values: Any) -> bool:
    """Whether these are levels of Arrow: an array of them, or one in chunks."""
    return type(values).__module__.split(".")[0] == "pyarrow" and hasattr(getattr(values, "type", None), "index_type")


def _has_gaps_beside_long_integers(values: Any) -> bool:
    """Whether these are integers, some missing, that would not all be the same as floats, which gaps make of them."""
    pyarrow = nw.dependencies.get_pyarrow()
    if pyarrow is not None and isinstance(values, pyarrow.Array):
        values = pyarrow.chunked_array([values])
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series) or not series.dtype.is_integer() or not series.null_count():
        return False
    ends = series.min(), series.max()
    return any(end is not None and abs(end) > LARGEST_EXACT for end in ends)


def holds_times(values: np.ndarray) -> bool:
    """Whether there are dates, times or differences of them, which may pass for whole numbers of nanoseconds."""
    if values.dtype.kind != "O":
        return values.dtype.kind in "mM"
    return any(issubclass(kind, TIME_CLASSES) for kind in set(map(type, values.flat)))


def object_array(values: list[Any]) -> np.ndarray:
    """Turn values into an array of them as they are."""
    return np.fromiter(values, dtype=object, count=len(values))
