"""What a fit shows at once, without a diagnosis: whether it ended somewhere doubtful."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pugam.inference import findings
from pugam.inference.diagnosis import find_separating
from pugam.inference.findings import Finding
from pugam.inference.fixed_share import find_contradiction
from pugam.inference.kinds import inference_of
from pugam.inference.verdict import find_boundary, find_open
from pugam.solvers import Fitted, PiPrior, Settings

__all__ = ["first_look", "not_converged"]


def first_look(fitted: Fitted) -> Iterator[Finding]:
    """Find an optimum that leaves pi or effects open, or a climb that did not reach one."""
    inference = inference_of(fitted)
    yield from _boundary(fitted)
    yield from find_contradiction(fitted)
    separating = find_separating(fitted)
    if separating is not None:
        yield findings.Separated(separating)
    else:
        yield from find_open(inference.open_effects(fitted.engine))
    if inference.says_little:
        yield findings.SaysLittle()
    if not fitted.fit.converged:
        yield not_converged(fitted.settings)


def not_converged(settings: Settings) -> findings.NotConverged:
    """Tell of a climb that did not end at an optimum."""
    return (findings.EmNotConverged if settings.solver == "em" else findings.NotConverged)(settings.max_iter)


def _boundary(fitted: Fitted) -> Iterator[Finding]:
    fit, pi_range = fitted.fit, fitted.settings.pi_range
    shares = pi_range.clip(np.array([fit.penalized.pi, fit.optimum.pi]))
    on_edge = [float(pi) for pi in shares if not pi_range.fixed and not pi_range.is_inside(pi)]
    for pi in on_edge[:1]:
        found = find_boundary(pi, pi_range.limits)
        if isinstance(found, findings.RanToBoundary) and fitted.settings.prior == PiPrior():
            found = findings.RanToBoundaryWithoutPrior(found.end)
        yield found
