"""Are share, intercept and steepness of shrunken curves those that fit rows held out best?

    P(z = 1 | t) = c expit(a + b t),    c = n0 / (n0 + n1 pi)

of scores t, with the densities that `pugam.solvers.held_out` states: the prior on pi, and log D ~ N(log 8, 1.2^2) for
D = b (mean t of labelled - mean t of unlabelled rows) / (1 - pi).
"""

import numpy as np
from scipy.optimize import minimize

from pugam.solvers import Objective, PiPrior
from pugam.solvers.shrinkage import hold_out, make_folds

__all__ = ["check_held_out"]

USUAL, SPREAD, LEAST_DIFFERENCE = 8.0, 1.2, 1e-3
# Scores in units of their spread: intercept and log steepness lie within these.
INTERCEPT, LOG_STEEPNESS = (-300.0, 300.0), (-8.0, 2.0)
ALLOWED = 0.01  # in log-likelihood


def check_held_out(model, ends, prior):
    """Require that little can be gained near the share, intercept and steepness that were found."""
    engine, fit = model._rows[0], model._fit
    objective = Objective(engine, model._design.ridge, PiPrior(prior[0] - 1.0, prior[1] - 1.0))
    rows = hold_out(objective, fit.penalized, make_folds(engine))
    found = fit.adjustment
    centre = float(np.median(rows.scores))
    apart = rows.scores - np.average(rows.scores, weights=rows.weights)
    spread = float(np.sqrt(np.average(apart**2, weights=rows.weights))) or 1.0
    t = (rows.scores - centre) / spread

    def loss(point):
        return -_value(point, t, rows.positive, rows.weights, prior)

    at_centre, log_steepness = found.intercept + found.steepness * centre, np.log(found.steepness * spread)
    start = np.array([found.logit_pi, at_centre, log_steepness])
    fixed = not isinstance(model.pi, tuple | None)
    logits = [(start[0], start[0])] if fixed else [tuple(_logit(np.array(ends)))]
    bounds = [*logits, INTERCEPT, LOG_STEEPNESS]
    np.testing.assert_allclose(-loss(start), found.value, rtol=1e-6, atol=1e-6)
    higher = minimize(loss, np.clip(start, *np.transpose(bounds)), method="L-BFGS-B", bounds=bounds)
    left = loss(start) - higher.fun
    assert left <= ALLOWED + 1e-6 * abs(found.value), f"rows held out: {left:.3g} in log-likelihood was gained"


def _value(point, t, labelled, weights, prior):
    logit_pi, a, log_b = point
    pi = 1.0 / (1.0 + np.exp(-logit_pi))
    n0, n1 = weights[labelled].sum(), weights[~labelled].sum()
    s = a + np.exp(log_b) * t
    small = np.exp(-np.abs(s))
    above, below = np.where(s >= 0, 1.0, small) / (1.0 + small), np.where(s >= 0, small, 1.0) / (1.0 + small)
    c, d = n0 / (n0 + n1 * pi), n1 * pi / (n0 + n1 * pi)
    log_labelled, log_hidden = np.log(c) - np.logaddexp(0.0, -s), np.log(below + d * above)
    total = weights @ np.where(labelled, log_labelled, log_hidden)
    total += (prior[0] - 1.0) * np.log(pi) + (prior[1] - 1.0) * np.log1p(-pi)
    means = [np.average(t[rows], weights=weights[rows]) for rows in (labelled, ~labelled)]
    log_distance = log_b + np.log(max(means[0] - means[1], LEAST_DIFFERENCE)) - np.log1p(-pi)
    return float(total - 0.5 * ((log_distance - np.log(USUAL)) / SPREAD) ** 2)


def _logit(share):
    return np.log(share) - np.log1p(-share)
