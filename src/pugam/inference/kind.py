"""What inference asks of a fit, of whatever kind: each kind of fit answers in a class of its own (`kinds`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.inference.intervals import Interval, normal_quantile, profile_interval_at
from pugam.inference.model_error import allow_for_model_error
from pugam.inference.yields import ModelErrors
from pugam.likelihood import logit
from pugam.solvers import Fit, FittedKind, Optimum, Settings
from pugam.terms import Design
from pugam.terms.expressions import Expression, shifted

if TYPE_CHECKING:
    from pugam.inference.open_effects import OpenEffects
    from pugam.inference.profile import PiProfile

__all__ = ["Inference", "Unconstrained"]

Array = NDArray[np.float64]
LEVEL_OF_LIMITS = 0.95  # at which a fit keeps limits of its profile
F_co = TypeVar("F_co", bound=Fit, covariant=True)


@dataclass(frozen=True, eq=False)
class Unconstrained:
    """Parameters as they would be distributed were there no constraints: normally.

    Attributes
    ----------
    centre, covariance : arrays of shape (q,) and (q, q)
    curved : Optimum
        Whose constraints draws are brought back to, and whose Hessian says which way is the shortest.
    share_fixed : bool
        Whether the share stays where it is on the way.
    """

    centre: Array
    covariance: Array
    curved: Optimum
    share_fixed: bool


@dataclass(frozen=True)
class Inference(ABC, Generic[F_co]):
    """What can be said of a fit; what needs its rows takes the engine that has them.

    Covariances are those of beta = (logit pi, a, theta), shape (q, q), with zeros for a pi that is known.

    Attributes
    ----------
    n0, n1 : float
        Total weight of labelled and of unlabelled rows.
    """

    fit: F_co
    design: Design
    settings: Settings
    n0: float
    n1: float

    def with_rows(self, engine: Engine) -> FittedKind[F_co]:
        """Put the fit together with its rows."""
        return FittedKind(engine, self.design, self.settings, self.fit)

    def posterior_expression(self, ratio: Expression, pi: float) -> tuple[tuple[float, Expression], ...]:
        """What `posterior_logits` gives as expressions: logits whose posteriors, with these weights, add up to it."""
        return ((1.0, shifted(ratio, float(logit(pi)))),)

    @abstractmethod
    def bayesian_covariance(self) -> Array:
        """Covariance given the smoothing parameters, their bias counted on average."""

    @abstractmethod
    def frequentist_covariance(self) -> Array:
        """Covariance over repeated samples, if it is known."""

    @abstractmethod
    def curve_covariance(self) -> Array:
        """Covariance behind bands and odds ratios, as if there were no constraints."""

    @abstractmethod
    def unconstrained(self) -> Unconstrained:
        """The distribution that parameters are drawn from, to be brought back to the constraints."""

    @abstractmethod
    def movement(self) -> Array:
        """How the reported estimate moves with the score, shape (q, q)."""

    @abstractmethod
    def sampling_interval(self, pi: float, level: float) -> Interval:
        """Interval for pi around an estimate, for sampling error alone."""

    def pi_interval(self, pi: float, level: float, model_error: bool = True) -> Interval:
        """The interval for pi that is reported: the profile of a mode where that is far from Wald's."""
        if self.fit.profile_limits is not None:
            return profile_interval_at(pi, self.fit.profile_limits, LEVEL_OF_LIMITS, level)
        return self.wald_interval(pi, level) if model_error else self.sampling_interval(pi, level)

    def wald_interval(self, pi: float, level: float) -> Interval:
        """Interval for pi around an estimate; by marginal likelihood with an allowance for model error."""
        if self.settings.estimate == "mode":
            return self.sampling_interval(pi, level)
        sampling = partial(self.sampling_interval, pi)
        return allow_for_model_error(sampling, level, self.fit.neighbours, self.settings.pi_range.limits)

    def model_errors(self, pi: float, level: float) -> ModelErrors:
        """What the interval for pi allows for model error, as if there were no sampling error."""
        normal_quantile(level)  # refuses what is no level
        sure = Interval(pi, pi, pi, level, "fixed")
        if self.settings.estimate != "mode":
            limits = self.settings.pi_range.limits
            sure = allow_for_model_error(lambda _: sure, level, self.fit.neighbours, limits)
        return ModelErrors.of_share(pi, sure.lower, sure.upper)

    @abstractmethod
    def posterior_logits(self, ratio: Array, pi: float | Array) -> Array:
        """Logit of P(y = 1 | x) of rows with these log density ratios, in populations with a share pi of positives."""

    def central_logits(self, ratio: Array, pi: float | Array) -> Array:
        """The same, where limits for the posterior are drawn around: not averaged over what these stand for."""
        return self.posterior_logits(ratio, pi)

    @property
    def averages(self) -> bool:
        """Whether posteriors are averages, and so others than pi and the curves as estimated give by Bayes' rule."""
        return False

    def averaged(self, engine: Engine) -> F_co:
        """The fit, with what it needs of its rows in order to average posteriors."""
        return self.fit

    @abstractmethod
    def profile(self, engine: Engine) -> PiProfile:
        """Prepare the profile of pi."""

    @abstractmethod
    def open_effects(self, engine: Engine) -> OpenEffects:
        """Find effects that rows leave open."""

    @property
    @abstractmethod
    def doubted_curves(self) -> Optimum:
        """The curves by which rows are told that are in doubt."""

    @property
    @abstractmethod
    def says_little(self) -> bool:
        """Whether next to nothing is known about pi and no other finding would tell."""

    @property
    @abstractmethod
    def leaning(self) -> float:
        """How many times larger the variance of logit pi would be without a prior that the kind of fit brings along."""

    @property
    def smooths_terms_alone(self) -> bool:
        """Whether each term is as smooth as its own curve asks for, which tests of it have to allow for."""
        return True

    @property
    def needs_terms(self) -> bool:
        """Whether pi is identified by terms that vary, and by nothing else."""
        return True

    @property
    def knows_surveys(self) -> bool:
        """Whether covariances and intervals can be those of a survey."""
        return True

    @property
    def evidence(self) -> float | None:
        """Log evidence of the fit, to compare with that of other fits to the same rows; None where there is none."""
        return None

    @property
    @abstractmethod
    def announcement(self) -> str | None:
        """What somebody who watches the fit should know of its kind."""

    @abstractmethod
    def describe(self, prior: str) -> str:
        """Tell in a line how curves and pi were estimated, with this prior on pi."""
