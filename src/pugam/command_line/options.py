"""Flags that several verbs share, and what they say on the terminal."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from pugam.command_line.wording import in_flags
from pugam.errors import InputError, SlowWarning, VerdictWarning
from pugam.messages import Message, in_lines, printable

__all__ = [
    "Decimal",
    "Delimiter",
    "NegativeFile",
    "Quiet",
    "UnlabeledFiles",
    "command_given",
    "in_one_line",
    "printing_warnings",
    "read_pi",
    "require_at_least",
    "require_choice",
    "require_level",
    "require_suffix",
    "require_table",
    "say",
    "without_suffix",
]

Delimiter = Annotated[
    str | None, typer.Option(help="What stands between the cells of a CSV file, if not a comma: ';', '|' or tab.")
]
Decimal = Annotated[str, typer.Option(help="The sign before decimals in a CSV file: . or ,")]
UnlabeledFiles = Annotated[
    list[Path] | None,
    typer.Option(
        help="File of unlabelled rows, in place of DATA; given several times, each file is a sample with a share of "
        "its own, named after the file."
    ),
]
NegativeFile = Annotated[
    Path | None, typer.Option(help="File of known negatives, beside --positive-file and --unlabeled-file.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, and print only what was asked for.")]


TABLE_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")


def command_given() -> str:
    """The command as it was typed, to be kept with what it made."""
    return shlex.join(["pugam", *sys.argv[1:]])


def read_pi(text: str | None) -> float | tuple[float, float] | None:
    """Read a share, `0.3`, or bounds for it, `0.1,0.4`."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise InputError(f"--pi is a share such as 0.3, or bounds such as 0.1,0.4; got {text!r}.")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def require_suffix(path: Path, suffix: str, flag: str) -> None:
    """Refuse a name that would mislead about what is in the file, or that cannot be written, before work begins."""
    if path.suffix.lower() != suffix:
        raise InputError(f"{flag} {path}: the file will be {suffix[1:].upper()}; give it a name that ends in {suffix}.")
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{flag} {path}: there is no folder {str(folder)!r}; make it first.")
    if path.exists() and not path.is_file():
        raise InputError(f"{flag} {path} is a folder or no ordinary file; give the name of a file.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{flag} {path} may not be written; choose another place.")


def require_table(path: Path, flag: str) -> None:
    """Refuse a name that does not say how a table lies in the file."""
    if not path.name.lower().endswith(TABLE_SUFFIXES):
        *others, last = TABLE_SUFFIXES
        raise InputError(
            f"{flag} {path}: the file will be a table; give it a name that ends in {', '.join(others)} or {last}."
        )


def without_suffix(path: Path) -> str:
    """Name of a file of a table, without what says how the table lies in it."""
    endings = [suffix for suffix in TABLE_SUFFIXES if path.name.lower().endswith(suffix)]
    return path.name[: len(path.name) - max(map(len, endings), default=0)]


def require_level(level: float) -> None:
    """Refuse a level that is no probability."""
    if not 0.0 < level < 1.0:
        raise InputError(f"--level is a probability such as 0.95; got {level:g}.")


def require_at_least(flag: str, value: int | None, least: int) -> None:
    """Refuse a number that is too small."""
    if value is not None and value < least:
        raise InputError(f"{flag} is a whole number of at least {least}; got {value}.")


def require_choice(flag: str, value: str, *choices: str) -> None:
    """Refuse a word that is none of these."""
    if value not in choices:
        *others, last = choices
        named = f"{', '.join(others)} or {last}" if others else last
        raise InputError(f"{flag} is {named}; got {value!r}.")


@contextmanager
def printing_warnings() -> Iterator[None]:
    """Print each warning once, as one line on stderr, when the work is done; one of long work before it."""
    caught: list[str] = []

    def keep(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, SlowWarning):
            typer.echo(f"! {in_one_line(_told(message))}", err=True)
        else:
            caught.append(_told(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", VerdictWarning)  # a verdict is printed before pi
        warnings.showwarning = keep
        yield
    for text in dict.fromkeys(caught):
        typer.echo(f"! {in_one_line(text)}", err=True)


def _told(warning: Warning | str) -> str:
    message = warning.args[0] if isinstance(warning, Warning) and warning.args else warning
    return message.told(in_flags) if isinstance(message, Message) else str(warning)


def in_one_line(text: str) -> str:
    """Join lines, and spell control characters out: a name or a cell may hold them, and do things to a terminal."""
    return printable(" ".join(text.splitlines()))


def say(text: str, strong: bool = False, aside: bool = False) -> None:
    """Print a line; an important one is bold on a terminal, one aside goes to standard error, as warnings do."""
    typer.secho(in_lines(text.split("\n")), bold=strong, err=aside)
