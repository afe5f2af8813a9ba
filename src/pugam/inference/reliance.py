"""What the precision of pi rests on: curves that are known, and curves that are smooth."""

from __future__ import annotations

import numpy as np

from pugam.inference.hypotheses import reference_penalty, tested_columns
from pugam.linear_algebra import inverse
from pugam.solvers import Fitted, Optimum, PiRange, gather_evidence

__all__ = ["inflation", "reliance"]


def inflation(optimum: Optimum) -> float:
    """Variance of logit pi, times its information were all else known."""
    hessian, share = optimum.hessian, optimum.layout.share
    return float(optimum.covariance(PiRange())[share, share] * hessian[share, share])


def reliance(fitted: Fitted) -> float:
    """Standard error of logit pi were the curves free to bend, relative to what it is."""
    optimum, design = fitted.fit.penalized, fitted.design
    evidence = gather_evidence(optimum, slice(None))
    freer = optimum.curvature.copy()
    for term, basis in enumerate(design.bases):
        if basis.bends is not None and basis.bends.any():
            bending = tested_columns(design, term, "linear")
            columns = design.layout.all_coefficients[bending]
            freer[columns] = np.minimum(freer[columns], reference_penalty(evidence, design, bending))
    share = design.layout.share
    free = optimum.directions(share_fixed=False)
    variances = [
        float(inverse(optimum.information + np.diag(curvature), free)[share, share])
        for curvature in (freer, optimum.curvature)
    ]
    return float(np.sqrt(variances[0] / variances[1]))
