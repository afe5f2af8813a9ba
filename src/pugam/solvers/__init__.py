"""From sums to estimates: Fisher scoring, EM, starts, smoothing selection."""

from pugam.solvers.objective import EDGE, Objective, PiPrior, PiRange
from pugam.solvers.optimum import Optimum
from pugam.solvers.procedure import Fit, Settings, StartRecord, finish_fit, fit_model
from pugam.solvers.refits import Refits, refit_resamples, reselect_resamples
from pugam.solvers.smoothing import LINEAR_GRID, SMOOTH_GRID, edf
from pugam.solvers.starts import GRID_SIZE

__all__ = [
    "EDGE",
    "GRID_SIZE",
    "LINEAR_GRID",
    "SMOOTH_GRID",
    "Fit",
    "Objective",
    "Optimum",
    "PiPrior",
    "PiRange",
    "Refits",
    "Settings",
    "StartRecord",
    "edf",
    "finish_fit",
    "fit_model",
    "refit_resamples",
    "reselect_resamples",
]
