"""Is what a fit reports the optimum that it claims to be? The likelihood of `likelihood` is asked.

A fit claims one of four things. Penalised: pi, intercept and curves together are at the top, or pi is fixed, or held
by the boundary. With the bias of smoothing taken out of pi: intercept and curves are at the top for the pi reported,
and all are for `pi_penalized_`. Shrunken: curves and intercept are at the top for `pi_penalized_`, and what is reported
are these curves, so many times as steep, where share, intercept and steepness fit rows held out best. By marginal
likelihood: intercept and curves are at the top for the pi reported, under priors of known variance, and the evidence
    M(pi) = value + (log |P| - log |H| + log I_aa) / 2,    H the information of intercept and curves, P of their priors,
is highest there, or pi is held by the boundary.
"""

import numpy as np

from misuse.held_out import check_held_out
from misuse.likelihood import Problem
from pugam.solvers import TUNING, MarginalFit
from pugam.solvers.laplace import Model, climb, log_evidence
from pugam.solvers.settling import Box, adjust

__all__ = ["check_adjustment", "check_evidence", "check_optimum", "problem_of"]

EDGE = 1e-5  # pi is kept so far from 0 and 1
# What may be left to gain in log-likelihood, in units of `tol`, and relative to the likelihood. With the default tol it
# is 0.0001, a seventieth of a standard error.
# EM's last step gained less than `tol` times a small weight, which is less than what many more steps would.
LEFT, ROUNDING = {"newton": 1.0, "em": 1000.0}, {"newton": 1e-8, "em": 1e-7}
# Of the width of the 95% interval, on the logit scale; and how much higher the evidence may be there.
# Variances settle slowly where bends or interactions are next to nothing, and stop where little changes: from another
# side they end elsewhere, in 4 of 95 odd tables with evidence that is 0.02 to 0.14 higher. At limits it falls by 1.92.
ASIDE, EVIDENCE_LEFT, EVIDENCE_ROUNDING, SETTLED = 0.05, 0.01, 1e-6, 0.2
CANCELLING = 1e-11  # of the total weight: what is left where huge weights cancel is rounding
SHARES = (0.001, 0.05, 0.2, 0.5, 0.8, 0.95, 0.999)


def problem_of(model):
    """The rows of a fit, with penalty and prior as the model's public parameters have them."""
    engine, _ = model._rows
    design = model._design
    weights = np.ones(engine.n_rows) if engine.weights is None else np.asarray(engine.weights)
    kappas = np.concatenate([np.zeros(0), *(np.atleast_1d(kappa) for kappa in model.smoothing_.values())])
    penalty = 2.0 * kappas @ design.roughness if design.ridge is None else design.ridge
    return Problem(design.matrix(engine.shown.encoded), np.asarray(engine.positive), weights, penalty, _prior(model))


def check_optimum(model, said=()):
    problem = problem_of(model)
    n0, n1 = problem.counts
    reported = np.concatenate([[_logit(model.pi_), model.alpha_ + _shift(model.pi_, n0, n1)], model.coef_])
    penalized = model._fit.penalized.beta
    rounding = 1e-14 * (n0 + n1)  # of rows whose weights cancel
    require_close(problem.loglik(reported), model.loglik_, "loglik_", rounding)
    require_close(problem.value(reported), model.penalized_loglik_, "penalized_loglik_", rounding)
    require_close(1.0 / (1.0 + np.exp(-penalized[0])), model.pi_penalized_, "pi_penalized_")
    fixed, shrunken = not isinstance(model.pi, tuple | None), model.shrinkage_ is not None
    check_boundary(model, problem, penalized, fixed)
    if not model.converged_:  # which it has said
        return
    # Curves that separate classes grow without bound, which it has said, too: there is no top, only less to gain.
    separated = any("separate positives from negatives" in message for message in said)
    if shrunken:
        require_top(model, problem, penalized, slice(1, None), "shrunken curves", separated)
        steepness = model._fit.adjustment.steepness
        np.testing.assert_allclose(model.coef_, steepness * penalized[2:], rtol=1e-9, atol=1e-12)
        return
    if isinstance(model._fit, MarginalFit):
        np.testing.assert_array_equal(model.coef_, penalized[2:])
        assert model.pi_ == model.pi_penalized_
        require_top(model, problem, reported, slice(1, None), "curves for the pi reported", separated)
        check_evidence(model, problem, reported)
        return
    if not model._fit.debiased:
        np.testing.assert_array_equal(model.coef_, penalized[2:])
    held = fixed or model.at_boundary_
    if fixed or not model.at_boundary_ or model.pi_penalized_ in _ends(model):
        require_top(model, problem, penalized, slice(1 if held else 0, None), "the penalised optimum", separated)
    require_top(model, problem, reported, slice(1, None), "curves for the pi reported", separated)
    if not separated:
        check_height(model, problem, penalized, fixed)


