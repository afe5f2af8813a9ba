"""Kinds of terms, each in a file of its own; importing this package makes them known."""

from pugam.terms.kinds.factor import Factor, FactorBasis, f
from pugam.terms.kinds.linear import Linear, LinearBasis, l
from pugam.terms.kinds.smooth import Smooth, SmoothBasis, s

__all__ = ["Factor", "FactorBasis", "Linear", "LinearBasis", "Smooth", "SmoothBasis", "f", "l", "s"]
