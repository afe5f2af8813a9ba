"""Tables in: a data frame of any library, or an array, read column by column into checked NumPy arrays."""

from __future__ import annotations

import difflib
import numbers
import reprlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, Literal

import narwhals as nw
import numpy as np

from pugam.data.arrays import LARGEST_EXACT, TIME_CLASSES, as_array, is_missing, object_array
from pugam.data.frames import index_names, make_frame
from pugam.errors import InputError, RowError
from pugam.messages import Argument, first_and_more, in_formula

__all__ = [
    "Column",
    "ColumnKind",
    "Table",
    "numbered_names",
    "open_frame",
    "read_table",
    "require_exact",
    "require_numeric",
]

ColumnKind = Literal["numeric", "category"]
Family = Literal["number", "text", "boolean", "complex", "time", "other"]

FAMILY_NAMES: dict[Family, str] = {"number": "numbers", "text": "text", "boolean": "booleans"}
MOST_NAMES_LISTED = 10
MOST_NAMES_COMPARED = 10_000  # to find the one that was meant

CELLS = reprlib.Repr()  # cells as messages show them: long ones without their middle
CELLS.maxstring = CELLS.maxlong = 60


@dataclass(frozen=True, eq=False)
class Column:
    """One column, converted and checked.

    Attributes
    ----------
    name : str
        Name of the column.
    kind : {"numeric", "category"}
        Text, booleans and categoricals are categories; everything else that can be used is numeric.
    values : ndarray of shape (n_rows,)
        Numeric: float64 with NaN for missing. Category: objects (str, bool, int or float) with None for
        missing. Not to be written to.
    stands_for : int, optional
        Where only some rows are here that tell enough: how many rows they stand for.
    order : tuple, optional
        Levels in an order of their own, as of an ordered categorical: months, or grades. There may be others.
    was_index : bool
        Whether this was the index of a pandas data frame, which a file or an Arrow table keeps as a column.
    borrowed : bool
        Whether values may be a view of the user's data, which may be written to later: copy what is kept.
    """

    name: str
    kind: ColumnKind
    values: np.ndarray
    stands_for: int | None = None
    order: tuple[object, ...] = ()
    was_index: bool = False
    borrowed: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows there are, here or elsewhere."""
        return len(self.values) if self.stands_for is None else self.stands_for

    @cached_property
    def missing(self) -> np.ndarray:
        """True at the rows without a value; found once, as many ask."""
        if self.kind == "numeric":
            return np.asarray(np.isnan(self.values))
        return np.fromiter((value is None for value in self.values), dtype=bool, count=len(self.values))

    @cached_property
    def is_rounded(self) -> bool:
        """Whether there are numbers so large that whole ones next to each other may have become one."""
        return self.kind == "numeric" and bool((np.abs(self.values) >= LARGEST_EXACT).any())


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length, each converted when it is first asked for; made by `read_table`."""

    names: tuple[str, ...]
    n_rows: int
    _read: Callable[[str], Column] = field(repr=False)
    library: str = field(repr=False)
    _converted: dict[str, Column] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.names)

    def column(self, name: str) -> Column:
        """Give the column of this name, converted and checked.

        Raises
        ------
        InputError
            There is no such column, or its values cannot be used.
        """
        if name not in self._converted:
            if name not in self._known:
                raise InputError(_unknown_column(name, self.names))
            self._converted[name] = self._read(name)
        return self._converted[name]

    def take(self, rows: np.ndarray) -> Table:
        """Keep some rows: a boolean mask, or row numbers in the wanted order.

        Columns keep the kind they have in the whole table, and errors keep its row numbers.
        """
        rows = np.asarray(rows)
        positions = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
        if rows.dtype == bool and len(rows) != self.n_rows:
            raise InputError(f"A mask over {self.n_rows} rows needs as many entries; got {len(rows)}.")
        return Table(self.names, len(positions), partial(_take_column, self, positions), self.library)

    def renamed(self, names: Sequence[str]) -> Table:
        """Give the columns other names, in order."""
        own = dict(zip(names, self.names, strict=True))
        return Table(tuple(names), self.n_rows, partial(_renamed_column, self, own), self.library)

    def frame(self, data: dict[str, Any]) -> Any:
        """Build a data frame in the library that X came in; pandas where X was an array or a list."""
        return make_frame(self.library, data)


def read_table(X: Any) -> Table:
    """Open a table; its columns are converted later, when they are asked for.

    Parameters
    ----------
    X : data frame or array-like of shape (n_rows, n_columns)
        A pandas or polars data frame, an Arrow table, or a 2-d array, whose columns are then named
        x0, x1 and so on. A float64 array is not copied.

    Raises
    ------
    InputError
        X is not a table, is empty, or has two columns of the same name.
    TypeError
        X is a sparse matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from pugam.data import read_table
    >>> table = read_table(np.array([[1.0, 20.0], [2.0, np.nan]]))
    >>> table.names
    ('x0', 'x1')
    >>> table.column("x1").missing
    array([False,  True])
    """
    sparse = sys.modules.get("scipy.sparse")  # which is there where a matrix of it is
    if sparse is not None and sparse.issparse(X):
        raise TypeError("X is a sparse matrix, which is not supported; pass X.toarray().")
    frame = open_frame(X)
    table = _array_table(as_array(X)) if frame is None else _frame_table(frame)
    _require_cells(table)
    return table


