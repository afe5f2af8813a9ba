"""What the command line does with its arguments: how errors and interruptions end."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from typing import TYPE_CHECKING

from pugam.command_line.stopping import StoppedError
from pugam.command_line.verbs import VERBS, command
from pugam.command_line.wording import in_flags
from pugam.errors import FormulaError, PugamError
from pugam.files import require_text_name
from pugam.messages import in_lines

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from pugam.command_line.signals import Signals

__all__ = ["run"]

BAD_INPUT, INTERRUPTED = 2, 130
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OUT_OF_MEMORY = (
    "There is not enough memory. Use a Parquet file and --engine stream, fewer columns, or --interactions none."
)

ELSEWHERE = {  # what is called otherwise in Python
    "worklist": "pugam predict MODEL DATA --top 100 --out list.csv writes a worklist",
    "diagnose": "pugam fit prints the diagnosis, and pugam report draws it",
    "summary": "pugam fit prints the summary, and pugam report holds it",
}


def run(signals: Signals) -> int | None:
    """Run the command line until it ends or a signal ends it; return the exit code."""
    _spell_what_has_no_letter()
    try:
        signals.ready()
        return _run()
    except KeyboardInterrupt:
        return _fail(signals.ending, signals.code)
    except StoppedError as stopped:
        return _fail(str(stopped), signals.code)
    except Exception as error:
        # A library that is interrupted while it is imported may raise an exception of its own.
        return _fail(signals.ending, signals.code) if signals.received else _explain(error)


def _spell_what_has_no_letter() -> None:
    """Print by their codes signs that the terminal, or the file behind it, has no room for, such as Greek in cp1252."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _verb_of(error: Exception, verbs: Container[str]) -> str:
    """The command that was used wrongly: one of the verbs, or pugam itself."""
    verb = getattr(getattr(error, "ctx", None), "info_name", None)
    return "pugam" if verb in (None, "pugam") or verb not in verbs else f"pugam {verb}"


def _run() -> int | None:
    for argument in sys.argv[1:]:
        require_text_name(argument)
    code = command(sys.argv[1:] or ["--help"], standalone_mode=False)
    if code == INTERRUPTED:
        raise KeyboardInterrupt  # which Typer made a code of
    return None if code is None else int(code)


def _explain(error: Exception) -> int:
    """Say in a line what is wrong with what was typed, with a file or with the machine; raise what is none of these."""
    if isinstance(error, FormulaError):  # the formula and a caret stand below the sentence
        return _fail(error.told(in_flags), BAD_INPUT, lines=True)
    if isinstance(error, PugamError):
        return _fail(error.told(in_flags), BAD_INPUT)
    if isinstance(error, MemoryError):
        return _fail(OUT_OF_MEMORY, BAD_INPUT)
    if isinstance(error, OSError) and error.errno in NO_SPACE:
        _forget_output()
        return _fail(f"{error.filename or 'The output'} cannot be written: {error.strerror}.", BAD_INPUT)
    if isinstance(error, OSError) and error.filename is not None:
        return _fail(f"{os.fsdecode(error.filename)}: {error.strerror}.", BAD_INPUT)  # such as a name too long
    if isinstance(error, FileNotFoundError) and not _has_folder():
        return _fail("The folder that you are in has been removed; change to another one.", BAD_INPUT)
    if hasattr(error, "format_message"):  # Typer's own errors of usage, whatever class of click's in this version
        return _fail(f"{_misuse(error.format_message())} See {_verb_of(error, VERBS)} --help.", BAD_INPUT)
    raise error


def _has_folder() -> bool:
    """Whether the working folder is there: without it, no name of a file without its folders leads anywhere."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _misuse(message: str) -> str:
    """Say what was probably meant by an argument too many, or by a verb that there is not; a sentence."""
    unknown = re.search(r"No such command '(\w+)'", message)
    if unknown is not None and unknown[1] in ELSEWHERE:
        return f"No such command '{unknown[1]}'; {ELSEWHERE[unknown[1]]}."
    extra = re.search(r"unexpected extra argument\S* \(([^\s)]+)", message)
    if extra is not None and extra[1] in _after_drop(sys.argv):
        return f"{message.rstrip('.')}; --drop takes one column, so repeat it for several, as in --drop a --drop b."
    return message if message.endswith(("?", "!")) else f"{message.rstrip('.')}."


def _after_drop(arguments: Sequence[str]) -> set[str]:
    """What follows a column that was dropped."""
    words = [word for given in arguments for word in (given.split("=", 1) if given.startswith("--drop=") else [given])]
    return {words[place + 2] for place, word in enumerate(words[:-2]) if word == "--drop"}


def _forget_output() -> None:
    """Let what is still to be printed go nowhere: Python would try once more at its end, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _fail(message: str, code: int, lines: bool = False) -> int:
    import typer

    from pugam.command_line.options import in_one_line

    told = in_lines(message.split("\n")) if lines else in_one_line(message)
    typer.echo(f"pugam: {told}", err=True)
    return code
