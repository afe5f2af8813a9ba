"""Words of the command line: flags for arguments, and what a file or a report has to do with it."""

from __future__ import annotations

import ast
import re
import shlex

from pugam.messages import (
    Argument,
    DroppingRows,
    LeavingOut,
    Message,
    MissingEffect,
    Piece,
    ReadingCsv,
    ReportProfile,
    Row,
    See,
    ShellQuotes,
)

__all__ = ["for_parts", "in_flags", "rewritten"]

OTHER_FLAGS = {  # whose names are not those of the arguments in Python
    "z": "--label",
    "sample_weight": "--weights",
    "n_starts": "--starts",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "folder": "--data",
}
PLACES = {"diagnosis": "--report", "sensitivity": "the slider of --report", "calibration": "the pictures of --report"}
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
        case ReportProfile():
            return " Report the profile interval, --ci profile."
        case LeavingOut(columns, identify):
            return _leaving_out(columns, identify)
        case DroppingRows():
            return " (--missing drop)"
        case MissingEffect(again=again):
            return f"{' when you fit' if again else ''} (--missing effect)"
        case ReadingCsv(what, sign):
            return f"give --{what} {SPELT.get(sign) or shlex.quote(sign)}"
        case ShellQuotes():
            return "; the shell takes single quotes away that stand inside '...'"


def for_parts(message: Message) -> Message:
    """Leave out advice that cannot be taken where a file is read in parts."""
    less = message.replaced(DroppingRows, lambda _: "")
    return less.replaced(MissingEffect, lambda _: " (--missing effect, with --terms)")


def _given(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_given, value))
    return shlex.quote(str(value))


def _leaving_out(columns: tuple[str, ...], identify: bool) -> str:
    flags = " ".join(f"--drop {shlex.quote(column)}" for column in columns[:MOST_FLAGS])
    if len(columns) > 1:
        return f" ({flags}{' ...' if len(columns) > MOST_FLAGS else ''})"
    return f" ({flags}, or --id {shlex.quote(columns[0])} to name rows by it)" if identify else f" ({flags})"


# Messages of terms are still text with advice in Python.
MANY_COLUMNS = "leave out of X those that identify rows"
NAMED_COLUMN = re.compile(r"""Column (?P<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") .*?leave it out of X""")
GAPS_IN_FIT = re.compile(r"fill or drop them, or give them an effect of their own: [slf]\(.*, missing='effect'\)")
GAPS_LATER = re.compile(r"give these an effect of their own: [slf]\(.*, missing='effect'\)")
QUOTED_OPTION = re.compile(r"\b(knots|missing|scale|unseen)='(\w+)'")


def rewritten(text: str) -> str:
    """Turn advice that is given in Python into advice for the command line."""
    text = text.replace(MANY_COLUMNS, "leave out those that identify rows (--drop NAME)")
    text = NAMED_COLUMN.sub(_without_column, text)
    text = GAPS_IN_FIT.sub(
        "fill them, leave rows out that lack a value (--missing drop), or give missing values an effect of their own "
        "(--missing effect)",
        text,
    )
    text = GAPS_LATER.sub("give these an effect of their own when you fit (--missing effect)", text)
    return QUOTED_OPTION.sub(r'\1="\2"', text)


def _without_column(advice: re.Match[str]) -> str:
    column = shlex.quote(ast.literal_eval(advice["name"]))
    kept = advice[0].removesuffix(" of X")
    return f"{kept} (--drop {column}, or --id {column} to name rows by it)"
