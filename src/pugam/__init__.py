"""Generalized additive models for positive-unlabelled data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pugam.errors import (
    FormulaError,
    InputError,
    NotIdentifiableError,
    PugamError,
    PugamWarning,
    SlowWarning,
    VerdictWarning,
)
from pugam.version import __version__

if TYPE_CHECKING:
    from pugam.estimator import PUGAM, load
    from pugam.terms import f, l, offset, r, s, te, ti

__all__ = [
    "PUGAM",
    "FormulaError",
    "InputError",
    "NotIdentifiableError",
    "PugamError",
    "PugamWarning",
    "SlowWarning",
    "VerdictWarning",
    "__version__",
    "f",
    "l",
    "load",
    "offset",
    "r",
    "s",
    "te",
    "ti",
]

# Imported when they are asked for: NumPy and scikit-learn take a second, in which the command line has to be able to
# end after Ctrl-C.
_TERMS = ("f", "l", "offset", "r", "s", "te", "ti")
_ROOMS = {"PUGAM": "estimator", "load": "estimator", **dict.fromkeys(_TERMS, "terms")}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
