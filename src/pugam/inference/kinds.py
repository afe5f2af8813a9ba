"""Which class answers for which kind of fit: the one place where it is asked."""

from __future__ import annotations

from typing import Any

from pugam.inference.kind import Inference
from pugam.inference.marginal import MarginalInference
from pugam.inference.profile import PiProfile
from pugam.inference.shrunken import ShrunkenInference
from pugam.inference.smoothed import SmoothedInference
from pugam.solvers import Fit, Fitted, MarginalFit, Settings, ShrunkenFit, SmoothedFit
from pugam.terms import Design

__all__ = ["inference_of", "make_inference", "profile_of"]

KINDS: dict[type[Fit], type[Inference[Any]]] = {
    SmoothedFit: SmoothedInference,
    ShrunkenFit: ShrunkenInference,
    MarginalFit: MarginalInference,
}


def make_inference(fit: Fit, design: Design, settings: Settings, n0: float, n1: float) -> Inference[Fit]:
    """Prepare what can be said of a fit, of which the rows may be gone."""
    return KINDS[type(fit)](fit, design, settings, n0, n1)


def inference_of(fitted: Fitted) -> Inference[Fit]:
    """Prepare what can be said of a fit with its rows."""
    return make_inference(fitted.fit, fitted.design, fitted.settings, fitted.engine.n0, fitted.engine.n1)


def profile_of(fitted: Fitted) -> PiProfile:
    """Prepare the profile of pi."""
    return inference_of(fitted).profile(fitted.engine)
