"""What summary, pictures and report need of a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pugam.data import SurveyRows
from pugam.inference import (
    Diagnosis,
    EqualShares,
    HypothesisTest,
    Inference,
    Interval,
    LabellingBounds,
    OrderName,
    RatioInterval,
    Worklist,
)
from pugam.solvers import Fit, Fitted, Settings
from pugam.terms import Design, Term

if TYPE_CHECKING:
    from pugam.presentation.summary import Summary

__all__ = ["FittedModel", "prior_of"]

Array = NDArray[np.float64]


class FittedModel(Protocol):
    """A fitted model as presentation sees it; the attributes are those of `PUGAM`."""

    smoothing: Any
    solver: str

    terms_: list[Term]
    formula_: str
    pi_: float
    pi_penalized_: float
    prevalence_: float
    label_frequency_: float
    alpha_: float
    coef_: Array
    n0_: float
    n1_: float
    loglik_: float
    edf_: float
    aic_: float
    smoothing_: dict[str, float | tuple[float, ...]]
    converged_: bool
    at_boundary_: bool

    _fitted_with: dict[str, Any]
    _design: Design
    _settings: Settings
    _fit: Fit
    _covariance: Array
    _library: str
    _rows: Any
    _chances: Array | None
    _survey: SurveyRows | None

    @property
    def _inference(self) -> Inference[Fit]:
        """What can be said of the fit without its rows."""
        ...

    def _fitted(self, what: str) -> Fitted:
        """Return the fit with its rows, or say what needs them."""
        ...

    def _number(self, term: str) -> int:
        """Find a term."""
        ...

    def _order(self, order: OrderName = "importance") -> Sequence[int]:
        """Return the numbers of all terms as they are to be shown."""
        ...

    def _require_moments(self, what: str) -> Any:
        """Say how terms vary over the unlabelled rows, or refuse what is asked of a model that does not know."""
        ...

    def importance(self, level: float = 0.95) -> Any:
        """Return how much each term matters, as a frame."""
        ...

    def pi_interval(self, level: float = 0.95) -> Interval:
        """Return an interval for pi."""
        ...

    def labelling_bounds(self, gamma: Any, level: float = 0.95) -> LabellingBounds:
        """Bound pi if positives were not labelled at random."""
        ...

    def worklist(self, X: Any = None, top: int | None = None, *, level: float = 0.95) -> Worklist:
        """Rank rows for a review."""
        ...

    def _share_rows(self, level: float = 0.95) -> Any:
        """Return what is known of each unlabelled sample."""
        ...

    def _kind_rows(self, level: float = 0.95) -> Any:
        """Return what is known of each kind of positives."""
        ...

    def test_shares(self) -> EqualShares:
        """Test whether all samples have the same share."""
        ...

    def covariance(self) -> Array:
        """Return the covariance of logit pi, alpha and the coefficients."""
        ...

    def diagnose(self) -> Diagnosis:
        """Look at the fit from all sides."""
        ...

    def summary(
        self, level: float | None = None, interval: Interval | None = None, *, order: OrderName = "formula"
    ) -> Summary:
        """Return the summary."""
        ...

    def test(self, term: str, *, null: Any = "zero") -> HypothesisTest:
        """Test whether a term is zero, or linear."""
        ...

    def effect(self, term: str, grid: Any = None, level: float = 0.95, **options: Any) -> Any:
        """Return a term's effect as a frame."""
        ...

    def _draws(self) -> Array:
        """Return random coefficients that keep to their constraints."""
        ...

    def explain(self, X: Any, level: float = 0.95, pi: float | None = None, *, sample: Any = None) -> Any:
        """Return what terms contribute to the log odds of rows, as a frame."""
        ...

    def odds_ratio(self, term: Any, a: Any, b: Any = None, level: float = 0.95) -> RatioInterval:
        """Compare two values of a column, or two sets of values."""
        ...


def prior_of(model: FittedModel) -> str:
    """Write the prior on pi that the model was fitted with."""
    prior = model._fitted_with["pi_prior"]
    return "none" if prior is None else f"{prior}"
