"""Interactions of two columns that rows speak for: screened by their scores, judged by the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from pugam.engines import Engine, Sources
from pugam.likelihood import label_frequency, saturating_rows
from pugam.linear_algebra import inverse
from pugam.solvers.families import gather_families
from pugam.solvers.laplace import EvidenceAt, Model
from pugam.solvers.moments import column_variances
from pugam.solvers.objective import Objective
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import INTERACTIONS, Basis, Design, Interaction, TensorBasis

__all__ = ["Pair", "Screening", "add_all_pairs", "add_pairs", "choice_cost", "find_pairs", "screen_pairs"]

Array = NDArray[np.float64]

POSSIBLE_PRECISIONS = np.geomspace(1e-4, 1e6, 41)


@dataclass(frozen=True, eq=False)
class Pair:
    """An interaction of two terms that is not in the model.

    Attributes
    ----------
    sources : (int, int)
        Numbers of the terms.
    basis : TensorBasis
    """

    sources: tuple[int, int]
    basis: TensorBasis


class Screening(NamedTuple):
    """What pairs seem to gain in log evidence: each alone, largest first, and all together with one variance.

    `wider` is the model that has all of them, over the rows looked at: all there are, or a sample.
    """

    ranked: list[tuple[Pair, float]]
    together: float
    wider: Model


def find_pairs(design: Design, n_rows: float, importance: Array) -> list[Pair]:
    """Find all pairs of terms that might interact, with as many functions as the rows have room for.

    Where terms are too many even for products of lines, only the most important ones are looked at.

    Parameters
    ----------
    importance : array of shape (n_terms,)
        How much each term varies over the rows.
    """
    room = min(int(n_rows // TUNING.rows_per_product), TUNING.most_products)
    for n_functions in TUNING.pair_functions:
        pairs = _pairs_of(design, n_functions, range(len(design.bases)))
        if _n_columns(pairs) <= room:
            return pairs
    order = np.argsort(-importance)
    for n_terms in range(len(order), 1, -1):
        pairs = _pairs_of(design, 1, sorted(map(int, order[:n_terms])))
        if _n_columns(pairs) <= room:
            return pairs
    return []


def _n_columns(pairs: Sequence[Pair]) -> int:
    return sum(pair.basis.size for pair in pairs)


def _pairs_of(design: Design, n_functions: int, numbers: Sequence[int]) -> list[Pair]:
    joined = frozenset().union(*(basis.spans for basis in design.bases))
    margins = {number: design.bases[number].margin(n_functions) for number in numbers}
    sides = [(number, margin) for number, margin in margins.items() if margin is not None]
    return [
        Pair((one, other), _product(left, right))
        for (one, left), (other, right) in combinations(sides, 2)
        if len({*left.spec.columns, *right.spec.columns}) == 2
        and frozenset((*left.spec.columns, *right.spec.columns)) not in joined
    ]


def _product(left: Basis, right: Basis) -> TensorBasis:
    return TensorBasis(Interaction((left.spec, right.spec)), (left, right))


def add_pairs(model: Model, pairs: Sequence[Pair]) -> Model:
    """Return the model with these interactions as further terms."""
    engine = _widened(model, pairs)
    return Model.of(engine, engine.design, model.prior)


def add_all_pairs(model: Model, pairs: Sequence[Pair], screening: Screening) -> Model:
    """Return the model with all pairs that were screened: without a pass, and as it is where all rows were seen."""
    if screening.wider.engine.n_rows == model.engine.n_rows:
        return screening.wider
    engine = _widened(model, pairs)
    return replace(screening.wider, engine=engine, design=engine.design)


def _widened(model: Model, pairs: Sequence[Pair], once: bool = False) -> Engine:
    design = Design((*model.design.bases, *(pair.basis for pair in pairs)))
    sources: list[Sources] = [*range(len(model.design.bases)), *(pair.sources for pair in pairs)]
    return model.engine.redesigned(design, sources, once)


def choice_cost(n_pairs: int, n_chosen: int) -> float:
    """Log number of ways to choose: with so many pairs looked at, some gain by chance."""
    return float(gammaln(n_pairs + 1) - gammaln(n_chosen + 1) - gammaln(n_pairs - n_chosen + 1))


def screen_pairs(model: Model, known: EvidenceAt, pairs: Sequence[Pair]) -> Screening:
    """Judge every pair as if it alone were added, and all of them together.

    Score and information of all products, projected off all that is in the model, pi too. The information of many rows
    is that of a sample of them, counted as often as there are more; the score is always that of all rows.
    """
    some = _weighted_sample(model)
    wide = _widened(some, pairs, once=some is not model)
    families = gather_families(wide.design, column_variances(wide))
    here = _look(Objective(wide, np.zeros(wide.design.n_columns), model.prior), known)
    score, information = _projected(here, known, None if some is model else _score(model, known, pairs))
    weights = families.weights[families.names.index(INTERACTIONS)]
    first = len(model.design.bases)
    blocks = [np.arange(wide.design.n_columns)[block] for block in wide.design.blocks[first:]]
    start = blocks[0][0]
    gains = [
        _gain(score[block - start], information[np.ix_(block - start, block - start)], weights[block])
        for block in blocks
    ]
    ranked = sorted(zip(pairs, gains, strict=True), key=lambda one: -one[1])
    wider = Model(wide, wide.design, families, model.prior)
    return Screening(ranked, _gain(score, information, weights[start:]), wider)


def _weighted_sample(model: Model) -> Model:
    """Rows that stand for all of them, by weight; the model itself where there are not many more."""
    engine = model.engine
    if engine.n_rows <= 2 * TUNING.screening_rows:
        return model
    few = engine.pilot(model.design, TUNING.screening_rows, np.random.default_rng(TUNING.fold_seed))
    return replace(model, engine=few.reweighted(np.where(few.positive, engine.n0 / few.n0, engine.n1 / few.n1)))


def _score(model: Model, known: EvidenceAt, pairs: Sequence[Pair]) -> Array:
    """The score of all products over all rows: the rows' scores times products of functions of single columns."""
    engine = model.engine
    margins: dict[int, Basis] = {}
    for pair in pairs:
        margins.update(zip(pair.sources, pair.basis.margins, strict=True))
    functions = Design(tuple(margins.values()))
    rows = engine.redesigned(functions, list(margins), once=True)
    sums = rows.sum_products(_score_of_rows(engine, known))[1:, 1:]
    blocks = dict(zip(margins, functions.blocks, strict=True))
    return np.concatenate([sums[blocks[one], blocks[other]].ravel() for one, other in (pair.sources for pair in pairs)])


