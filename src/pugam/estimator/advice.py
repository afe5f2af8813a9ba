"""What a user is told when a fit ends somewhere doubtful: what was seen, and what to do about it."""

from __future__ import annotations

from pugam.solvers import EDGE, PiPrior, Settings

__all__ = ["boundary_advice", "convergence_advice", "doubt_advice", "separation_advice"]


def boundary_advice(pi: float, settings: Settings) -> str:
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


def doubt_advice() -> str:
    """Advise on shrunken curves, and a pi of which rows say little."""
    return (
        "These rows say little about pi: it leans on features separating classes as well as they usually do. Fix or "
        "bound pi if you know something about it, or add rows, or features that tell positives from negatives; "
        "diagnose() says more."
    )


def separation_advice() -> str:
    """Advise on features that separate the classes."""
    return (
        "The terms separate positives from negatives (almost) perfectly, so the height of the curves is not determined "
        "and pi only counts the rows on one side; do not interpret odds ratios. Use fewer terms, more smoothing, "
        "or more rows."
    )
