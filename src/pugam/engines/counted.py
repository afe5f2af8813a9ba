"""What all engines know of their rows, wherever these are: who is labelled, what they weigh, and the last sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pugam.engines.pilots import ShownRows, shown_rows
from pugam.engines.protocol import Counts, Engine, OfRows
from pugam.engines.remembering import LastSums
from pugam.likelihood import Sums
from pugam.terms import Design, Encoded

__all__ = ["CountedRows"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class CountedRows(ABC):
    """Rows with labels and weights, their numbers, and sums that are not taken twice.

    Parameters
    ----------
    design : Design
    positive : bool array
        True where z = 1.
    weights : array or None
        Positive row weights; None stands for ones.
    """

    most_weightings, most_weighted_rows = 128, 20_000_000  # summed at once; fewer weightings where the rows are many
    codes: NDArray[np.int32] | None = None
    negatives: Engine | None = None

    def __init__(self, design: Design, positive: Flags, weights: Array | None) -> None:
        self.design, self.positive = design, positive
        self._weigh(weights)

    def coded(self, codes: NDArray[np.int32] | None, negatives: Engine | None = None) -> Self:
        """Return the same rows with codes, shape (n_rows,), and known negatives beside them, for several samples."""
        other = copy(self)
        other.codes, other.negatives = codes, negatives
        return other

    def sum_rows(self, of_block: OfRows, shared: tuple[Any, ...]) -> Any:
        """Add up what a function makes of blocks of rows, those of known negatives included."""
        own = self._sum_rows(of_block, shared)
        return own if self.negatives is None else own + self.negatives.sum_rows(of_block, shared)

    def _negatives_drawn(self, counts: Counts) -> Engine | None:
        """Known negatives, each counted as often as is said behind the counts of all other rows."""
        if self.negatives is None or len(counts) == self.n_rows:
            return self.negatives
        return self.negatives.reweighted(counts[self.n_rows :])

    def _weigh(self, weights: Array | None) -> None:
        """Give the rows their weights; what was remembered under others is forgotten."""
        self.weights = weights
        if weights is None:
            self.n0, self.n1 = float(np.count_nonzero(self.positive)), float(np.count_nonzero(~self.positive))
        else:
            self.n0, self.n1 = float(weights[self.positive].sum()), float(weights[~self.positive].sum())
        self._last_sums = LastSums()
        self.__dict__.pop("shown", None)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.positive)

    @property
    def most_resamples(self) -> int:
        """How many weightings are worth summing at once."""
        return max(1, min(self.most_weightings, self.most_weighted_rows // self.n_rows))

    @cached_property
    def shown(self) -> ShownRows:
        """Rows spread evenly over all, for means and pictures."""
        rows = shown_rows(self.n_rows)
        return ShownRows(self.encoded_at(rows), self.positive[rows], self._weights_at(rows))

    def sums(self, pi: Array, b: Array, observed: bool = False) -> Sums:
        """Value, score and expected (or observed) information of the profile likelihood in (log c, a, theta)."""
        return self._last_sums.get(self._sums, pi, b, observed)

    def _weights_at(self, rows: NDArray[np.intp]) -> Array | None:
        return None if self.weights is None else self.weights[rows]

    @abstractmethod
    def _sum_rows(self, of_block: OfRows, shared: tuple[Any, ...]) -> Any:
        """Add up what a function makes of blocks of rows."""

    @abstractmethod
    def encoded_at(self, rows: NDArray[np.intp]) -> tuple[Encoded, ...]:
        """Encoded values of these rows, whose numbers increase, one array per term."""

    @abstractmethod
    def _sums(self, pi: Array, b: Array, observed: bool) -> Sums:
        """Take the sums."""
