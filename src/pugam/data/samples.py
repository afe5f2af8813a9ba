"""To which unlabelled sample a row belongs."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.data.arrays import as_array, is_missing
from pugam.data.audits import read_audit, read_chances
from pugam.data.negatives import read_negatives
from pugam.data.roles import SampleRoles, as_written, one_each, require_name, sample_name
from pugam.data.tables import Column, Table, require_exact
from pugam.errors import InputError, RowError
from pugam.messages import Argument, counted

__all__ = ["ALL_ROWS", "SampledRows", "names_without_rows", "read_samples", "tell_samples"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEWEST_ROWS = 10  # of a sample, for a share of its own
GOLDEN = (5.0**0.5 - 1.0) / 2.0
ALL_ROWS = "all"  # the name of all unlabelled rows together


class SampledRows(NamedTuple):
    """Which samples there are, and what is known of rows beside features, labels and weights.

    Attributes
    ----------
    names : names of the unlabelled samples
    codes : a code for each row (see `pugam.likelihood.SampleSizes`)
    chances : with what chance each row was audited
    origins : of labelled rows the sample that they name, counted from 1; 0 for all others. None where they name no two
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    chances: Array | None
    origins: NDArray[np.int32] | None

    def count_audited(self) -> tuple[int, int]:
        """How many rows were found to be positive, and how many to be negative."""
        n_samples = len(self.names)
        positive = int(np.count_nonzero((self.codes > n_samples) & (self.codes <= 2 * n_samples)))
        return positive, int(np.count_nonzero(self.codes > 2 * n_samples))


def read_samples(roles: SampleRoles, positive: Flags, kept: Flags | None) -> SampledRows | None:
    """Read which sample each row is in and what is known of its class; None where there is nothing to tell.

    Parameters
    ----------
    roles : SampleRoles
    positive : bool array
        Who is labelled, among the rows kept.
    kept : bool array, optional
        Which of all rows are kept, known negatives not among them; None stands for all.
    """
    numbers = np.arange(len(positive)) if kept is None else np.flatnonzero(kept)
    n_rows = len(positive) if kept is None else len(kept)
    values = one_each("sample", roles.sample, n_rows)
    names, codes = _read_names(values, positive, numbers)
    known = read_audit(roles, n_rows, positive, numbers)
    codes[known == 1] += len(names)
    codes[known == 0] += 2 * len(names)
    chances = read_chances(roles, n_rows, positive, numbers)
    if len(names) == 1 and not (known >= 0).any() and read_negatives(roles.negative, n_rows) is None:
        return None
    return SampledRows(tuple(names), codes, chances, _read_origins(values, names, positive, numbers))


def names_without_rows(
    roles: SampleRoles, samples: SampledRows | None, positive: Flags, kept: Flags | None
) -> list[str]:
    """Names given as samples that no unlabelled row of positive weight has.

    Those of labelled rows count if some of them are names of samples: otherwise they only say that a row is in none.
    Known negatives are a sample of their own, whatever it is called.
    """
    if roles.sample is None or samples is None:
        return []
    values: list[Any] = as_array(roles.sample).tolist()
    counted = np.ones(len(values), bool) if kept is None else kept
    known = read_negatives(roles.negative, len(values))
    left_out = ~counted if known is None else ~counted & ~known
    labelled, others = (_names_at(values, rows) for rows in (np.flatnonzero(counted)[positive], left_out.nonzero()[0]))
    given = (others - labelled) | (labelled if labelled & set(samples.names) else set())
    return sorted(given - set(samples.names))


def tell_samples(table: Table, name: str, positive: Flags) -> Table:
    """The same table, in which the values of a column that names unlabelled samples are levels, in their order.

    Labelled rows are in no sample, and have levels of unlabelled rows, as often as these have them.
    """
    require_exact(table.column(name), Argument("sample"))
    values = table.column(name).values.astype(object)
    values[:] = [_as_level(value) for value in values]
    own = values[~positive].tolist()
    order = tuple(_in_order(own))
    ranked = sorted(own, key={level: place for place, level in enumerate(order)}.__getitem__)
    spread = np.arange(np.count_nonzero(positive)) * GOLDEN % 1.0  # evenly over all, whatever the order of rows
    values[positive] = [ranked[int(place * len(ranked))] for place in spread]
    told = Column(name, "category", values, order=order)

    def read(wanted: str) -> Column:
        return told if wanted == name else table.column(wanted)

    return Table(table.names, table.n_rows, read, table.library)


