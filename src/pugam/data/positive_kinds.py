"""Of which kind of positives a labelled row is: subtypes of a disease, species, schemes of fraud."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.data.arrays import is_missing
from pugam.data.roles import as_written, one_each, sample_name
from pugam.data.samples import ALL_ROWS
from pugam.errors import InputError, RowError
from pugam.messages import Argument, counted

__all__ = ["FEWEST_LABELLED", "OTHER_KINDS", "PositiveKinds", "RareKinds", "number_kinds", "read_kinds"]

Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]
RareKinds = Literal["error", "pooled"]

FEWEST_LABELLED = 20  # labelled rows of a kind, for a share of its own
OTHER_KINDS = "others"  # the name of rare kinds together


class PositiveKinds(NamedTuple):
    """Names of the kinds of positives, and the number of the kind of each row, -1 for unlabelled rows.

    `found` where nobody told kinds apart, but clustering did.
    """

    names: tuple[str, ...]
    numbers: Numbers
    found: bool = False


def read_kinds(values: Any, positive: Flags, counted: Flags, rare: RareKinds) -> PositiveKinds:
    """Read of which kind each labelled row is; what is said of unlabelled rows is not used.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
    positive, counted : bool arrays of shape (n_rows,)
        Which rows are labelled, and which have a positive weight.
    rare : {"error", "pooled"}
        What becomes of kinds with fewer than `FEWEST_LABELLED` labelled rows.
    """
    listed = one_each("kind", values, len(positive))
    assert listed is not None
    labelled = np.flatnonzero(positive & counted)
    own = [_own_name(listed, int(row)) for row in labelled]
    names = _names(own)
    numbers = np.full(len(positive), -1, dtype=np.intp)
    places = {name: number for number, name in enumerate(names)}
    numbers[labelled] = [places[sample_name(value)] for value in own]
    return number_kinds(names, numbers, rare)


def number_kinds(names: tuple[str, ...], numbers: Numbers, rare: RareKinds) -> PositiveKinds:
    """Refuse kinds with too few labelled rows, or make one kind of them."""
    counts = np.bincount(numbers[numbers >= 0], minlength=len(names))
    few = [number for number, count in enumerate(counts) if count < FEWEST_LABELLED]
    if not few or len(names) == 1:
        return PositiveKinds(names, numbers)
    if rare == "error":
        raise _too_few(names[few[0]], int(counts[few[0]]))
    return _pooled(names, numbers, counts)


def _own_name(values: list[Any], row: int) -> Any:
    """The value that names the kind of a labelled row."""
    value = values[row]
    if is_missing(value):
        raise RowError(Argument("kind"), " is missing in ", row, ", which is labelled; name its kind of positives.")
    if not isinstance(value, Hashable):
        raise RowError(Argument("kind"), f" is {value!r} in ", row, "; name a kind by one text or number.")
    return value


def _names(own: list[Any]) -> tuple[str, ...]:
    """Distinct names, in order."""
    distinct = list(dict.fromkeys(own))
    with suppress(TypeError):  # numbers and texts stay as they come
        distinct = sorted(distinct)
    names: dict[str, Any] = {}
    for value in distinct:
        name = sample_name(value)
        if name in names:
            both = f" has {as_written(names[name])} and {as_written(value)}, which would both be the kind {name!r}; "
            raise InputError(Argument("kind"), both, "write them alike, or rename one of them.")
        names[name] = value
    if ALL_ROWS in names:
        raise InputError(
            f"A kind is called {ALL_ROWS!r}, which is the name of all positives together; rename it in ",
            Argument("kind"),
            ".",
        )
    return tuple(names)


def _too_few(name: str, count: int) -> InputError:
    return InputError(
        f"Kind {name!r} has {counted(count, 'labelled row')}, but a share of its own needs at least "
        f"{FEWEST_LABELLED}; join it to another kind, leave its rows out, or pool rare kinds with ",
        Argument("rare_kinds", "pooled"),
        ".",
    )


def _pooled(names: tuple[str, ...], numbers: Numbers, counts: Numbers) -> PositiveKinds:
    """Make one kind of the rare ones, and of as many of the next ones as it takes to have rows enough."""
    order = np.argsort(counts, kind="stable")
    together = np.cumsum(counts[order])
    n_rare = int(np.count_nonzero(counts < FEWEST_LABELLED))
    n_pooled = max(n_rare, 1 + int(np.searchsorted(together, FEWEST_LABELLED)))
    pooled = set(order[: min(n_pooled, len(names))].tolist())
    if len(pooled) == 1:  # rows enough by itself: there is nothing to pool it with
        pooled = set(order[:2].tolist())
    kept = [number for number in range(len(names)) if number not in pooled]
    if not kept:
        return PositiveKinds((ALL_ROWS,), np.where(numbers >= 0, 0, -1))
    others = OTHER_KINDS
    while others in [names[number] for number in kept]:
        others = f"{others} "
    place = np.full(len(names) + 1, -1)  # the last for unlabelled rows, whose number is -1
    place[: len(names)] = len(kept)
    place[kept] = np.arange(len(kept))
    return PositiveKinds((*(names[number] for number in kept), others), place[numbers].astype(np.intp))
