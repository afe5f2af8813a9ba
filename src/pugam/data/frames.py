"""Data frames of several libraries: their index, which of their columns were one, and frames made of results."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np

__all__ = ["frame_columns", "index_names", "make_frame", "row_index", "row_names", "series_at"]

NAMES_OF_AN_INDEX = re.compile(r"__index_level_\d+__")  # as pandas calls one without a name in a file


def index_names(names: Iterable[str], native_frame: Any) -> frozenset[str]:
    """Columns that were the index of a pandas data frame: by the notes that pandas left, or by their names.

    Parquet files keep such notes, and so do Arrow tables; other libraries drop them when they read a file.
    """
    notes = getattr(getattr(native_frame, "schema", None), "metadata", None)
    return frozenset(filter(NAMES_OF_AN_INDEX.fullmatch, names)) | _noted(notes)


def _noted(notes: Any) -> frozenset[str]:
    """Columns that pandas says were an index; a range of numbers is kept as its ends, and is no column."""
    try:
        found = json.loads(notes[b"pandas"])["index_columns"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return frozenset()  # there are none, or they were written by somebody else
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()


def row_index(X: Any) -> Any:
    """The index of a pandas data frame; None for what has none: its rows are known by their places."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return nw.maybe_get_index(frame) if isinstance(frame, nw.DataFrame) else None


def row_names(index: Any, places: np.ndarray) -> np.ndarray:
    """What the rows at some places are called: as in the index, or by these places where there is none."""
    if index is None:
        return places
    some = index[places]
    plain = isinstance(some.dtype, np.dtype) and some.dtype.kind in "iuf"  # of others a gap would make floats
    return np.asarray(some) if plain else np.fromiter(some, dtype=object, count=len(places))


def series_at(frame: nw.DataFrame[Any], places: np.ndarray) -> dict[str, Any]:
    """Columns of a data frame at some places, of the library and type that they have: arrays would change values."""
    taken = nw.maybe_reset_index(frame[places.tolist()])
    return {name: taken.get_column(name).to_native() for name in taken.columns}


def make_frame(library: str, data: dict[str, Any]) -> Any:
    """Build a data frame in the library of this name, pandas, polars or pyarrow; in pandas where it is not installed.

    A model may be loaded where the library of its fit is missing. Series of the library stay as they are.
    """
    plain = {name: values if _is_series(values) else _listed_unless_number(values) for name, values in data.items()}
    try:
        module = importlib.import_module(library)
    except ImportError:
        module = importlib.import_module("pandas")
    return module.table(plain) if module.__name__ == "pyarrow" else module.DataFrame(plain)


def _is_series(values: Any) -> bool:
    return nw.dependencies.is_into_series(values)


def frame_columns(frame: Any) -> dict[str, list[Any]]:
    """Columns of a data frame of any library, such as one of results, as lists of plain values."""
    opened = nw.from_native(frame, eager_only=True)
    return {name: opened.get_column(name).to_list() for name in opened.columns}


def _listed_unless_number(values: Any) -> Any:
    array = np.asarray(values)
    if array.dtype.kind in "fiub" and array.ndim == 1:
        return array
    # An array of a list would make text of its numbers, and a table of its tuples.
    return [_encodable(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]


def _encodable(value: Any) -> Any:
    """Spell half characters out, as broken file names and exports hold them: no library has room for them in text."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value
