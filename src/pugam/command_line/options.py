"""Flags that several verbs share, and what they say on the terminal."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from pugam.errors import InputError

__all__ = [
    "Delimiter",
    "Quiet",
    "command_given",
    "printing_warnings",
    "read_pi",
    "require_suffix",
    "say",
]

Delimiter = Annotated[
    str | None, typer.Option(help="What stands between the cells of a CSV file, if not a comma: ';', '|' or tab.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, and print only what was asked for.")]


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
    if not os.access(folder, os.W_OK):
        raise InputError(f"{flag} {path}: the folder {str(folder)!r} may not be written to; choose another.")


@contextmanager
def printing_warnings() -> Iterator[None]:
    """Print each warning once, as one line on stderr, when the work is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        typer.echo(f"! {message}", err=True)


def say(text: str, strong: bool = False) -> None:
    """Print a line; an important one is bold on a terminal."""
    typer.secho(text, bold=strong)
