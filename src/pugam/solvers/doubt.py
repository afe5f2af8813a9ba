"""Does a smoothed fit leave pi in doubt? Where it does, shrunken curves take its place."""

from __future__ import annotations

import numpy as np

from pugam.engines import Engine
from pugam.solvers.fits import FittedKind, SmoothedFit
from pugam.solvers.optimum import Optimum
from pugam.solvers.precision import pi_limits
from pugam.solvers.tuning import TUNING
from pugam.solvers.weighted import count_rows
from pugam.terms import Design

__all__ = ["has_enough_rows", "is_doubtful", "rows_in_doubt"]


def has_enough_rows(design: Design, engine: Engine) -> bool:
    """Whether there are rows enough for the columns that no smoothing restrains."""
    return min(engine.n0, engine.n1) >= TUNING.fewest_rows_per_column * _n_free(design)


def is_doubtful(fitted: FittedKind[SmoothedFit]) -> bool:
    """Whether too few rows tell how steep curves are, or pi is left undetermined: shrunken curves may do better."""
    fit, pi_range = fitted.fit, fitted.settings.pi_range
    if pi_range.fixed:
        return False
    if rows_in_doubt(fitted.engine, fit.penalized) < TUNING.fewest_doubtful_rows_per_column * _n_free(fitted.design):
        return True
    inside = all(pi_range.is_inside(one.pi) for one in (fit.penalized, fit.optimum))
    lower, upper = pi_limits(fit, fitted.engine.n0, fitted.engine.n1, pi_range.limits)
    says_little = upper - lower > TUNING.undetermined
    if pi_range.limits != (0.0, 1.0):  # bounds that someone gave may bind: that is what they are for
        return inside and says_little
    return not inside or says_little


def rows_in_doubt(engine: Engine, curves: Optimum) -> float:
    """How many rows are left whose class the model doubts: each adds up to a quarter of its weight to the information.

    It is they that tell how steep curves are.
    """
    mean_weight = (engine.n0 + engine.n1) / count_rows(engine)
    intercept = curves.layout.intercept
    return float(4.0 * curves.information[intercept, intercept] / mean_weight)


def _n_free(design: Design) -> int:
    return int(np.count_nonzero(~design.is_penalized))
