"""From estimates to uncertainty: covariances, intervals, bands."""

from pugam.inference.covariance import bayesian_covariance, pi_log_variance
from pugam.inference.effects import default_grid, effect_table
from pugam.inference.intervals import Interval, wald_interval_log

__all__ = [
    "Interval",
    "bayesian_covariance",
    "default_grid",
    "effect_table",
    "pi_log_variance",
    "wald_interval_log",
]
