"""What a user is told when a fit ends somewhere doubtful: what was seen, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pugam.inference import find_open_effects, is_separated, open_effects_advice, says_little
from pugam.solvers import EDGE, Fitted, PiPrior, Settings

__all__ = ["advice_on", "convergence_advice"]


def advice_on(fitted: Fitted) -> Iterator[str]:
    """Advise on an optimum that leaves pi or effects open."""
    fit, pi_range = fitted.fit, fitted.settings.pi_range
    shares = pi_range.clip(np.array([fit.penalized.pi, fit.optimum.pi]))
    on_edge = [float(pi) for pi in shares if not pi_range.fixed and not pi_range.is_inside(pi)]
    if on_edge:
        yield _boundary_advice(on_edge[0], fitted.settings)
    if is_separated(fitted):
        yield _separation_advice()
    else:
        yield from open_effects_advice(find_open_effects(fitted))
    if fit.shrinkage is not None and says_little(fitted):
        yield _doubt_advice()


def _boundary_advice(pi: float, settings: Settings) -> str:
    """Advise on an estimate of pi that lies on an end of its range."""
    low, high = settings.pi_range.limits
    if EDGE < pi < 1.0 - EDGE:
        return (
            f"The estimate of pi lies on the boundary of the range you gave, {low:g} to {high:g}: "
            "the likelihood rises beyond it. Widen the bounds, or ask what they rest on."
        )
    remedy = "use pi_prior='weak', " if settings.prior == PiPrior() else ""
    return (
        f"The estimate of pi ran to the boundary ({pi:.2g}): these data do not determine it. Fix or bound pi if you "
        f"know something about it, {remedy}or add features that tell positives from negatives."
    )


def convergence_advice(settings: Settings) -> str:
    """Advise on a climb that did not end at an optimum."""
    other = " or solver='newton'," if settings.solver == "em" else ""
    return (
        f"The fit did not converge within max_iter = {settings.max_iter} iterations. Try a larger max_iter,{other} "
        "fewer terms, or more smoothing."
    )


def _doubt_advice() -> str:
    """Advise on shrunken curves, and a pi of which rows say little."""
    return (
        "These rows say little about pi: the estimate mostly reflects how well features usually separate classes. Fix "
        "or bound pi if you know something about it, or add rows, or features that tell positives from negatives; "
        "diagnose() says more."
    )


def _separation_advice() -> str:
    """Advise on features that separate the classes."""
    return (
        "The terms separate positives from negatives (almost) perfectly, so the height of the curves is not determined "
        "and pi only counts the rows on one side; do not interpret odds ratios. Use fewer terms, more smoothing, "
        "or more rows."
    )