def _as_level(value: Any) -> Any:
    """A whole number as such: years are no fractions."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _names_at(values: list[Any], rows: NDArray[np.intp]) -> set[str]:
    named = (values[row] for row in rows)
    return {sample_name(value) for value in named if isinstance(value, Hashable) and not is_missing(value)}


def _read_names(values: list[Any] | None, positive: Flags, numbers: NDArray[np.intp]) -> tuple[list[str], Any]:
    """Names of the samples, in order, and codes of the rows as if none had been audited."""
    codes = np.where(positive, 0, 1).astype(np.int32)
    if values is None:
        return [ALL_ROWS], codes
    hidden = np.flatnonzero(~positive)
    own = [_own_name(values, int(numbers[row])) for row in hidden]
    _require_told_apart(own)
    distinct = _in_order(own)
    names = [sample_name(value) for value in distinct]
    if ALL_ROWS in names:
        raise InputError(
            f"A sample is called {ALL_ROWS!r}, which is the name of all unlabelled rows together; rename it in ",
            Argument("sample"),
            ".",
        )
    _require_different(distinct, names)
    places = {value: place for place, value in enumerate(distinct)}
    codes[hidden] = [1 + places[value] for value in own]
    for place, name in enumerate(names):
        count = int(np.count_nonzero(codes == 1 + place))
        if count < FEWEST_ROWS:
            raise InputError(
                f"Sample {name!r} has {counted(count, 'unlabelled row')}, but a share of its own needs "
                f"at least {FEWEST_ROWS}; join it to another sample, or leave its rows out."
            )
    return names, codes


def _read_origins(
    values: list[Any] | None, names: list[str], positive: Flags, numbers: NDArray[np.intp]
) -> NDArray[np.int32] | None:
    """The samples that labelled rows name, counted from 1; None where they name no two."""
    if values is None or len(names) == 1:
        return None
    places: dict[str | None, int] = {name: 1 + place for place, name in enumerate(names)}
    labelled = np.flatnonzero(positive)
    origins = np.zeros(len(positive), dtype=np.int32)
    origins[labelled] = [places.get(_name_if_any(values[row]), 0) for row in numbers[labelled].tolist()]
    return origins if len(np.unique(origins[origins > 0])) > 1 else None


def _name_if_any(value: Any) -> str | None:
    """The sample that a value names; None where it names none, as a sample may have any text for a name."""
    return sample_name(value) if isinstance(value, Hashable) and not is_missing(value) else None


def _own_name(values: list[Any], row: int) -> Any:
    """The value that names the sample of an unlabelled row."""
    if is_missing(values[row]):
        raise RowError(Argument("sample"), " is missing in ", row, "; name the sample of every unlabelled row.")
    require_name(values[row], row)
    return values[row]


def _require_different(values: list[Any], names: list[str]) -> None:
    """Refuse values that would be the same sample by their names, such as 1 and '1'."""
    for place, name in enumerate(names):
        first = names.index(name)
        if first < place:
            both = f" has {as_written(values[first])} and {as_written(values[place])}, which would both be the sample "
            raise InputError(Argument("sample"), both, f"{name!r}; write them alike, or rename one of them.")


def _require_told_apart(values: list[Any]) -> None:
    """Refuse values with names of their own that are equal, such as 1 and True: they would be one sample."""
    first: dict[Any, Any] = {}
    for _, value in dict.fromkeys((type(value), value) for value in values):
        other = first.setdefault(value, value)
        if sample_name(other) != sample_name(value):
            both = f" has {as_written(other)} and {as_written(value)}, which are equal"
            raise InputError(Argument("sample"), f"{both}; write them alike, or rename one of them.")


def _in_order(values: list[Any]) -> list[Any]:
    """Distinct values, sorted where they can be, otherwise as they come."""
    distinct = list(dict.fromkeys(values))
    try:
        return sorted(distinct)
    except TypeError:
        return distinct
