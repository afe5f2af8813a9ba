"""Climbing from many starts."""

import numpy as np
import pytest

from pugam.solvers import PiPrior, PiRange
from pugam.solvers.exploring import _flat_curves


@pytest.mark.parametrize("prior", [PiPrior(), PiPrior(1.0, 1.0), PiPrior(0.0, 49.0)], ids=["flat", "weak", "low"])
@pytest.mark.parametrize(
    "pi_range", [PiRange(), PiRange(0.2, 0.3), PiRange(0.6, 0.6)], ids=["free", "bounded", "known"]
)
def test_the_objective_at_curves_of_zero_is_known_without_the_rows(make_problem, prior, pi_range):
    objective = make_problem(2, n0=200, n=300).objective(1e-2, prior)

    beta, value = _flat_curves(objective, pi_range)
    others = np.array([objective.layout.with_share(beta, logit) for logit in np.linspace(*pi_range.logits, 9)])
    at = objective.evaluate(np.vstack([beta, others]))

    assert value == pytest.approx(at.value[0], rel=1e-12)
    assert value >= at.value.max() - 1e-9
