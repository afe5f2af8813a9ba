"""To which unlabelled sample a row belongs, what an audit found out about it, and which rows are known negatives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.data.tables import as_array, is_missing
from pugam.errors import InputError, RowError
from pugam.messages import Argument

__all__ = [
    "ALL_ROWS",
    "NO_ROLES",
    "SampleRoles",
    "SampledRows",
    "contradiction",
    "read_negatives",
    "read_samples",
    "require_unlabelled",
    "sample_name",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEWEST_ROWS = 10  # of a sample, for a share of its own
ALL_ROWS = "all"  # the name of all unlabelled rows together


class SampleRoles(NamedTuple):
    """What is known of rows besides features, labels and weights: one value for each of all rows, or None.

    Attributes
    ----------
    sample : names of unlabelled samples; those of labelled rows are not used
    audit : 1 or 0 for unlabelled rows whose class was found out, missing elsewhere
    audit_chance : with what chance each row was audited
    negative : true for known negatives, which are a sample of their own
    """

    sample: Any = None
    audit: Any = None
    audit_chance: Any = None
    negative: Any = None

    @property
    def given(self) -> dict[str, Any]:
        """Those that are there, by name."""
        return {name: values for name, values in self._asdict().items() if values is not None}


NO_ROLES = SampleRoles()


class SampledRows(NamedTuple):
    """Names of the unlabelled samples, a code for each row (see `pugam.likelihood.SampleSizes`), chances of audits."""

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    chances: Array | None


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
    names, codes = _read_names(_one_each("sample", roles.sample, n_rows), positive, numbers)
    known = _read_audit(_one_each("audit", roles.audit, n_rows), positive, numbers)
    codes[known == 1] += len(names)
    codes[known == 0] += 2 * len(names)
    chances = _read_chances(roles, n_rows, positive, numbers)
    if len(names) == 1 and not (known >= 0).any() and read_negatives(roles.negative, n_rows) is None:
        return None
    return SampledRows(tuple(names), codes, chances)


def read_negatives(negative: Any, n_rows: int) -> Flags | None:
    """Read which of all rows are known negatives; None where there are none."""
    values = _one_each("negative", negative, n_rows)
    if values is None:
        return None
    found = np.zeros(n_rows, dtype=bool)
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        if value not in (0, 1):
            raise RowError(
                Argument("negative"),
                f" is {_shown(value)} in ",
                row,
                "; write 1 for a known negative, and 0 or nothing for all other rows.",
            )
        found[row] = bool(value)
    return found if found.any() else None


def _read_chances(roles: SampleRoles, n_rows: int, positive: Flags, numbers: NDArray[np.intp]) -> Array | None:
    """With what chance each row kept was audited; what is said of labelled rows is not used."""
    values = _one_each("audit_chance", roles.audit_chance, n_rows)
    if values is None:
        return None
    if roles.audit is None:
        raise InputError(Argument("audit_chance"), " goes with ", Argument("audit"), ", which is not given.")
    chances = np.ones(len(positive))
    for row in np.flatnonzero(~positive):
        value = values[numbers[row]]
        if is_missing(value) or isinstance(value, str) or not 0.0 < value <= 1.0:
            raise RowError(
                Argument("audit_chance"),
                f" is {'missing' if is_missing(value) else _shown(value)} in ",
                int(numbers[row]),
                "; give a number above 0 and at most 1 for every unlabelled row.",
            )
        chances[row] = value
    return chances


def _one_each(what: str, values: Any, n_rows: int) -> list[Any] | None:
    if values is None:
        return None
    listed = as_array(values)
    if listed.ndim != 1 or len(listed) != n_rows:
        raise InputError(Argument(what), f" needs one value per row, {n_rows} in all; got shape {listed.shape}.")
    found: list[Any] = listed.tolist()
    return found


def _read_names(values: list[Any] | None, positive: Flags, numbers: NDArray[np.intp]) -> tuple[list[str], Any]:
    """Names of the samples, in order, and codes of the rows as if none had been audited."""
    codes = np.where(positive, 0, 1).astype(np.int32)
    if values is None:
        return [ALL_ROWS], codes
    hidden = np.flatnonzero(~positive)
    for row in hidden:
        if is_missing(values[numbers[row]]):
            raise RowError(
                Argument("sample"), " is missing in ", int(numbers[row]), "; name the sample of every unlabelled row."
            )
    own = [values[numbers[row]] for row in hidden]
    distinct = _in_order(own)
    names = [sample_name(value) for value in distinct]
    if ALL_ROWS in names:
        raise InputError(
            f"A sample is called {ALL_ROWS!r}, which is the name of all unlabelled rows together; rename it in ",
            Argument("sample"),
            ".",
        )
    if len(set(names)) < len(names):
        raise InputError(Argument("sample"), f" has different values of the same name: {', '.join(names)}.")
    places = {value: place for place, value in enumerate(distinct)}
    codes[hidden] = [1 + places[value] for value in own]
    for place, name in enumerate(names):
        count = int(np.count_nonzero(codes == 1 + place))
        if count < FEWEST_ROWS:
            raise InputError(
                f"Sample {name!r} has {count} unlabelled row{'s' if count != 1 else ''}, but a share of its own needs "
                f"at least {FEWEST_ROWS}; join it to another sample, or leave its rows out."
            )
    return names, codes


def _in_order(values: list[Any]) -> list[Any]:
    """Distinct values, sorted where they can be, otherwise as they come."""
    distinct = list(dict.fromkeys(values))
    try:
        return sorted(distinct)
    except TypeError:
        return distinct


def sample_name(value: Any) -> str:
    """Name a sample by the value that tells its rows: 2023 also where years are 2023.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else sample_name(value)


def _read_audit(values: list[Any] | None, positive: Flags, numbers: NDArray[np.intp]) -> NDArray[np.int8]:
    """What audits say of each row kept: 1, 0, or -1 where nothing is known; of labelled rows nothing new."""
    known = np.full(len(positive), -1, dtype=np.int8)
    if values is None:
        return known
    for row, number in enumerate(numbers):
        value = values[number]
        if is_missing(value):
            continue
        if value not in (0, 1):
            raise RowError(
                Argument("audit"),
                f" is {_shown(value)} in ",
                int(number),
                "; write 1 for a row found to be positive, 0 for one found to be negative, and leave others missing.",
            )
        if positive[row] and value == 0:
            raise contradiction("audit", int(number))
        if not positive[row]:
            known[row] = int(value)
    return known


def require_unlabelled(positive: Flags, negative: Any) -> None:
    """Refuse rows that are labelled or known negatives, all of them: pi would be a share of nothing."""
    if negative is not None and positive.all() and len(positive):
        raise InputError(
            Argument("negative"),
            " leaves no unlabelled row, and pi is the share of positives among those; add rows of unknown class.",
        )


def contradiction(role: str, row: int) -> RowError:
    """What to say of a labelled row that is known to be negative."""
    return RowError(
        Argument(role),
        " says that a labelled row is negative, ",
        row,
        "; correct one of the two, or make the row an unlabelled one.",
    )
