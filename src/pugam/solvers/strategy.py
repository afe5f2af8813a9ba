"""Which kind of fit is made, and the stages of a smoothed one: what each is for, and what earns it its place.

`choose_fit` comes first. The default, `estimate="marginal"`, goes to `fit_marginal`; with few rows for the columns to
`fit_shrunken`, with several samples to `fit_samples`, with labels by preference to `fit_preference`. All below it is
the way of `estimate="mode"`: a smoothed fit goes through `STAGES`. What each stage is worth was measured by taking it
away (benchmarks/results/ablation.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.bends import look_for_bends
from pugam.solvers.debiasing import correct_bias
from pugam.solvers.doubt import has_enough_rows, is_doubtful
from pugam.solvers.exploring import (
    StartRecord,
    carried_over,
    enough_rows,
    explore,
    explore_candidates,
    objectives,
)
from pugam.solvers.fits import Fitted, FittedKind, SmoothedFit
from pugam.solvers.lookout import Lookout, look_for_higher, look_for_waves
from pugam.solvers.marginal import fit_marginal
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import best_of
from pugam.solvers.reml import select_reml
from pugam.solvers.samples import fit_samples
from pugam.solvers.selection import fit_preference
from pugam.solvers.settings import Settings
from pugam.solvers.shrinkage import fit_shrunken
from pugam.solvers.smoothing import aic
from pugam.solvers.summit import reach_summit
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["STAGES", "Stage", "choose_fit", "finish_fit", "fit_smoothed", "warm_smoothing"]

Array = NDArray[np.float64]


def choose_fit(
    engine: Engine,
    designs: Sequence[Design],
    settings: Settings,
    rng: np.random.Generator,
    shrinkage: str,
    samples: Sequence[str] = (),
    column: str | None = None,
) -> Fitted:
    """Fit designs of the same terms, by marginal likelihood, smoothed or shrunken.

    By marginal likelihood, unless rows are few for the columns: Laplace's approximation is then too far off, and
    shrunken curves are better. Otherwise a shrunken fit takes the place of a smoothed one where rows are too few for
    the columns that no smoothing restrains, and where the smoothed one leaves pi in doubt: without the latter, pi has a
    larger error and 0.017 less coverage.

    Parameters
    ----------
    designs : sequence of Design
        On the columns' own scales and, where tails are long, on logarithms.
    shrinkage : "auto", "always" or "never"
    samples : sequence of str
        Names of the unlabelled samples, if each has a share of its own: by marginal likelihood only.
    column : str, optional
        The column that tells them apart, if they have curves of their own; the effects of its levels are the last term.
    """
    if designs[0].layout.n_preference:
        return fit_preference(engine, designs, settings, rng, samples)
    if samples:
        return fit_samples(engine, designs, settings, rng, samples, column)
    if settings.estimate == "marginal" and has_enough_rows(designs[0], engine):
        return fit_marginal(engine, designs, settings, rng)
    if settings.estimate == "marginal" and shrinkage != "never":
        return fit_shrunken(engine, designs, settings, rng)
    if shrinkage == "never" or (shrinkage == "auto" and has_enough_rows(designs[0], engine)):
        smoothed = _fit_best_scale(engine, designs, settings, rng)
        if shrinkage == "never" or not is_doubtful(smoothed):
            return smoothed
    return fit_shrunken(engine, designs, settings, rng)


def _fit_best_scale(
    engine: Engine, designs: Sequence[Design], settings: Settings, rng: np.random.Generator
) -> FittedKind[SmoothedFit]:
    """Fit each design and keep that of the lowest AIC; of many rows a sample decides, of many columns a coarse basis.

    Without logarithms intervals miss in two of five simulated tables of long tails
    (benchmarks/results/scale_simulated.md).
    """
    if len(designs) == 1:
        return _fit_design(engine, designs[0], settings, rng)
    many_rows, many_columns = engine.n_rows > TUNING.many_rows, designs[0].n_columns > TUNING.many_columns
    rows = engine.pilot(designs[0], TUNING.sample_rows, rng) if many_rows else engine
    compared = [design.coarse(TUNING.pilot_functions)[0] for design in designs] if many_columns else designs
    only_compared = many_rows or many_columns
    trial = replace(settings, max_iter=_few_iterations(settings), debias=settings.debias and not only_compared)
    fits = [_fit_design(rows, design, trial, rng) for design in compared]
    found = np.array([aic(one.fit.penalized, one.fit.penalized.free(settings.pi_range)) for one in fits])
    best = int(np.flatnonzero(found <= found.min() + TUNING.evidence_tol)[0])  # of equals the first
    if fits[best].fit.converged and not only_compared:
        return replace(fits[best], settings=settings)
    known = fits[best].fit if many_columns and not many_rows else None
    return _fit_design(engine, designs[best], settings, rng, known)


def _fit_design(
    engine: Engine, design: Design, settings: Settings, rng: np.random.Generator, known: SmoothedFit | None = None
) -> FittedKind[SmoothedFit]:
    if design is not engine.design:
        engine = engine.redesigned(design, range(len(design.bases)))
    return FittedKind(engine, design, settings, fit_smoothed(engine, design, settings, rng, known))


@dataclass(frozen=True, eq=False)
class Course:
    """How far a fit has come.

    Attributes
    ----------
    beta, kappas : arrays, optional
        The best parameters and smoothing parameters so far; None before anything is known.
    starts : tuple of StartRecord
    fit : SmoothedFit, optional
        None until the climb to the optimum.
    lookout : Lookout, optional
        None until a second look is taken.
    looked : bool
        Whether second looks were taken, by a smaller fit that went first.
    """

    engine: Engine
    design: Design
    settings: Settings
    rng: np.random.Generator
    beta: Array | None = None
    kappas: Array | None = None
    starts: tuple[StartRecord, ...] = ()
    fit: SmoothedFit | None = None
    lookout: Lookout | None = None
    looked: bool = False

    @property
    def by_reml(self) -> bool:
        """Whether smoothing is chosen by REML."""
        return isinstance(self.settings.smoothing, str) and self.settings.smoothing == "reml"

    @property
    def at(self) -> Callable[[Array], Objective]:
        """The objective as a function of the smoothing parameters."""
        return objectives(self.engine, self.design, self.settings.prior)

    def known(self) -> tuple[Array, Array]:
        """The best parameters and smoothing parameters so far."""
        assert self.beta is not None
        assert self.kappas is not None
        return self.beta, self.kappas

    def moved(self, choice: tuple[Array, Array]) -> Course:
        """Go on from other parameters and smoothing parameters."""
        return replace(self, beta=choice[0], kappas=choice[1])


@dataclass(frozen=True)
class Stage:
    """One stage of a fit.

    Attributes
    ----------
    name, purpose : str
    earned : str
        The measurement that earns it its place.
    applies : callable
        Whether a fit that has come so far needs it.
    run : callable
        Takes the fit further.
    """

    name: str
    purpose: str
    earned: str
    applies: Callable[[Course], bool]
    run: Callable[[Course], Course]


def fit_smoothed(
    engine: Engine, design: Design, settings: Settings, rng: np.random.Generator, known: SmoothedFit | None = None
) -> SmoothedFit:
    """Go through the stages; `known` is a fit with the coarse basis of the pilots, if there was one."""
    course = Course(engine, design, settings, rng)
    if known is not None:
        course = _from_coarse(course, known)
    course = _go_through(STAGES, course)
    assert course.fit is not None
    return course.fit


def _go_through(stages: Sequence[Stage], course: Course) -> Course:
    for stage in stages:
        if stage.applies(course):
            course = stage.run(course)
    return course


def _find(course: Course) -> Course:
    """Choose smoothing and find the hill, for a smaller fit that goes first."""
    return _go_through((COARSE_FIRST, EXPLORE, SMOOTH, BEND, WAVES, HIGHER), course)


def _is_wide(course: Course) -> bool:
    """Whether a coarser basis should go first; effects of levels have none."""
    design = course.design
    may = course.by_reml and course.beta is None and design.n_columns > TUNING.many_columns
    return may and design.coarse(TUNING.pilot_functions)[0].n_columns < design.n_columns


def _fit_coarsely(course: Course) -> Course:
    """Fit the smoothest functions of each term first, and go on from there."""
    coarse, _ = course.design.coarse(TUNING.pilot_functions)
    engine = course.engine.redesigned(coarse, range(len(coarse.bases)))
    return _from_coarse(course, _find(Course(engine, coarse, course.settings, course.rng)))


def _from_coarse(course: Course, found: Course | SmoothedFit) -> Course:
    """Bring parameters of the coarse basis of the pilots to the whole one."""
    _, columns = course.design.coarse(TUNING.pilot_functions)
    beta = found.penalized.beta if isinstance(found, SmoothedFit) else found.beta
    assert beta is not None
    beta = _with_more_columns(beta, course.design, columns)
    return replace(course, beta=beta, kappas=found.kappas, starts=found.starts, looked=True)


def _with_more_columns(beta: Array, design: Design, columns: NDArray[np.intp]) -> Array:
    """Parameters of a coarser basis as those of the whole one."""
    whole = np.zeros(design.layout.size)
    whole[design.layout.keeping(columns)] = beta
    return whole


def _has_many_rows(course: Course) -> bool:
    """Whether a sample of the rows should go first."""
    return course.by_reml and course.beta is None and course.engine.n_rows > TUNING.many_rows


def _rehearse(course: Course) -> Course:
    """Fit a sample of the rows first, and go on from there."""
    n_rows = max(TUNING.sample_rows, course.engine.n_rows // TUNING.rows_for_one)
    sample = course.engine.pilot(course.design, n_rows, course.rng)
    found = _find(Course(sample, course.design, course.settings, course.rng))
    beta, kappas = found.known()
    beta = carried_over(beta, sample, course.engine)
    return replace(course, beta=beta, kappas=kappas, starts=found.starts, looked=True)


def _explore(course: Course) -> Course:
    """Climb from all starts with a coarse basis on few rows, and smooth the best of what they find."""
    design, settings = course.design, course.settings
    coarse, columns = design.coarse(TUNING.pilot_functions)
    pilot = course.engine.pilot(coarse, enough_rows(coarse), course.rng)
    at, kappas = objectives(pilot, coarse, settings.prior), np.full(len(design.penalties), TUNING.pilot_kappa)
    exploring = replace(settings, tol=TUNING.pilot_tol, max_iter=TUNING.pilot_iterations)
    optima, records = explore(at, kappas, exploring, course.rng)
    found, kappas = select_reml(coarse, at, best_of(optima).beta, kappas, settings.pi_range, TUNING.pilot_edf_tol)
    beta = carried_over(_with_more_columns(found, design, columns), pilot, course.engine)
    return replace(course, beta=beta, kappas=kappas, starts=records)


def _smooth(course: Course) -> Course:
    return course.moved(
        select_reml(course.design, course.at, *course.known(), course.settings.pi_range, TUNING.edf_tol)
    )


def _bend(course: Course) -> Course:
    return course.moved(look_for_bends(course.design, course.at, *course.known(), course.settings.pi_range))


def _find_waves(course: Course) -> Course:
    lookout = _lookout(course)
    return replace(course, lookout=lookout).moved(look_for_waves(lookout, *course.known()))


def _look_higher(course: Course) -> Course:
    return course.moved(look_for_higher(_lookout(course), *course.known()))


def _lookout(course: Course) -> Lookout:
    return course.lookout or Lookout.over(course.engine, course.design, course.settings, course.rng)


def _try_candidates(course: Course) -> Course:
    """Try all starts at each candidate, from smooth to rough, and keep the candidate of the lowest AIC.

    Given smoothing parameters are the only candidate.
    """
    design, settings = course.design, course.settings
    candidates = _candidates(design, settings)
    sample = course.engine.pilot(design, TUNING.start_rows, course.rng)
    exploring = replace(settings, max_iter=_few_iterations(settings))
    best, records = explore_candidates(objectives(sample, design, settings.prior), candidates, exploring, course.rng)
    starts = [carried_over(optimum.beta, sample, course.engine) for optimum in best]
    if len(candidates) == 1:
        return replace(course, beta=starts[0], kappas=candidates[0], starts=records)
    return replace(course.moved(_lowest_aic(course.at, candidates, starts, settings)), starts=records)


def _few_iterations(settings: Settings) -> int:
    """As many as climbs that only serve to compare may take."""
    by_em = settings.solver == "em"
    return min(settings.max_iter, TUNING.em_start_iterations if by_em else TUNING.newton_start_iterations)


def _candidates(design: Design, settings: Settings) -> list[Array]:
    if isinstance(settings.smoothing, str):
        return [np.full(len(design.penalties), kappa) for kappa in sorted(settings.grid, reverse=True)]
    return [settings.smoothing]


def _lowest_aic(
    at: Callable[[Array], Objective], candidates: Sequence[Array], starts: Sequence[Array], settings: Settings
) -> tuple[Array, Array]:
    """Climb at each candidate for the smoothing parameters, and return the best."""
    optima = [
        reach_summit(at(kappas), start, settings.pi_range, settings)
        for kappas, start in zip(candidates, starts, strict=True)
    ]
    chosen = int(np.argmin([aic(optimum, optimum.free(settings.pi_range)) for optimum in optima]))
    return optima[chosen].beta, candidates[chosen]


def _reach_optimum(course: Course) -> Course:
    """Climb to the optimum at the smoothing parameters chosen."""
    beta, kappas = course.known()
    objective, seen = course.at(kappas), None
    if course.by_reml:
        (seen,) = objective.stand([beta])  # as it was when smoothing was chosen
    penalized = reach_summit(objective, beta, course.settings.pi_range, course.settings, near=course.by_reml, seen=seen)
    (observed,) = objective.stand([penalized.beta], observed=True)
    fit = SmoothedFit(penalized, penalized, observed.information, kappas, course.starts, debiased=False)
    return replace(course, fit=fit)


def _correct(course: Course) -> Course:
    assert course.fit is not None
    return replace(course, fit=correct_bias(course.fit, course.at(course.fit.kappas), course.settings))


COARSE_FIRST = Stage(
    "coarse basis first",
    "With many columns, find the hill with three functions a term, so that the whole basis only has to finish.",
    "without it, fits of many columns take 1.4 times as long",
    applies=_is_wide,
    run=_fit_coarsely,
)
REHEARSE = Stage(
    "rehearse",
    "With many rows, fit a sample of them first, so that all of them only have to finish.",
    "a file of 400,000 to 1,500,000 rows is gone over 10 or 11 times, samples included; without it 11 to 18 times "
    "(benchmarks/results/passes.md)",
    applies=_has_many_rows,
    run=_rehearse,
)
EXPLORE = Stage(
    "explore",
    "Climb from starts that differ in pi and steepness, with a coarse basis on few rows: flat curves are traps.",
    "with the whole basis it takes up to 2.6 times as long, on all rows up to 1.7 times; with one steepness, 2 of 116 "
    "fits end lower by more than 1",
    applies=lambda course: course.by_reml and course.beta is None,
    run=_explore,
)
SMOOTH = Stage(
    "smooth",
    "Choose the smoothing parameters by REML, on all rows.",
    "Table 1: mean squared errors below those of AIC with one smoothing parameter",
    applies=lambda course: course.by_reml,
    run=_smooth,
)
BEND = Stage(
    "bend",
    "Let terms bend that were taken for straight, where REML says so from afar.",
    "without it, 2 of 118 fits end lower by more than 1 in REML",
    applies=lambda course: course.by_reml,
    run=_bend,
)
WAVES = Stage(
    "look for waves",
    "Choose smoothing once more, from a rough fit: a wave smoothed to a line has nothing left of it that could grow.",
    "of 120 small tables (tests/estimator/test_edge_cases.py), fitted without prior, 7 end lower by 1 to 5 in "
    "log-likelihood without it and 1 higher; a fit to records of a sloth by 24 (benchmarks/results/ablation.md)",
    applies=lambda course: course.by_reml and not course.looked,
    run=_find_waves,
)
HIGHER = Stage(
    "look higher",
    "Climb from some starts once more, at the smoothing parameters chosen: another hill may now be the higher one.",
    "of 100 small tables with several hills (tests/estimator/test_edge_cases.py) 12 end below the best of a dozen "
    "starts without it, by up to 10 in log-likelihood, and 3 with it",
    applies=lambda course: course.by_reml and not course.looked,
    run=_look_higher,
)
CANDIDATES = Stage(
    "candidates",
    "The paper's way: all starts at each given smoothing parameter, and AIC chooses.",
    "the paper",
    applies=lambda course: not course.by_reml,
    run=_try_candidates,
)
CLIMB = Stage(
    "climb",
    "Reach the optimum at the smoothing parameters chosen.",
    "the definition of the estimate",
    applies=lambda course: True,
    run=_reach_optimum,
)
CORRECT = Stage(
    "correct",
    "Take the bias that smoothing brings on pi out of it, and refit the curves.",
    "Table 2: coverage of intervals for pi without it",
    applies=lambda course: course.settings.debias,
    run=_correct,
)
STAGES = (REHEARSE, COARSE_FIRST, EXPLORE, SMOOTH, BEND, WAVES, HIGHER, CANDIDATES, CLIMB, CORRECT)


def finish_fit(engine: Engine, design: Design, settings: Settings, start: Array, kappas: Array) -> SmoothedFit:
    """Climb to the optimum at given smoothing parameters, and take the penalty's bias out of pi."""
    course = _reach_optimum(Course(engine, design, settings, np.random.default_rng(0), start, kappas))
    fit = (CORRECT.run(course) if CORRECT.applies(course) else course).fit
    assert fit is not None
    return fit


def warm_smoothing(
    engine: Engine, design: Design, settings: Settings, start: Array, kappas: Array
) -> tuple[Array, Array]:
    """Choose smoothing anew for rows much like those of a fit that ended at `start` with `kappas`."""
    at = objectives(engine, design, settings.prior)
    if not isinstance(settings.smoothing, str):
        return start, kappas
    if settings.smoothing == "reml":
        return select_reml(design, at, start, kappas, settings.pi_range, TUNING.edf_tol)
    candidates = _candidates(design, settings)
    return _lowest_aic(at, candidates, [start] * len(candidates), settings)
