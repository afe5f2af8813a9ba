"""Labels from a column of a file: who is a labelled positive."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from pugam.command_line.columns import Roles, family_of
from pugam.data import is_missing, is_written, value_of
from pugam.errors import InputError, warn_user
from pugam.files import MISSING_WORDS, DataFile
from pugam.messages import first_of

__all__ = ["mark_answered", "mark_labelled", "mark_positive", "read_label_column", "tell_of_others"]

MOST_VALUES_SHOWN, MOST_VALUES_TOLD = 3, 5
MOST_VALUES_KEPT = 1000


def read_label_column(file: DataFile, column: Any, roles: Roles) -> np.ndarray:
    """Give the labels as numbers or booleans; words only where the one for positives was named."""
    import pyarrow as pa

    if roles.positive is not None:
        wanted = roles.positive
        values = _values(column)
        marked = {value: is_written(value, wanted) for value in dict.fromkeys(values)}
        if not any(marked.values()):
            found = ", ".join("(empty)" if value is None else repr(value) for value in list(marked)[:MOST_VALUES_SHOWN])
            raise InputError(
                f"{file.path}: no row of column {roles.label!r} holds {wanted!r}; the first values are {found}."
            )
        tell_of_others(roles, Counter(values))
        return np.array([marked[value] for value in values])
    if family_of(column.type) == "text":
        values = [value for value in column.unique().to_pylist() if value is not None]
        found = ", ".join(repr(value) for value in values[:MOST_VALUES_SHOWN])
        choices = " or ".join(f"--positive {shlex.quote(value)}" for value in values[:2])
        raise InputError(
            f"{file.path}: column {roles.label!r} holds text ({found}); say which value marks a labelled positive: "
            f"{choices}."
        )
    if column.null_count:
        row = column.is_null().index(pa.scalar(True)).as_py()
        raise InputError(
            f"{file.path}, {file.place(row)}, column {roles.label!r}: the label is missing; code unlabelled rows as 0, "
            "or name the value of positives with --positive."
        )
    return np.asarray(column.to_numpy())


def mark_positive(column: Any, wanted: str) -> np.ndarray:
    """Mark the rows whose label is what a user wrote; of a part of the rows, in which there may be none."""
    values = _values(column)
    marked = {value: is_written(value, wanted) for value in set(values)}
    return np.array([marked[value] for value in values], dtype=bool)


def mark_labelled(file: DataFile, column: Any, roles: Roles, remedy: str, seen: Counter[Any]) -> np.ndarray:
    """Mark labelled positives in a file that need have none: rows with the value of positives, or 1 and true without.

    Without one, values that are no labels are refused; the remedy says what else can be done about them. With one, any
    other value is no label: how often each was `seen`, over all parts of the rows, is to be told.
    """
    if roles.positive is not None:
        for value, count in Counter(_values(column)).items():
            if value in seen or len(seen) < MOST_VALUES_KEPT or is_written(value, roles.positive):
                seen[value] += count
        return mark_positive(column, roles.positive)
    values = _values(column)
    marked = {value: value_of(value) == 1 for value in dict.fromkeys(values)}
    for value in marked:
        if not _is_label(value):
            raise InputError(
                f"{file.path}: column {roles.label!r} holds {value!r}, but labels are 1, 0 or -1, true or false, or "
                f"empty; mend them, or {remedy}."
            )
    return np.array([marked[value] for value in values], dtype=bool)


def tell_of_others(roles: Roles, counts: Mapping[Any, int]) -> None:
    """Say what was taken for unlabelled, where that is more than one value, or where no row is a labelled positive."""
    if roles.positive is None:
        return
    others = [value for value in counts if not is_written(value, roles.positive)]
    said = first_of(others, MOST_VALUES_TOLD, lambda value: f"{counts[value]:,} {_shown(value)}")
    if len(others) == len(counts) and any(value is not None for value in others):
        warn_user(
            f"No row of column {roles.label!r} holds {roles.positive!r}, as labelled positives of the fit did: {said} "
            "are taken as unlabelled. If some of them are positives, write them as in the fit."
        )
    elif len(others) > 1:
        warn_user(f"Column {roles.label!r}: {said} are all taken as unlabelled. Leave out rows that are not.")


def mark_answered(file: DataFile, column: Any, name: str, answers: Sequence[int]) -> np.ndarray:
    """Mark rows of which a column of known negatives or audits says one of these: 1 or 0; it may say nothing."""
    values = _values(column)
    told = {value: None if _is_empty(value) else value_of(value) for value in dict.fromkeys(values)}
    for value, answer in told.items():
        if answer is not None and answer not in (0, 1):
            raise InputError(f"{file.path}: column {name!r} holds {value!r}, but it says 1, 0 or nothing; mend it.")
    return np.array([told[value] in answers for value in values], dtype=bool)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in MISSING_WORDS)


def _shown(value: Any) -> str:
    return "empty" if value is None else repr(value)


def _is_label(value: Any) -> bool:
    """Whether a cell is a label, or says nothing."""
    if _is_empty(value):
        return True
    plain = value_of(value)
    return isinstance(plain, bool | int | Decimal) and plain in (1, 0, -1)


def _values(column: Any) -> list[Any]:
    """The labels one by one; None where there is none, also where that is written as NaN, which equals nothing."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
    return [None if is_missing(value) else value for value in values]
