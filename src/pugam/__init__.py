"""Generalized additive models for positive-unlabelled data."""

from __future__ import annotations

from pugam.version import __version__

TYPE_CHECKING = False  # the module `typing` takes longer to import than all else here
if TYPE_CHECKING:
    from typing import Any

    from pugam.errors import (
        FormulaError,
        InputError,
        NotIdentifiableError,
        PugamError,
        PugamWarning,
        SlowWarning,
        VerdictWarning,
    )
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
# end after Ctrl-C, and it cannot listen to it before this module has been imported.
_ERRORS = (
    "FormulaError",
    "InputError",
    "NotIdentifiableError",
    "PugamError",
    "PugamWarning",
    "SlowWarning",
    "VerdictWarning",
)
_TERMS = ("f", "l", "offset", "r", "s", "te", "ti")
_ROOMS = {
    "PUGAM": "estimator",
    "load": "estimator",
    **dict.fromkeys(_TERMS, "terms"),
    **dict.fromkeys(_ERRORS, "errors"),
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