def check_evidence(model, problem, beta):
    """Require that the evidence is the one in `likelihood`, and no higher where pi is a little another.

    Variances follow pi.
    """
    assert (problem.penalty > 0.0).all()
    interval, fit = model.pi_interval(model_error=False), model._fit
    assert interval.lower <= model.pi_ <= interval.upper
    assert (np.diff(fit.curve.places) > 0.0).all()
    assert fit.curve.fall(beta[0]) <= EVIDENCE_LEFT, f"higher elsewhere, by {fit.curve.fall(beta[0]):.3g}"
    whole = Model.of(model._rows[0], model._design, model._settings.prior)
    logs = np.log(fit.precisions)
    np.testing.assert_allclose(whole.families.precision(logs), problem.penalty, rtol=1e-6)
    own = problem.log_evidence(beta) + 0.5 * np.sum(np.log(problem.penalty)) + whole.families.log_prior(logs)
    allowed = EVIDENCE_LEFT + EVIDENCE_ROUNDING * abs(own)
    assert abs(own - log_evidence(whole, fit.optimum, logs)) <= allowed
    low, high = _logit(np.array(_ends(model)))
    lower, upper = _logit(np.clip([interval.lower, interval.upper], EDGE, 1.0 - EDGE))
    for place in beta[0] + ASIDE * (upper - lower) * np.array([-1.0, 1.0]):
        if low < place < high:
            there = climb(whole, np.append(place, beta[1:]), logs)
            left = adjust(whole, there, Box.around(there), TUNING.settled_gain).value - own
            assert left <= allowed + SETTLED, f"the evidence is higher by {left:.3g} at another pi"


def check_adjustment(model):
    """Check what was made of rows held out; it takes as long as a fit."""
    check_held_out(model, _ends(model), _prior(model))


def require_top(model, problem, beta, free, what, separated=False):
    """Require that nothing worth mentioning can be gained from there."""
    value = problem.value(beta)
    solver = "newton" if model.shrinkage_ is not None else model.solver
    unit = float(np.quantile(problem.weights, TUNING.small_weights)) if solver == "em" else 1.0
    allowed = LEFT[solver] * model.tol * unit + ROUNDING[solver] * (1.0 + abs(value)) + CANCELLING * sum(problem.counts)
    allowed += max(1.0, problem.weights.max()) if separated else 0.0  # as much as one row has to tell
    for how, left in (("is there to gain", problem.gain(beta, free)), ("was gained", problem.climb(beta, free))):
        assert left is None or left <= allowed, f"{what}: {left:.3g} in log-likelihood {how}, allowed is {allowed:.3g}"


def check_height(model, problem, beta, fixed):
    """Require that neither starts nor obvious points lie higher: curves of zero, whatever pi is."""
    value = problem.value(beta)
    slack = LEFT[model.solver] * model.tol + ROUNDING[model.solver] * (1.0 + abs(value))
    low, high = _ends(model)
    shares = [model.pi_] if fixed else [np.clip(share, low, high) for share in SHARES]
    for share in shares:
        assert problem.flat_value(share) <= value + slack, f"curves of zero are better, pi = {share}"
    if model.smoothing != "reml":  # else starts have other smoothing parameters than the fit
        chosen = max(model.smoothing_.values(), default=0.0)
        for start in model.starts_:
            if start["kappa"] == chosen or not isinstance(model.smoothing, str):
                assert start["objective"] <= value + slack, f"a start ended higher: {start}, {value}"


def check_boundary(model, problem, penalized, fixed):
    """Require a fit on the boundary to say so, and to have been driven there."""
    if fixed:
        assert model.pi_ == model.pi_penalized_ == model.pi
        assert not model.at_boundary_
        return
    low, high = _ends(model)
    assert low <= model.pi_ <= high
    on_low, on_high = (
        [abs(pi - end) <= 1e-10 * min(end, 1.0 - end) for pi in (model.pi_, model.pi_penalized_)] for end in (low, high)
    )
    assert model.at_boundary_ or not any(on_low + on_high), f"pi = {model.pi_} is on the boundary, not at_boundary_"
    by_slope = model.shrinkage_ is None and not isinstance(model._fit, MarginalFit)  # else by evidence
    if by_slope and model.converged_ and (on_low[1] or on_high[1]):
        slope = problem.derivatives(penalized)[0][0]
        outwards = -slope if on_low[1] else slope
        assert outwards > -1e-3 * model.tol, f"nothing drives pi to the boundary: slope {slope:.3g}"


def require_close(ours, theirs, name, rounding=0.0):
    np.testing.assert_allclose(theirs, ours, rtol=1e-7, atol=1e-7 + rounding, err_msg=name)


def _prior(model):
    return {"weak": (2.0, 2.0), None: (1.0, 1.0)}.get(model.pi_prior, model.pi_prior)


def _ends(model):
    """The range of pi."""
    low, high = model.pi if isinstance(model.pi, tuple) else (0.0, 1.0)
    return float(np.clip(low, EDGE, 1.0 - EDGE)), float(np.clip(high, EDGE, 1.0 - EDGE))


def _logit(pi):
    return np.log(pi) - np.log1p(-pi)


def _shift(pi, n0, n1):
    """a - alpha."""
    return np.log((n0 + n1 * pi) / n1) - np.log1p(-pi)
