"""Real tables whose labels are all known, from any folder of CSV files, and the hiding of most of their labels."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pugam.datasets.real import FOLDER_VARIABLE, LABEL, Folder, chosen_folder, read_header, read_labelled_rows
from pugam.errors import InputError
from pugam.messages import Argument

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RealTable", "fingerprint", "load_real_tables", "mask"]

# Its rows with y = 0 are background points whose label nobody knows: there is no truth to compare an estimate with.
WITHOUT_NEGATIVES = frozenset({"bradypus"})
WITH_TEXT = frozenset({"abalone", "german_credit"})  # other methods need numbers
MOST_LABELLED, MOST_UNLABELLED = 1000, 2000
FEWEST = 10  # rows of either class; with them, unlabelled rows of both classes remain at shares of 0.1 to 0.9
FORMAT = f"a header row, columns of numbers, and a last column {LABEL} of 1 (positive) and 0 (negative)"


@dataclass(frozen=True, eq=False)
class RealTable:
    """A table with true labels.

    Attributes
    ----------
    name : str
    X : pandas.DataFrame of float
    y : ndarray of int
        1 for a positive row, 0 for a negative one.
    """

    name: str
    X: pd.DataFrame
    y: np.ndarray


def fingerprint(X: pd.DataFrame, y: np.ndarray) -> str:
    """What tells these data from others."""
    content = np.column_stack([X.to_numpy(float), y]).tobytes()
    return f"{len(y)} rows, crc {zlib.crc32(content):08x}"


def load_real_tables(folder: Folder = None) -> dict[str, RealTable]:
    """Load all tables of a folder, and two that come with scikit-learn, in the order of their names.

    Parameters
    ----------
    folder : str, path or None
        Every CSV file in it is a table if its last column is called y; its other columns are features. If None, the
        environment variable PUGAM_DATA names the folder. The file bradypus.csv is passed over: its rows with y = 0 are
        places that nobody looked at, not negatives. So are abalone.csv and german_credit.csv, which hold text.

    Returns
    -------
    dict of str to RealTable
        By the names of the files without .csv; breast_cancer (malignant is positive) and digits (3 against 8, 3 is
        positive) are scikit-learn's.

    Raises
    ------
    InputError
        There is no such folder or no table in it, or a table is not as described.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from pugam.studies.real_tables import load_real_tables
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = pd.DataFrame({"height": range(20), "y": [0, 1] * 10})
    ...     rows.to_csv(Path(folder) / "trees.csv", index=False)
    ...     {name: table.X.shape for name, table in load_real_tables(folder).items()}
    {'breast_cancer': (569, 30), 'digits': (357, 64), 'trees': (20, 1)}
    """
    return dict(_load_once(_required_folder(folder).resolve()))


def mask(table: RealTable, pi: float, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Draw a labelled sample of positives and an unlabelled one with a share pi of positives, no row twice.

    Half of the positives are labelled, 1000 at most; the unlabelled sample is as large as the other rows allow, 2000
    at most, and its share of positives is pi up to rounding, whatever is drawn.

    Parameters
    ----------
    table : RealTable
    pi : float
        Between 0 and 1.
    rng : numpy.random.Generator

    Returns
    -------
    X : pandas.DataFrame
        The rows of both samples in random order, numbered anew.
    labelled : ndarray of bool
    y : ndarray of int
        The truth, of labelled rows too.
    """
    positives, negatives = (rng.permutation(np.flatnonzero(table.y == label)) for label in (1, 0))
    n_labelled = min(MOST_LABELLED, len(positives) // 2)
    n_unlabelled = min(MOST_UNLABELLED, int((len(positives) - n_labelled) / pi), int(len(negatives) / (1.0 - pi)))
    n_hidden = round(n_unlabelled * pi)
    rows = np.concatenate([positives[: n_labelled + n_hidden], negatives[: n_unlabelled - n_hidden]])
    order = rng.permutation(len(rows))
    rows = rows[order]
    return table.X.iloc[rows].reset_index(drop=True), order < n_labelled, table.y[rows]


def _required_folder(folder: Folder) -> Path:
    chosen = chosen_folder(folder)
    if chosen is None:
        raise InputError(
            "No folder of tables is given; give one as ",
            Argument("data"),
            f", or name one in the environment variable {FOLDER_VARIABLE}. A table is a CSV file with {FORMAT}.",
        )
    return chosen


@cache
def _load_once(folder: Path) -> dict[str, RealTable]:
    """Once in every process: a replicate takes less time than reading all tables."""
    passed_over = WITHOUT_NEGATIVES | WITH_TEXT
    paths = [path for path in sorted(folder.glob("*.csv")) if path.stem not in passed_over and _is_table(path)]
    if not paths:
        raise InputError(f"There is no table in the folder '{folder}': no CSV file with {FORMAT}.")
    bundled = {"breast_cancer": _breast_cancer, "digits": _digits}
    taken = [path.name for path in paths if path.stem in bundled]
    if taken:
        raise InputError(f"'{folder / taken[0]}' has the name of a table that is always there; rename the file.")
    tables = {path.stem: _read_table(path) for path in paths} | {name: load() for name, load in bundled.items()}
    return {name: tables[name] for name in sorted(tables)}


def _is_table(path: Path) -> bool:
    header = read_header(path)
    return len(header) > 1 and header[-1] == LABEL


def _read_table(path: Path) -> RealTable:
    import pandas as pd

    *features, _ = read_header(path)
    repeated = [name for name in features if features.count(name) > 1 or name == LABEL]
    if repeated:
        raise InputError(f"'{path}' has several columns '{repeated[0]}'; give each a name of its own.")
    values, y = read_labelled_rows(path, features)
    fewest = min(np.sum(y == 1), np.sum(y == 0))
    if fewest < FEWEST:
        raise InputError(f"'{path}' has {fewest} rows of one class; at least {FEWEST} are needed to hide some of them.")
    return RealTable(path.stem, pd.DataFrame(values, columns=features), y)


def _breast_cancer() -> RealTable:
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer(as_frame=True)
    return RealTable("breast_cancer", table.data.astype(float), (table.target == 0).to_numpy().astype(int))


def _digits() -> RealTable:
    from sklearn.datasets import load_digits

    table = load_digits(as_frame=True)
    chosen = table.target.isin([3, 8]).to_numpy()
    y = (table.target[chosen] == 3).to_numpy().astype(int)
    return RealTable("digits", table.data[chosen].reset_index(drop=True).astype(float), y)
