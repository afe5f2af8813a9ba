"""A diagnosis in words: its numbers, in order, and its warnings at the end."""

from dataclasses import replace

import pytest

from pugam.inference.description import describe
from pugam.inference.findings import (
    NeedsSmoothness,
    Separated,
)
from pugam.inference.opinions import Opinion
from pugam.messages import in_python


def test_a_diagnosis_in_words_holds_its_numbers(clear):
    lines = list(describe(clear, clear.wald, in_python))
    held, calibration, shares = clear.profile_interval, clear.calibration, clear.sensitivity.share_positive

    assert str(clear) == "\n".join(lines)
    assert lines[0] == f"pi is well determined: {clear.wald}"
    text = str(clear)
    assert f"95% interval {held.lower:.3f} to {held.upper:.3f}" in lines[1]
    assert "5 of 5 distinguishable from a constant" in text
    assert "interactions none added, of 10 pairs of columns" in text
    assert "starts" not in text
    assert "boundary     not reached" in text
    assert f"condition number {clear.condition:.2g}" in text
    assert f"the standard error of pi would be {clear.reliance:.2f} times as large" in text
    assert "separation   none" in text
    assert f"chi-square {calibration.statistic:.3g} on 8 df, p = {calibration.pvalue:.2g}" in text
    pairs, omnibus, bound = clear.pair_test, clear.omnibus, clear.best_bin
    assert (
        f"additivity   chi-square {pairs.statistic:.3g} on 10 df, p = {pairs.pvalue:.2g} (products of 10 pairs" in text
    )
    labelling = clear.labelling
    test = f"chi-square {labelling.statistic:.3g} on 10 df, p = {labelling.pvalue:.2g}"
    assert f"labelling    {test} (preferences by 5 columns)" in text
    assert f"boosting     z = {omnibus.statistic:.2f}, p = {omnibus.pvalue:.2g}" in text
    assert f"pi is at most {bound.upper:.3f} without any model" in text
    assert f"{shares[0]:.3f} to {shares[-1]:.3f} of the unlabelled called positive" in text
    assert "!" not in text


def test_a_diagnosis_of_the_mode_tells_of_its_starts(clear_mode):
    text = str(clear_mode)

    assert f"4 of 4 near the best, within {clear_mode.starts_spread:.3f} in pi" in text
    assert "interactions" not in text
    assert "!" not in text


def test_a_doubtful_calibration_is_told_where_pi_is_fixed_alone(clear):
    doubtful = replace(clear, calibration=replace(clear.calibration, pvalue=0.001))

    assert str(doubtful).startswith("pi is well determined: ")
    assert str(replace(doubtful, verdict="fixed")).startswith("pi is fixed by a model that does not fit: ")


@pytest.mark.parametrize(
    ("pi", "said"),
    [
        ((0.4, 0.36), "they agree"),
        ((0.4, 0.99), "one lies outside the interval by more than 0.05"),
        ((0.01, 0.99), "both lie outside the interval by more than 0.05"),
        ((0.99,), "it lies outside the interval by more than 0.05"),
    ],
)
def test_second_opinions_are_compared_with_the_interval(clear, pi, said):
    found = replace(clear, opinions=tuple(Opinion("another", one) for one in pi))

    assert f"without the model: {said}" in str(found)


def test_tests_that_could_not_be_made_are_not_spoken_of(clear):
    text = str(replace(clear, pair_test=None, labelling=None, omnibus=None, best_bin=None))

    assert not any(word in text for word in ("additivity", "labelling", "boosting", "upper bound"))


def test_a_diagnosis_can_be_told_with_another_interval(clear):
    first, *others = clear.in_words(clear.profile_interval).split("\n")

    assert first == f"pi is well determined: {clear.profile_interval}"
    assert others == str(clear).split("\n")[1:]


def test_warnings_stand_at_the_end(clear):
    found = replace(clear, verdict="weakly determined", findings=(Separated("s(x1)"), NeedsSmoothness(2.0)))
    lines = str(found).split("\n")

    assert lines[0].startswith("pi is weakly determined")
    assert lines[-2:] == [f"  ! {warning}" for warning in found.warnings]
