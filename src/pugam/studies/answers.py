"""What a method says about a masked table, whoever wrote the method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answer", "Method"]


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a method.

    Attributes
    ----------
    pi : float, optional
        Share of positives among the unlabelled rows; None from a method that takes it as given.
    posterior : ndarray, optional
        P(y = 1 | x) of each unlabelled row, in their order; None from a method that has none.
    interval : pair of float, optional
        95% limits for pi.
    warned : bool
        Whether a user is told not to trust pi, without asking.
    flagged : bool
        Whether a user who asks for a diagnosis is told that pi is not well determined.
    seconds : float, optional
        Until pi, posterior and interval were known, of a method that did more than that; None: all its time.
    """

    pi: float | None
    posterior: np.ndarray | None = None
    interval: tuple[float, float] | None = None
    warned: bool = False
    flagged: bool = False
    seconds: float | None = None


Method = Callable[["pd.DataFrame", np.ndarray, np.random.Generator], Answer]
"""Takes the features of all rows, a boolean array that is true for labelled rows, and a generator of random numbers."""
