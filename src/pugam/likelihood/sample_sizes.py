"""How many rows there are in each sample, and what the codes of rows mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["LABELLED", "SampleSizes"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int32]

LABELLED = 0  # the code of labelled rows; those of others are in `SampleSizes`


@dataclass(frozen=True, eq=False)
class SampleSizes:
    """How many rows, by weight, there are in each sample; and what codes of rows mean.

    Of K unlabelled samples, number k from 0 on, rows have the code 1 + k; 1 + K + k if they were found to be positive,
    1 + 2 K + k if negative. Known negatives have the code 1 + 3 K.

    Attributes
    ----------
    labelled, negative : float
    unlabelled : array of shape (K,)
        Audited rows included.
    """

    labelled: float
    unlabelled: Array
    negative: float = 0.0

    @property
    def n_samples(self) -> int:
        """Number of unlabelled samples."""
        return len(self.unlabelled)

    @property
    def parts(self) -> Array:
        """Each sample's part of all unlabelled rows, shape (K,)."""
        return np.asarray(self.unlabelled / self.unlabelled.sum())

    @property
    def counts(self) -> Array:
        """Rows of each sample, by weight: labelled, unlabelled, and known negatives, shape (2 + K,)."""
        return np.concatenate([[self.labelled], self.unlabelled, [self.negative]])

    @property
    def known_negative(self) -> int:
        """The code of known negatives."""
        return 1 + 3 * self.n_samples

    @cached_property
    def strata(self) -> Numbers:
        """Which sample rows of each code are in: 0 for the labelled one, 1 + k, and 1 + K for known negatives."""
        each = np.arange(1, 1 + self.n_samples)
        return np.concatenate([[LABELLED], each, each, each, [1 + self.n_samples]]).astype(np.int32)

    @cached_property
    def unaudited(self) -> Numbers:
        """The code of a row of each code, had it not been audited."""
        return np.where(self.strata > self.n_samples, self.known_negative, self.strata).astype(np.int32)

    def count_audited(self, codes: Numbers, weights: Array | None) -> Array:
        """How many rows of each sample, by weight, were audited: shape (K,)."""
        counts = np.bincount(codes, weights=weights, minlength=1 + self.known_negative)
        audited = counts[1 + self.n_samples : self.known_negative].reshape(2, self.n_samples)
        return np.asarray(audited.sum(axis=0), dtype=float)

    @classmethod
    def count(cls, codes: Numbers, weights: Array | None, n_samples: int) -> SampleSizes:
        """Count rows with these codes."""
        counts = np.bincount(codes, weights=weights, minlength=2 + 3 * n_samples).astype(float)
        of_samples = counts[1 : 1 + 3 * n_samples].reshape(3, n_samples).sum(axis=0)
        return cls(float(counts[LABELLED]), of_samples, float(counts[1 + 3 * n_samples]))
