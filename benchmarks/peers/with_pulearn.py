"""Methods of the package pulearn (0.2), through its own interface and at its defaults.

Its priors are shares of positives among all rows, the labelled ones included. `LabelFrequencyPriorEstimator` is left
out: it returns the share of labelled rows, which is pi = 0 whatever the rows are. Features are standardised, as the
logistic regressions inside are penalised and converge slowly otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from pugam.studies.answers import Answer

from .scales import pi_of_label_frequency, pi_of_prior, posterior_among_unlabelled
from .scores import folds_of, forest, seed_of

__all__ = ["elkan_noto_classifier", "histogram_match", "scar_em"]


def estimate(estimator: Any, X: pd.DataFrame, labelled: np.ndarray) -> float:
    """Fit a prior estimator; pi among the unlabelled rows."""
    values = StandardScaler().fit_transform(X.to_numpy(float))
    prior = estimator.estimate(values, labelled.astype(int)).pi
    return pi_of_prior(prior, int(labelled.sum()), int((~labelled).sum()))


def histogram_match(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Least ratio of ten bins of logistic scores, those of unlabelled rows over those of labelled ones."""
    from pulearn import HistogramMatchPriorEstimator

    return Answer(estimate(HistogramMatchPriorEstimator(), X, labelled))


def scar_em(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """EM with a logistic regression; its responsibilities are posteriors of the unlabelled rows."""
    from pulearn import ScarEMPriorEstimator

    estimator = ScarEMPriorEstimator()
    return Answer(estimate(estimator, X, labelled), np.asarray(estimator.posterior_positive_))


def elkan_noto_classifier(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """`ElkanotoPuClassifier` with our forest, as it has no classifier of its own; c from a tenth of the rows, held out.

    It is fitted to four fifths of the rows and asked for the others, five times: a forest remembers the rows it was
    fitted to, and would take all unlabelled ones for negatives. Pi is of the mean of the five c.
    """
    from pulearn import ElkanotoPuClassifier

    values = X.to_numpy(float)
    frequencies, posterior = [], np.empty(len(values))
    for training, held_out in folds_of(labelled, rng):
        model = ElkanotoPuClassifier(forest(seed_of(rng)), random_state=seed_of(rng))
        model.fit(values[training], labelled[training].astype(int))
        frequencies.append(model.c)
        posterior[held_out] = posterior_among_unlabelled(model.predict_proba(values[held_out])[:, 1], model.c)
    pi = pi_of_label_frequency(float(np.mean(frequencies)), int(labelled.sum()), int((~labelled).sum()))
    return Answer(pi, posterior[~labelled])
