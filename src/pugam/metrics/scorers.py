"""The scores as scikit-learn scorers, for cross-validation and grid searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sklearn.metrics import make_scorer
from sklearn.pipeline import Pipeline

from pugam.errors import InputError
from pugam.metrics.decisions import accuracy_score, balanced_accuracy_score, f1_score, precision_score, recall_score
from pugam.metrics.probabilities import brier_score_loss, log_loss
from pugam.metrics.ranking import average_precision_score, roc_auc_score
from pugam.metrics.samples import read_share

__all__ = ["ScoreName", "scorer"]

ScoreName = Literal[
    "roc_auc",
    "average_precision",
    "precision",
    "recall",
    "f1",
    "accuracy",
    "balanced_accuracy",
    "neg_brier_score",
    "neg_log_loss",
]
_CLASSES = {"response_method": "predict"}
_RANKS = {"response_method": ("decision_function", "predict_proba")}
_LOSS_OF_PROBABILITIES = {"response_method": "predict_proba", "greater_is_better": False}
_SCORES: dict[ScoreName, tuple[Callable[..., float], dict[str, Any]]] = {
    "roc_auc": (roc_auc_score, _RANKS),
    "average_precision": (average_precision_score, _RANKS),
    "precision": (precision_score, _CLASSES),
    "recall": (recall_score, _CLASSES),
    "f1": (f1_score, _CLASSES),
    "accuracy": (accuracy_score, _CLASSES),
    "balanced_accuracy": (balanced_accuracy_score, _CLASSES),
    "neg_brier_score": (brier_score_loss, _LOSS_OF_PROBABILITIES),
    "neg_log_loss": (log_loss, _LOSS_OF_PROBABILITIES),
}


def scorer(name: ScoreName, *, pi: float | None = None) -> Callable[..., float]:
    """Return a score as scikit-learn's `scoring=` takes it: called with a fitted estimator, X and z.

    Parameters
    ----------
    name : {"roc_auc", "average_precision", "precision", "recall", "f1", "accuracy", "balanced_accuracy", \
"neg_brier_score", "neg_log_loss"}
        As in scikit-learn; more is better, so that losses change their sign.
    pi : float, optional
        Share of positives among the unlabelled rows. None takes the estimator's own `pi_`: a model is then judged by
        what it believes itself, which may serve for one model but not to compare several; give those one pi.

    Returns
    -------
    callable
        ``scorer(estimator, X, z, sample_weight=None)``, which can be pickled. The estimator is any classifier fitted to
        z. Ranking scores use its `decision_function` or `predict_proba`, losses its `predict_proba`, the rest its
        `predict`. These two are meant for models of y, such as `PUGAM`: a model of z, the label, calls too few rows
        positive and gives too small probabilities, and scores accordingly.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from pugam.datasets import simulate
    >>> from pugam.metrics import scorer
    >>> data = simulate(1, n0=400, n=2000, pi=0.4, random_state=0)
    >>> corrected = cross_val_score(LogisticRegression(), data.X, data.z, scoring=scorer("roc_auc", pi=0.4))
    >>> naive = cross_val_score(LogisticRegression(), data.X, data.z, scoring="roc_auc")
    >>> bool(corrected.mean() > 0.9 > 0.8 > naive.mean())
    True
    """
    if name not in get_args(ScoreName):
        raise InputError(f"There is no score called {name!r}; there are {', '.join(get_args(ScoreName))}.")
    if pi is None and name != "recall":
        return _OwnShareScorer(name)
    function, usage = _SCORES[name]
    return make_scorer(function, **usage, **({} if pi is None else {"pi": read_share(pi)}))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _OwnShareScorer:
    """A scorer that takes pi from the estimator it is called with."""

    name: ScoreName

    def __call__(self, estimator: Any, X: Any, z: Any, sample_weight: Any = None) -> float:
        model = estimator[-1] if isinstance(estimator, Pipeline) else estimator
        pi = getattr(model, "pi_", None)
        if pi is None:
            raise InputError(
                f"{type(model).__name__} has no share pi_ of positives to score it with; say which it is: "
                f"scorer({self.name!r}, pi=0.3)."
            )
        return scorer(self.name, pi=pi)(estimator, X, z, sample_weight=sample_weight)

    def __repr__(self) -> str:
        return f"scorer({self.name!r})"
