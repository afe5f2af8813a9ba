"""Each score: exact on small tables, right on average on simulated ones, indifferent to what must not matter."""

import warnings

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from pugam import metrics
from pugam.datasets import simulate
from pugam.errors import PugamWarning

RANKING = ["roc_auc_score", "average_precision_score"]
DECISIONS = ["precision_score", "recall_score", "f1_score", "accuracy_score", "balanced_accuracy_score"]
LOSSES = ["brier_score_loss", "log_loss"]
EVERY = RANKING + DECISIONS + LOSSES
UNBIASED = ["roc_auc_score", "recall_score", "accuracy_score", "balanced_accuracy_score", *LOSSES]

PI = 0.3
N_TABLES = 200
N_ERRORS = 4  # tolerance, in Monte-Carlo standard errors of a mean difference


def usual(name):
    return getattr(sklearn.metrics, name)


def corrected(name):
    return getattr(metrics, name)


def argument(name, probability):
    """What the score is given: classes, or the probabilities themselves."""
    return (probability > 0.5).astype(int) if name in DECISIONS else probability


@pytest.fixture(scope="module")
def rows():
    """Labels and probabilities of a few rows, with ties within and between the two kinds."""
    rng = np.random.default_rng(0)
    return rng.permutation([1] * 15 + [0] * 45), np.round(rng.uniform(0.1, 0.9, 60), 1)


class TestWhereTheTruthIsKnown:
    """Unlabelled rows with a known share of positives, which are copies of the labelled ones.

    Then the estimates are not only right on average: they are what scikit-learn says with the true labels.
    """

    @staticmethod
    def exact_table(ties):
        rng = np.random.default_rng(1)
        positives, negatives = expit(rng.normal(1, 1.5, 12)), expit(rng.normal(-1, 1.5, 28))
        if ties:
            positives, negatives = np.round(positives, 1), np.round(negatives, 1)
        probability = np.clip(np.concatenate([positives, positives, negatives]), 0.01, 0.99)
        return np.repeat([1, 0], [12, 40]), np.repeat([1, 0], [24, 28]), probability

    @pytest.mark.parametrize("ties", [False, True])
    @pytest.mark.parametrize("name", EVERY)
    def test_scores_agree_with_those_of_the_true_labels(self, name, ties):
        z, y, probability = self.exact_table(ties)
        given = argument(name, probability)

        found = corrected(name)(z, given, pi=12 / 40)

        assert found == pytest.approx(usual(name)(y[z == 0], given[z == 0]), rel=1e-12)
        assert found != pytest.approx(usual(name)(z, given), rel=0.02) or name == "recall_score"

    @pytest.mark.parametrize("name", EVERY)
    def test_also_with_weights(self, name):
        z, y, probability = self.exact_table(ties=True)
        rng = np.random.default_rng(2)
        of_positives, of_negatives = rng.uniform(0.5, 2.0, 12), rng.uniform(0.5, 2.0, 28)
        weights = np.concatenate([3.0 * of_positives, of_positives, of_negatives])
        pi = of_positives.sum() / (of_positives.sum() + of_negatives.sum())
        given = argument(name, probability)

        found = corrected(name)(z, given, pi=pi, sample_weight=weights)

        expected = usual(name)(y[z == 0], given[z == 0], sample_weight=weights[z == 0])
        assert found == pytest.approx(expected, rel=1e-12)


