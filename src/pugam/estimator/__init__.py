"""The scikit-learn class that orchestrates a fit, and the way to load a saved one."""

from pugam.estimator.loading import load
from pugam.estimator.options import EngineName, read_engine, read_share
from pugam.estimator.pugam import PUGAM

__all__ = ["PUGAM", "EngineName", "load", "read_engine", "read_share"]
