"""Which rows are known negatives: a sample of its own, beside the unlabelled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data.roles import number_each, read_answers
from pugam.errors import InputError
from pugam.messages import Argument

__all__ = ["read_negatives", "require_unlabelled"]

Flags = NDArray[np.bool_]

MEANING = "1 for a known negative, and 0 or nothing for all other rows"


def read_negatives(negative: Any, n_rows: int) -> Flags | None:
    """Read which of all rows are known negatives; None where there are none."""
    values = number_each("negative", negative, n_rows)
    if values is None:
        return None
    found = read_answers("negative", values, np.arange(n_rows), MEANING) == 1
    return found if found.any() else None


def require_unlabelled(positive: Flags, negative: Any) -> None:
    """Refuse rows that are labelled or known negatives, all of them: pi would be a share of nothing."""
    if negative is not None and positive.all() and len(positive):
        raise InputError(
            Argument("negative"),
            " leaves no unlabelled row, and pi is the share of positives among those; add rows of unknown class.",
        )
