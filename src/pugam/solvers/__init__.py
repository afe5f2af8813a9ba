"""From sums to estimates: Fisher scoring, EM, starts, smoothing selection."""

from pugam.solvers.adjustment import Adjustment
from pugam.solvers.averaging import Averaging, fit_averaging
from pugam.solvers.constraints import constraint_rows, project, project_all
from pugam.solvers.dealing import Dealing, deal_rows, kinds_of_rows
from pugam.solvers.debiasing import correction_weights
from pugam.solvers.doubt import has_enough_rows, is_doubtful, rows_in_doubt
from pugam.solvers.evidence import Canonical, Evidence, gather_evidence
from pugam.solvers.evidence_profile import EvidenceCurve
from pugam.solvers.exploring import StartRecord
from pugam.solvers.fits import (
    Fit,
    Fitted,
    FittedKind,
    LabellingFit,
    MarginalFit,
    PooledShares,
    SampledShares,
    Search,
    ShrunkenFit,
    SmoothedFit,
    Survey,
)
from pugam.solvers.held_out import HeldOutRows
from pugam.solvers.joint_kinds import JointKinds, fit_jointly
from pugam.solvers.moments import covariance_among, effect_variances, mean_products
from pugam.solvers.objective import Objective
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import EDGE, PiPrior, PiRange
from pugam.solvers.positive_clusters import find_clusters
from pugam.solvers.precision import labelling_direction, labelling_score, movement, pi_log_variance
from pugam.solvers.refits import Refits, refit, refit_resamples, reselect_resamples
from pugam.solvers.sampled_objective import SampledMode
from pugam.solvers.samples import (
    count_samples,
    fix_shares,
    predictors_by_sample,
    refit_unaudited,
    sampled_loglik,
    sampled_mode,
)
from pugam.solvers.settings import Settings
from pugam.solvers.shrinkage import hold_out, make_folds, refit_shrunken
from pugam.solvers.smoothing import LINEAR_GRID, SMOOTH_GRID, aic, edf, edf_by_term
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.starts import GRID_SIZE
from pugam.solvers.strategy import STAGES, Stage, choose_fit, finish_fit, fit_smoothed
from pugam.solvers.tuning import TUNING, Tuning
from pugam.solvers.weighted import are_copies, count_rows, quantiles

__all__ = [
    "EDGE",
    "GRID_SIZE",
    "LINEAR_GRID",
    "SMOOTH_GRID",
    "STAGES",
    "TUNING",
    "Adjustment",
    "Averaging",
    "Canonical",
    "Dealing",
    "Evidence",
    "EvidenceCurve",
    "Fit",
    "Fitted",
    "FittedKind",
    "HeldOutRows",
    "JointKinds",
    "LabellingFit",
    "MarginalFit",
    "Objective",
    "Optimum",
    "PiPrior",
    "PiRange",
    "PooledShares",
    "Refits",
    "SampledMode",
    "SampledShares",
    "Search",
    "Settings",
    "ShrunkenFit",
    "SmoothedFit",
    "Stage",
    "Standpoint",
    "StartRecord",
    "Survey",
    "Tuning",
    "aic",
    "are_copies",
    "choose_fit",
    "constraint_rows",
    "correction_weights",
    "count_rows",
    "count_samples",
    "covariance_among",
    "deal_rows",
    "edf",
    "edf_by_term",
    "effect_variances",
    "find_clusters",
    "finish_fit",
    "fit_averaging",
    "fit_jointly",
    "fit_smoothed",
    "fix_shares",
    "gather_evidence",
    "has_enough_rows",
    "hold_out",
    "is_doubtful",
    "kinds_of_rows",
    "labelling_direction",
    "labelling_score",
    "make_folds",
    "mean_products",
    "movement",
    "pi_log_variance",
    "predictors_by_sample",
    "project",
    "project_all",
    "quantiles",
    "refit",
    "refit_resamples",
    "refit_shrunken",
    "refit_unaudited",
    "reselect_resamples",
    "rows_in_doubt",
    "sampled_loglik",
    "sampled_mode",
]
