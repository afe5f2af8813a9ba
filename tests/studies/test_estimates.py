"""From fits to columns: errors of classification, and bias, se and mse in hundredths, on examples made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from pugam.studies.estimates import (
    QUANTITIES,
    classification_errors,
    compare_estimates,
    complete,
    failure_note,
    outcome,
)

PRINTED = (-1.0, 4.0, 0.1, 0.2, 0.3, 0.25)


def record_of(pi, false_positive, false_negative, err):
    return {
        "GAET": {"pi": pi, "FP": false_positive, "FN": false_negative, "Err": err},
        "Bayes": {"FP": false_positive, "FN": false_negative, "Err": err},
    }


@pytest.fixture
def records():
    return [record_of(0.42, 0.1, 0.2, 0.15), {"error": "LinAlgError: Singular matrix"}, record_of(0.36, 0.3, 0.2, 0.25)]


@pytest.mark.parametrize("kind", [bool, int])
def test_classification_errors_are_shares_of_the_true_classes(kind):
    y = np.array([0, 0, 0, 0, 1, 1]).astype(kind)
    predicted = np.array([1, 0, 0, 0, 0, 1]).astype(kind)

    assert classification_errors(predicted, y) == {"FP": 0.25, "FN": 0.5, "Err": 2 / 6}


def test_the_outcome_of_a_fit_is_its_pi_and_its_errors():
    model = SimpleNamespace(pi_=0.37, predict=lambda X: (X > 2).astype(int))

    found = outcome(model, np.array([1, 2, 3, 4, 5]), np.array([0, 1, 0, 1, 1]))

    assert found == {"pi": 0.37, "FP": 0.5, "FN": pytest.approx(1 / 3), "Err": 0.4}


def test_columns_of_a_method(records):
    """The errors 0.02 and -0.04 of pi, in hundredths: mean -1, standard deviation sqrt(18), mean square 10 / 100."""
    found = compare_estimates(records, "GAET", 0.4, PRINTED)

    assert tuple(found) == QUANTITIES
    assert {name: cell.measured.value for name, cell in found.items()} == pytest.approx(
        {"bias": -1.0, "se": np.sqrt(18), "mse": 0.1, "FP": 0.2, "FN": 0.2, "Err": 0.2}
    )
    assert found["bias"].measured.error == pytest.approx(3.0)
    assert found["mse"].measured.error == pytest.approx(0.06)  # of the mean of 0.04 and 0.16
    assert found["FP"].measured.error == pytest.approx(0.1)
    assert tuple(cell.printed for cell in found.values()) == PRINTED
    assert {cell.measured.replicates for cell in found.values()} == {2}


def test_bias_se_and_mse_belong_together():
    rng = np.random.default_rng(0)
    records = [record_of(pi, 0.1, 0.2, 0.15) for pi in 0.39 + 0.05 * rng.normal(size=300)]

    found = compare_estimates(records, "GAET", 0.4, None)

    bias, se, mse = (found[name].measured.value for name in QUANTITIES[:3])
    assert mse == pytest.approx((bias**2 + se**2 * 299 / 300) / 100, rel=1e-12)


def test_a_classifier_without_pi_has_its_errors_only(records):
    found = compare_estimates(records, "Bayes", 0.4, (None, None, None, 0.097, 0.167, 0.125))

    assert {name: cell.printed for name, cell in found.items()} == {"FP": 0.097, "FN": 0.167, "Err": 0.125}


def test_a_method_that_is_not_in_the_paper_has_nothing_beside_it(records):
    assert {cell.printed for cell in compare_estimates(records, "GAET", 0.4, None).values()} == {None}


def test_printed_figures_that_are_too_few_are_a_mistake(records):
    with pytest.raises(ValueError, match="shorter"):
        compare_estimates(records, "GAET", 0.4, PRINTED[:5])


def test_breakdowns_are_left_out_and_told(records):
    assert complete(records) == [records[0], records[2]]
    assert failure_note({"a": records, "b": records[:1]}) == [
        "1 of 4 replicates broke down and are left out: LinAlgError: Singular matrix"
    ]
    assert failure_note({"a": complete(records)}) == []
