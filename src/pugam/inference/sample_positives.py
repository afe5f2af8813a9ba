"""Do labelled rows of different samples look alike? A score test of the samples that they name.

Shares of samples rest on positives that are the same in all of them. If they are, and are labelled in the same way,
then the sample that a labelled row names has nothing to do with its columns. Against a multinomial logistic model of
the samples, the score at no effect is the covariance of their indicators with functions of the columns: line and bow of
the ranks, or the most frequent levels. With both made orthonormal among n rows, n - 1 times the sum of its squares has
the mean of a chi-square variable under all ways to deal samples out to rows, and about its distribution.

A risk that is higher in one sample, at the same features, moves its positives towards smaller density ratios. A second
test looks in this direction alone, at the line of the ranks of the predictor, and sees it in fewer rows. The p-value is
twice the smaller one of the two.

Where rows were drawn by a survey, the statistic is compared as that of common curves is (`over_surveys`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from pugam.data import SurveyRows
from pugam.inference.labelling_test import LARGEST_LEADING, MOST_LEADING, functions_of_columns
from pugam.inference.own_curves import ratios_of_all
from pugam.inference.pair_products import in_ranks
from pugam.inference.rows_tested import MOST_ROWS, copies_of_rows, encoded_at, read_axes, spread_rows
from pugam.inference.score_test import ScoreTest, orthonormal
from pugam.inference.surveys import over_surveys, variance_of_sum, weights_of
from pugam.solvers import Fitted, kinds_of_rows

__all__ = ["PositivesTest", "compare_positives"]

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

FEWEST_ROWS = 10  # labelled ones of a sample; also those that make a function of a column vary


@dataclass(frozen=True)
class PositivesTest:
    """A test that labelled rows look alike, whichever sample they name.

    Attributes
    ----------
    pvalue : float
        Of both tests together.
    of_columns, of_ratio : ScoreTest
        Of all columns together, and along the density ratio of the model.
    samples : tuple of str
        The samples that were compared.
    columns : tuple of str
        The columns that were tested, the smallest p-value first.
    pvalues : tuple of float, as long
        Of each column by itself.
    leading : tuple of str
        The columns along which labelled rows differ, at most three, each the one that says most beside those before it.
    """

    pvalue: float
    of_columns: ScoreTest
    of_ratio: ScoreTest
    samples: tuple[str, ...]
    columns: tuple[str, ...]
    pvalues: tuple[float, ...]
    leading: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Dealt:
    """Labelled rows, how much each counts, the clusters they were drawn in, and indicators of their samples.

    The indicators have shape (n, r) and are `_unit`.
    """

    weights: Array
    samples: Array
    clusters: Numbers | None
    strata: Numbers | None

    def test(self, functions: Array) -> ScoreTest:
        """Test functions of the columns, shape (n, k), that are `_unit` as well."""
        among = orthonormal(functions)
        n, df = float(self.weights.sum()), float(self.samples.shape[1] * among.shape[1])
        if df == 0.0:
            return ScoreTest(0.0, 0.0, 1.0)
        statistic = (n - 1.0) * float(np.sum((self.samples.T @ among) ** 2))
        if self.strata is not None:
            statistic, df = over_surveys(statistic, self._variance(among, n))
        return ScoreTest(statistic, df, float(chdtrc(df, statistic)) if df > 0.0 else 1.0)

    def _variance(self, among: Array, n: float) -> Array:
        """How scores vary over surveys."""
        assert self.clusters is not None
        assert self.strata is not None
        products = (self.samples[:, :, None] * among[:, None, :]).reshape(len(among), -1)
        sums = np.zeros((len(self.strata), products.shape[1]))
        np.add.at(sums, self.clusters, products)
        return n * variance_of_sum(sums, self.strata)


def compare_positives(
    fitted: Fitted, origins: NDArray[np.int32] | None, survey: SurveyRows | None = None
) -> PositivesTest | None:
    """Test whether labelled rows of different samples look alike; None where they name no two, or are few.

    Parameters
    ----------
    origins : int array of shape (n_rows,), optional
        The sample that each labelled row names, counted from 1; 0 for all others.
    survey : SurveyRows, optional
        How rows were drawn; None stands for independent ones.
    """
    shares = fitted.fit.samples
    if shares is None or origins is None:
        return None
    copied = copies_of_rows(fitted.engine)
    counts = np.ones(len(origins), dtype=np.intp) if copied is None else copied
    numbers = range(1, 1 + len(shares.names))
    compared = [number for number in numbers if counts[origins == number].sum() >= FEWEST_ROWS]
    if len(compared) < 2:
        return None
    rows = _choose(fitted, counts, origins, compared)
    dealt = _deal(fitted, rows, origins[rows], compared, survey)
    functions = _functions(fitted, rows, dealt.weights, shares.own_column)
    if not functions:
        return None
    alone = {column: dealt.test(own).pvalue for column, own in functions.items()}
    order = sorted(alone, key=alone.__getitem__)
    together = dealt.test(np.hstack(list(functions.values())))
    along = dealt.test(_unit(_ratios(fitted, rows, dealt.weights), dealt.weights))
    return PositivesTest(
        min(1.0, 2.0 * min(together.pvalue, along.pvalue)),
        together,
        along,
        samples=tuple(shares.names[number - 1] for number in compared),
        columns=tuple(order),
        pvalues=tuple(alone[column] for column in order),
        leading=_leading(dealt, functions),
    )


def _choose(fitted: Fitted, counts: Numbers, origins: NDArray[np.int32], compared: Sequence[int]) -> Numbers:
    """Numbers of the labelled rows to look at, each as often as it counts: all, or some of many by their values."""
    rows = np.flatnonzero(np.isin(origins, compared))
    if counts[rows].sum() <= MOST_ROWS:
        return np.repeat(rows, counts[rows])
    rows = rows[np.lexsort((origins[rows], kinds_of_rows(fitted.engine)[rows]))]
    return np.sort(spread_rows(rows, counts[rows], MOST_ROWS)[0])


def _deal(
    fitted: Fitted, rows: Numbers, origins: NDArray[np.int32], compared: Sequence[int], survey: SurveyRows | None
) -> _Dealt:
    weights = weights_of(fitted.engine)[rows] if copies_of_rows(fitted.engine) is None else np.ones(len(rows))
    indicators = _unit(np.asarray(origins[:, None] == np.array(compared), dtype=np.float64), weights)
    clusters, strata = (None, None) if survey is None else (survey.clusters[rows], survey.strata)
    return _Dealt(weights, orthonormal(indicators), clusters, strata)


def _functions(fitted: Fitted, rows: Numbers, weights: Array, own_column: str | None) -> dict[str, Array]:
    """Functions of each column that vary among these rows, in more than a few of them, each `_unit`."""
    axes = read_axes(fitted.design, encoded_at(fitted, rows))
    axes = {name: axis for name, axis in axes.items() if name != own_column}
    units = {name: _unit(found, weights) for name, found in functions_of_columns(axes, weights).items()}
    varying = {name: unit[:, np.sum(unit**4, axis=0) * FEWEST_ROWS <= 1.0] for name, unit in units.items()}
    return {name: unit[:, unit.any(axis=0)] for name, unit in varying.items() if unit.any()}


def _ratios(fitted: Fitted, rows: Numbers, weights: Array) -> Array:
    """Ranks of the density ratio by the model: shape (n, 1)."""
    return in_ranks(ratios_of_all(fitted)[rows], weights)[:, None]


def _unit(columns: Array, weights: Array) -> Array:
    """Columns less their means, times the roots of the weights, with unit length; zeros where nothing varies."""
    apart = (columns - np.average(columns, axis=0, weights=weights)) * np.sqrt(weights)[:, None]
    lengths = np.linalg.norm(apart, axis=0)
    varies = lengths > 1e-10 * np.sqrt(weights.sum())
    return np.where(varies, apart, 0.0) / np.where(varies, lengths, 1.0)


def _leading(dealt: _Dealt, functions: Mapping[str, Array]) -> tuple[str, ...]:
    """Columns one after another, each the one that says most beside those before it."""
    left = dict(functions)
    leading: list[str] = []
    while left and len(leading) < MOST_LEADING:
        pvalues = {column: dealt.test(own).pvalue for column, own in left.items()}
        best = min(pvalues, key=pvalues.__getitem__)
        if pvalues[best] >= LARGEST_LEADING:
            break
        leading.append(best)
        inside = orthonormal(left.pop(best))
        left = {column: own - inside @ (inside.T @ own) for column, own in left.items()}
    return tuple(leading)
