"""Is a preference seen that interactions have taken in, and an interaction not taken for one?"""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.inference.findings import PairsHidePreference
from pugam.likelihood import expit

N = 1250


def draw(rng, n, positive, size=0.0, preference=1.0):
    """Rows of one class with bent effects, an interaction, and labels that prefer large x1."""
    found = np.empty((0, 5))
    while len(found) < n:
        X = rng.random((4096, 5))
        odds = 24.0 * np.sum((X - 0.3) ** 2, axis=1) - 14.0 + 12.0 * size * (X[:, 0] - 0.5) * (X[:, 1] - 0.5)
        chance = expit(odds if positive else -odds) * preference ** (X[:, 0] - 1.0)
        found = np.vstack([found, X[rng.random(len(X)) < chance]])
    return found[:n]


def diagnose(size=0.0, preference=1.0, interactions="auto"):
    rng = np.random.default_rng(1)
    labelled = draw(rng, N, True, size, preference)
    unlabelled = [draw(rng, 500, True, size), draw(rng, N - 500, False, size)]
    X = pd.DataFrame(np.vstack([labelled, *unlabelled]), columns=[f"x{number}" for number in range(1, 6)])
    return PUGAM(interactions=interactions, check=False).fit(X, np.repeat([1, 0], [N, N])).diagnose()


@pytest.mark.filterwarnings("ignore::pugam.errors.PugamWarning")
def test_a_strong_preference_is_seen_behind_the_interactions_that_stand_in_for_it():
    found = diagnose(preference=20.0)

    assert found.pairs_added
    assert found.labelling is None or found.labelling.pvalue > 0.01
    assert found.without_pairs.labelling.leading == ("x1",)
    assert found.verdict == "does not fit"
    assert PairsHidePreference in map(type, found.findings)
    assert "labelling='s(x1)'" in found.warnings[0]
    assert "without the interactions that were added" in str(found)


@pytest.mark.filterwarnings("ignore::pugam.errors.PugamWarning")
def test_an_interaction_is_not_taken_for_a_preference():
    found = diagnose(size=4.0)

    assert found.pairs_added
    assert found.without_pairs.pair_test.pvalue < found.without_pairs.labelling.pvalue
    assert PairsHidePreference not in map(type, found.findings)


def test_without_interactions_added_nothing_more_is_tested():
    assert diagnose().without_pairs is None
