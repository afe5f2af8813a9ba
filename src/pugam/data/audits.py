"""What audits found out about rows, and with what chance each row was audited."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data.arrays import is_missing
from pugam.data.negatives import read_negatives
from pugam.data.roles import SampleRoles, as_written, contradiction, number_each, read_answers
from pugam.errors import InputError, RowError
from pugam.messages import Argument

__all__ = ["read_audit", "read_chances"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

MEANING = "1 for a row found to be positive, 0 for one found to be negative, and leave others missing"


def read_audit(roles: SampleRoles, n_rows: int, positive: Flags, numbers: NDArray[np.intp]) -> NDArray[np.int8]:
    """What audits say of each row kept: 1, 0, or -1 where nothing is known; of labelled rows nothing new.

    Parameters
    ----------
    roles : SampleRoles
    n_rows : int
        How many rows there are in all.
    positive : bool array
        Who is labelled, among the rows kept.
    numbers : int array
        Which of all rows are kept.
    """
    values = number_each("audit", roles.audit, n_rows)
    if values is None:
        return np.full(len(positive), -1, dtype=np.int8)
    _require_agreement(values, read_negatives(roles.negative, n_rows))
    answers = read_answers("audit", values, numbers, MEANING)
    wrong = positive & (answers == 0)
    if wrong.any():
        raise contradiction("audit", int(numbers[np.argmax(wrong)]))
    return np.where(positive, np.int8(-1), answers)


def _require_agreement(values: list[Any], negative: Flags | None) -> None:
    """Refuse an audit that finds known negatives to be positive."""
    known = np.flatnonzero(negative) if negative is not None else np.arange(0)
    wrong = known[read_answers("audit", values, known, MEANING) == 1]
    if len(wrong):
        both = " and ", Argument("negative"), " are both 1 in "
        raise RowError(Argument("audit"), *both, int(wrong[0]), ", but a row has one class; correct one of the two.")


def read_chances(roles: SampleRoles, n_rows: int, positive: Flags, numbers: NDArray[np.intp]) -> Array | None:
    """With what chance each row kept was audited; what is said of labelled rows is not used."""
    values = number_each("audit_chance", roles.audit_chance, n_rows)
    if values is None:
        return None
    if roles.audit is None:
        raise InputError(Argument("audit_chance"), " goes with ", Argument("audit"), ", which is not given.")
    chances = np.ones(len(positive))
    for row in np.flatnonzero(~positive):
        value = values[numbers[row]]
        if is_missing(value) or not isinstance(value, Real | Decimal) or not 0.0 < float(value) <= 1.0:
            raise RowError(
                Argument("audit_chance"),
                f" is {'missing' if is_missing(value) else as_written(value)} in ",
                int(numbers[row]),
                "; give a number above 0 and at most 1 for every unlabelled row.",
            )
        chances[row] = value
    return chances
