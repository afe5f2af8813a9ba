"""Generalized additive models for positive-unlabelled data."""

from pugam.errors import FormulaError, InputError, NotIdentifiableError, PugamError, PugamWarning
from pugam.estimator import PUGAM, load
from pugam.terms import f, l, s
from pugam.version import __version__

__all__ = [
    "PUGAM",
    "FormulaError",
    "InputError",
    "NotIdentifiableError",
    "PugamError",
    "PugamWarning",
    "__version__",
    "f",
    "l",
    "load",
    "s",
]
