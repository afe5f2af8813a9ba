"""Why a row has its posterior: what each term adds to the log odds of the average unlabelled row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pugam.errors import InputError
from pugam.inference.effects import standard_errors
from pugam.inference.intervals import normal_quantile
from pugam.inference.kind import Inference
from pugam.inference.known_effects import known_moments
from pugam.inference.rows_of_samples import unlabelled_rows
from pugam.inference.shapes import shaped_limits
from pugam.likelihood import logit
from pugam.solvers import Fit, FittedKind
from pugam.terms import Basis, Encoded

__all__ = ["Contributions", "ShareKnown", "explain_rows", "with_average"]

Array = NDArray[np.float64]
F = TypeVar("F", bound=Fit)

ROWS_AT_ONCE = 1024  # model columns of so many rows are written out at a time


@dataclass(frozen=True, eq=False)
class ShareKnown:
    """Which share of positives holds for rows, and how sure the intercept of their log odds is.

    Attributes
    ----------
    share : float or array of shape (n,)
    covariance : array of shape (1 + p, 1 + p)
        Of logit pi + alpha, and of all coefficients; see `intercept_covariance`.
    excess : float or array of shape (n,)
        By how much the logit of the share varies more than that of pi.
    """

    share: float | Array
    covariance: Array
    excess: float | Array = 0.0

    def first(self, count: int) -> ShareKnown:
        """Return what holds for the first of the rows."""
        share, excess = (part if np.ndim(part) == 0 else np.asarray(part)[:count] for part in (self.share, self.excess))
        return ShareKnown(share, self.covariance, excess)


@dataclass(frozen=True, eq=False)
class Contributions:
    """Log odds of n rows, taken apart: baseline, m terms and averaging add up to the logit of the posterior.

    Attributes
    ----------
    terms : tuple of str
        Labels of the m terms.
    baseline, baseline_se : arrays of shape (n,)
        Log odds of the average unlabelled row, and their standard errors; rows of one sample have the same.
    values, se, lower, upper : arrays of shape (n, m)
        What a term adds beside what it adds on average, with standard errors and limits.
    averaging : array of shape (n,), optional
        What is left: the logit of an averaged posterior less that of pi and the curves as estimated. None where
        posteriors are not averaged.
    level : float
        Of the limits.
    """

    terms: tuple[str, ...]
    baseline: Array
    baseline_se: Array
    values: Array
    se: Array
    lower: Array
    upper: Array
    averaging: Array | None
    level: float

    @property
    def baseline_limits(self) -> tuple[Array, Array]:
        """Limits of the baseline, two arrays of shape (n,)."""
        half = normal_quantile(self.level) * self.baseline_se
        return self.baseline - half, self.baseline + half

    @property
    def logits(self) -> Array:
        """What all of it adds up to, shape (n,)."""
        rest = 0.0 if self.averaging is None else self.averaging
        return np.asarray(self.baseline + self.values.sum(axis=1) + rest)


def with_average(fitted: FittedKind[F]) -> FittedKind[F]:
    """Return a fit that knows the average unlabelled row: the mean of the model columns, by weight."""
    if fitted.fit.average is not None:
        return fitted
    weights = unlabelled_rows(fitted).astype(float)
    if fitted.engine.weights is not None:
        weights = weights * fitted.engine.weights
    total, *sums = fitted.engine.sum_groups(weights[None], np.zeros(len(weights), dtype=np.intp), 1)[0, 0]
    known = known_moments(fitted)[0] if fitted.design.known_terms else None
    return replace(fitted, fit=replace(fitted.fit, average=np.array(sums) / total, known_average=known))


def explain_rows(
    inference: Inference[Fit],
    encoded: Sequence[Encoded],
    alpha: float,
    coef: Array,
    known: ShareKnown,
    level: float,
    draw: Callable[[], Array],
) -> Contributions:
    """Take the log odds of rows apart.

    Parameters
    ----------
    encoded : sequence of arrays
        The rows, as made by `Design.encode`.
    alpha, coef : float and array of shape (p,)
    known : ShareKnown
    level : float
    draw : callable
        Gives coefficients that keep to constraints, shape (N, p), for limits of terms that have any.
    """
    design, fit = inference.design, inference.fit
    average = _average_of(fit)
    known_average = np.zeros(len(design.bases)) if fit.known_average is None else fit.known_average
    b = design.layout.join_predictor(alpha, coef)
    ratio = design.predict(encoded, b)
    plain = ratio + logit(known.share)
    parts = [
        _of_term(
            design.bases[number],
            encoded[number],
            average[block],
            coef[block],
            float(known_average[number]),
            _Unsure(known, block, level, draw),
        )
        for number, block in enumerate(design.blocks[: design.n_effects])
    ]
    values, se, lower, upper = (np.column_stack(part) for part in zip(*parts, strict=True))
    weights = design.layout.of_effects(np.append(1.0, average))
    own = float(standard_errors(weights[None], known.covariance)[0])
    return Contributions(
        terms=design.labels[: design.n_effects],
        baseline=np.full(len(ratio), float(weights @ b + known_average.sum())) + logit(known.share),
        baseline_se=np.sqrt(np.full(len(ratio), own**2) + known.excess),
        values=values,
        se=se,
        lower=lower,
        upper=upper,
        averaging=inference.posterior_logits(ratio, known.share) - plain if inference.averages else None,
        level=level,
    )


def _average_of(fit: Fit) -> Array:
    if fit.average is None:
        raise InputError(
            "The model was saved by an earlier pugam, which did not keep the average unlabelled row that rows are "
            "compared with; fit it again and save it."
        )
    return fit.average


@dataclass(frozen=True, eq=False)
class _Unsure:
    """How sure the coefficients of a term are."""

    known: ShareKnown
    block: slice
    level: float
    draw: Callable[[], Array]

    @property
    def covariance(self) -> Array:
        """Covariance of the term's coefficients."""
        own = slice(1 + self.block.start, 1 + self.block.stop)
        return self.known.covariance[own, own]

    def limits(self, basis: Basis, columns: Array, values: Array, se: Array) -> tuple[Array, Array]:
        """Limits for values of the term less those of the average row, with model columns that differ so much."""
        if len(basis.constraints):
            return shaped_limits(values, self.draw()[:, self.block] @ columns.T, self.level)
        half = normal_quantile(self.level) * se
        return values - half, values + half


def _of_term(
    basis: Basis, encoded: Encoded, average: Array, theta: Array, known_average: float, unsure: _Unsure
) -> tuple[Array, ...]:
    """Contributions of a term, standard errors and limits, each of shape (n,)."""
    values = basis.effect(encoded, theta) - (float(average @ theta) + known_average)
    found = np.empty((3, len(values)))
    for rows in _some_at_a_time(len(values)):
        columns = basis.columns(encoded[rows]) - average
        found[0, rows] = se = standard_errors(columns, unsure.covariance)
        found[1:, rows] = unsure.limits(basis, columns, values[rows], se)
    return values, *found


def _some_at_a_time(n_rows: int) -> Iterator[slice]:
    return (slice(start, start + ROWS_AT_ONCE) for start in range(0, n_rows, ROWS_AT_ONCE))