def require_numeric(column: Column, asked_by: str) -> np.ndarray:
    """Give a column as numbers to a term that needs them; booleans count as 0 and 1.

    Parameters
    ----------
    column : Column
        The column.
    asked_by : str
        The term as the user wrote it, such as "s(age)", for the message.

    Returns
    -------
    ndarray of float64
        With NaN for missing.

    Raises
    ------
    InputError
        The column is text or categorical.
    """
    if column.kind == "numeric":
        return column.values
    for row, value in enumerate(column.values):
        if value is not None and not isinstance(value, bool):
            raise RowError(
                f"{asked_by} needs numbers, but column {column.name!r} holds text or categories: ",
                row,
                f" holds {CELLS.repr(value)}. Use f({in_formula(column.name)}) for one effect per level, or turn the "
                "column into numbers.",
            )
    return column.values.astype(np.float64)


def numbered_names(n_columns: int) -> list[str]:
    """What the columns of an array are called."""
    return [f"x{position}" for position in range(n_columns)]


def require_exact(column: Column, asked_by: str | Argument) -> None:
    """Refuse numbers that would be told apart as levels, but may have been rounded to the same one."""
    if column.is_rounded:
        raise InputError(
            asked_by,
            f": column {column.name!r} holds numbers of 16 digits or more, which are rounded, so that two of its "
            "levels may become one; turn the column into text, for the fit as for predictions.",
        )


