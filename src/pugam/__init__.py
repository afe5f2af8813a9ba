"""Generalized additive models for positive-unlabelled data."""

from pugam.errors import FormulaError, InputError, NotIdentifiableError, PugamError, PugamWarning
from pugam.estimator import PUGAM
from pugam.terms import f, l, s

__version__ = "0.1.0"

__all__ = [
    "PUGAM",
    "FormulaError",
    "InputError",
    "NotIdentifiableError",
    "PugamError",
    "PugamWarning",
    "f",
    "l",
    "s",
]