class TestByHand:
    """Two labelled and four unlabelled rows; A, R and U are worked out in the comments."""

    z = (1, 1, 0, 0, 0, 0)

    def test_roc_auc(self):
        # 0.9 beats all four; 0.4 ties with one and beats two: A = (4 + 2.5) / 8.
        found = metrics.roc_auc_score(self.z, [0.9, 0.4, 0.8, 0.4, 0.3, 0.1], pi=0.25)

        assert found == pytest.approx((6.5 / 8 - 0.125) / 0.75)

    def test_infinite_scores_tie_with_each_other(self):
        found = metrics.roc_auc_score(self.z, [np.inf, -np.inf, np.inf, 0, 0, -np.inf], pi=0.25)

        assert found == pytest.approx(((3.5 + 0.5) / 8 - 0.125) / 0.75)

    def test_average_precision(self):
        # At 0.9, recall 1/2 and U = 0: cut at 1. At 0.4, recall 1 and U = 2/4.
        found = metrics.average_precision_score(self.z, [0.9, 0.4, 0.8, 0.4, 0.3, 0.1], pi=0.25)

        assert found == pytest.approx(0.5 * 1 + 0.5 * 0.25 / 0.5)

    def test_labelled_rows_that_tie_share_one_threshold(self):
        found = metrics.average_precision_score(self.z, [0.4, 0.4, 0.8, 0.4, 0.3, 0.1], pi=0.25)

        assert found == pytest.approx(0.25 / 0.5)

    def test_decisions(self):
        # R = 1/2 and U = 2/4; the false positive rate is (0.5 - 0.1) / 0.8 = 0.5.
        predicted = [1, 0, 1, 1, 0, 0]
        found = {name: corrected(name)(self.z, predicted, pi=0.2) for name in DECISIONS}

        assert found == pytest.approx(
            {
                "precision_score": 0.2,
                "recall_score": 0.5,
                "f1_score": 2 * 0.2 * 0.5 / 0.7,
                "accuracy_score": 0.2 * 0.5 + 0.8 * 0.5,
                "balanced_accuracy_score": 0.5,
            }
        )

    def test_losses(self):
        probability = np.array([0.8, 0.6, 0.5, 0.5, 0.1, 0.1])
        brier = 0.2 * ((0.04 - 0.64 + 0.16 - 0.36) / 2) + (0.25 + 0.25 + 0.01 + 0.01) / 4
        log = 0.2 * (np.log(0.2 / 0.8) + np.log(0.4 / 0.6)) / 2 - (2 * np.log(0.5) + 2 * np.log(0.9)) / 4

        assert metrics.brier_score_loss(self.z, probability, pi=0.2) == pytest.approx(brier)
        assert metrics.log_loss(self.z, probability, pi=0.2) == pytest.approx(log)

    def test_values_are_not_cut_where_chance_carries_them_beyond_their_range(self):
        decided, probability = [1, 1, 0, 0, 0, 0], [0.9, 0.9, 0.1, 0.1, 0.1, 0.1]

        assert metrics.roc_auc_score(self.z, probability, pi=0.25) == pytest.approx(0.875 / 0.75)
        assert metrics.accuracy_score(self.z, decided, pi=0.25) == pytest.approx(1.25)
        assert metrics.f1_score(self.z, decided, pi=0.25) == pytest.approx(2)
        assert metrics.brier_score_loss(self.z, probability, pi=0.25) == pytest.approx(0.25 * -0.8 + 0.01)
        assert metrics.log_loss(self.z, probability, pi=0.25) < 0


@pytest.fixture(scope="module")
def differences():
    """Corrected and naive score minus the true one, for each score and table; arrays of shape (N_TABLES, 2)."""
    found = {name: [] for name in EVERY}
    for number in range(N_TABLES):
        rng = np.random.default_rng([7, number])
        data = simulate(2, n0=400, n=2000, pi=PI, random_state=rng)
        noise = rng.normal(size=len(data.z))
        probability = expit(-1.0 + 0.5 * data.log_density_ratio + noise)
        hidden = data.z == 0
        for name, values in found.items():
            given = argument(name, probability)
            truth = usual(name)(data.y[hidden], given[hidden])
            values.append((corrected(name)(data.z, given, pi=PI) - truth, usual(name)(data.z, given) - truth))
    return {name: np.array(values) for name, values in found.items()}


@pytest.fixture(scope="module")
def many_rows():
    """300,000 labelled and 700,000 unlabelled rows: truth, labels and scores."""
    rng = np.random.default_rng(3)
    y = np.concatenate([np.ones(300_000, int), (rng.random(700_000) < PI).astype(int)])
    return y, np.repeat([1, 0], [300_000, 700_000]), expit(1.6 * y - 1.0 + rng.normal(size=1_000_000))


class TestOnAverage:
    """Means over simulated tables, against scikit-learn's scores with the true labels of the unlabelled rows."""

    # Ratios have a bias of the order of 1/n, here below the Monte-Carlo error.
    @pytest.mark.long
    @pytest.mark.parametrize("name", [*UNBIASED, "precision_score", "f1_score"])
    def test_the_corrected_score_is_right_on_average_and_the_naive_one_is_not(self, differences, name):
        mine, naive = differences[name].T
        tolerance = N_ERRORS * mine.std(ddof=1) / np.sqrt(N_TABLES)

        assert 0 < tolerance < 0.03
        assert abs(mine.mean()) < tolerance
        if name != "recall_score":
            assert abs(naive.mean()) > 3 * tolerance

    @pytest.mark.long
    def test_average_precision_errs_on_the_low_side_and_by_far_less_than_the_naive_one(self, differences):
        mine, naive = differences["average_precision_score"].mean(axis=0)

        assert -0.04 < mine < 0.0
        assert naive < -0.3

    @pytest.mark.parametrize("name", EVERY)
    def test_with_many_rows_every_score_is_the_true_one(self, many_rows, name):
        # Standard errors are below 0.002.
        y, z, scores = many_rows
        given = argument(name, scores)

        assert corrected(name)(z, given, pi=PI) == pytest.approx(usual(name)(y[z == 0], given[z == 0]), abs=0.006)


