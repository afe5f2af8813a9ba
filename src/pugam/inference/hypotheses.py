"""Tests of terms: is a curve zero, is it straight?

A term's penalised estimate is tested in the canonical coordinates of `solvers.evidence`, in which the data are
standard normal under the null hypothesis. How many directions count is decided as by Wood (2013): as many as the
penalty leaves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pugam.errors import InputError
from pugam.inference.cone_tests import cone_test, rows_on
from pugam.inference.distributions import weighted_chi2_sf
from pugam.inference.multiple_tests import combine
from pugam.solvers import Evidence, Fitted, refit
from pugam.terms import Basis, Design

__all__ = [
    "HypothesisTest",
    "Null",
    "fourier_test",
    "known_test",
    "read_null",
    "reference_penalty",
    "refit_under_null",
    "tested_columns",
    "wald_test",
]

Array = NDArray[np.float64]
Null = Literal["zero", "linear"]

REFERENCE_BENDING = 2.0  # effective degrees of freedom of the bends that tests look for
# Share of all bends that tests look for besides, for waves. The rest counts where rows are few, and there tests reject
# too often.
WAVES = 0.75
WEIGHT_OF_WAVES = 0.2  # in the common p-value, as waves are rare (benchmarks/results/term_tests_default.md)
FOURIER_NODES = 400


@dataclass(frozen=True)
class HypothesisTest:
    """A test of one or several terms.

    Attributes
    ----------
    terms : tuple of str
    null : "zero" or "linear"
        What is tested: no effect at all, or no more than a straight line.
    method : str
    statistic : float
    df : float
        Degrees of freedom: how many directions count, those by a fraction included; not given by a bootstrap.
    pvalue : float
    reference : str
        The distribution the statistic was compared with.
    null_pi, null_loglik : float, optional
        Estimate of pi and log-likelihood of the model in which the null hypothesis holds, where it was refitted, its
        bias corrected as in the model itself: not made for a likelihood ratio.
    """

    terms: tuple[str, ...]
    null: Null
    method: str
    statistic: float
    df: float | None
    pvalue: float
    reference: str
    null_pi: float | None = None
    null_loglik: float | None = None

    @property
    def hypothesis(self) -> str:
        """What is tested, in words."""
        what = " and ".join(self.terms)
        return f"{what} = 0" if self.null == "zero" else f"{what} linear"

    def __str__(self) -> str:
        degrees = "" if self.df is None else f" on {self.df:.3g} df"
        shown = f"p = {self.pvalue:.3g}" if self.pvalue >= 1e-16 else "p < 1e-16"
        refit = [] if self.null_pi is None else [f"pi = {self.null_pi:.3f} if it holds"]
        notes = [] if self.reference == "chi-square" else [self.reference]
        remarks = f" ({'; '.join([*notes, *refit])})" if notes or refit else ""
        method = "Wald" if self.method == "wald" else self.method
        return f"{self.hypothesis}: {method} statistic {self.statistic:.4g}{degrees}, {shown}{remarks}"


def read_null(null: str) -> Null:
    """Check the name of a null hypothesis."""
    if null == "zero":
        return "zero"
    if null == "linear":
        return "linear"
    raise InputError(f"null is 'zero' or 'linear'; got {null!r}.")


def tested_columns(design: Design, term: int, null: Null) -> NDArray[np.intp]:
    """Return which coefficients are zero under the null hypothesis."""
    block = np.arange(design.n_columns)[design.blocks[term]]
    if len(block) == 0:
        raise InputError(f"{design.labels[term]} is known, so there is nothing to test; use l() to estimate its slope.")
    if null == "zero":
        return block
    bends = design.bases[term].bends
    bending = block[:0] if bends is None else block[bends]
    if len(bending) == 0:
        raise InputError(
            f"{design.labels[term]} cannot bend, so there is no test of linearity for it; use null='zero', or a smooth "
            "term with more functions."
        )
    return bending


def known_test(design: Design, term: int) -> HypothesisTest:
    """What stands for the test of an effect that is known: it is there, unless its column is constant."""
    varies = any(axis.lower < axis.upper for axis in design.bases[term].axes)
    return HypothesisTest((design.labels[term],), "zero", "known", math.nan, 0.0, 0.0 if varies else 1.0, "none")


def wald_test(
    evidence: Evidence,
    design: Design,
    terms: Sequence[int],
    null: Null,
    coef: Array,
    covariance: Array,
    smoothed_alone: bool = True,
) -> HypothesisTest:
    """Test whether terms are zero, or linear, jointly if there are several.

    Parameters
    ----------
    coef, covariance : arrays of shape (p,) and (p, p)
        The reported coefficients and their covariance, which give a single coefficient the z of the summary.
    smoothed_alone : bool
        Whether each term is as smooth as its own curve asks for. A test that weighs directions as the estimate does has
        to allow for that choice, and where terms share variances it would reject too seldom.
    """
    columns = np.concatenate([tested_columns(design, term, null) for term in terms])
    names = tuple(design.labels[term] for term in terms)
    rows = rows_on(design, columns)
    if len(rows):
        penalty = None if null == "zero" else _reference_penalties(evidence, design, terms)[columns]
        test = cone_test(evidence.canonical(columns, penalty), rows)
        return HypothesisTest(names, null, "wald", test.statistic, test.mean, test.pvalue, "chi-bar-square")
    if null == "zero" and len(columns) == 1:
        variance = max(float(covariance[columns[0], columns[0]]), np.finfo(float).tiny)
        statistic, weights = float(coef[columns[0]]) ** 2 / variance, np.ones(1)
    elif null == "zero" and all(design.bases[term].is_random for term in terms):
        statistic, weights = _whole_statistic(evidence, columns)
    elif null == "zero" and smoothed_alone:
        statistic, weights = _zero_statistic(evidence, columns)
    else:
        return _reference_test(evidence, design, terms, columns, names, null)
    pvalue = weighted_chi2_sf(statistic, weights)
    return HypothesisTest(names, null, "wald", statistic, float(weights.sum()), pvalue, _kind(weights))


def _kind(weights: Array) -> str:
    return "chi-square" if len(set(weights.tolist())) < 2 else "weighted sum of chi-squares"


def _zero_statistic(evidence: Evidence, columns: NDArray[np.intp]) -> tuple[float, Array]:
    """Wood's statistic: the estimate against its Bayesian covariance, with rank sum of d (2 - d) for shares d.

    The covariance is a little wider than the sampling variance, which makes up for the choice of the smoothing
    parameter by the same data. The direction at a rank that is no whole number counts by its fraction.
    """
    block = evidence.canonical(columns)
    shares = block.shares
    rank = float(np.sum(shares * (2.0 - shares)))
    weights = np.clip(rank - np.arange(len(shares)), 0.0, 1.0)
    return float(np.sum(weights * shares * block.z**2)), weights[weights > 0.0]


def _whole_statistic(evidence: Evidence, columns: NDArray[np.intp]) -> tuple[float, Array]:
    """All directions alike, as if levels were fixed: those of random effects are shrunken alike, none is left out.

    Against their Bayesian covariance, small random effects would never be seen. Where gaps have an effect of their own,
    which is fixed, it is one direction more.
    """
    z = evidence.canonical(columns).z
    return float(z @ z), np.ones(len(z))


def _reference_test(
    evidence: Evidence,
    design: Design,
    terms: Sequence[int],
    columns: NDArray[np.intp],
    names: tuple[str, ...],
    null: Null,
) -> HypothesisTest:
    """What the data say about an effect: all about what no penalty concerns, and about bends the more, the smoother.

    A term estimated as straight has no bending left to be tested at its own smoothing parameter. The weights are the
    shares that a smoothing parameter of two degrees of freedom leaves, so they do not depend on the curve's estimate,
    and the distribution of the statistic is known. An effect of many waves has next to no part in it. So a statistic
    with more of the bends is looked at, too, and the p-value is that of both.
    """
    blocks = [
        evidence.canonical(columns, _reference_penalties(evidence, design, terms, waves)[columns])
        for waves in (False, True)
    ]
    statistics = [float(np.sum(block.shares * block.z**2)) for block in blocks]
    pvalues = [weighted_chi2_sf(value, block.shares) for value, block in zip(statistics, blocks, strict=True)]
    weights = blocks[0].shares
    kind = _kind(weights)
    said = kind if kind == "chi-square" else f"{kind}, and one for waves"
    return HypothesisTest(
        names,
        null,
        "wald",
        statistics[0],
        float(weights.sum()),
        combine(pvalues, (1.0 - WEIGHT_OF_WAVES, WEIGHT_OF_WAVES)),
        said,
    )


def _reference_penalties(evidence: Evidence, design: Design, terms: Sequence[int], waves: bool = False) -> Array:
    """Reference penalties of these terms, zeros for what no penalty concerns: shape (p,)."""
    penalty = np.zeros(design.n_columns)
    for term in terms:
        block = np.arange(design.n_columns)[design.blocks[term]]
        rough = block[design.roughness[:, block].sum(axis=0) > 0.0]
        penalty[rough] = reference_penalty(evidence, design, rough, waves)
    return penalty


def reference_penalty(evidence: Evidence, design: Design, columns: NDArray[np.intp], waves: bool = False) -> Array:
    """Penalty of rough coefficients that leaves them two degrees of freedom, or half of all; for waves, most of all."""
    roughness: Array = design.roughness[:, columns].sum(axis=0)
    ratios = evidence.canonical(columns, roughness).ratios
    wanted = WAVES * len(ratios) if waves else min(REFERENCE_BENDING, 0.5 * len(ratios))

    def excess(log_kappa: float) -> float:
        return float(np.sum(1.0 / (1.0 + np.exp(log_kappa) * ratios))) - wanted

    if len(ratios) == 0 or not ratios.any():  # no penalty concerns them
        return roughness
    middle = -float(np.log(ratios[0]))
    return roughness * float(np.exp(brentq(excess, middle - 100.0, middle + 20.0)))


def refit_under_null(fitted: Fitted, terms: Sequence[int], null: Null) -> Fitted:
    """Fit the model in which the null hypothesis holds, with the same smoothing, or ridge, of all that remains."""
    design, fit = fitted.design, fitted.fit
    tested = np.concatenate([tested_columns(design, term, null) for term in terms])
    kept = [number for number in range(len(design.bases)) if null == "linear" or number not in terms]
    if len(kept) == 0:
        raise InputError("Under this null hypothesis no term is left to refit; test fewer terms at once.")
    bases = [design.bases[number].coarse(1)[0] if number in terms else design.bases[number] for number in kept]
    left = design.layout.keeping(np.delete(np.arange(design.n_columns), tested))
    kappas = fit.kappas[[penalty.term not in terms for penalty in design.penalties]]
    null_design = Design(tuple(bases))
    engine = fitted.engine.redesigned(null_design, kept)
    if design.ridge is not None:
        null_design = null_design.with_ridge(np.delete(design.ridge, tested))
    starts = [
        replace(optimum, beta=optimum.beta[left], layout=null_design.layout) for optimum in (fit.optimum, fit.penalized)
    ]
    begun = replace(fit, optimum=starts[0], penalized=starts[1], kappas=kappas)
    return replace(fitted, engine=engine, design=null_design, fit=refit(begun, engine, null_design, fitted.settings))


def fourier_test(
    design: Design, term: int, null: Null, theta: Array, replicates: Array, n_rows: float, n_functions: int
) -> HypothesisTest:
    """Test a term as the paper does: project its curve on Fourier functions, and compare n b'b with a bootstrap.

    Parameters
    ----------
    theta : array of shape (p,)
    replicates : array of shape (B, p)
        Coefficients of the refits to resamples, whose spread around `theta` gives the critical value.
    n_rows : float
    n_functions : int
        Number of Fourier functions; the paper uses 11.
    """
    columns = tested_columns(design, term, null)
    inside = columns - design.blocks[term].start
    projection = _fourier_projection(design.bases[term], n_functions)[:, inside]
    b = projection @ theta[columns]
    deviations = (replicates[:, columns] - theta[columns]) @ projection.T
    statistic = n_rows * float(b @ b)
    exceeding = int(np.sum(n_rows * np.sum(deviations**2, axis=1) >= statistic))
    return HypothesisTest(
        (design.labels[term],),
        null,
        "bootstrap",
        statistic,
        None,
        (1 + exceeding) / (1 + len(replicates)),
        f"{len(replicates)} resamples of n b'b, {n_functions} Fourier functions",
    )


def _fourier_projection(basis: Basis, n_functions: int) -> Array:
    """Integrals of a term's functions against 1, sin, cos, ... over its range: shape (n_functions, m)."""
    t = (np.arange(FOURIER_NODES) + 0.5) / FOURIER_NODES
    functions = np.ones((n_functions, FOURIER_NODES))
    for number in range(1, n_functions):
        wave = np.sin if number % 2 else np.cos
        functions[number] = np.sqrt(2.0) * wave(2.0 * np.pi * ((number + 1) // 2) * t)
    projection: Array = functions @ basis.curve(t) / FOURIER_NODES
    return projection
