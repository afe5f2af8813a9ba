"""What scores are given: every usual way to hold rows is read, what cannot be scored is refused in one sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pugam import metrics
from pugam.errors import InputError, PugamWarning

RANKING = ["roc_auc_score", "average_precision_score"]
DECISIONS = ["precision_score", "recall_score", "f1_score", "accuracy_score", "balanced_accuracy_score"]
LOSSES = ["brier_score_loss", "log_loss"]
EVERY = RANKING + DECISIONS + LOSSES

Z, SCORE, CLASSES = (1, 1, 0, 0), (0.9, 0.6, 0.7, 0.2), (1, 0, 1, 0)


@pytest.mark.parametrize("coding", [(0, 1), (-1, 1), (False, True)])
@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series, pa.array], ids=lambda c: c.__module__)
def test_codings_and_containers(coding, container):
    z, predicted = (container([coding[value] for value in values]) for values in (Z, CLASSES))

    assert metrics.roc_auc_score(z, container(SCORE), pi=0.3) == pytest.approx(0.5 + 0.25 / 0.7)
    assert metrics.f1_score(z, predicted, pi=0.3) == pytest.approx(0.3 / 0.8)


def test_precision_without_a_call_is_not_defined():
    with pytest.warns(PugamWarning, match="no unlabelled row is called positive"):
        assert np.isnan(metrics.precision_score(Z, [1, 1, 0, 0], pi=0.3))


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("pi", [0, 1, -0.1, 1.5, np.nan, "0.3", True, [0.3]])
def test_pi_is_a_share(name, pi):
    with pytest.raises(InputError, match="lies strictly between 0 and 1; got"):
        getattr(metrics, name)(Z, CLASSES, pi=pi)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"z": [1, 0, 0]}, r"z has 3 labels for 4 rows predicted; give one for each\."),
        ({"z": None}, r"z is None; give the labels"),
        ({"z": [1, 1, 1, 1]}, r"every row is a labelled positive\. Add the unlabelled rows, coded 0\."),
        ({"z": [0, 0, 0, 0]}, r"no row is a labelled positive\."),
        ({"z": [1, 2, 0, 0]}, r"z holds 2 \(first at row 1\)"),
        ({"z": [1, np.nan, 0, 0]}, r"the label of row 1 is missing"),
        ({"sample_weight": [1, 1]}, r"sample_weight has 2 weights for 4 rows predicted"),
        ({"sample_weight": [1, 1, -1, 1]}, r"not negative; row 2 has -1\.0"),
        ({"sample_weight": [0, 0, 1, 1]}, r"zero at every labelled row; at least one of them must count\."),
        ({"sample_weight": [1, 1, 0, 0]}, r"zero at every unlabelled row"),
        ({"values": [1, 0, np.nan, 1]}, r"is NaN at row 2; leave the row out, with its label\."),
        ({"values": [1, 0, None, 1]}, r"is NaN at row 2"),
        ({"values": ["a", "b", "c", "d"]}, r"must be numbers without gaps, one per row\."),
        ({"values": [1j, 0, 0, 1]}, r"must be numbers"),
        ({"values": 1.0}, r"must be 1-d, one number per row; got shape \(\)\."),
        ({"values": np.ones((4, 2))}, r"got shape \(4, 2\); of predict_proba\(X\) take the column .* \[:, 1\]\."),
        ({"values": [], "z": []}, r"There are no rows"),
    ],
)
def test_what_cannot_be_scored_is_refused(name, changes, message):
    given = {"z": Z, "values": CLASSES, "sample_weight": None, **changes}

    with pytest.raises(InputError, match=message):
        getattr(metrics, name)(given["z"], given["values"], pi=0.3, sample_weight=given["sample_weight"])


@pytest.mark.parametrize("name", LOSSES)
def test_a_decision_function_is_no_probability(name):
    with pytest.raises(InputError, match=r"probability is -1\.5 at row 1, outside of 0 to 1; give model\.predict"):
        getattr(metrics, name)(Z, [0.5, -1.5, 0.2, 0.3], pi=0.3)


@pytest.mark.parametrize("name", DECISIONS)
def test_probabilities_are_no_classes(name):
    with pytest.raises(InputError, match=r"predicted is 0\.9 at row 0, which is not a class; .* probability > 0\.5\."):
        getattr(metrics, name)(Z, SCORE, pi=0.3)


@pytest.mark.parametrize("name", [name for name in EVERY if name != "recall_score"])
def test_pi_has_to_be_said(name):
    with pytest.raises(TypeError, match="pi"):
        getattr(metrics, name)(Z, CLASSES)
