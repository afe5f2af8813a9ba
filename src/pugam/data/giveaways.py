"""Columns that tell labelled from unlabelled rows by how a file was put together: row numbers, file names, dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pugam.data.tables import Column, Table
from pugam.messages import LeavingOut, Message, first_of

__all__ = ["Giveaway", "find_giveaways"]

How = Literal["numbered", "apart", "one value", "gaps", "nearly"]
FEWEST_ROWS = 20  # of either label, else columns may look so by chance
LARGEST_CHANCE = 1e-3  # with which a value may be common to all rows of one label, if labels do not matter
LARGEST_SHARE = 0.9  # of the rows of the other label that may have it: rare levels are often those of one class
NEARLY_ALL, HARDLY_ANY = 0.9, 0.02  # of labelled and of unlabelled rows: such a value alone makes pi 0.02 or less
MOST_NAMES = 5
REASONS: dict[How, tuple[str, str]] = {
    "numbered": ("numbers the labelled rows, and the unlabelled ones anew", "number the labelled rows, and the others"),
    "apart": ("has no value that labelled and unlabelled rows share", "have no value that both labels share"),
    "one value": (
        "has a single value in all rows of one label, and others in the rest",
        "have a single value in all rows of one label, and others in the rest",
    ),
    "gaps": (
        "lacks values in rows of one label only, or in all of them",
        "lack values in rows of one label only, or in all of them",
    ),
    "nearly": (
        "has a value, or a range, that most labelled and hardly any unlabelled rows have",
        "have a value, or a range, that most labelled and hardly any unlabelled rows have",
    ),
}


@dataclass(frozen=True)
class Giveaway:
    """Columns that give labels away, and how."""

    how: How
    columns: tuple[str, ...]

    @property
    def message(self) -> Message:
        """What was seen, and what to do."""
        several = len(self.columns) > 1
        named = first_of(self.columns, MOST_NAMES, repr)
        it, comes = ("them", "they tell") if several else ("it", "it tells")
        return Message(
            f"Column{'s' if several else ''} {named} {REASONS[self.how][several]}. If {comes} how the rows were put "
            "together or reviewed, as a row number, a file name, a date of loading or a reviewer does, pi is wrong: "
            f"leave {it} out",
            LeavingOut(self.columns),
            ".",
        )


def find_giveaways(table: Table, names: Sequence[str], positive: NDArray[np.bool_]) -> list[Giveaway]:
    """Find columns by which rows of one label were perhaps put together with those of the other."""
    if min(int(positive.sum()), int((~positive).sum())) < FEWEST_ROWS:
        return []
    found: dict[How, list[str]] = {}
    for name in names:
        for how in _ways(table.column(name), positive):
            found.setdefault(how, []).append(name)
    return [Giveaway(how, tuple(columns)) for how, columns in found.items()]


def _ways(column: Column, positive: NDArray[np.bool_]) -> Iterator[How]:
    """How a column gives labels away; the first way is enough."""
    missing = column.missing
    if _is_told(missing, positive):
        yield "gaps"
        return
    values, positive = column.values[~missing], positive[~missing]
    labelled, others = values[positive], values[~positive]
    if min(len(labelled), len(others)) < FEWEST_ROWS:
        return
    if column.kind == "numeric" and _is_numbering(labelled) and _is_numbering(others):
        yield "numbered"
    elif _are_apart(column.kind, labelled, others):
        yield "apart"
    elif _is_common(labelled, others) or _is_common(others, labelled):
        yield "one value"
    elif _are_nearly_apart(column.kind, labelled, others):
        yield "nearly"


def _is_told(missing: NDArray[np.bool_], positive: NDArray[np.bool_]) -> bool:
    if not missing.any() or missing.all():
        return False
    labelled, others = missing[positive], missing[~positive]
    return _is_common(labelled, others) or _is_common(others, labelled)


def _is_numbering(values: np.ndarray) -> bool:
    """Whether values are whole numbers that rise from row to row, or all those from 0 or 1 on, in any order."""
    if not np.all(values == np.rint(values)):
        return False
    start = values.min()
    return bool(
        np.all(values[1:] > values[:-1])
        or (start in (0.0, 1.0) and np.array_equal(np.sort(values), start + np.arange(len(values))))
    )


def _are_apart(kind: str, labelled: np.ndarray, others: np.ndarray) -> bool:
    if kind == "numeric":
        return bool(labelled.max() < others.min() or others.max() < labelled.min())
    here, there = set(labelled.tolist()), set(others.tolist())
    return here.isdisjoint(there) and 2 * len(here | there) <= len(labelled) + len(others)


def _are_nearly_apart(kind: str, labelled: np.ndarray, others: np.ndarray) -> bool:
    """Whether most labelled rows have a value, or lie in a range, of hardly any unlabelled row."""
    if kind == "numeric":
        outside = int(0.5 * (1.0 - NEARLY_ALL) * len(labelled))  # at either end
        ordered = np.partition(labelled, (outside, -1 - outside))
        low, high = ordered[outside], ordered[-1 - outside]
        return bool(np.mean((low <= others) & (others <= high)) <= HARDLY_ANY)
    (value, count), *_ = Counter(labelled.tolist()).most_common(1)
    return count >= NEARLY_ALL * len(labelled) and bool(np.mean(others == value) <= HARDLY_ANY)


def _is_common(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether all values are the same, and too few of the others are for that to be chance."""
    if not np.all(values == values[0]):
        return False
    share = float(np.mean(others == values[0]))
    return share < LARGEST_SHARE and bool(len(values) * np.log(max(share, 1e-300)) < np.log(LARGEST_CHANCE))
