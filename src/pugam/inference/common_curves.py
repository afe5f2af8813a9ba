"""Are curves the same in all unlabelled samples? A score test against separate ones, by sample and by term.

The alternative lets the negatives of each sample look otherwise: `pugam.likelihood.separate_curves`. Scores are
projected off the parameters of the model, so that small errors of these do not move them, and vary as they do where the
numbers of rows in the samples are given. Of each term the smoothest functions are looked at.

Where rows were drawn by a survey, clusters within strata show how much scores vary, but are often fewer than the
functions. So the statistic stays that of independent rows, which is compared with a multiple of a chi-square variable
that has the mean and the variance it has over surveys (Rao and Scott 1984), or rather of an F variable: few clusters
tell little of that variance (Thomas and Rao 1987). Clusters tell of a sample as many times as it has more of them than
strata. Of a sample in a single cluster they tell nothing, and there is no test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from pugam.data import ALL_ROWS, SurveyRows
from pugam.engines import Engine
from pugam.errors import warn_user
from pugam.inference.multiple_tests import holm
from pugam.inference.shares import samples_of
from pugam.inference.surveys import RowScores, over_surveys, sums_among_clusters, variance_of_sum, weights_of
from pugam.layout import Layout
from pugam.likelihood import (
    CurveSums,
    SampleShares,
    Sums,
    expit,
    sample_scores,
    sample_sums,
    separate_curve_scores,
    separate_curve_sums,
    stratum_scores,
)
from pugam.linear_algebra import solve
from pugam.solvers import TUNING, Fitted, count_samples, sampled_mode
from pugam.terms import Design

__all__ = ["CurveTest", "CurveTests", "compare_curves"]

Array = NDArray[np.float64]

LEVEL = 0.01  # at which terms differ, for all of them together
SMALLEST = 1e-100  # keeps scales finite
NO_INFORMATION = 1e-6  # eigenvalue, of a unit diagonal, below which directions say the same


@dataclass(frozen=True)
class CurveTest:
    """A test that a term, or all terms, have the same curve in one sample, or in all, as in the others.

    Attributes
    ----------
    sample, term : str
        "all" stands for all samples, or all terms.
    statistic, df, pvalue : float
    """

    sample: str
    term: str
    statistic: float
    df: float
    pvalue: float


@dataclass(frozen=True)
class CurveTests:
    """Tests that curves are the same in all samples: jointly, of each sample, and of each term in each of them.

    Attributes
    ----------
    joint : CurveTest
    samples : tuple of CurveTest
        One for each sample, of all terms.
    terms : tuple of CurveTest
        One for each sample and term.
    remedies : tuple of str
        Terms with a curve for each sample, as formulas, to be put in the place of those that differ: first the term
        that differs most, then others that differ beside it. None where there are no such terms, or the column of the
        samples is not known.
    """

    joint: CurveTest
    samples: tuple[CurveTest, ...]
    terms: tuple[CurveTest, ...]
    remedies: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[CurveTest]:
        return iter((*self.terms, *self.samples, self.joint))

    def differing(self, level: float) -> tuple[CurveTest, ...]:
        """Terms that differ, at a level for all of them together, those with the smallest p-values first."""
        differ = holm([test.pvalue for test in self.terms], level)
        return tuple(sorted(compress(self.terms, differ), key=lambda test: test.pvalue))


def compare_curves(fitted: Fitted, survey: SurveyRows | None = None) -> CurveTests | None:
    """Test whether curves are common to all samples of a fit; None where there is one, or where some are not.

    None also where a sample has too few clusters, which is told.

    Parameters
    ----------
    survey : SurveyRows, optional
        How rows were drawn; None stands for independent ones.
    """
    shares, design = fitted.fit.samples, fitted.design
    if shares is None or len(shares.names) == 1 or shares.own_column is not None:
        return None
    freedom = _freedom(fitted, survey)
    if not freedom.all():
        _tell_of_too_few(shares.names[int(np.argmin(freedom))], survey)
        return None
    _, columns = design.coarse(TUNING.pilot_functions)
    blocks = [np.flatnonzero((columns >= block.start) & (columns < block.stop)) for block in design.blocks]
    projected = replace(_project(fitted, 1 + columns, survey), freedom=float(freedom.min()))
    labels = [basis.spec.label for basis in design.bases]
    numbers = np.arange(len(projected.scores)).reshape(len(shares.names), -1)

    own_freedom = dict(zip(shares.names, freedom.tolist(), strict=True))

    def test(sample: str, term: str, chosen: NDArray[np.intp]) -> CurveTest:
        taken = projected.take(chosen)
        return CurveTest(sample, term, *_chi_square(replace(taken, freedom=own_freedom.get(sample, taken.freedom))))

    return CurveTests(
        joint=test(ALL_ROWS, ALL_ROWS, numbers.ravel()),
        samples=tuple(test(name, ALL_ROWS, own) for name, own in zip(shares.names, numbers, strict=True)),
        terms=tuple(
            test(name, label, own[block])
            for name, own in zip(shares.names, numbers, strict=True)
            for label, block in zip(labels, blocks, strict=True)
            if len(block)
        ),
        remedies=_remedies(design, shares.column, projected, [numbers[:, block].ravel() for block in blocks]),
    )


def _freedom(fitted: Fitted, survey: SurveyRows | None) -> Array:
    """In how many more clusters than strata each sample has unlabelled rows; infinite where rows are independent."""
    assert fitted.fit.samples is not None
    n_samples = len(fitted.fit.samples.names)
    if survey is None:
        return np.full(n_samples, np.inf)
    samples = samples_of(fitted)
    clusters = [np.unique(survey.clusters[samples == 1 + number]) for number in range(n_samples)]
    return np.array([len(own) - len(np.unique(survey.strata[own])) for own in clusters], dtype=np.float64)


def _tell_of_too_few(name: str, survey: SurveyRows | None) -> None:
    strata = " of each stratum" if survey is not None and survey.n_strata > 1 else ""
    warn_user(
        f"Whether curves are the same in all samples is not tested: unlabelled rows of sample {name!r} are in a single "
        f"cluster{strata}, which does not tell how much they differ by chance."
    )


def _remedies(
    design: Design, column: str | None, projected: _Projected, blocks: Sequence[NDArray[np.intp]]
) -> tuple[str, ...]:
    """Terms that are to vary with a column, as formulas; blocks say where the deltas of each term stand."""
    if column is None:
        return ()
    terms = [design.bases[number].spec.varying(column) for number in _leading(projected, blocks)]
    return tuple(term.formula for term in terms if term is not None)


def _leading(projected: _Projected, blocks: Sequence[NDArray[np.intp]]) -> list[int]:
    """Numbers of the terms that differ, each the one that differs most if those before it may.

    One curve that differs leaves its mark on all others; what they say beside it is their own.
    """
    left, leading = [number for number, block in enumerate(blocks) if len(block)], []
    beside = np.zeros(0, dtype=np.intp)
    while left:
        pvalues = {number: _chi_square(projected.beside(beside, blocks[number]))[2] for number in left}
        worst = min(left, key=pvalues.__getitem__)
        if pvalues[worst] > LEVEL / len(left):
            break
        leading.append(worst)
        left.remove(worst)
        beside = np.append(beside, blocks[worst])
    return leading


@dataclass(frozen=True, eq=False)
class _Projected:
    """Scores of deltas, projected off the model, shape (r,), and their covariance, shape (r, r).

    If rows are independent, and as a survey shows it, if there was one; freedom is how often it does.
    """

    scores: Array
    variance: Array
    among: Array | None
    freedom: float = np.inf

    def beside(self, known: NDArray[np.intp], chosen: NDArray[np.intp]) -> _Projected:
        """What some deltas say beside others, which are free."""
        both = self.take(np.append(known, chosen))
        first, second = slice(0, len(known)), slice(len(known), None)
        scale = 1.0 / np.sqrt(np.maximum(both.variance.diagonal(), SMALLEST))
        unit = both.variance * np.outer(scale, scale)
        loading = unit[second, first] @ np.linalg.pinv(unit[first, first], NO_INFORMATION, hermitian=True)
        left = np.hstack([-(loading * scale[first] / scale[second, None]), np.eye(len(chosen))])
        among = None if both.among is None else left @ both.among @ left.T
        return _Projected(left @ both.scores, left @ both.variance @ left.T, among, self.freedom)

    def take(self, chosen: NDArray[np.intp]) -> _Projected:
        block = np.ix_(chosen, chosen)
        among = None if self.among is None else self.among[block]
        return _Projected(self.scores[chosen], self.variance[block], among, self.freedom)


def _project(fitted: Fitted, columns: NDArray[np.intp], survey: SurveyRows | None) -> _Projected:
    """Scores of all deltas, sample by sample, projected off the model."""
    engine, known = fitted.engine, fitted.fit.samples
    assert known is not None
    assert engine.codes is not None
    sizes = count_samples(engine, len(known.names))
    engine = engine.coded(sizes.unaudited[engine.codes], engine.negatives)
    shares = SampleShares(sizes, np.asarray(expit(known.logits)))
    layout = Layout(fitted.design.layout.sizes, sizes.n_samples)
    b = sampled_mode(fitted).mode.beta[layout.predictor]
    own: Sums = engine.sum_rows(sample_sums, (b[None], shares))
    curves: CurveSums = engine.sum_rows(separate_curve_sums, (b[None], shares))
    counts = np.concatenate([[sizes.labelled], sizes.unlabelled, [sizes.negative]])
    there = counts > 0.0
    strata = engine.sum_rows(stratum_scores, (b[None], shares))[there]
    of_curves = curves.strata[there][:, :, columns].reshape(int(there.sum()), -1)
    across = _with_model(curves, shares, columns, layout)
    loading = solve(own.information[0], across.T).T
    scores = curves.scores[:, columns].ravel() - loading @ own.score[0]
    given = (of_curves - strata @ loading.T) / np.sqrt(counts[there])[:, None]
    variance = _among(curves, shares, columns) - loading @ across.T - given.T @ given
    if survey is None:
        return _Projected(scores, variance, None)
    sums = sums_among_clusters(engine, samples_of(fitted), survey, partial(_row_scores, b=b, shares=shares))
    of_deltas = sums[:, layout.size :].reshape(len(sums), sizes.n_samples, -1)[:, :, columns]
    left = of_deltas.reshape(len(sums), -1) - sums[:, : layout.size] @ loading.T
    return _Projected(scores, variance, variance_of_sum(left, survey.strata))


def _row_scores(engine: Engine, b: Array, shares: SampleShares) -> RowScores:
    """Scores of rows in the parameters of the model, and in all deltas."""
    assert engine.codes is not None
    s, weights = engine.linear_predictor(b), weights_of(engine)
    of_shares, of_predictor = sample_scores(engine.codes, s, shares)
    of_deltas = separate_curve_scores(engine.codes, s, shares)
    return RowScores(of_shares * weights, np.vstack([of_predictor, of_deltas]) * weights)


def _among(curves: CurveSums, shares: SampleShares, columns: NDArray[np.intp]) -> Array:
    """Information of all deltas: shape (K r, K r)."""
    chosen, n_samples = np.ix_(columns, columns), len(shares.pi)
    found = -np.kron(np.outer(shares.v, shares.v), curves.common[0][chosen])
    for number, own in enumerate(curves.own):
        block = slice(number * len(columns), (number + 1) * len(columns))
        found[block, block] += own[chosen]
    assert found.shape == (n_samples * len(columns),) * 2
    return np.asarray(found)


def _with_model(curves: CurveSums, shares: SampleShares, columns: NDArray[np.intp], layout: Layout) -> Array:
    """Information of all deltas with the parameters of the model: shape (K r, q)."""
    positive, negative = curves.positive[:, columns], curves.negative[:, columns]
    found = np.empty((len(shares.pi), len(columns), layout.size))
    found[:, :, layout.shares] = negative[:, :, None] * shares.beta - positive[:, :, None] * shares.alpha
    every = np.arange(len(shares.pi))
    found[every, :, every] += positive - shares.pi[:, None] * (positive + negative)
    found[:, :, layout.predictor] = curves.crossed[:, columns]
    return found.reshape(-1, layout.size)


def _chi_square(projected: _Projected) -> tuple[float, float, float]:
    """Statistic, degrees of freedom and p-value; directions that say the same, or nothing, count once, or not."""
    diagonal = projected.variance.diagonal()
    scale = np.where(diagonal > NO_INFORMATION * diagonal.max(initial=0.0), diagonal, np.inf) ** -0.5
    values, vectors = np.linalg.eigh(projected.variance * np.outer(scale, scale))
    kept = values > NO_INFORMATION
    if not kept.any():
        return 0.0, 0.0, 1.0
    whiten = scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])
    statistic, df = float(np.sum((whiten.T @ projected.scores) ** 2)), float(np.count_nonzero(kept))
    if projected.among is not None:
        statistic, df = over_surveys(statistic, whiten.T @ projected.among @ whiten)
    if df <= 0.0:
        return statistic, df, 1.0
    tail = chdtrc(df, statistic) if np.isinf(projected.freedom) else fdtrc(df, df * projected.freedom, statistic / df)
    return statistic, df, float(tail)
