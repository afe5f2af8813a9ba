"""The scikit-learn class that orchestrates a fit."""

from pugam.estimator.pugam import PUGAM

__all__ = ["PUGAM"]
