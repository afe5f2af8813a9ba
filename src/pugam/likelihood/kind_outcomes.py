"""Several kinds of positives among the unlabelled rows: outcomes of a mixture with one component for each.

Negatives are the first component, positives of kind k the one with number k, with the log density ratio
log(g_k / h) = alpha_k + eta_k. Of N unlabelled rows pi_k N are of kind k, and n_k rows of it are labelled, so that

    s_k = a_k + eta_k,    a_k = alpha_k + log((n_k + N pi_k) / (N pi_0)),    pi_0 = 1 - pi_1 - ... - pi_K,

is the predictor of a row's component, and a row of kind k is labelled with the chance n_k / (n_k + N pi_k).
Parameters are the logarithms of the odds o_k = pi_k / pi_0: logits of the shares among rows of no other kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.likelihood.mixtures import Outcomes

__all__ = ["KindSizes", "kind_outcomes", "shares_of_kinds"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KindSizes:
    """How many rows, by weight, are labelled of each kind, and unlabelled.

    Unlabelled rows have the code 0, labelled rows of kind k, from 0 on, the code 1 + k.

    Attributes
    ----------
    labelled : array of shape (K,)
    unlabelled : float
    """

    labelled: Array
    unlabelled: float

    @property
    def n_kinds(self) -> int:
        """Number of kinds."""
        return len(self.labelled)

    @property
    def counts(self) -> Array:
        """Rows of each code, shape (1 + K,)."""
        return np.append(self.unlabelled, self.labelled)

    def beside(self, logits: Array) -> Array:
        """What each intercept counts besides its alpha, shape (K,)."""
        shares, rest = shares_of_kinds(logits)
        return np.asarray(np.log(self.labelled + self.unlabelled * shares) - np.log(self.unlabelled * rest))

    def beside_slopes(self, logits: Array) -> Array:
        """How that changes with the parameters, shape (K, K)."""
        shares, _ = shares_of_kinds(logits)
        return self._hidden(shares)[:, None] * _log_slopes(shares) + shares

    def _hidden(self, shares: Array) -> Array:
        """Which part of the rows of each kind is unlabelled, shape (K,)."""
        hidden = self.unlabelled * shares
        return np.asarray(hidden / (self.labelled + hidden))


def kind_outcomes(sizes: KindSizes, logits: Array) -> Outcomes:
    """Chances of each code, with derivatives in the parameters, shape (K,)."""
    shares, _ = shares_of_kinds(logits)
    n_kinds, hidden, log_slopes = sizes.n_kinds, sizes._hidden(shares), _log_slopes(shares)
    spread = np.diag(shares) - np.outer(shares, shares)
    each = 1 + np.arange(n_kinds)
    chances = np.zeros((1 + n_kinds, 1 + n_kinds))
    chances[0, 0], chances[0, each], chances[each, each] = 1.0, hidden, 1.0 - hidden
    slopes, bends = np.zeros((n_kinds, *chances.shape)), np.zeros((n_kinds, n_kinds, *chances.shape))
    for kind, own in enumerate(log_slopes):
        bend = hidden[kind] * (1.0 - hidden[kind]) * np.outer(own, own)
        for code, grows in ((0, 1.0 - hidden[kind]), (1 + kind, -hidden[kind])):
            slopes[:, code, 1 + kind] = grows * own
            bends[:, :, code, 1 + kind] = -bend - grows * spread
    return Outcomes(chances, slopes, bends, np.ones_like(chances, dtype=bool))


def shares_of_kinds(logits: Array) -> tuple[Array, Array]:
    """Shares of all kinds, and of negatives, from the parameters along the last axis."""
    highest = np.maximum(logits.max(axis=-1, keepdims=True), 0.0)
    odds, rest = np.exp(logits - highest), np.exp(-highest)
    total = rest + odds.sum(axis=-1, keepdims=True)
    return np.asarray(odds / total), np.asarray((rest / total)[..., 0])


def _log_slopes(shares: Array) -> Array:
    """Derivatives of the logarithms of the shares, by kind, in each parameter: shape (K, K)."""
    return np.eye(len(shares)) - shares
