"""Ivanov, DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning, ICMLA 2020."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pugam.inference.density_difference import density_ratio, share_of_positives, unlabelled_posteriors
from pugam.studies.answers import Answer, Method

from .scores import Scorer

__all__ = ["dedpul"]


def dedpul(scorer: Scorer) -> Method:
    """DEDPUL on cross-fitted scores."""

    def method(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
        scores = scorer(X, labelled, rng)
        ratio = density_ratio(scores[labelled], scores[~labelled])
        pi = share_of_positives(ratio)
        return Answer(pi, unlabelled_posteriors(ratio, pi))

    return method
