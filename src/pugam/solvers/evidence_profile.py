"""The evidence on pi: the likelihood of pi with all coefficients integrated out, along the logit scale.

With pi held, coefficients are at their mode under priors of precision P, and Laplace's approximation gives

    M(pi, k) = loglik - theta' P theta / 2 + (log |P| - log |H| + log I_aa) / 2 + log prior(pi) + log prior(k),

H the information of (a, theta) with P on its diagonal. The intercept's own information I_aa makes M flat where curves
are: the numbers of labelled and unlabelled rows are given, so that without curves rows say nothing about pi. A flat
prior on the intercept would favour large values. The precisions k of the families are where M is highest for each pi.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from pugam.engines import Engine
from pugam.likelihood import expit
from pugam.linear_algebra import solve
from pugam.solvers.families import Families, gather_families
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.moments import column_variances
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiPrior, PiRange
from pugam.solvers.reml import go, stretch
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.steps import bounded_step
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["EvidenceAt", "EvidenceCurve", "Model", "climb", "climb_profile", "log_evidence", "settle"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Model:
    """Rows, terms and the families of their coefficients."""

    engine: Engine
    design: Design
    families: Families
    prior: PiPrior

    @classmethod
    def of(cls, engine: Engine, design: Design, prior: PiPrior) -> Model:
        """Put rows and terms together; columns are standardised by these rows."""
        return cls(engine, design, gather_families(design, column_variances(engine)), prior)

    def at(self, logs: Array) -> Objective:
        """The penalised objective for the logarithms of the families' precisions."""
        return Objective(self.engine, self.families.precision(logs), self.prior)


@dataclass(frozen=True, eq=False)
class EvidenceAt:
    """What is known at one value of pi: the mode of the coefficients, the precisions, and the evidence."""

    optimum: Optimum
    logs: Array
    value: float

    @property
    def place(self) -> float:
        """Logit of pi."""
        return self.optimum.logit_pi


@dataclass(frozen=True, eq=False)
class EvidenceCurve:
    """The evidence at some places of the logit scale, and between them.

    Attributes
    ----------
    places, values : arrays of shape (m,)
        Increasing logits of pi, and the log evidence there.
    """

    places: Array
    values: Array

    @cached_property
    def _curve(self) -> Callable[[Array], Array]:
        return PchipInterpolator(self.places, self.values)  # type: ignore[no-any-return]

    @property
    def best(self) -> int:
        """Number of the highest place."""
        return int(np.argmax(self.values))

    @property
    def is_coarse(self) -> bool:
        """Whether the places next to the highest one are too far below it to tell where the top is."""
        return bool((self.values[self.best] - self.values[self._neighbours] > TUNING.evidence_fall).any())

    @property
    def _neighbours(self) -> list[int]:
        return [number for number in (self.best - 1, self.best + 1) if 0 <= number < len(self.places)]

    def fall(self, place: float) -> float:
        """By how much the evidence is lower at a place than where it is highest; beyond the ends, at the end."""
        inside = np.clip(place, self.places[0], self.places[-1])
        return float(max(self.values.max() - self._curve(np.array(inside)), 0.0))

    def limits(self, fall: float) -> tuple[float, float]:
        """The outermost places up to which the evidence has fallen by no more than this; infinite where none has."""
        if len(self.places) < TUNING.fewest_places:
            return -np.inf, np.inf
        highest = self.places[self.best]
        grid = np.union1d(np.linspace(self.places[0], self.places[-1], TUNING.evidence_grid), highest)
        inside = np.flatnonzero((self._curve(grid) >= self.values.max() - fall) | (grid == highest))
        low, high = grid[inside[0]], grid[inside[-1]]
        return (-np.inf if inside[0] == 0 else float(low)), (np.inf if inside[-1] == len(grid) - 1 else float(high))


def log_evidence(model: Model, here: Standpoint, logs: Array) -> float:
    """Laplace's approximation of the log evidence, up to a constant, at the mode of the coefficients."""
    layout = here.layout
    predictor, intercept = layout.predictor, layout.intercept
    _, of_hessian = np.linalg.slogdet(here.hessian[predictor, predictor])
    of_prior = np.sum(np.log(model.families.precision(logs)))
    own = np.log(max(float(here.information[intercept, intercept]), TUNING.smallest_information))
    return here.value + 0.5 * float(of_prior - of_hessian + own) + model.families.log_prior(logs)


def settle(model: Model, beta: Array, logs: Array) -> EvidenceAt:
    """Find mode and precisions with pi held where `beta` has it."""
    pi = float(expit(beta[model.design.layout.share]))
    fixed = PiRange(pi, pi)
    (here,) = model.at(logs).stand([beta])
    degrees, last = np.full(len(logs), np.inf), np.zeros(len(logs))
    for _ in range(TUNING.reml_iterations):
        covariance = here.covariance(fixed)
        new_degrees = model.families.degrees(here, covariance, logs)
        if np.max(np.abs(new_degrees - degrees)) < TUNING.evidence_edf_tol:
            break
        degrees, moves = new_degrees, model.families.moves(here, covariance, logs)
        logs = np.clip(logs + stretch(moves, last) * moves, *TUNING.log_precision_limits)
        last = moves
        step = bounded_step(here.repenalized(model.families.precision(logs)), fixed)
        here = go(model.at(logs), here, step.move)
    return climb(model, here.beta, logs)


