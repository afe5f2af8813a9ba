"""Where parameters stand in a vector: the shares, then intercept and coefficients of each predictor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Layout", "Predictor"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Predictor:
    """Where the parameters of one additive predictor stand: its intercept, then its coefficients.

    Attributes
    ----------
    intercept : int
        The first one, where there are several.
    n_coefficients : int
        The intercept is not counted.
    n_intercepts : int
    """

    intercept: int
    n_coefficients: int
    n_intercepts: int = 1

    @cached_property
    def whole(self) -> slice:
        """Intercept and coefficients."""
        return slice(self.intercept, self.coefficients.stop)

    @cached_property
    def coefficients(self) -> slice:
        """The coefficients."""
        start = self.intercept + self.n_intercepts
        return slice(start, start + self.n_coefficients)


@dataclass(frozen=True)
class Layout:
    """Where shares, intercepts and coefficients stand in a parameter vector.

    The vector runs along the last axis, so `beta[..., layout.intercept]` also reads a batch of vectors, and
    `information[..., layout.predictor, layout.predictor]` a batch of matrices. A share is its logit in beta and log c
    in sums over rows; both stand in the same place.

    `share` is for a layout of one share, `intercept` for one of one intercept, and `intercepts`, `coefficients` and
    `predictor` are for one of one predictor; with more, or none, they fail.

    Attributes
    ----------
    sizes : tuple of int
        Number of coefficients of each predictor, its intercept not counted.
    n_shares : int
        Number of shares; zero for the parameters (a, theta) of predictors alone.
    n_preference : int
        How many of the coefficients, the last ones, are those of the preference with which positives are labelled.
        They have no part in the density ratio.
    n_intercepts : int
        How many intercepts a predictor has: one for each sample, where samples have curves of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from pugam.layout import Layout
    >>> layout = Layout((3,))
    >>> layout.join(-1.0, 0.5, [1.0, 2.0, 3.0])
    array([-1. ,  0.5,  1. ,  2. ,  3. ])
    >>> two_samples = Layout((3,), n_shares=2)
    >>> np.arange(6)[two_samples.shares], np.arange(6)[two_samples.coefficients]
    (array([0, 1]), array([3, 4, 5]))
    """

    sizes: tuple[int, ...]
    n_shares: int = 1
    n_preference: int = 0
    n_intercepts: int = 1

    @staticmethod
    @lru_cache
    def single(n_coefficients: int, n_preference: int = 0) -> Layout:
        """The layout of one share and one predictor, made once for each number of coefficients."""
        return Layout((n_coefficients,), n_preference=n_preference)

    def with_n_shares(self, n_shares: int) -> Layout:
        """Return the layout with another number of shares."""
        return replace(self, n_shares=n_shares)

    @cached_property
    def size(self) -> int:
        """Number of parameters."""
        return self.n_shares + sum(self.n_intercepts + size for size in self.sizes)

    @cached_property
    def n_coefficients(self) -> int:
        """Number of coefficients of all predictors, intercepts not counted."""
        return sum(self.sizes)

    @cached_property
    def shares(self) -> slice:
        """All shares."""
        return slice(0, self.n_shares)

    @cached_property
    def predictors(self) -> tuple[Predictor, ...]:
        """Where each predictor stands."""
        starts = self.n_shares + np.cumsum([0, *(self.n_intercepts + size for size in self.sizes)])
        return tuple(
            Predictor(int(start), size, self.n_intercepts) for start, size in zip(starts[:-1], self.sizes, strict=True)
        )

    @cached_property
    def share(self) -> int:
        """The only share."""
        (share,) = range(self.n_shares)
        return share

    @cached_property
    def intercept(self) -> int:
        """The only intercept of the only predictor."""
        (intercept,) = range(self.intercepts.start, self.intercepts.stop)
        return intercept

    @cached_property
    def intercepts(self) -> slice:
        """All intercepts of the only predictor."""
        start = self._only_predictor.intercept
        return slice(start, start + self.n_intercepts)

    @cached_property
    def coefficients(self) -> slice:
        """The coefficients of the only predictor."""
        return self._only_predictor.coefficients

    @cached_property
    def predictor(self) -> slice:
        """Intercept and coefficients of the only predictor."""
        return self._only_predictor.whole

    @cached_property
    def _only_predictor(self) -> Predictor:
        (predictor,) = self.predictors
        return predictor

    @cached_property
    def all_coefficients(self) -> Numbers:
        """Numbers of the coefficients of all predictors, in order."""
        numbers = np.arange(self.size)
        return np.concatenate([numbers[predictor.coefficients] for predictor in self.predictors])

    @cached_property
    def of_predictors(self) -> Layout:
        """The layout of the predictors alone: the parameters b = (a, theta) that engines multiply columns with."""
        return self.with_n_shares(0)

    def of_effects(self, along: Array) -> Array:
        """Set what belongs to the preference to zero, along the last axis: what is left makes the density ratio."""
        if self.n_preference == 0:
            return along
        kept = along.copy()
        kept[..., -self.n_preference :] = 0.0
        return kept

    def free(self, share_fixed: bool) -> slice:
        """Which parameters are estimated: all, or all but the shares."""
        return slice(self.n_shares if share_fixed else 0, self.size)

    def keeping(self, columns: ArrayLike) -> Numbers:
        """Numbers of all parameters, in order, but the coefficients whose columns are not among these."""
        dropped = np.delete(self.all_coefficients, np.asarray(columns, dtype=np.intp))
        return np.delete(np.arange(self.size), dropped)

    def join(self, share: ArrayLike, intercept: ArrayLike, theta: ArrayLike) -> Array:
        """Make parameters of the only share, intercept and coefficients; of batches of them, a batch."""
        theta = np.asarray(theta, dtype=float)
        batch = np.broadcast_shapes(np.shape(share), np.shape(intercept), theta.shape[:-1])
        beta = np.empty((*batch, self.size))
        beta[..., self.share], beta[..., self.intercept], beta[..., self.coefficients] = share, intercept, theta
        return beta

    def join_predictor(self, intercept: ArrayLike, theta: ArrayLike) -> Array:
        """Make b = (a, theta) of the density ratio, of the only intercept and coefficients; of batches, a batch."""
        alone, theta = self.of_predictors, np.asarray(theta, dtype=float)
        b = np.empty((*np.broadcast_shapes(np.shape(intercept), theta.shape[:-1]), alone.size))
        b[..., alone.intercept], b[..., alone.coefficients] = intercept, theta
        return self.of_effects(b)

    def with_share(self, beta: Array, share: ArrayLike) -> Array:
        """Return parameters with another share."""
        moved = beta.copy()
        moved[..., self.share] = share
        return moved

    def with_shares(self, beta: Array, shares: ArrayLike) -> Array:
        """Return parameters with other shares."""
        moved = beta.copy()
        moved[..., self.shares] = shares
        return moved

    def spread(self, of_coefficients: Array) -> Array:
        """Bring what is given for all coefficients, along the last axis, to all parameters, with zeros for the rest."""
        spread = np.zeros((*of_coefficients.shape[:-1], self.size))
        if len(self.sizes) == 1:  # a slice is much faster than numbers
            spread[..., self.coefficients] = of_coefficients
        else:
            spread[..., self.all_coefficients] = of_coefficients
        return spread
