"""Scorers: in cross-validation and grid searches, for PUGAM and for any other classifier."""

import pickle
from typing import get_args

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from pugam import PUGAM, metrics
from pugam.datasets import simulate
from pugam.errors import InputError
from pugam.metrics.scorers import ScoreName

NAMES = get_args(ScoreName)
PI = 0.4


@pytest.fixture(scope="module")
def data():
    return simulate(1, n0=300, n=1200, pi=PI, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return PUGAM("l(x1) + l(x2) + l(x3)", n_starts=1).fit(data.X, data.z)


def by_hand(name, model, data, pi):
    if name.startswith("neg_"):
        function = {"neg_brier_score": metrics.brier_score_loss, "neg_log_loss": metrics.log_loss}[name]
        return -function(data.z, model.predict_proba(data.X)[:, 1], pi=pi)
    ranks = name in ("roc_auc", "average_precision")
    given = model.decision_function(data.X) if ranks else model.predict(data.X)
    return getattr(metrics, f"{name}_score")(data.z, given, pi=pi)


@pytest.mark.parametrize("name", NAMES)
def test_a_scorer_gives_the_score_of_what_the_model_predicts(name, model, data):
    assert metrics.scorer(name, pi=0.3)(model, data.X, data.z) == pytest.approx(by_hand(name, model, data, 0.3))


@pytest.mark.parametrize("name", NAMES)
def test_without_pi_it_takes_that_of_the_model(name, model, data):
    assert model.pi_ != 0.3
    assert metrics.scorer(name)(model, data.X, data.z) == pytest.approx(by_hand(name, model, data, model.pi_))


@pytest.mark.parametrize("pi", [None, PI])
@pytest.mark.parametrize("name", NAMES)
def test_scorers_can_be_pickled(name, pi, model, data):
    scorer = metrics.scorer(name, pi=pi)
    copied = pickle.loads(pickle.dumps(scorer))

    assert copied(model, data.X, data.z) == scorer(model, data.X, data.z)
    assert repr(copied) == repr(scorer)


@pytest.mark.parametrize("pi", [None, PI])
def test_weights_are_passed_on(pi, model, data):
    weights = np.random.default_rng(0).integers(0, 3, len(data.z))
    repeated = np.repeat(np.arange(len(data.z)), weights)
    scorer = metrics.scorer("roc_auc", pi=pi)

    weighted = scorer(model, data.X, data.z, sample_weight=weights)

    assert weighted == pytest.approx(scorer(model, data.X.iloc[repeated], data.z[repeated]))
    assert weighted != pytest.approx(scorer(model, data.X, data.z), rel=1e-4)


@pytest.mark.parametrize("coding", [(0, 1), (-1, 1), (False, True)])
@pytest.mark.parametrize("name", ["f1", "roc_auc", "neg_brier_score"])
def test_the_coding_of_the_labels_does_not_matter(name, coding, data):
    z = np.array(coding)[data.z]
    expected = metrics.scorer(name, pi=PI)(LogisticRegression().fit(data.X, data.z), data.X, data.z)

    assert metrics.scorer(name, pi=PI)(LogisticRegression().fit(data.X, z), data.X, z) == pytest.approx(expected)


def test_cross_validation_of_several_scores_at_once(data):
    scoring = {name: metrics.scorer(name, pi=PI) for name in NAMES}
    model = PUGAM("l(x1) + l(x2) + l(x3) + l(x4) + l(x5)", n_starts=1)

    found = cross_validate(model, data.X, data.z, cv=3, scoring=scoring, error_score="raise")

    means = {name: found[f"test_{name}"].mean() for name in NAMES}
    assert all(np.isfinite(mean) for mean in means.values())
    assert means["roc_auc"] == pytest.approx(0.95, abs=0.06)
    # Better than saying pi of every row.
    assert -PI * (1 - PI) < means["neg_brier_score"] < 0


@pytest.mark.parametrize("classifier", [LogisticRegression(), LinearSVC()], ids=["logistic", "svm"])
def test_any_classifier_of_the_labels_can_be_ranked(classifier, data):
    corrected = cross_val_score(classifier, data.X, data.z, scoring=metrics.scorer("roc_auc", pi=PI))
    naive = cross_val_score(classifier, data.X, data.z, scoring="roc_auc")

    assert corrected == pytest.approx(0.5 + (naive - 0.5) / (1 - PI))


def test_grid_search_finds_the_setting_that_works(data):
    search = GridSearchCV(LogisticRegression(), {"C": [1e-6, 1.0]}, cv=3, scoring=metrics.scorer("neg_log_loss", pi=PI))

    found = clone(search).fit(data.X, data.z)

    assert found.best_params_ == {"C": 1.0}
    assert found.best_score_ == pytest.approx(found.cv_results_["mean_test_score"].max())


def test_the_own_pi_of_a_model_works_in_a_grid_search_and_behind_a_pipeline(data):
    pipeline = make_pipeline(StandardScaler(), PUGAM("l(x0) + l(x1)", n_starts=1))
    search = GridSearchCV(
        pipeline, {"pugam__pi": [0.3, 0.5]}, cv=3, scoring=metrics.scorer("f1"), error_score="raise", refit=False
    )

    found = clone(search).fit(data.X, data.z)

    splits = StratifiedKFold(3).split(data.X, data.z)
    train, test = next(iter(splits))
    fitted = clone(pipeline).set_params(pugam__pi=0.5).fit(data.X.iloc[train], data.z[train])
    expected = metrics.f1_score(data.z[test], fitted.predict(data.X.iloc[test]), pi=0.5)
    assert found.cv_results_["split0_test_score"][1] == pytest.approx(expected)


def test_a_threshold_for_an_ordinary_classifier_can_be_tuned(data):
    scorer = metrics.scorer("f1", pi=PI)
    plain = LogisticRegression().fit(data.X, data.z)

    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer).fit(data.X, data.z)

    # A model of the labels gives smaller probabilities than one of the classes.
    assert tuned.best_threshold_ < 0.5
    new = simulate(1, n0=300, n=3000, pi=PI, random_state=1)
    assert scorer(tuned, new.X, new.z) > scorer(plain, new.X, new.z) + 0.1


def test_recall_needs_no_pi_and_other_scores_say_that_they_do(data):
    plain = LogisticRegression().fit(data.X, data.z)

    assert 0 < metrics.scorer("recall")(plain, data.X, data.z) < 1
    with pytest.raises(InputError, match=r"LogisticRegression has no share pi_ .* scorer\('f1', pi=0\.3\)\."):
        metrics.scorer("f1")(plain, data.X, data.z)


def test_unknown_scores_and_shares_are_refused_at_once():
    with pytest.raises(InputError, match=r"There is no score called 'auc'; there are roc_auc, average_precision, "):
        metrics.scorer("auc", pi=0.3)
    with pytest.raises(InputError, match=r"lies strictly between 0 and 1; got 30"):
        metrics.scorer("roc_auc", pi=30)
