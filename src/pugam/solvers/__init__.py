"""From sums to estimates: Fisher scoring, EM, starts, smoothing selection."""

from pugam.solvers.adjustment import Adjustment
from pugam.solvers.debiasing import correction_weights
from pugam.solvers.evidence import Canonical, Evidence, gather_evidence
from pugam.solvers.exploring import StartRecord
from pugam.solvers.held_out import HeldOutRows
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import EDGE, PiPrior, PiRange
from pugam.solvers.procedure import Fit, Fitted, Shrinkage, finish_fit, fit_best_design, fit_model
from pugam.solvers.refits import Refits, refit_resamples, reselect_resamples
from pugam.solvers.settings import Settings
from pugam.solvers.shrinkage import fit_shrunken, has_enough_rows, hold_out, make_folds, refit_shrunken
from pugam.solvers.smoothing import LINEAR_GRID, SMOOTH_GRID, aic, edf, edf_by_term
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.starts import GRID_SIZE

__all__ = [
    "EDGE",
    "GRID_SIZE",
    "LINEAR_GRID",
    "SMOOTH_GRID",
    "Adjustment",
    "Canonical",
    "Evidence",
    "Fit",
    "Fitted",
    "HeldOutRows",
    "Objective",
    "Optimum",
    "PiPrior",
    "PiRange",
    "Refits",
    "Settings",
    "Shrinkage",
    "Standpoint",
    "StartRecord",
    "aic",
    "correction_weights",
    "edf",
    "edf_by_term",
    "finish_fit",
    "fit_best_design",
    "fit_model",
    "fit_shrunken",
    "gather_evidence",
    "has_enough_rows",
    "hold_out",
    "make_folds",
    "refit_resamples",
    "refit_shrunken",
    "reselect_resamples",
]
