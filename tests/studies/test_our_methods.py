"""Our methods tell which doubts a user is told of without asking, and which by a diagnosis."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from pugam.errors import PugamWarning
from pugam.studies import our_methods


class Model:
    """Stands in for a fit that warns of something, or not, and whose diagnosis says this."""

    pi_ = 0.5

    def __init__(self, warning, verdict):
        self.warning, self.verdict = warning, verdict

    def fit(self, X, labelled):
        if self.warning:
            warnings.warn("something", self.warning, stacklevel=2)

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)

    def pi_interval(self, method):
        return SimpleNamespace(lower=0.4, upper=0.6)

    def diagnose(self):
        return SimpleNamespace(verdict=self.verdict)


@pytest.mark.parametrize(
    ("warning", "verdict", "warned", "flagged"),
    [
        (None, "well determined", False, False),
        (None, "weakly determined", False, True),
        (PugamWarning, "well determined", True, False),
        (ConvergenceWarning, "not determined", True, True),
        (DeprecationWarning, "well determined", False, False),
    ],
)
def test_warnings_of_the_fit_and_doubts_of_the_diagnosis_are_kept_apart(warning, verdict, warned, flagged):
    answer = our_methods._answer(Model(warning, verdict), pd.DataFrame({"a": [1.0, 2.0]}), np.array([True, False]))

    assert (answer.warned, answer.flagged) == (warned, flagged)
