"""Rows in the order in which they are reviewed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood import expit
from pugam.terms import Encoded

__all__ = ["RankedRows"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Rows from the likeliest to the least likely positive, and what their posteriors depend on.

    Attributes
    ----------
    logits, centre, share : arrays of shape (n,)
        Logits of posteriors as they are reported; those around which those of other parameters lie; the share of
        positives that holds for each row.
    sample : array of shape (n,)
        The number of the sample each row is from.
    excess : array of shape (n_samples,)
        By how much logits of shares of samples vary beside what all samples have in common.
    encoded_at : callable
        Gives the encoded values of rows by their places among these, one array per term.
    """

    logits: Array
    centre: Array
    share: Array
    sample: Numbers
    excess: Array
    encoded_at: Callable[[Numbers], Sequence[Encoded]]

    @property
    def posterior(self) -> Array:
        """Their posteriors."""
        return np.asarray(expit(self.logits))
