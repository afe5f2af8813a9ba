"""The package's errors under one root class, its warning, and the way to warn."""

from __future__ import annotations

import sys
import warnings

__all__ = [
    "FormulaError",
    "InputError",
    "NotIdentifiableError",
    "PugamError",
    "PugamWarning",
    "RowError",
    "warn_user",
]


class PugamError(Exception):
    """The root of all errors raised on purpose by pugam.

    Examples
    --------
    >>> import pugam
    >>> pugam.PUGAM("x0 + x1").fit([[1.0, 2.0], [2.0, 1.0]], [1, 0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pugam.errors.InputError: There are fewer rows than parameters: n_samples = 2 rows for 4 parameters ...
    """


class InputError(PugamError, ValueError):
    """Data or arguments that cannot be used; the message says what, where and what to do.

    Examples
    --------
    >>> import pugam
    >>> pugam.PUGAM().fit([[1.0, 2.0], [2.0, 1.0]], [1, 1])
    Traceback (most recent call last):
    pugam.errors.InputError: z has only one class: every row is a labelled positive. Add the unlabelled rows, coded 0.
    """


class RowError(InputError):
    """A fault in a row of a table: text, `row 17`, text.

    Rows count from 0, as in a data frame; who knows where the row came from can tell that place instead.
    """

    def __init__(self, before: str, row: int, after: str) -> None:
        super().__init__(before, int(row), after)
        self.row = int(row)

    def __str__(self) -> str:
        return self.told(f"row {self.row}")

    def told(self, place: str) -> str:
        """Return the message with another name for the place, such as `data.csv, line 19`."""
        before, _, after = self.args
        return f"{before}{place}{after}"


class FormulaError(InputError):
    """A formula that cannot be read; the message points at the character.

    Examples
    --------
    >>> import pugam
    >>> pugam.PUGAM("s(age) + l(dose").fit([[1.0, 2.0], [2.0, 1.0]], [1, 0])
    Traceback (most recent call last):
    pugam.errors.FormulaError: l( is never closed; write a closing ) after its column and options.
    s(age) + l(dose
                   ^
    """


class NotIdentifiableError(InputError):
    """A model in which the data cannot determine pi, whatever their size.

    Examples
    --------
    >>> import pugam
    >>> from pugam.datasets import simulate
    >>> data = simulate(1, n0=80, n=100, random_state=0)
    >>> pugam.PUGAM("s(x1)").fit(data.X, data.z)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pugam.errors.NotIdentifiableError: The model has the single term s(x1) (n_features = 5): with fewer than two ...
    """


class PugamWarning(UserWarning):
    """Something the user should know about the data or the fit, with a remedy.

    Examples
    --------
    >>> import warnings
    >>> import pugam
    >>> warnings.simplefilter("error", pugam.PugamWarning)  # none is to be overlooked
    >>> warnings.simplefilter("default", pugam.PugamWarning)
    """


def warn_user(message: str, category: type[Warning] = PugamWarning) -> None:
    """Warn at the line of the caller outside the package, however deep inside it the reason was found."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
