"""pi by marginal likelihood: all coefficients integrated out, interactions added where the evidence asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.evidence_profile import EvidenceCurve, ascend, follow
from pugam.solvers.exploring import carried_over, enough_rows
from pugam.solvers.families import Families
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.fits import FittedKind, MarginalFit, Search
from pugam.solvers.laplace import EvidenceAt, Model, climb, log_evidence
from pugam.solvers.optimum import Optimum
from pugam.solvers.pairs import Pair, add_all_pairs, add_pairs, choice_cost, find_pairs, screen_pairs
from pugam.solvers.pi import FIXED, PiRange
from pugam.solvers.settings import Settings
from pugam.solvers.settling import approach, settle
from pugam.solvers.starts import fit_naively, make_starts
from pugam.solvers.summit import reach_summit
from pugam.solvers.tuning import TUNING
from pugam.solvers.weighted import count_rows
from pugam.terms import Design

__all__ = ["fit_marginal", "refit_marginal"]

Array = NDArray[np.float64]


def fit_marginal(
    engine: Engine, designs: Sequence[Design], settings: Settings, rng: np.random.Generator
) -> FittedKind[MarginalFit]:
    """Fit designs of the same terms, keep the one with the highest evidence, and add interactions if asked to."""
    begun = [_begin(_model(engine, design, settings), settings, rng) for design in designs]
    model, start = begun[0] if len(begun) == 1 else _highest(begun, settings.pi_range)
    best = ascend(model, start, settings.pi_range)
    course = _Course(model, best, Search(pi=best.optimum.pi))
    return _finish(_with_pairs(course, settings), settings)


def _highest(begun: Sequence[tuple[Model, EvidenceAt]], pi_range: PiRange) -> tuple[Model, EvidenceAt]:
    """Climb from each beginning not far below the highest; a parabola's prediction is unreliable there.

    Of tops that are as high, up to what climbs leave, the first is taken, however they are rounded.
    """
    least = max(start.value for _, start in begun) - TUNING.far_below
    tops = [(model, ascend(model, start, pi_range)) for model, start in begun if start.value >= least]
    highest = max(top.value for _, top in tops)
    return next(one for one in tops if one[1].value >= highest - TUNING.evidence_tol)


def _model(engine: Engine, design: Design, settings: Settings) -> Model:
    """Rows and terms, with fewer functions of each where columns are many."""
    if design.n_columns > TUNING.coarse_columns:
        design, _ = design.coarse(TUNING.functions_each(len(design.estimated_terms)))
    if design is not engine.design:
        engine = engine.redesigned(design, range(len(design.bases)))
    return Model.of(engine, design, settings.prior)


def _begin(model: Model, settings: Settings, rng: np.random.Generator) -> tuple[Model, EvidenceAt]:
    """Climb from starts of many shares and steepnesses, on few rows, and settle at the best; with many rows, in steps.

    Of many rows a sample goes all the way first: there is one maximum to be found among all rows, and it is near. So
    do the few rows, where they are few among all.
    """
    engine = model.engine
    if engine.n_rows > TUNING.many_rows:
        sample = replace(model, engine=engine.pilot(model.design, TUNING.sample_rows, rng))
        _, start = _begin(sample, settings, rng)
        found = ascend(sample, start, settings.pi_range)
        begun = approach(model, carried_over(found.optimum.beta, sample.engine, engine), found.logs)
        return model, replace(begun, bend=_carried_bend(found, begun))
    coarse, columns = model.design.coarse(TUNING.pilot_functions)
    few = Model.of(engine.pilot(coarse, enough_rows(coarse), rng), coarse, model.prior)
    logs = few.families.start()
    objective = few.at(logs)
    naive = fit_naively(objective, maximize_fisher)
    starts = make_starts(few.engine, naive, settings.pi_range, settings.n_starts, rng)
    optima = maximize_fisher(objective, starts, FIXED, TUNING.comparing_tol, TUNING.comparing_iterations)
    best = max(optima, key=lambda optimum: log_evidence(few, optimum, logs))
    goes_first = engine.n_rows >= TUNING.rows_for_a_few * few.engine.n_rows
    if goes_first:
        found = ascend(few, approach(few, best.beta, logs), settings.pi_range)
        best, logs = found.optimum, found.logs
    layout = model.design.layout
    carried, theta = carried_over(best.beta, few.engine, engine), np.zeros(layout.n_coefficients)
    theta[columns] = best.theta
    beta = layout.join(carried[best.layout.share], carried[best.layout.intercept], theta)
    return model, (approach if goes_first else settle)(model, beta, logs)


def _carried_bend(found: EvidenceAt, begun: EvidenceAt) -> Array:
    """How the evidence bends among all rows: relative to what one would expect, as among a sample of them."""
    scales = np.sqrt(begun.usual_bend.diagonal() / found.usual_bend.diagonal())
    return np.asarray(scales[:, None] * found.bend * scales)


@dataclass(frozen=True, eq=False)
class _Course:
    """A model with the place where its evidence is highest, and how it got its interactions."""

    model: Model
    best: EvidenceAt
    search: Search


def _with_pairs(course: _Course, settings: Settings) -> _Course:
    """Add the interactions that look promising, or all, as long as the evidence gains clearly.

    A choice among many pairs has to gain more, by the logarithm of the number of such choices; all of them need not.
    Two columns that interact would leave nothing to identify pi by.
    """
    if len(course.model.design.columns_used) < TUNING.fewest_columns:
        return course
    for _ in range(TUNING.most_moves):
        model, best = course.model, course.best
        pairs = find_pairs(model.design, count_rows(model.engine), _importance(model, best.optimum))
        room = settings.most_pairs - len(course.search.added)
        if not pairs or room <= 0:
            break
        tried = [_try_pairs(course, *some, len(pairs), settings) for some in _candidates(course, pairs, room)]
        course = replace(course, search=replace(course.search, n_pairs=max(course.search.n_pairs, len(pairs))))
        worth = [(other, gain) for other, gain in tried if gain > TUNING.clear_gain]
        if not worth:
            break
        course, _ = max(worth, key=lambda one: one[1])
    return course


def _candidates(course: _Course, pairs: Sequence[Pair], room: int) -> Iterator[tuple[Sequence[Pair], Model]]:
    """The pairs that pay for the choice among all of them, and all, each with the model that has them.

    What is seen from an additive model misses interactions that are so strong that without them nothing is right. So
    all pairs are tried where they are few, at the share of the additive model first.
    """
    screening = screen_pairs(course.model, course.best, pairs)
    least = choice_cost(len(pairs), 1) + TUNING.possible_gain
    chosen = [pair for pair, gain in screening.ranked if gain > least][:room]
    if chosen:
        yield chosen, add_pairs(course.model, chosen)
    if len(chosen) == len(pairs) or len(pairs) > room:
        return
    if screening.together > TUNING.possible_gain or (len(pairs) <= TUNING.few_pairs and _gain_here(course, pairs)):
        yield pairs, add_all_pairs(course.model, pairs, screening)


def _gain_here(course: _Course, pairs: Sequence[Pair]) -> bool:
    """Whether the evidence of some rows may gain by these interactions, with pi where it is."""
    model, best = course.model, course.best
    rows = model.engine.pilot(model.design, TUNING.pilot_rows, np.random.default_rng(TUNING.fold_seed))
    few = replace(model, engine=rows)
    here = settle(few, carried_over(best.optimum.beta, model.engine, rows), best.logs)
    wanted = here.value + TUNING.possible_gain
    wider = add_pairs(few, pairs)
    return settle(wider, *_carried(here, few, wider), wanted).value > wanted


def _try_pairs(
    course: _Course, pairs: Sequence[Pair], wider: Model, n_pairs: int, settings: Settings
) -> tuple[_Course, float]:
    """Fit with further interactions; also return what the evidence gains, less what the choice costs."""
    cost = choice_cost(n_pairs, len(pairs))
    wanted = course.best.value + cost + TUNING.clear_gain
    start = approach(wider, *_carried(course.best, course.model, wider))
    best = ascend(wider, start, settings.pi_range, wanted=wanted)
    gain = best.value - course.best.value
    search, labels = course.search, tuple(pair.basis.spec.label for pair in pairs)
    search = replace(
        search, n_pairs=max(search.n_pairs, n_pairs), added=(*search.added, *labels), gain=search.gain + gain
    )
    return _Course(wider, best, search), gain - cost


def _carried(best: EvidenceAt, model: Model, wider: Model) -> tuple[Array, Array]:
    """Where a wider model begins: where the smaller one ended, with interactions of zero that may grow."""
    layout = wider.design.layout
    theta = np.append(best.optimum.theta, np.zeros(layout.n_coefficients - best.optimum.layout.n_coefficients))
    beta = layout.join(best.optimum.logit_pi, best.optimum.intercept, theta)
    known = dict(zip(model.families.names, best.logs, strict=True))
    logs = np.array([known.get(name, 0.0) for name in wider.families.names])
    return beta, logs


def _importance(model: Model, optimum: Optimum) -> Array:
    """How much each term varies over the rows: variances of its columns times squared coefficients."""
    spread = model.families.weights.sum(axis=0) * optimum.theta**2
    return np.array([spread[block].sum() for block in model.design.blocks])


def _finish(course: _Course, settings: Settings) -> FittedKind[MarginalFit]:
    model = course.model
    best, curve = follow(model, course.best, settings.pi_range)
    objective, there = model.at(best.logs), PiRange(best.optimum.pi, best.optimum.pi)
    top = reach_summit(objective, best.optimum.beta, there, settings, near=True)
    optimum = replace(top, n_iter=len(curve.places))
    (observed,) = objective.stand([optimum.beta], observed=True)
    precision = model.families.precision(best.logs)
    design = model.design.with_ridge(precision)
    fit = MarginalFit(
        optimum=optimum,
        penalized=optimum,
        observed=observed.information,
        kappas=design.smoothing_like(precision),
        starts=(),
        families=model.families.names,
        precisions=np.exp(best.logs),
        curve=curve,
        search=course.search,
    )
    return FittedKind(model.engine, design, settings, fit)


def refit_marginal(fit: MarginalFit, engine: Engine, design: Design, settings: Settings) -> MarginalFit:
    """Refit to rows counted otherwise, with the same variances."""
    assert design.ridge is not None
    families = Families(("all",), design.ridge[None])
    model = Model(engine, design, families, settings.prior)
    start = climb(model, fit.penalized.beta, np.zeros(1))
    best = ascend(model, start, settings.pi_range, settles=False)
    curve = EvidenceCurve(best.point[:1], np.array([best.value]), best.slopes[:1])
    return replace(fit, optimum=best.optimum, penalized=best.optimum, curve=curve)
