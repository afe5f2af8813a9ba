"""The package's errors under one root class, its warning, and the way to warn."""

from __future__ import annotations

import sys
import warnings

__all__ = ["FormulaError", "InputError", "NotIdentifiableError", "PugamError", "PugamWarning", "warn_user"]


class PugamError(Exception):
    """The root of all errors raised on purpose by pugam."""


class InputError(PugamError, ValueError):
    """Data or arguments that cannot be used; the message says what, where and what to do."""


class FormulaError(InputError):
    """A formula that cannot be read; the message points at the character."""


class NotIdentifiableError(InputError):
    """A model in which the data cannot determine pi, whatever their size."""


class PugamWarning(UserWarning):
    """Something the user should know about the data or the fit, with a remedy."""


def warn_user(message: str, category: type[Warning] = PugamWarning) -> None:
    """Warn at the line of the caller outside the package, however deep inside it the reason was found."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
