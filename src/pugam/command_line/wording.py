"""Words of the command line: flags for arguments, and what a file or a report has to do with it."""

from __future__ import annotations

import shlex

from pugam.messages import (
    Argument,
    DroppingRows,
    FittingAlone,
    InFormula,
    LeavingOut,
    LeavingUnscored,
    Message,
    MissingEffect,
    NamingPositive,
    Piece,
    ReadingCsv,
    Row,
    See,
    ShellQuotes,
    UnseenZero,
    printable,
)

__all__ = ["for_fits", "for_parts", "in_flags"]

OTHER_FLAGS = {  # whose names are not those of the arguments in Python
    "z": "--label",
    "sample_weight": "--weights",
    "n_starts": "--starts",
    "n_jobs": "--jobs",
    "n_resamples": "--resamples",
    "random_state": "--seed",
    "folder": "--data",
    "columns": "--keep",
}
PLACES = {
    "diagnosis": "--report",
    "sensitivity": "the slider of --report",
    "calibration": "the pictures of --report",
    "labelling": "the bounds of --report",
}
SPELT = {"\t": "tab"}
MOST_FLAGS = 3


def in_flags(piece: Piece) -> str:
    """Word a piece of a message for those who use the command line."""
    match piece:
        case Row(number):
            return f"row {number + 1}"
        case Argument(name, value):
            flag = OTHER_FLAGS.get(name, f"--{name.replace('_', '-')}")
            return flag if value is None else f"{flag} {_given(value)}"
        case See(what):
            return PLACES[what]
        case LeavingOut(columns, identify):
            return _leaving_out(columns, identify)
        case FittingAlone():
            return ", from a file for each: --positive-file labelled.csv --unlabeled-file one_sample.csv"
        case DroppingRows():
            return " (--missing drop)"
        case MissingEffect(again=again):
            return f"{' when you fit' if again else ''} (--missing effect)"
        case LeavingUnscored():
            return "leave such rows without a score (--unscorable empty), or "
        case NamingPositive(values):
            flags = " or ".join(f"--positive {_given(value)}" for value in values) or "--positive"
            return f", or say which value marks a labelled positive ({flags})"
        case UnseenZero():
            return "--unseen zero"
        case ReadingCsv(what, sign):
            return f"give --{what} {SPELT.get(sign) or shlex.quote(sign)}"
        case InFormula(formula, position):
            before, after = printable(formula[:position]), printable(formula[position:])
            return f"\n  {before}{after}\n  {' ' * len(before)}^"
        case ShellQuotes():
            return "; the shell takes single quotes away that stand inside '...'"


def for_fits(message: Message) -> Message:
    """Leave out advice on rows that are only scored."""
    return message.replaced(LeavingUnscored, lambda _: "")


def for_parts(message: Message) -> Message:
    """Leave out advice that cannot be taken where a file is read in parts."""
    return message.replaced(DroppingRows, lambda _: "")


def _given(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_given, value))
    return shlex.quote(str(value))


def _leaving_out(columns: tuple[str, ...], identify: bool) -> str:
    flags = " ".join(f"--drop {shlex.quote(column)}" for column in columns[:MOST_FLAGS])
    if len(columns) > 1:
        return f" ({flags}{' ...' if len(columns) > MOST_FLAGS else ''})"
    return f" ({flags}, or --id {shlex.quote(columns[0])} to name rows by it)" if identify else f" ({flags})"
