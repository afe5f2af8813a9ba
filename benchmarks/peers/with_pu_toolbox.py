"""Class-prior estimators of the package pu-toolbox (1.11), through its own interface and at its defaults.

`ClassPriorEstimator`, `KernelMeanPriorEstimator` and `ReCPEEstimator` compare labelled with unlabelled rows and return
pi as it is meant here; `ElkanNotoClassifier` returns the share among all rows, the labelled ones included. Its other
classifiers take pi as given, or (LBE, PUSB) are for labels that depend on the features. Features are standardised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from pugam.studies.answers import Answer

from .scales import pi_of_prior, posterior_among_unlabelled
from .scores import seed_of

__all__ = ["elkan_noto_classifier", "km1", "km2", "km2_widest", "penalised_l1", "recpe"]


def estimate(estimator: Any, X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Fit a prior estimator; rows are shuffled, as penL1 puts its kernels on the first 200, whatever their labels."""
    order = rng.permutation(len(X))
    values = StandardScaler().fit_transform(X.to_numpy(float))
    estimator.fit(values[order], labelled[order].astype(int))
    return Answer(float(np.clip(estimator.estimate(), 0.0, 1.0)))


def penalised_l1(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Least penalised L1 distance (du Plessis, Niu and Sugiyama, 2017)."""
    from pu_toolbox.prior import ClassPriorEstimator

    return estimate(ClassPriorEstimator(), X, labelled, rng)


def km1(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Kernel means with the first threshold, at the width of the package, a tenth of the median distance."""
    from pu_toolbox.prior import KernelMeanPriorEstimator

    return estimate(KernelMeanPriorEstimator(variant="km1", random_state=seed_of(rng)), X, labelled, rng)


def km2(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Kernel means with the second threshold, at the same width."""
    from pu_toolbox.prior import KernelMeanPriorEstimator

    return estimate(KernelMeanPriorEstimator(variant="km2", random_state=seed_of(rng)), X, labelled, rng)


def km2_widest(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """The same at the width of the authors, which the package offers: it sets the samples apart most.

    Differs from `kernel_mean` of this folder, as the 2000 Frank-Wolfe steps of the package end far from its tolerance.
    """
    from pu_toolbox.prior import KernelMeanPriorEstimator

    estimator = KernelMeanPriorEstimator(variant="km2", width_selection="mmd_grid", random_state=seed_of(rng))
    return estimate(estimator, X, labelled, rng)


def recpe(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """KM2 after regrouping (Yao et al., 2022): the tenth of the unlabelled rows that looks most positive is labelled.

    The package takes these rows out of the mixture; in the paper they are copied. Its answer is left as it is.
    """
    from pu_toolbox.prior import ReCPEEstimator

    return estimate(ReCPEEstimator(), X, labelled, rng)


def elkan_noto_classifier(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Elkan-Noto with logistic regression, refitted with unlabelled rows counted as both classes in part.

    The package gives labelled rows more weight where it estimates c, and does not limit the parts to [0, 1].
    """
    from pu_toolbox.estimators.classic import ElkanNotoClassifier

    values = StandardScaler().fit_transform(X.to_numpy(float))
    model = ElkanNotoClassifier(random_state=seed_of(rng)).fit(values, labelled.astype(int))
    pi = pi_of_prior(model.class_prior_, int(labelled.sum()), int((~labelled).sum()))
    overall = model.predict_proba(values[~labelled])[:, 1]
    return Answer(pi, posterior_among_unlabelled(overall, model.propensity_))
