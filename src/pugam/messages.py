"""What users are told: text, and pieces that each kind of reader is told in words of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

__all__ = [
    "Argument",
    "DroppingRows",
    "FittingAlone",
    "InFormula",
    "LeavingOut",
    "LeavingUnscored",
    "Message",
    "MissingEffect",
    "NamingPositive",
    "Piece",
    "ReadingCsv",
    "Row",
    "See",
    "ShellQuotes",
    "UnseenZero",
    "Words",
    "counted",
    "filled",
    "first_and_more",
    "first_of",
    "in_formula",
    "in_lines",
    "in_percent",
    "in_python",
    "printable",
]


@dataclass(frozen=True)
class Row:
    """A row of a table, counted from 0 as in a data frame; whoever read it from a file can name the place in it."""

    number: int


@dataclass(frozen=True)
class Argument:
    """An argument by its name in Python, and perhaps what to give it."""

    name: str
    value: object = None


@dataclass(frozen=True)
class See:
    """Where more is to be seen: the diagnosis, or one of its pictures."""

    what: Literal["diagnosis", "sensitivity", "calibration", "labelling"]


@dataclass(frozen=True)
class LeavingOut:
    """How to leave columns out; those that identify rows may serve to name them."""

    columns: tuple[str, ...]
    identify: bool = False


@dataclass(frozen=True)
class FittingAlone:
    """How to fit unlabelled samples one by one."""


@dataclass(frozen=True)
class DroppingRows:
    """How to leave rows out that lack a value."""


@dataclass(frozen=True)
class MissingEffect:
    """How to permit missing values, by a term that does so: in this fit, or in one to be made again."""

    term: str
    again: bool = False


@dataclass(frozen=True)
class LeavingUnscored:
    """Advice to leave rows without a score that cannot have one; other advice follows."""


@dataclass(frozen=True)
class NamingPositive:
    """How to say which value marks a labelled positive, in place of coding labels anew; some values."""

    values: tuple[object, ...]


@dataclass(frozen=True)
class UnseenZero:
    """How to permit levels that the fit never saw, by a term that does so."""

    term: str


@dataclass(frozen=True)
class ReadingCsv:
    """How to read a CSV file with another delimiter, or another sign before decimals."""

    what: Literal["delimiter", "decimal"]
    sign: str


@dataclass(frozen=True)
class InFormula:
    """A place in a formula: what stands there is wrong."""

    formula: str
    position: int


@dataclass(frozen=True)
class ShellQuotes:
    """A word in a formula that perhaps lost its quotes to a shell."""


Piece = (
    Row
    | Argument
    | See
    | LeavingOut
    | FittingAlone
    | DroppingRows
    | MissingEffect
    | LeavingUnscored
    | NamingPositive
    | UnseenZero
    | ReadingCsv
    | InFormula
    | ShellQuotes
)
Kind = TypeVar("Kind", Row, DroppingRows, MissingEffect, LeavingUnscored)
Words = Callable[[Piece], str]

LITTLE = 0.001  # a share that is not told more closely
LONGEST_QUOTED, MOST_SHOWN = 400, 100  # characters of a name or cell; of a longer one, so many are shown
QUOTED_OR_WORD = re.compile(rf"(?<!\w)(['\"])(?:(?!\1).)*\1(?!\w)|(?<!\S)\S{{{LONGEST_QUOTED},}}", flags=re.DOTALL)
PANDAS_NAMES = {"delimiter": "sep", "decimal": "decimal"}
PYTHON_CALLS = {
    "diagnosis": "diagnose()",
    "sensitivity": "plot('sensitivity')",
    "calibration": "plot('calibration')",
    "labelling": "plot('labelling')",
}


def counted(count: int, noun: str) -> str:
    """Count things in words.

    Examples
    --------
    >>> from pugam.messages import counted
    >>> counted(1, "row"), counted(1234, "row")
    ('1 row', '1,234 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_percent(share: float) -> str:
    """Write a share in percent: never nothing of what there is.

    Examples
    --------
    >>> from pugam.messages import in_percent
    >>> in_percent(0.314), in_percent(0.0052), in_percent(1e-4), in_percent(0.0)
    ('31%', '0.5%', 'less than 0.1%', '0%')
    """
    if 0.0 < share < LITTLE:
        return f"less than {LITTLE:.1%}"
    return f"{share:.1%}" if 0.0 < share < 10.0 * LITTLE else f"{share:.0%}"


def in_python(piece: Piece) -> str:
    """Word a piece of a message for those who use pugam in Python."""
    match piece:
        case Row(number):
            return f"row {number}"
        case Argument(name, value):
            return name if value is None else f"{name}={value!r}"
        case See(what):
            return PYTHON_CALLS[what]
        case LeavingOut():
            return " of X"
        case FittingAlone():
            return (
                ": for each name, kept = (z == 1) | (sample == name) and PUGAM().fit(X[kept], z[kept]), in which the "
                "sample is not a column of X"
            )
        case MissingEffect(term):
            return f": {term}"
        case LeavingUnscored():
            return 'leave such rows without a score (unscorable="nan"), or '
        case UnseenZero(term):
            return term
        case ReadingCsv(what, sign):
            return f"read it with pandas.read_csv(..., {PANDAS_NAMES[what]}={sign!r}) first"
        case InFormula(formula, position):
            return f"\n{formula}\n{' ' * position}^"
        case NamingPositive(values):
            return f", as in z = (z == {max(values, key=str)!r}).astype(int)" if values else ""
        case DroppingRows() | ShellQuotes():
            return ""


def filled(piece: str | Piece, figures: Mapping[str, object]) -> str | Piece:
    """Put figures into text, and into what an argument is given."""
    if isinstance(piece, Argument) and isinstance(piece.value, str):
        return replace(piece, value=piece.value.format(**figures))
    return piece.format(**figures) if isinstance(piece, str) else piece


def printable(text: str) -> str:
    r"""Spell control characters out: a name or a cell may hold them, and do things to a terminal.

    Examples
    --------
    >>> from pugam.messages import printable
    >>> print(printable("red \x1b[31m\n"))
    red \x1b[31m\n
    """
    return text if text.isprintable() else "".join(map(_spelt, text))


def shortened(text: str) -> str:
    """Cut names and cells short that would fill a screen."""
    return text if len(text) < LONGEST_QUOTED else QUOTED_OR_WORD.sub(_shortened, text)


def _shortened(found: re.Match[str]) -> str:
    whole = found[0]
    return whole if len(whole) < LONGEST_QUOTED else f"{whole[:MOST_SHOWN]}...{found[1] or ''}"


def _spelt(sign: str) -> str:
    return sign if sign.isprintable() else ascii(sign)[1:-1]


def first_of(names: Sequence[object], most: int, spell: Callable[[object], str] = str) -> str:
    """Name the first few.

    Examples
    --------
    >>> from pugam.messages import first_of
    >>> first_of(["age", "sex", "site"], 2)
    'age, sex, ...'
    """
    return ", ".join(map(spell, names[:most])) + (", ..." if len(names) > most else "")


def first_and_more(names: Sequence[object], most: int, spell: Callable[[object], str] = str) -> str:
    """Name the first few, and say how many more there are.

    Examples
    --------
    >>> from pugam.messages import first_and_more
    >>> first_and_more(["age", "sex", "site"], 2)
    'age, sex and 1 more'
    """
    return ", ".join(map(spell, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def in_formula(name: str) -> str:
    """Write the name of a column as formulas take it.

    Examples
    --------
    >>> from pugam.messages import in_formula
    >>> in_formula("age"), in_formula("body mass"), in_formula("red \\x1b[31m")
    ('age', '`body mass`', '...')
    """
    return name if name.isidentifier() else f"`{name}`" if name.isprintable() else "..."


def in_lines(lines: Iterable[str]) -> str:
    """Put lines below each other, each in one line whatever is in it."""
    return "\n".join(map(printable, lines))


class Message:
    """Something to tell a user; as text, in Python's words.

    Examples
    --------
    >>> from pugam.messages import Argument, Message
    >>> message = Message("Try a larger ", Argument("max_iter"), ".")
    >>> str(message)
    'Try a larger max_iter.'
    >>> message.told(lambda piece: piece.name.replace("_", " "))
    'Try a larger max iter.'
    """

    def __init__(self, *said: str | Piece | Message) -> None:
        self.pieces: tuple[str | Piece, ...] = tuple(
            piece for part in said for piece in (part.pieces if isinstance(part, Message) else (part,))
        )

    def told(self, words: Words) -> str:
        """Return the message in the words of one kind of reader."""
        return "".join(printable(shortened(piece)) if isinstance(piece, str) else words(piece) for piece in self.pieces)

    def replaced(self, kind: type[Kind], by: Callable[[Kind], str | Piece]) -> Message:
        """Return the message with something else for the pieces of one kind, for who knows more about them."""
        return Message(*(by(piece) if isinstance(piece, kind) else piece for piece in self.pieces))

    def __str__(self) -> str:
        return self.told(in_python)

    def __repr__(self) -> str:
        return repr(str(self))
