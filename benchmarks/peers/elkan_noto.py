"""Elkan and Noto, Learning classifiers from only positive and unlabeled data, KDD 2008: their first estimator."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pugam.studies.answers import Answer

from .scales import pi_of_label_frequency, posterior_among_unlabelled
from .scores import boosting_scores

__all__ = ["elkan_noto"]


def elkan_noto(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """Mean score of labelled rows, for which c = P(labelled | y = 1); scores by boosting, as log loss calibrates them.

    Unbiased only where the classes do not overlap: elsewhere scores of positives lie below c, and pi is too high.
    """
    scores = boosting_scores(X, labelled, rng)
    n0, n1 = int(labelled.sum()), int((~labelled).sum())
    c = float(scores[labelled].mean())
    return Answer(pi_of_label_frequency(c, n0, n1), posterior_among_unlabelled(scores[~labelled] / c, c))
