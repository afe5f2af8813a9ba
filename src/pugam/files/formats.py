"""Which format a file has, by the end of its name, and what may be asked of any format."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pugam.errors import InputError
from pugam.messages import first_of

__all__ = [
    "BATCH_ROWS",
    "NO_TYPES",
    "Format",
    "Kind",
    "chosen_columns",
    "format_of",
    "is_text",
    "listed_suffixes",
    "nearest_name",
    "require_names",
]

Kind = Literal["number", "text", "boolean"]

BATCH_ROWS = 65_536
NO_TYPES: Mapping[str, Kind] = MappingProxyType({})
MOST_NAMES_LISTED = 10
MOST_NAMES_COMPARED = 10_000  # to find the one that was meant


@dataclass(frozen=True)
class Format:
    """How a table lies in a file.

    Attributes
    ----------
    name : {"csv", "parquet"}
        CSV stands for all text in cells, whatever delimits them.
    delimiter : str
        What stands between the cells of a line; empty for Parquet.
    compressed : bool
        Whether the text is compressed by gzip.
    """

    name: Literal["csv", "parquet"]
    delimiter: str = ""
    compressed: bool = False


FORMATS = {
    ".csv": Format("csv", ","),
    ".tsv": Format("csv", "\t"),
    ".txt": Format("csv", ","),
    ".csv.gz": Format("csv", ",", compressed=True),
    ".tsv.gz": Format("csv", "\t", compressed=True),
    ".txt.gz": Format("csv", ",", compressed=True),
    ".parquet": Format("parquet"),
    ".pq": Format("parquet"),
}


def format_of(path: Path) -> Format | None:
    """Give the format that the end of the name stands for, None where it stands for none."""
    name = path.name.lower()
    return next((form for suffix, form in FORMATS.items() if name.endswith(suffix)), None)


def is_text(path: Path) -> bool:
    """Whether the end of the name stands for a file of text."""
    form = format_of(path)
    return form is not None and form.name == "csv"


def listed_suffixes() -> str:
    """List the ends of names that stand for a format."""
    *others, last = FORMATS
    return f"{', '.join(others)} and {last}"


def chosen_columns(
    path: Path, names: Sequence[str], columns: Sequence[str] | None, types: Mapping[str, Kind]
) -> list[str]:
    """Give the columns to read, in the order asked for; all of them unless some are asked for.

    Raises `InputError` where one of them, or one whose type is given, is not in the file, or none is asked for.
    """
    if columns is not None and not columns:
        raise InputError(f"{path}: no columns are asked for; ask for one at least.")
    known = set(names)
    for name in (*(columns or ()), *types):
        if name not in known:
            raise InputError(f"{path} has no column {name!r}; {_nearest(name, names)}.")
    return list(names if columns is None else columns)


def require_names(path: Path, names: Sequence[str]) -> None:
    """Refuse a column without a name, and two columns of the same name."""
    if "" in names:
        raise InputError(
            f"{path}: column {names.index('') + 1} has no name; name it, or, if it numbers the rows, write the file "
            "without row names (in R row.names=FALSE, in pandas index=False)."
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        at = [str(position + 1) for position, name in enumerate(names) if name == repeated[0]]
        raise InputError(
            f"{path} has several columns named {repeated[0]!r} (columns {', '.join(at[:-1])} and {at[-1]}); give each "
            "column its own name."
        )


def nearest_name(name: str, names: Sequence[str]) -> str | None:
    """Find the name that was probably meant: one that differs only in case, else one that is written much alike."""
    alike = [other for other in names if other.casefold() == name.casefold()]
    return next(iter(alike or difflib.get_close_matches(name, names[:MOST_NAMES_COMPARED], n=1)), None)


def _nearest(name: str, names: Sequence[str]) -> str:
    near = nearest_name(name, names)
    if near is not None:
        return f"the nearest name is {near!r}"
    return f"its columns are {first_of(names, MOST_NAMES_LISTED, repr)}"
