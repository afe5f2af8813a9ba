"""The scikit-learn class that orchestrates a fit."""

from pugam.estimator.options import EngineName, read_engine
from pugam.estimator.pugam import PUGAM

__all__ = ["PUGAM", "EngineName", "read_engine"]
