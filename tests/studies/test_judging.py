"""Answers held against the truth: errors, scores, and what is no answer."""

import numpy as np
import pytest

from pugam.studies.answers import Answer
from pugam.studies.judging import judge


def test_records_hold_the_answer_against_the_truth():
    y = np.array([1, 1, 0, 0, 0])
    answer = Answer(0.5, np.array([0.9, 0.4, 0.6, 0.1, 0.0]), (0.2, 0.45), warned=True)

    record = judge(answer, y)

    of_truth = [0.9, 0.4, 0.4, 0.9, 1.0 - 1e-6]
    assert record == {
        "share": 0.4,
        "warned": True,
        "flagged": False,
        "pi": 0.5,
        "deviation": pytest.approx(0.1),
        "interval": [0.2, 0.45],
        "Err": 0.4,
        "auc": pytest.approx(5 / 6),
        "log_score": pytest.approx(-np.mean(np.log(of_truth))),
    }
    sure_and_wrong = judge(Answer(None, np.array([0.0, 1.0, 1.0, 0.0, 0.0])), y)
    assert "pi" not in sure_and_wrong
    assert sure_and_wrong["log_score"] == pytest.approx(-2 * np.log(1e-6) / 5, rel=1e-4)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(np.nan), "pi is nan"),
        (Answer(0.3, np.full(3, np.nan)), "NaN"),
        (Answer(0.3, np.full(4, 0.5)), "There are 3 unlabelled rows"),
    ],
)
def test_an_answer_that_is_none_is_refused(answer, said):
    with pytest.raises(ValueError, match=said):
        judge(answer, np.array([0, 1, 1]))
