"""Two real data sets whose true labels are known, from a folder of CSV files or from OpenML."""

from __future__ import annotations

import csv
import hashlib
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from pugam.errors import InputError
from pugam.messages import Argument, counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FOLDER_VARIABLE",
    "LABEL",
    "SPAMBASE_FEATURES",
    "WILT_FEATURES",
    "Folder",
    "LabelledTable",
    "chosen_folder",
    "load_spambase",
    "load_wilt",
    "read_header",
    "read_labelled_rows",
]

Folder = str | os.PathLike[str] | None

FOLDER_VARIABLE = "PUGAM_DATA"
LABEL = "y"

WILT_FEATURES = ("GLCM_pan", "Mean_Green", "Mean_Red", "Mean_NIR", "SD_pan")

_SPAM_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses free business "
    "email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data 415 85 technology 1999 parts "
    "pm direct cs meeting original project re edu table conference"
)
SPAMBASE_FEATURES = (
    *(f"word_freq_{word}" for word in _SPAM_WORDS.split()),
    *(f"char_freq_{character}" for character in ";([!$#"),
    *(f"capital_run_length_{statistic}" for statistic in ("average", "longest", "total")),
)


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A real data set with its true labels; made by `load_wilt` and `load_spambase`.

    Attributes
    ----------
    name : str
        The name under which the data set is known.
    X : pandas.DataFrame of shape (n, p)
        The features as floats, unscaled, in the order of the source.
    y : ndarray of int, shape (n,)
        The true label: 1 for a positive row, 0 for a negative one.
    source : str
        Whom to cite, the doi and the licence, in one line.

    Examples
    --------
    >>> from pugam.datasets import load_wilt
    >>> wilt = load_wilt("folder-with-wilt.csv")  # doctest: +SKIP
    >>> wilt.X.shape  # doctest: +SKIP
    (4839, 5)
    """

    name: str
    X: pd.DataFrame
    y: np.ndarray
    source: str


@dataclass(frozen=True)
class _Grid:
    """Cells of equal width, to compare tables whose values were written with different numbers of digits.

    Rounding to a number of digits would not do: a value next to a tie is rounded one way when it is read from
    all its digits and the other way when some were cut before. The bounds of the cells, at origin + k width,
    are therefore placed where the data set has no value near.
    """

    width: float
    origin: float

    def cells(self, values: np.ndarray) -> np.ndarray:
        """Number the cell of each value, as a float, so that missing values stay missing."""
        return np.floor((values - self.origin) / self.width) + 0.0  # -0.0 and 0.0 differ in their bytes


@dataclass(frozen=True)
class _Table:
    """What is known beforehand about a data set: where it is, and how to tell that it is the right one."""

    name: str
    file_name: str
    loader: str
    features: tuple[str, ...]
    doi: str
    source: str
    openml_id: int
    n_positive: int
    n_negative: int
    grid: _Grid
    sha256: str

    @property
    def remedy(self) -> str:
        return (
            f"download the data from https://doi.org/{self.doi}, save them as {self.file_name} in the format that "
            f"the documentation of {self.loader} describes, and give its folder as folder= or in the environment "
            f"variable {FOLDER_VARIABLE}."
        )


_WILT = _Table(
    name="Wilt",
    file_name="wilt.csv",
    loader="load_wilt",
    features=WILT_FEATURES,
    doi="10.24432/C5KS4M",
    source="B. Johnson, Wilt, UCI Machine Learning Repository, doi:10.24432/C5KS4M, CC BY 4.0; label recoded.",
    openml_id=40983,
    n_positive=4578,
    n_negative=261,
    # No value is nearer than 3.7e-4 to a bound: four decimals of each value are enough.
    grid=_Grid(width=1.0, origin=0.125677),
    sha256="a2b2c66b614fb914f0609f73fcbceed49016ea20003d7f2af3c0373a430e86d1",
)

_SPAMBASE = _Table(
    name="Spambase",
    file_name="spambase.csv",
    loader="load_spambase",
    features=SPAMBASE_FEATURES,
    doi="10.24432/C53G6X",
    source=(
        "M. Hopkins, E. Reeber, G. Forman, J. Suermondt, Spambase, UCI Machine Learning Repository, "
        "doi:10.24432/C53G6X, CC BY 4.0; label recoded."
    ),
    openml_id=44,
    n_positive=2788,
    n_negative=1813,
    # The values have three decimals at most and lie in the middle of their cells.
    grid=_Grid(width=0.001, origin=0.0005),
    sha256="44bdd4276fc45537f9bc1f3712465662c75c8e3a95cec02ba83ae02d443dc2eb",
)


def load_wilt(folder: Folder = None) -> LabelledTable:
    """Load the Wilt data: segments of a satellite image, almost all of them other land cover than diseased trees.

    The full table has 4839 rows: y = 1 for other land cover (4578), y = 0 for diseased trees (261).

    Parameters
    ----------
    folder : str, path or None
        The folder that holds wilt.csv: a header row, the columns GLCM_pan, Mean_Green, Mean_Red, Mean_NIR and
        SD_pan, and a column y of 1 and 0, separated by commas; a part of the rows will do. If None, the
        environment variable PUGAM_DATA names the folder; without it, the table is fetched from OpenML
        (number 40983), checked, and kept in scikit-learn's data home.

    Returns
    -------
    LabelledTable
        The five features, the true labels and the source.

    Raises
    ------
    InputError
        The folder, the file or a value in it is not as described, or OpenML does not deliver the table.

    Examples
    --------
    Any table of this format can be read, here three rows made up:

    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from pugam.datasets import load_wilt
    >>> segments = pd.DataFrame(
    ...     {
    ...         "GLCM_pan": [120.4, 131.0, 126.5],
    ...         "Mean_Green": [205.5, 198.0, 221.3],
    ...         "Mean_Red": [119.4, 92.1, 104.0],
    ...         "Mean_NIR": [416.6, 530.2, 610.9],
    ...         "SD_pan": [20.7, 15.3, 24.8],
    ...         "y": [0, 1, 1],
    ...     }
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     segments.to_csv(Path(folder) / "wilt.csv", index=False)
    ...     wilt = load_wilt(folder)
    >>> wilt.X["Mean_NIR"].tolist(), wilt.y.tolist()
    ([416.6, 530.2, 610.9], [0, 1, 1])
    """
    return _load(_WILT, folder)


def load_spambase(folder: Folder = None) -> LabelledTable:
    """Load the Spambase data: frequencies of words and characters in e-mails.

    The full table has 4601 rows: y = 1 for a mail that is not spam (2788), y = 0 for spam (1813), the
    complement of the original label.

    Parameters
    ----------
    folder : str, path or None
        The folder that holds spambase.csv: a header row, the 57 columns named as in UCI's spambase.names
        (word_freq_make to capital_run_length_total), and a column y of 1 and 0, separated by commas; a part of
        the rows will do. If None, the environment variable PUGAM_DATA names the folder; without it, the table
        is fetched from OpenML (number 44), checked, and kept in scikit-learn's data home.

    Returns
    -------
    LabelledTable
        The 57 features, the true labels and the source.

    Raises
    ------
    InputError
        The folder, the file or a value in it is not as described, or OpenML does not deliver the table.

    Examples
    --------
    Any table of this format can be read, here three empty mails:

    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from pugam.datasets import load_spambase
    >>> from pugam.datasets.real import SPAMBASE_FEATURES
    >>> mails = pd.DataFrame(0.0, index=range(3), columns=list(SPAMBASE_FEATURES)).assign(y=[1, 0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mails.to_csv(Path(folder) / "spambase.csv", index=False)
    ...     spambase = load_spambase(folder)
    >>> spambase.X.shape, spambase.y.tolist()
    ((3, 57), [1, 0, 1])
    """
    return _load(_SPAMBASE, folder)


def _load(table: _Table, folder: Folder) -> LabelledTable:
    chosen = chosen_folder(folder)
    features, y = _fetched(table) if chosen is None else _read(table, chosen)
    return LabelledTable(name=table.name, X=_as_frame(features, table.features), y=y, source=table.source)


def _as_frame(features: np.ndarray, names: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(features, columns=list(names))


def chosen_folder(folder: Folder) -> Path | None:
    """The folder asked for, which must exist; None if nobody asked for one."""
    asked = folder if folder is not None else os.environ.get(FOLDER_VARIABLE) or None
    if asked is None:
        return None
    asked_by = Argument("folder") if folder is not None else f"the environment variable {FOLDER_VARIABLE}"
    try:
        path = Path(asked).expanduser()
    except TypeError:
        raise InputError(f"folder must be the path of a folder or None; got {folder!r}.") from None
    if not path.is_dir():
        raise InputError(f"There is no folder '{path}', which ", asked_by, " names; name the folder of the CSV files.")
    return path


def _read(table: _Table, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    path = folder / table.file_name
    if not path.is_file():
        raise InputError(f"There is no file {table.file_name} in the folder '{folder}'; {table.remedy}")
    return read_labelled_rows(path, table.features)


def read_header(path: Path) -> list[str]:
    """The names of the columns of a CSV file."""
    with _opened(path) as file:
        return _header(csv.reader(file))


def read_labelled_rows(path: Path, features: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The features, in this order, and the labels of a CSV file, whose structure is checked."""
    names = (*features, LABEL)
    lines, rows = _cells_by_line(path, names)
    values = np.array([_numbers(row, names, path, line) for line, row in zip(lines, rows, strict=True)])
    values = values.reshape(-1, len(names))
    return values[:, :-1], _checked_labels(values[:, -1], path, lines)


def _cells_by_line(path: Path, names: Sequence[str]) -> tuple[list[int], list[list[str]]]:
    """The line numbers and the cells of the named columns, as text; empty lines do not count as rows."""
    lines: list[int] = []
    rows: list[list[str]] = []
    with _opened(path) as file:
        reader = csv.reader(file)
        header = _header(reader)
        positions = _positions(header, names, path)
        for row in filter(None, reader):
            _require_length(row, len(header), reader.line_num, path)
            lines.append(reader.line_num)
            rows.append([row[position] for position in positions])
    return lines, rows


def _require_length(row: Sequence[str], n_columns: int, line: int, path: Path) -> None:
    if len(row) != n_columns:
        raise InputError(
            f"Line {line} of '{path}' has {counted(len(row), 'value')} but the header names "
            f"{counted(n_columns, 'column')}; give one value per column, separated by commas."
        )


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """A CSV file to read from; what goes wrong meanwhile is told as a fault of the file."""
    try:
        # Files saved by a spreadsheet may start with a byte-order mark, which is no part of the first name.
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"'{path}' cannot be read as a CSV file ({error}); replace it by a readable one.") from error


def _header(lines: Iterator[list[str]]) -> list[str]:
    return [name.strip() for name in next(lines, [])]


def _positions(header: list[str], names: Sequence[str], path: Path) -> list[int]:
    missing = [name for name in names if name not in header]
    if missing:
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(
            f"'{path}' lacks the column '{missing[0]}'{others}; give a header row with the names of the columns, "
            "separated by commas."
        )
    return [header.index(name) for name in names]


def _numbers(row: list[str], names: Sequence[str], path: Path, line: int) -> list[float]:
    return [_number(text, name, path, line) for text, name in zip(row, names, strict=True)]


def _number(text: str, name: str, path: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"Column '{name}' must hold finite numbers, but line {line} of '{path}' has {text!r}; correct the value or "
            "leave the line out."
        )
    return value


def _checked_labels(labels: np.ndarray, path: Path, lines: list[int]) -> np.ndarray:
    unknown = ~np.isin(labels, (0, 1))
    if unknown.any():
        row = int(np.argmax(unknown))
        raise InputError(
            f"Column '{LABEL}' must be 1 (positive) or 0 (negative), but line {lines[row]} of '{path}' has "
            f"{labels[row]:g}; recode the label."
        )
    for label in (1, 0):
        if label not in labels:
            raise InputError(f"No line of '{path}' has {LABEL} = {label}; give a table with rows of both classes.")
    return labels.astype(int)


def _fetched(table: _Table) -> tuple[np.ndarray, np.ndarray]:
    """The features and the labels that OpenML delivers, if they are those of the data set."""
    bunch = _openml_answer(table)
    try:
        features = np.asarray(bunch.data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _unexpected(table, "it holds values that are not numbers") from error
    # OpenML has names of its own for columns and classes: positions and counts tell which is which.
    if features.ndim != 2 or features.shape[1] != len(table.features):
        raise _unexpected(table, f"it does not have {len(table.features)} features")
    y = _labels_by_count(np.asarray(bunch.target).astype(str), table)
    if _checksum(features, y, table.grid) != table.sha256:
        raise _unexpected(table, "its values are others")
    return features, y


def _openml_answer(table: _Table) -> Any:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml(data_id=table.openml_id, as_frame=True, parser="auto")
    # ValueError: OpenML answers with an error of its own, or a download is damaged.
    except (OSError, EOFError, HTTPException, ValueError) as error:
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise InputError(
            f"The {table.name} data could not be fetched from OpenML ({reason}); try again later, or {table.remedy}"
        ) from error


def _labels_by_count(classes: np.ndarray, table: _Table) -> np.ndarray:
    values, counts = np.unique(classes, return_counts=True)
    expected = [table.n_negative, table.n_positive]
    if sorted(counts.tolist()) != sorted(expected):
        raise _unexpected(table, f"its classes do not have {expected[1]} and {expected[0]} rows")
    positive = values[np.argmax(counts == table.n_positive)]
    return np.where(classes == positive, 1, 0)


def _checksum(features: np.ndarray, y: np.ndarray, grid: _Grid) -> str:
    """SHA-256 of a table, whatever the order of its rows and the number of digits of its values."""
    cells = np.column_stack([grid.cells(features), y])
    in_order = cells[np.lexsort(cells.T[::-1])]
    return hashlib.sha256(in_order.astype("<f8").tobytes()).hexdigest()


def _unexpected(table: _Table, difference: str) -> InputError:
    return InputError(
        f"What OpenML delivers as number {table.openml_id} is not the {table.name} table ({difference}); {table.remedy}"
    )
