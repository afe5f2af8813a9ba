"""The model with pi fixed elsewhere: the values chosen, and the fits at them."""

import numpy as np
import pytest

from pugam import PUGAM, InputError
from pugam.datasets import simulate
from pugam.inference import Interval
from pugam.inference.sensitivity import Sensitivity, values_around

DATA = simulate(2, n0=800, n=1000, pi=0.4, random_state=0)


def test_a_fit_held_elsewhere_is_the_fit_with_pi_fixed_there():
    smoothing = {"x1": 1e-3, "x2": 1e-3}
    model = PUGAM("s(x1) + s(x2)", smoothing=smoothing, tol=1e-8).fit(DATA.X, DATA.z)
    held = model.sensitivity([0.2, 0.6])

    for place, pi in enumerate((0.2, 0.6)):
        fixed = PUGAM("s(x1) + s(x2)", smoothing=smoothing, pi=pi, tol=1e-8).fit(DATA.X, DATA.z)
        assert held.alpha[place] == pytest.approx(fixed.alpha_, abs=1e-6)
        np.testing.assert_allclose(held.coef[place], fixed.coef_, atol=1e-6)
        posterior = fixed.predict_proba(DATA.X)[DATA.z == 0, 1]
        assert held.share_positive[place] == pytest.approx(np.mean(posterior > 0.5))


def test_printed_it_is_a_table():
    held = Sensitivity(
        np.array([0.2, 0.4]), np.array([5.123, 0.0]), np.zeros(2), np.zeros((2, 9)), np.array([0.25, 0.5])
    )

    assert [line.split() for line in str(held).splitlines()] == [
        ["pi", "fixed", "deviance", "called", "positive"],
        ["0.200", "5.12", "0.250"],
        ["0.400", "0.00", "0.500"],
    ]
    assert {len(line) for line in str(held).splitlines()} == {35}
    assert repr(held) == str(held)


def test_values_are_sorted_and_checked():
    model = PUGAM("s(x1) + s(x2)", smoothing=1e-3).fit(DATA.X, DATA.z)

    np.testing.assert_array_equal(model.sensitivity([0.5, 0.3, 0.5]).pi, [0.3, 0.5])
    with pytest.raises(InputError, match="share strictly between 0 and 1"):
        model.sensitivity([0.5, 1.5])


@pytest.mark.parametrize(
    ("interval", "estimate"),
    [((0.2, 0.5), 0.3), ((0.0, 1.0), 0.6), ((0.0, 0.02), 0.001), ((0.97, 1.0), 0.999), (None, 0.25)],
)
def test_values_around_rise_through_the_estimate_and_leave_the_interval(interval, estimate):
    held = None if interval is None else Interval(estimate, *interval, 0.95, "profile")

    values = values_around(held, estimate, 11, 1.0)

    assert np.all(np.diff(values) > 0.0)
    assert estimate in values
    assert values[0] > 0.0
    assert values[-1] < 1.0
    if interval is not None and interval[0] > 0.02:
        assert values[0] < interval[0]
        assert values[-1] > interval[1] or interval[1] > 0.95
