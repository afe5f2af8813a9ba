"""What may be known of rows besides features, labels and weights, and how it is written."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.data.arrays import as_array, holds_times, is_missing
from pugam.errors import InputError, RowError
from pugam.messages import Argument

__all__ = [
    "NO_ROLES",
    "SampleRoles",
    "as_written",
    "contradiction",
    "find_sample",
    "number_each",
    "one_each",
    "read_answers",
    "require_name",
    "require_several",
    "sample_name",
]


class SampleRoles(NamedTuple):
    """What is known of rows besides features, labels and weights: one value for each of all rows, or None.

    Attributes
    ----------
    sample : names of unlabelled samples; those that labelled rows name serve a test alone
    audit : 1 or 0 for unlabelled rows whose class was found out, missing elsewhere
    audit_chance : with what chance each row was audited
    negative : true for known negatives, which are a sample of their own
    groups, strata : of a survey: labels of clusters, and of the strata in which these were drawn
    """

    sample: Any = None
    audit: Any = None
    audit_chance: Any = None
    negative: Any = None
    groups: Any = None
    strata: Any = None

    @property
    def given(self) -> dict[str, Any]:
        """Those that are there, by name."""
        return {name: values for name, values in self._asdict().items() if values is not None}


NO_ROLES = SampleRoles()


def one_each(role: str, values: Any, n_rows: int) -> list[Any] | None:
    """Read a role of which each row needs a value; None where it is not given."""
    if values is None:
        return None
    listed = as_array(values)
    if listed.ndim != 1 or len(listed) != n_rows:
        raise InputError(Argument(role), f" needs one value per row, {n_rows} in all; got shape {listed.shape}.")
    # An array of a list would make numbers of its booleans.
    found: list[Any] = list(values) if isinstance(values, list | tuple) else listed.tolist()
    return found


def number_each(role: str, values: Any, n_rows: int) -> list[Any] | None:
    """Read a role of which rows have a number, or nothing; None where it is not given."""
    if values is not None and holds_times(as_array(values)):
        raise InputError(Argument(role), " holds dates or times; give numbers.")
    return one_each(role, values, n_rows)


def read_answers(role: str, values: list[Any], rows: NDArray[np.intp], meaning: str) -> NDArray[np.int8]:
    """Read 1, 0 or nothing, which is -1, of these rows; other values are refused with what these mean."""
    answers = np.full(len(rows), -1, dtype=np.int8)
    for place, row in enumerate(rows):
        value = values[row]
        if is_missing(value):
            continue
        if value not in (0, 1):
            raise RowError(Argument(role), f" is {as_written(value)} in ", int(row), f"; write {meaning}.")
        answers[place] = int(value)
    return answers


def require_several(names: Sequence[str]) -> None:
    """Refuse a single sample where several are to be told apart."""
    if len(names) < 2:
        told = "There is one unlabelled sample only; tell samples apart by ", Argument("sample"), " in the fit."
        raise InputError(*told)


def find_sample(names: Sequence[str], name: Any) -> int:
    """The number of the sample of this name."""
    require_several(names)
    wanted = sample_name(name)
    if wanted not in names:
        raise InputError(f"There is no sample {wanted!r}; the samples are {', '.join(map(repr, names))}.")
    return names.index(wanted)


def sample_name(value: Any) -> str:
    """Name a sample by the value that tells its rows: 2023 also where years are 2023.0, of whatever precision."""
    fractional = isinstance(value, Real | Decimal) and not isinstance(value, Integral)
    return str(int(value)) if fractional and float(value).is_integer() else str(value)


def require_name(value: Any, row: int) -> None:
    """Refuse a value that cannot tell samples apart, such as a list."""
    if not isinstance(value, Hashable):
        raise RowError(Argument("sample"), f" is {value!r} in ", row, "; name a sample by one text or number.")


def as_written(value: Any) -> str:
    """A value as a message shows it."""
    return repr(value) if isinstance(value, str) else sample_name(value)


def contradiction(role: str, row: int) -> RowError:
    """What to say of a labelled row that is known to be negative."""
    return RowError(
        Argument(role),
        " says that a labelled row is negative, ",
        row,
        "; correct one of the two, or make the row an unlabelled one.",
    )