class TestProperties:
    """What must not matter, and what must."""

    @pytest.mark.parametrize("name", EVERY)
    def test_weights_count_rows(self, rows, name):
        z, probability = rows
        given, weights = argument(name, probability), np.random.default_rng(4).integers(0, 4, len(z))

        weighted = corrected(name)(z, given, pi=PI, sample_weight=weights)

        repeated = corrected(name)(np.repeat(z, weights), np.repeat(given, weights), pi=PI)
        assert weighted == pytest.approx(repeated, rel=1e-12)
        assert weighted != pytest.approx(corrected(name)(z, given, pi=PI), rel=1e-3)

    @pytest.mark.parametrize("name", EVERY)
    def test_a_row_without_weight_is_no_row_even_at_the_top(self, rows, name):
        z, probability = rows
        given = argument(name, np.append(probability, 1.0))

        found = corrected(name)(np.append(z, 1), given, pi=PI, sample_weight=np.append(np.ones(len(z)), 0))

        assert found == pytest.approx(corrected(name)(z, given[:-1], pi=PI), rel=1e-12)

    @pytest.mark.parametrize("name", EVERY)
    def test_the_scale_of_the_weights_and_the_order_of_the_rows_do_not_matter(self, rows, name):
        z, probability = rows
        given, order = argument(name, probability), np.random.default_rng(5).permutation(len(z))
        expected = corrected(name)(z, given, pi=PI)

        assert corrected(name)(z, given, pi=PI, sample_weight=np.full(len(z), 1e-3)) == pytest.approx(expected)
        assert corrected(name)(z[order], given[order], pi=PI) == pytest.approx(expected)

    @pytest.mark.parametrize("name", EVERY)
    def test_the_numbers_of_labelled_and_of_unlabelled_rows_do_not_matter(self, rows, name):
        z, probability = rows
        given, copies = argument(name, probability), np.where(z == 1, 3, 1)

        repeated = corrected(name)(np.repeat(z, copies), np.repeat(given, copies), pi=PI)

        assert repeated == pytest.approx(corrected(name)(z, given, pi=PI), rel=1e-12)

    @pytest.mark.parametrize("name", RANKING)
    def test_only_the_order_of_scores_matters(self, rows, name):
        z, probability = rows

        assert corrected(name)(z, np.log(probability), pi=PI) == corrected(name)(z, probability, pi=PI)

    def test_scores_turned_round_turn_the_area_round(self, rows):
        z, score = rows

        turned = metrics.roc_auc_score(z, -score, pi=PI)

        assert turned == pytest.approx(1 - metrics.roc_auc_score(z, score, pi=PI))

    def test_the_area_of_classes_is_the_balanced_accuracy(self, rows):
        z, probability = rows
        predicted = probability > 0.4

        area = metrics.roc_auc_score(z, predicted, pi=PI)

        assert area == pytest.approx(metrics.balanced_accuracy_score(z, predicted, pi=PI))

    def test_f1_is_the_harmonic_mean_of_precision_and_recall(self, rows):
        z, probability = rows
        predicted = probability > 0.4
        parts = [corrected(name)(z, predicted, pi=PI) for name in ("precision_score", "recall_score")]

        assert metrics.f1_score(z, predicted, pi=PI) == pytest.approx(2 / sum(1 / part for part in parts))

    @pytest.mark.parametrize("name", ["roc_auc_score", "precision_score", "balanced_accuracy_score"])
    def test_pi_does_not_change_which_of_two_models_is_better(self, rows, name):
        z, one = rows
        other = np.where(z == 1, one, np.random.default_rng(6).permutation(one))
        gains = [
            corrected(name)(z, argument(name, one), pi=pi) - corrected(name)(z, argument(name, other), pi=pi)
            for pi in (0.1, 0.5, 0.9)
        ]

        assert len({np.sign(gain) for gain in gains}) == 1
        assert gains[0] != 0

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("precision_score", PI),
            ("recall_score", 1.0),
            ("f1_score", 2 * PI / (1 + PI)),
            ("accuracy_score", PI),
            ("balanced_accuracy_score", 0.5),
            ("roc_auc_score", 0.5),
            ("average_precision_score", PI),
            ("brier_score_loss", 1 - PI),
        ],
    )
    def test_calling_everything_positive_is_not_perfect(self, rows, name, expected):
        z, _ = rows

        assert corrected(name)(z, np.ones(len(z)), pi=PI) == pytest.approx(expected, rel=1e-12)
        # Who looks at the labelled rows only sees a perfect classifier.
        assert usual("f1_score")(z[z == 1], np.ones(sum(z))) == 1.0

    @given(
        labelled=st.lists(st.floats(0, 1), min_size=1, max_size=8),
        unlabelled=st.lists(st.floats(0, 1), min_size=1, max_size=8),
        pi=st.floats(0.001, 0.999),
    )
    def test_every_score_is_a_finite_number(self, labelled, unlabelled, pi):
        z, probability = [1] * len(labelled) + [0] * len(unlabelled), np.array(labelled + unlabelled)
        for name in EVERY:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PugamWarning)
                found = corrected(name)(z, argument(name, probability), pi=pi)
            assert isinstance(found, float)
            assert np.isfinite(found) or (name == "precision_score" and max(unlabelled) <= 0.5)
        assert 0 <= metrics.average_precision_score(z, probability, pi=pi) <= 1 + 1e-12