def climb(model: Model, beta: Array, logs: Array) -> EvidenceAt:
    """Find the mode with pi and precisions held."""
    pi = float(expit(beta[model.design.layout.share]))
    objective = model.at(logs)
    (found,) = maximize_fisher(objective, beta[None], PiRange(pi, pi), TUNING.evidence_tol, TUNING.comparing_iterations)
    if found.observed:  # where a climb gave up near the top
        (here,) = objective.stand([found.beta])
        found = Optimum.at(here, found.n_iter, found.converged, found.history)
    return EvidenceAt(found, logs, log_evidence(model, found, logs))


def moved(known: EvidenceAt, place: float) -> Array:
    """Parameters with another pi: the others follow along the tangent."""
    optimum, layout = known.optimum, known.optimum.layout
    predictor = layout.predictor
    slopes = -solve(optimum.hessian[predictor, predictor], optimum.information[predictor, layout.share])
    beta = layout.with_share(optimum.beta, place)
    step = (place - optimum.logit_pi) * slopes
    longest = float(np.abs(step).max(initial=0.0))
    beta[predictor] += step * min(1.0, TUNING.longest_tangent / max(longest, TUNING.longest_tangent))
    return beta


@dataclass
class _Search:
    """Places looked at so far, each from its nearest neighbour."""

    model: Model
    settles: bool
    fall: float
    limits: tuple[float, float]
    found: dict[float, EvidenceAt]

    def look(self, place: float) -> EvidenceAt:
        place = float(np.clip(place, *self.limits))
        known = min(self.found, key=lambda other: abs(other - place))
        if abs(known - place) <= TUNING.same_place:
            return self.found[known]
        nearest = self.found[known]
        self.found[place] = (settle if self.settles else climb)(self.model, moved(nearest, place), nearest.logs)
        return self.found[place]

    @property
    def top(self) -> float:
        return max(one.value for one in self.found.values())

    def curve(self) -> EvidenceCurve:
        places = np.array(sorted(self.found))
        return EvidenceCurve(places, np.array([self.found[place].value for place in places]))

    def walk(self, start: float, step: float) -> None:
        """Go on in one direction until the evidence has fallen enough, in steps that grow, also far below the top."""
        place = start
        for _ in range(TUNING.most_places):
            place, before = place + step, self.top
            seen = self.look(place)
            if seen.value < self.top - self.fall or not self.limits[0] < place < self.limits[1]:
                return
            if seen.value < self.top - TUNING.evidence_limit or seen.value > before + TUNING.evidence_fall:
                step *= TUNING.step_growth

    def refine(self) -> EvidenceAt:
        """Look where a smooth curve through the highest places is highest, twice; the last place is the estimate.

        Where the evidence is not smooth, because precisions jump, it is the highest place seen.
        """
        last = None
        for _ in range(TUNING.refinements):
            curve = self.curve()
            if not 0 < curve.best < len(curve.places) - 1:
                break
            last = self.look(_summit(curve))
        return self.no_lower_than(last)

    def no_lower_than(self, known: EvidenceAt | None) -> EvidenceAt:
        """The place known, unless another one that was looked at is clearly higher."""
        highest = max(self.found.values(), key=lambda one: one.value)
        return highest if known is None or known.value < highest.value - TUNING.worth_moving else known

    def sharpen(self) -> None:
        """Look where the limits of the interval are thought to be."""
        for place in self.curve().limits(TUNING.evidence_limit):
            if np.isfinite(place):
                self.look(place)


def climb_profile(
    model: Model, start: EvidenceAt, pi_range: PiRange, settles: bool = True, fall: float = TUNING.evidence_fall
) -> tuple[EvidenceAt, EvidenceCurve]:
    """Follow the evidence from a start to its maximum, and away from it on both sides.

    Parameters
    ----------
    settles : bool
        Whether precisions follow pi; otherwise they stay where they are.
    fall : float
        How far down the evidence is followed.
    """
    search, best = _Search(model, settles, fall, pi_range.logits, {start.place: start}), start
    for _ in range(TUNING.most_walks):
        step = float(np.clip(_standard_error(best.optimum), *TUNING.profile_steps))
        for way in (step, -step):
            search.walk(best.place, way)
        best = search.refine()
        if not search.curve().is_coarse:
            break
    if fall > TUNING.evidence_limit:
        search.sharpen()
    return search.no_lower_than(best), search.curve()


def _summit(curve: EvidenceCurve) -> float:
    """Where a polynomial through the places near the highest one is highest."""
    best = curve.best
    near = np.abs(np.arange(len(curve.places)) - best) <= 1
    near |= curve.values > curve.values[best] - TUNING.near_top
    x, y = curve.places[near] - curve.places[best], curve.values[near] - curve.values[best]
    degree = min(len(x) - 1, TUNING.summit_degree)
    scale = float(np.abs(x).max())
    coefficients = np.polyfit(x / scale, y, degree)
    grid = np.linspace(curve.places[best - 1] - curve.places[best], curve.places[best + 1] - curve.places[best], 2001)
    return float(curve.places[best] + grid[np.argmax(np.polyval(coefficients, grid / scale))])


def _standard_error(optimum: Optimum) -> float:
    """Of logit pi, seen from one place."""
    share = optimum.layout.share
    return float(np.sqrt(max(optimum.covariance(PiRange())[share, share], 0.0)))