def _score_of_rows(engine: Engine, known: EvidenceAt) -> Array:
    """The score of each row in its predictor, some rows at a time, which keeps memory small."""
    c, d = label_frequency(np.asarray(known.optimum.pi), engine.n0, engine.n1)
    predictors = engine.linear_predictor(known.optimum.b)
    for start in range(0, engine.n_rows, TUNING.rows_at_a_time):
        some = slice(start, start + TUNING.rows_at_a_time)
        predictors[some] = saturating_rows(engine.positive[some], predictors[some], c, d).score_s
    return predictors if engine.weights is None else predictors * engine.weights


def _look(objective: Objective, known: EvidenceAt) -> Standpoint:
    """See the rows from what is known, with products of zero."""
    layout = objective.layout
    theta = np.append(known.optimum.theta, np.zeros(layout.n_coefficients - known.optimum.layout.n_coefficients))
    (here,) = objective.stand([layout.join(known.optimum.logit_pi, known.optimum.intercept, theta)])
    return here


def _projected(here: Standpoint, known: EvidenceAt, score: Array | None) -> tuple[Array, Array]:
    """Score and information of the products, were they added to what is known, with all else following.

    The score is given where `here` sees some of the rows only.
    """
    layout, before = here.layout, known.optimum.layout
    inside = np.arange(before.size)
    outside = np.arange(before.size, layout.size)
    curvature = known.optimum.curvature
    covariance = inverse(here.information[np.ix_(inside, inside)] + np.diag(curvature))
    across = here.information[np.ix_(outside, inside)] @ covariance
    information = here.information[np.ix_(outside, outside)] - across @ here.information[np.ix_(inside, outside)]
    score = (here.gradient[outside] if score is None else score) - across @ known.optimum.gradient
    return score, 0.5 * (information + information.T)


def _gain(score: Array, information: Array, weights: Array) -> float:
    """The log evidence that a block gains at the best precision, as the parabola seen from zero shows it."""
    scale = 1.0 / np.sqrt(np.maximum(weights, TUNING.least_variance))
    values, vectors = np.linalg.eigh(information * scale * scale[:, None])
    kept = values > TUNING.no_information * values.max(initial=0.0)
    squares, values = (vectors[:, kept].T @ (score * scale)) ** 2, values[kept]
    precisions = POSSIBLE_PRECISIONS[:, None]
    logs = 0.5 * np.sum(np.log(precisions / (precisions + values)) + squares / (precisions + values), axis=1)
    return float(max(logs.max(initial=0.0), 0.0))
