"""Our own methods as those of others are asked: PUGAM as it comes, the mode, and the linear model."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

import numpy as np

from pugam.errors import PugamWarning
from pugam.estimator import PUGAM
from pugam.inference import WELL
from pugam.studies.answers import Answer, Method
from pugam.terms import l

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OURS"]


def pugam_as_it_comes(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Answer by `PUGAM()`, a smooth of every column."""
    return _answer(PUGAM(n_jobs=1), _varying(X), labelled)


def mode(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Answer by `PUGAM(estimate="mode")`, the default before marginal likelihood."""
    return _answer(PUGAM(estimate="mode", n_jobs=1), _varying(X), labelled)


def linear(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Answer by the parametric exponential tilting model, the mode of which every column is linear."""
    X = _varying(X)
    return _answer(PUGAM([l(name) for name in X.columns], estimate="mode", n_jobs=1), X, labelled)


OURS: dict[str, Method] = {"pugam": pugam_as_it_comes, "mode": mode, "linear": linear}


def _varying(X: pd.DataFrame) -> pd.DataFrame:
    """Leave out constant columns: a term of one is refused, and advice to leave it out is no doubt about pi."""
    values = X.to_numpy()
    return X.loc[:, (values != values[0]).any(axis=0)]


def _answer(model: PUGAM, X: pd.DataFrame, labelled: np.ndarray) -> Answer:
    began = time.perf_counter()
    warned = _fit_and_hear(model, X, labelled)
    posterior = model.predict_proba(X[~labelled])[:, 1]
    interval = model.pi_interval(method="wald")
    seconds = time.perf_counter() - began
    return Answer(
        model.pi_,
        posterior,
        (interval.lower, interval.upper),
        warned=warned,
        flagged=model.diagnose().verdict != WELL,
        seconds=seconds,
    )


def _fit_and_hear(model: PUGAM, X: pd.DataFrame, labelled: np.ndarray) -> bool:
    """Fit a model, and tell whether it warned of the fit."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(record=True) as caught:
        for doubt in (PugamWarning, ConvergenceWarning):
            warnings.simplefilter("always", doubt)
        model.fit(X, labelled)
    return any(issubclass(one.category, PugamWarning | ConvergenceWarning) for one in caught)
