"""The scikit-learn class that orchestrates a fit, and the way to load a saved one."""

from pugam.estimator.again import same_settings
from pugam.estimator.loading import load
from pugam.estimator.options import EngineName, EstimateName, ShrinkageName, read_engine, read_share
from pugam.estimator.pugam import PUGAM
from pugam.estimator.training import is_large, read_on_cluster
from pugam.estimator.worklists import read_cutoff

__all__ = [
    "PUGAM",
    "EngineName",
    "EstimateName",
    "ShrinkageName",
    "is_large",
    "load",
    "read_cutoff",
    "read_engine",
    "read_on_cluster",
    "read_share",
    "same_settings",
]