def open_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Open a data frame under the names that its columns have in a table; None for arrays."""
    if nw.dependencies.is_pyarrow_table(X):
        _require_unique(X.column_names)
    elif nw.dependencies.is_pandas_dataframe(X):
        X = _with_text_names(X)
    elif nw.dependencies.is_into_series(X):
        raise InputError(_not_2d(1))
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise InputError("X is a lazy frame, which holds no rows yet; call .collect() (Dask: .compute()) first.")
    if not isinstance(frame, nw.DataFrame) and hasattr(X, "schema"):  # an array of it would have lost its names
        raise InputError(f"X is a {type(X).__name__}; make a data frame of it first, such as pyarrow.table(X).")
    return frame if isinstance(frame, nw.DataFrame) else None


def _with_text_names(X: Any) -> Any:
    names = [str(name) for name in X.columns]
    _require_unique(names)
    if names != list(X.columns):
        X = X.copy(deep=False)
        X.columns = names
    return X


def _require_unique(names: Iterable[str]) -> None:
    repeated = [repr(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(f"X has several columns named {', '.join(repeated)}; give each column its own name.")


def _require_cells(table: Table) -> None:
    if not table.names:
        raise InputError(
            f"X has no columns: 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required."
        )
    if not table.n_rows:
        raise InputError(
            f"X has no rows: 0 sample(s) (shape=(0, {len(table.names)})) while a minimum of 1 is required."
        )


def _frame_table(frame: nw.DataFrame[Any]) -> Table:
    library, native = nw.get_native_namespace(frame).__name__, frame.to_native()
    read = partial(_read_marked_column, frame, index_names(frame.columns, native))
    return Table(tuple(frame.columns), len(frame), read, library)


def _array_table(array: np.ndarray) -> Table:
    if array.ndim == 0:
        given = "None" if array[()] is None else type(array[()]).__name__
        raise InputError(f"X must be a data frame or a 2-d array; got {given}.")
    if array.ndim != 2:
        raise InputError(_not_2d(array.ndim))
    names = tuple(numbered_names(array.shape[1]))
    return Table(names, array.shape[0], partial(_read_array_column, array), "pandas")


def _not_2d(n_dimensions: int) -> str:
    return (
        f"Expected 2D array, got {n_dimensions}D array instead. Reshape your data: X.reshape(-1, 1) for one column, "
        "X.reshape(1, -1) for one row; of a data frame take X[['age']] for one column, X.iloc[[0]] for one row."
    )


def _read_marked_column(frame: nw.DataFrame[Any], index: frozenset[str], name: str) -> Column:
    column = _read_frame_column(frame, name)
    return replace(column, was_index=True) if name in index else column


def _read_frame_column(frame: nw.DataFrame[Any], name: str) -> Column:
    series = frame.get_column(name)
    pandas_dtype = str(getattr(series.to_native(), "dtype", None))
    if pandas_dtype == "category":
        return _pandas_category_column(name, series.to_native())
    if pandas_dtype == "object":
        # narwhals guesses what is in an object column from its first rows only; here every row counts.
        return _object_column(name, series.to_list())
    if series.dtype in (nw.Int128, nw.UInt128):  # which NumPy does not know
        return _object_column(name, series.to_list())
    if series.dtype.is_numeric():
        return _number_column(name, series.to_numpy())
    if series.dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum):
        # Not to_numpy(): Arrow fills the gaps of a dictionary with its first level there.
        order = series.dtype.categories if isinstance(series.dtype, nw.Enum) else ()
        return replace(_category_column(name, series.to_list()), order=tuple(order))
    return _object_column(name, series.to_list())


def _pandas_category_column(name: str, series: Any) -> Column:
    # Not to_list(): it turns the "(0, 1]" of pandas.cut into "(0.0, 1.0]" as soon as a row is missing.
    levels = tuple(map(_plain, series.cat.categories))
    values = object_array([*levels, None])[np.asarray(series.cat.codes)]
    return Column(name, "category", values, order=levels if series.cat.ordered else ())


def _read_array_column(array: np.ndarray, name: str) -> Column:
    values = array[:, int(name[1:])]
    return _number_column(name, values) if values.dtype.kind in "fiu" else _object_column(name, list(values))


def _take_column(table: Table, rows: np.ndarray, name: str) -> Column:
    whole = table.column(name)
    return replace(whole, values=whole.values[rows], borrowed=False)


def _renamed_column(table: Table, own: dict[str, str], name: str) -> Column:
    return replace(table.column(own[name]), name=name)


def _number_column(name: str, values: np.ndarray) -> Column:
    if values.dtype == object:
        floats = np.array([_as_float(value) for value in values], dtype=np.float64)
    else:
        floats = values.astype(np.float64, copy=False)
    infinite = np.isinf(floats)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise RowError(
            f"Column {name!r} contains infinity: ",
            row,
            f" holds {floats[row]}. Replace it by a finite number or by a missing value.",
        )
    return Column(name, "numeric", floats, borrowed=np.may_share_memory(floats, values))


def _as_float(value: Any) -> float:
    """Bring a number of any kind to a float; one that is too large for it becomes infinite."""
    try:
        return np.nan if is_missing(value) else float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _category_column(name: str, values: list[Any]) -> Column:
    # Levels are few and rows many: each distinct value is looked at once.
    plain = {value: _plain(value) for value in set(values)}
    return Column(name, "category", object_array([plain[value] for value in values]))


def _object_column(name: str, values: list[Any]) -> Column:
    """Read values of unknown type: they must be all numbers, all text or all booleans."""
    family = _common_family(name, values)
    if family in ("text", "boolean"):
        return _category_column(name, values)
    return _number_column(name, object_array(values))


def _common_family(name: str, values: list[Any]) -> Family:
    first_rows: dict[Family, int] = {}
    for kind in {type(value) for value in values if not is_missing(value)}:
        row = next(r for r, value in enumerate(values) if type(value) is kind and not is_missing(value))
        family = _family(kind)
        first_rows[family] = min(row, first_rows.get(family, row))
    for family, row in first_rows.items():
        _require_usable(name, family, row, values[row])
    if len(first_rows) > 1:
        raise InputError(_mixture(name, values, first_rows))
    return next(iter(first_rows), "number")


def _family(kind: type) -> Family:
    if issubclass(kind, bool | np.bool_):
        return "boolean"
    if issubclass(kind, str):
        return "text"
    # Before the numbers: NumPy's time differences pass for integers.
    if issubclass(kind, TIME_CLASSES):
        return "time"
    if issubclass(kind, numbers.Real | Decimal):
        return "number"
    return "complex" if issubclass(kind, numbers.Complex) else "other"


def _require_usable(name: str, family: Family, row: int, value: object) -> None:
    holds = f", holds {value!r}"
    if family == "complex":
        raise RowError(
            f"Complex data not supported: column {name!r}, ", row, f"{holds}; keep the real part or the modulus."
        )
    if family == "time":
        raise RowError(
            f"Dates and times are not supported: column {name!r}, ",
            row,
            f"{holds}; turn it into a number or text first.",
        )
    if family == "other":
        raise RowError(
            f"Column {name!r} holds a value of type {type(value).__name__} at ",
            row,
            "; a column needs numbers, text or booleans.",
        )


def _mixture(name: str, values: list[Any], first_rows: dict[Family, int]) -> str:
    in_order = sorted(first_rows.items(), key=lambda item: item[1])
    kinds = " and ".join(FAMILY_NAMES[family] for family, _ in in_order)
    cells = ", ".join(f"row {row} holds {CELLS.repr(_plain(values[row]))}" for _, row in in_order)
    return f"Column {name!r} mixes {kinds}: {cells}. Turn the whole column into one of them."


def _plain(value: Any) -> str | bool | int | float | None:
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    # Levels of other types, such as the intervals of pandas.cut, are known by how they print.
    return value if isinstance(value, str | bool | int | float) else str(value)


def _unknown_column(name: str, names: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(name, names[:MOST_NAMES_COMPARED], n=3)
    if close:
        return f"X has no column {name!r}; did you mean {' or '.join(map(repr, close))}?"
    return f"X has no column {name!r}; its columns are {first_and_more(names, MOST_NAMES_LISTED, repr)}."
