"""The score test of random labelling: its score, its directions, labels that are random and labels that are not."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from pugam import PUGAM
from pugam.inference import choose_rows, profile_of, score_labelling
from pugam.inference.labelling_test import MOST_LEVELS, _functions
from pugam.inference.score_test import score_directions, unit_directions

ADDITIVE = "s(x1) + s(x2) + s(x3) + s(x4)"


def make(preference, n=900, seed=0, column=0):
    """Rows of four normal features of which labels prefer large values of one: odds rise so many times with one sd."""
    rng = np.random.default_rng(seed)
    slopes = np.array([1.0, -1.2, 1.2, 0.8])
    positives = rng.normal(size=(40 * n, 4)) + slopes
    chance = expit(np.log(preference) * (positives[:, column] - slopes[column]))
    labelled = positives[rng.random(len(positives)) < chance][:n]
    hidden = rng.random(n) < 0.4
    unlabelled = rng.normal(size=(n, 4)) + np.outer(hidden, slopes)
    X = pd.DataFrame(np.vstack([labelled, unlabelled]), columns=["x1", "x2", "x3", "x4"])
    return X, np.repeat([1, 0], n)


def rows_of(X, z, terms=ADDITIVE, weights=None, **options):
    model = PUGAM(terms, interactions=None, n_starts=2, **options).fit(X, z, weights)
    return choose_rows(profile_of(model._fitted("The test")))


@pytest.fixture(scope="module")
def random_rows():
    return rows_of(*make(1.0))


@pytest.fixture(scope="module")
def preferred_rows():
    return rows_of(*make(3.0))


def test_the_score_is_the_slope_of_the_likelihood_of_labels_while_parameters_follow(random_rows):
    rows = random_rows
    w = np.tanh(rows.encoded[0])
    direction = rows.along_labelling(w[:, None])[:, 0]
    moves = np.linalg.lstsq(rows.tangents, direction, rcond=None)[0]
    chances = rows.odds / (1.0 + rows.odds)
    # Tangents are what parameters do to P, over the root of its variance.
    tangents = rows.tangents / np.sqrt(rows.variance)[:, None]

    def loglik(step):
        log_odds = logit(chances) + step * (w - tangents @ moves)
        return np.sum(np.log(np.where(rows.positive, expit(log_odds), expit(-log_odds))))

    slope = (loglik(1e-5) - loglik(-1e-5)) / 2e-5
    assert rows.off_tangents(direction) @ rows.residuals == pytest.approx(slope, rel=1e-4, abs=1e-4)


def test_labels_given_at_random_pass(random_rows):
    found = score_labelling(random_rows)

    assert found.pvalue > 0.01
    assert found.df == 8.0  # a line and a bow for each column
    assert found.leading == ()
    assert list(found.pvalues) == sorted(found.pvalues)


def test_a_preference_is_found_and_its_column_named(preferred_rows):
    found = score_labelling(preferred_rows)

    assert found.pvalue < 1e-4
    assert found.columns[0] == "x1"
    assert found.leading == ("x1",)
    assert found.pvalues[0] < 1e-5


def test_columns_can_be_tested_by_themselves(preferred_rows):
    all_columns, one = score_labelling(preferred_rows), score_labelling(preferred_rows, {"x1"})

    assert one.columns == ("x1",)
    assert one.pvalue == one.pvalues[0]
    assert one.pvalue == pytest.approx(all_columns.pvalues[0], rel=1e-9)  # sums of another order
    assert one.df == 2.0


def test_two_preferences_are_both_named():
    X, z = make(1.0, n=3000, seed=2)
    rng = np.random.default_rng(3)
    X["age"], X["year"] = rng.random((2, len(X)))
    kept = (z == 0) | (rng.random(len(z)) < 0.2 ** (X["age"] + 4.0 * (X["year"] - 0.5) ** 2))

    found = score_labelling(rows_of(X[kept], z[kept], f"{ADDITIVE} + s(age) + s(year)"))

    assert set(found.leading) == {"age", "year"}


def test_numbers_have_a_line_and_a_bow_and_gaps_are_zero(random_rows):
    axis, values = random_rows.axes["x1"]
    weights = np.ones(len(values))
    gaps = np.where(np.arange(len(values)) < 5, np.nan, values)
    line, bow = _functions(axis, values, weights).T

    assert np.argsort(line).tolist() == np.argsort(values).tolist()
    np.testing.assert_allclose(bow, 1.5 * line**2 - 0.5)
    assert not _functions(axis, gaps, weights)[:5].any()


def test_levels_are_tested_by_their_contrasts():
    X, z = make(1.0)
    rng = np.random.default_rng(5)
    X["site"] = rng.choice(["a", "b", "c"], len(X))
    X["many"] = rng.choice([f"level {k}" for k in range(30)], len(X))

    found = score_labelling(rows_of(X, z, "s(x1) + s(x2) + s(x3) + f(site) + r(many)"), {"site", "many"})

    assert set(found.columns) == {"site", "many"}
    assert found.df == 2.0 + MOST_LEVELS


def test_a_preference_for_a_level_is_found():
    X, z = make(1.0, n=1500, seed=1)
    rng = np.random.default_rng(6)
    X["site"] = rng.choice(["a", "b"], len(X))
    kept = (z == 0) | (X["site"] == "a") | (rng.random(len(z)) < 0.5)

    found = score_labelling(rows_of(X[kept], z[kept], f"{ADDITIVE} + f(site)"))

    assert found.leading == ("site",)


def test_an_effect_that_bends_more_than_the_model_is_no_preference():
    rng = np.random.default_rng(8)
    rejected = []
    for _ in range(10):
        y = np.repeat([True, False], [1680, 720])
        X = pd.DataFrame(rng.normal(size=(2400, 3)) + 1.2 * y[:, None], columns=["x1", "x2", "x3"])
        X["x3"] = rng.normal(size=2400) * np.where(y, 2.0, 1.0)  # its log density ratio is a parabola
        rejected.append(score_labelling(rows_of(X, np.repeat([1, 0], 1200), "s(x1) + s(x2) + x3")).pvalue < 0.01)

    assert sum(rejected) <= 1


def test_columns_of_interactions_are_tested_too():
    X, z = make(1.0)

    found = score_labelling(rows_of(X, z, "te(x1, x2, k=4) + s(x3) + s(x4)"))

    assert set(found.columns) == {"x1", "x2", "x3", "x4"}


def test_a_row_of_weight_two_counts_as_two_rows():
    X, z = make(1.0)
    weights = 1.0 + (np.arange(len(z)) % 3 == 0)
    twice = np.repeat(np.arange(len(z)), weights.astype(int))
    options = {"smoothing": 1e-3, "tol": 1e-8}

    weighted = score_labelling(rows_of(X, z, weights=weights, **options))
    repeated = score_labelling(rows_of(X.iloc[twice], z[twice], **options))

    assert weighted.statistic == pytest.approx(repeated.statistic, rel=1e-3)


def test_the_order_of_rows_does_not_matter(random_rows):
    X, z = make(1.0)
    order = np.random.default_rng(1).permutation(len(z))

    one, other = score_labelling(random_rows), score_labelling(rows_of(X.iloc[order], z[order]))

    assert other.statistic == pytest.approx(one.statistic, rel=1e-3)


def test_the_joint_test_is_that_of_all_directions(random_rows):
    rows = random_rows
    functions = np.hstack([_functions(axis, values, rows.weights) for axis, values in rows.axes.values()])
    effects = unit_directions(rows, rows.along_predictor(functions))

    joint = score_directions(rows, unit_directions(rows, rows.along_labelling(functions), effects))

    assert score_labelling(rows).statistic == pytest.approx(joint.statistic, rel=1e-9)


def test_a_preference_is_told_by_two_other_columns_without_interactions_between_them():
    X, z = make(1.0)

    assert score_labelling(rows_of(X, z, "s(x1) + s(x2)")) is None
    assert score_labelling(rows_of(X, z, "s(x1) + te(x2, x3, k=4)")).df == 4.0  # x2 and x3


def test_with_few_rows_or_many_directions_there_is_no_test():
    X, z = make(1.0)
    few = np.append(np.arange(40), np.arange(900, 940))
    some = np.append(np.arange(60), np.arange(900, 960))

    assert score_labelling(rows_of(X.iloc[few], z[few], "x1 + x2", pi=0.4)) is None
    assert score_labelling(rows_of(X.iloc[some], z[some], ADDITIVE, pi=0.4)) is None  # four parameters a row


@pytest.mark.long
@pytest.mark.parametrize(
    ("preference", "n", "least", "most"),
    [(1.0, 900, 0.0, 0.115), (2.7, 900, 0.35, 0.65), (2.7, 2700, 0.9, 1.0)],
    ids=["size", "few rows", "three times as many"],
)
def test_the_test_keeps_its_size_and_has_power(preference, n, least, most):
    """100 tables each: 0.05 has a standard error of 0.022, 0.5 one of 0.05, 0.97 one of 0.017; three of them allowed.

    A power of 0.5 on 8 degrees of freedom is that of a noncentrality of 8.4; three times as much has one of 0.97.
    """
    pvalues = [score_labelling(rows_of(*make(preference, n, seed=100 + seed))).pvalue for seed in range(100)]

    assert least <= np.mean(np.array(pvalues) < 0.05) <= most
