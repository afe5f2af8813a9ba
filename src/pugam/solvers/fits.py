"""What a fit is: the parameters reported, the penalised optimum they came from, and all they were made of.

There are kinds of fits, each a class. What is made of them differs behind `refits.refit` here, and behind
`inference.kind` beyond: nothing else asks of which kind a fit is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pugam.engines import Engine
from pugam.solvers.adjustment import Adjustment
from pugam.solvers.averaging import Averaging
from pugam.solvers.evidence_profile import EvidenceCurve
from pugam.solvers.exploring import StartRecord
from pugam.solvers.optimum import Optimum
from pugam.solvers.settings import Settings
from pugam.terms import Design

__all__ = [
    "Fit",
    "Fitted",
    "FittedKind",
    "LabellingFit",
    "MarginalFit",
    "PooledShares",
    "SampledShares",
    "Search",
    "ShrunkenFit",
    "SmoothedFit",
    "Survey",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Search:
    """What was looked at for interactions.

    Attributes
    ----------
    pi : float
        The estimate without interactions that were added.
    n_pairs : int
        How many pairs of columns were looked at.
    added : tuple of str
        The interactions added.
    gain : float
        Log evidence that they gained.
    """

    pi: float
    n_pairs: int = 0
    added: tuple[str, ...] = ()
    gain: float = 0.0


@dataclass(frozen=True, eq=False)
class PooledShares:
    """Shares of several samples, pulled towards their mean.

    Attributes
    ----------
    mean, spread : float
        Of the normal distribution that the logits of all samples come from: its mean and its standard deviation.
    logits : array of shape (K,)
        Of the mean of each share.
    covariance : array of shape (K, K)
        Of the logits.
    curves : tuple of EvidenceCurve
        Log densities of the logits.
    """

    mean: float
    spread: float
    logits: Array
    covariance: Array
    curves: tuple[EvidenceCurve, ...]


@dataclass(frozen=True, eq=False)
class SampledShares:
    """Shares of positives in several unlabelled samples, which have their curves in common, or some of their own.

    Attributes
    ----------
    names : tuple of str
    rows, audited : arrays of shape (K,)
        Rows of each sample, by weight, and how many of them were audited.
    logits : array of shape (K,)
    curves : tuple of EvidenceCurve
        The evidence along each of them, the others following.
    factors : array of shape (K,)
        How many times faster the evidence falls for the numbers of rows being given, and not random.
    correlation : array of shape (K, K)
        Of the logits.
    negatives : float
        Known negatives, by weight.
    pooled : PooledShares, optional
        What is reported in place of the shares by themselves, where that was asked for.
    column : str, optional
        The column that tells samples apart, where its name is known.
    has_own_curves : bool
        Whether terms that vary with this column have curves for each sample.
    """

    names: tuple[str, ...]
    rows: Array
    audited: Array
    logits: Array
    curves: tuple[EvidenceCurve, ...]
    factors: Array
    correlation: Array
    negatives: float = 0.0
    pooled: PooledShares | None = None
    column: str | None = None
    has_own_curves: bool = False

    @property
    def own_column(self) -> str | None:
        """The column that curves vary with; None where all of them are common."""
        return self.column if self.has_own_curves else None

    @property
    def reported(self) -> Array:
        """Logits of the shares that are reported, shape (K,)."""
        return self.logits if self.pooled is None else self.pooled.logits


@dataclass(frozen=True, eq=False)
class Survey:
    """How much estimates vary over surveys drawn in the same way as that of the fit.

    Attributes
    ----------
    n_rows, n_clusters, n_strata : int
        How many rows there are, in so many clusters, drawn in so many strata.
    score_variance : array of shape (q, q)
        Variance of the score of the penalised optimum, as clusters within strata show it.
    """

    n_rows: int
    n_clusters: int
    n_strata: int
    score_variance: Array


@dataclass(frozen=True)
class LabellingFit:
    """What is known of a preference with which positives are labelled, besides its coefficients.

    Attributes
    ----------
    log_mean : float
        Log mean of exp(-w) over the labelled rows, for a log preference of w.
    factor : float
        How many times faster the evidence along pi falls for numbers of labels that are given, and labelled rows that
        are random.
    """

    log_mean: float
    factor: float


@dataclass(frozen=True, eq=False)
class Fit(ABC):
    """A fitted model.

    Attributes
    ----------
    optimum, penalized : Optimum
        The parameters reported, and the penalised optimum, each with its expected information.
    observed : array of shape (q, q)
        The observed information at the penalised optimum.
    kappas : array of shape (n_penalties,)
    starts : tuple of StartRecord
    ridge : float, optional
        Strength of a ridge on all model columns, scaled to unit variance, where there was one.
    search : Search, optional
        What was looked at for interactions, where any were looked for.
    neighbours : tuple of float
        What others than this model say of pi, where rows contradict it.
    profile_limits : (float, float), optional
        Of the mode, where the 95% profile interval for pi is far from Wald's: its limits, which are reported.
    samples : SampledShares, optional
        The shares of several samples; pi is then that of all unlabelled rows together.
    survey : Survey, optional
        How much estimates vary where rows were drawn in clusters or strata; otherwise rows count as independent.
    labelling : LabellingFit, optional
        Where labels are given by preference; its coefficients are the last ones.
    average : array of shape (p,), optional
        Mean of the model columns over the unlabelled rows; unknown in models saved before it was kept.
    known_average : array of shape (n_terms,), optional
        Mean of known effects over the same rows, zeros for other terms; None where all terms are estimated.
    """

    optimum: Optimum
    penalized: Optimum
    observed: Array
    kappas: Array
    starts: tuple[StartRecord, ...]
    ridge: float | None = field(default=None, kw_only=True)
    search: Search | None = field(default=None, kw_only=True)
    neighbours: tuple[float, ...] = field(default=(), kw_only=True)
    profile_limits: tuple[float, float] | None = field(default=None, kw_only=True)
    samples: SampledShares | None = field(default=None, kw_only=True)
    survey: Survey | None = field(default=None, kw_only=True)
    labelling: LabellingFit | None = field(default=None, kw_only=True)
    average: Array | None = field(default=None, kw_only=True)
    known_average: Array | None = field(default=None, kw_only=True)

    @property
    def converged(self) -> bool:
        """Whether every climb that counts ended at its optimum."""
        return self.optimum.converged and self.penalized.converged

    @property
    def added(self) -> tuple[str, ...]:
        """Labels of terms that nobody asked for."""
        return () if self.search is None else self.search.added

    @property
    @abstractmethod
    def is_adjusted(self) -> bool:
        """Whether the parameters reported are others than those of the penalised optimum."""

    @property
    def has_evidence(self) -> bool:
        """Whether pi is where the evidence is highest: several kinds of positives can then be fitted at once."""
        return False

    @abstractmethod
    def climbs_together(self, design: Design) -> bool:
        """Whether refits to resamples are plain climbs, which can be made many at once."""


@dataclass(frozen=True, eq=False)
class SmoothedFit(Fit):
    """A fit with smoothing parameters for each term.

    Attributes
    ----------
    debiased : bool
        Whether the bias that smoothing brings on pi was taken out of it, and the curves refitted.
    """

    debiased: bool

    @property
    def is_adjusted(self) -> bool:
        """Whether the bias of pi was corrected."""
        return self.debiased

    def climbs_together(self, design: Design) -> bool:
        """Not where there are constraints: each climb has its own active ones."""
        return len(design.constraints) == 0


@dataclass(frozen=True, eq=False)
class ShrunkenFit(Fit):
    """A fit with one ridge on all model columns: the parameters reported are the penalised optimum, adjusted.

    Attributes
    ----------
    ridge : float
    adjustment : Adjustment
        Share of positives, intercept and steepness, which rows held out gave the curves.
    """

    adjustment: Adjustment
    ridge: float = field(kw_only=True)

    @property
    def is_adjusted(self) -> bool:
        """Whether rows held out adjusted the curves: always."""
        return True

    def climbs_together(self, design: Design) -> bool:
        """Never: each refit holds out rows of its own."""
        return False


@dataclass(frozen=True, eq=False)
class MarginalFit(Fit):
    """A fit by marginal likelihood: pi is where the evidence is highest, the curves are at their mode there.

    Attributes
    ----------
    families : tuple of str
        Which coefficients have a variance in common.
    precisions : array of shape (n_families,)
        Inverse variances of the families' coefficients, as if columns were standardised.
    curve : EvidenceCurve
        The evidence along the logit of pi.
    search : Search
    averaging : Averaging, optional
        How posteriors are averaged over what is not known; none in models saved before they were.
    """

    families: tuple[str, ...]
    precisions: Array
    curve: EvidenceCurve
    search: Search = field(kw_only=True)
    averaging: Averaging | None = field(default=None, kw_only=True)

    @property
    def is_adjusted(self) -> bool:
        """No: given pi, the parameters are the penalised optimum."""
        return False

    @property
    def has_evidence(self) -> bool:
        """Yes."""
        return True

    def climbs_together(self, design: Design) -> bool:
        """Never: each refit looks for the maximum of its own evidence."""
        return False


F_co = TypeVar("F_co", bound=Fit, covariant=True)


@dataclass(frozen=True)
class FittedKind(Generic[F_co]):
    """A fit of some kind together with all it was made from."""

    engine: Engine
    design: Design
    settings: Settings
    fit: F_co


Fitted = FittedKind[Fit]  # of any kind
