"""The package's errors under one root class, its warnings, and the way to warn."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from operator import index
from typing import SupportsIndex

from pugam.messages import Message, Piece, Row, Words

__all__ = [
    "FormulaError",
    "InputError",
    "NotIdentifiableError",
    "PugamError",
    "PugamWarning",
    "RowError",
    "SlowWarning",
    "VerdictWarning",
    "warn_user",
]


class PugamError(Exception):
    """The root of all errors raised on purpose by pugam; as text, in Python's words.

    Examples
    --------
    >>> import pugam
    >>> pugam.PUGAM("x0 + x1").fit([[1.0, 2.0], [2.0, 1.0]], [1, 0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pugam.errors.InputError: There are fewer rows than parameters: 2 rows for 4 parameters ...
    """

    def __init__(self, *said: str | Piece | Message) -> None:
        super().__init__(Message(*said))

    @property
    def message(self) -> Message:
        """What is wrong, where, and what to do."""
        message: Message = self.args[0]
        return message

    def told(self, words: Words) -> str:
        """Return the message in the words of one kind of reader."""
        return self.message.told(words)


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
    """A fault in a row of a table: text, the number of the row, text."""

    def __init__(self, *said: str | SupportsIndex | Piece | Message) -> None:
        super().__init__(*(Row(index(part)) if isinstance(part, SupportsIndex) else part for part in said))

    def placed(self, place: Callable[[int], str | Row]) -> RowError:
        """Return the error with another place for its row, such as `data.csv, line 19`."""
        return type(self)(self.message.replaced(Row, lambda row: place(row.number)))


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
    pugam.errors.NotIdentifiableError: The model has the single term s(x1) (of 5 feature(s)): with fewer than two ...
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


class SlowWarning(PugamWarning):
    """What was asked for takes very long; the message says what would be quicker. It comes before the work begins.

    Examples
    --------
    >>> import warnings
    >>> import pugam
    >>> warnings.simplefilter("error", pugam.SlowWarning)  # rather not begin
    >>> warnings.simplefilter("default", pugam.SlowWarning)
    """


class VerdictWarning(PugamWarning):
    """pi is not well determined, or the model does not fit the rows; the message has the verdict and its reasons.

    Examples
    --------
    >>> import warnings
    >>> import pugam
    >>> warnings.simplefilter("ignore", pugam.VerdictWarning)  # verdicts are read elsewhere
    >>> warnings.simplefilter("default", pugam.VerdictWarning)
    """


def warn_user(*said: str | Piece | Message, category: type[Warning] = PugamWarning) -> None:
    """Warn at the line of the caller outside the package, however deep inside it the reason was found."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(category(Message(*said)), stacklevel=level)
