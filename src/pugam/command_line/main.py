"""The entry point of the command line: how errors and interruptions end."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from typing import TYPE_CHECKING

from pugam.command_line.signals import Signals, StoppedError
from pugam.command_line.wording import in_flags
from pugam.errors import PugamError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

__all__ = ["main"]

BAD_INPUT, INTERRUPTED = 2, 130
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OUT_OF_MEMORY = (
    "There is not enough memory. Use a Parquet file and --engine stream, fewer columns, or --interactions none."
)


def main() -> None:
    """Run the command line; a user's mistake ends in one line on stderr and exit code 2, without a traceback."""
    _spell_what_has_no_letter()
    with Signals() as signals:
        try:
            # Libraries take a second to import: not before somebody listens to Ctrl-C.
            from pugam.command_line.verbs import VERBS, command

            signals.ready()
            code = _run(command, VERBS)
        except KeyboardInterrupt:
            code = _fail(signals.ending, signals.code)
        except StoppedError as stopped:
            code = _fail(str(stopped), signals.code)
    sys.exit(code)


def _spell_what_has_no_letter() -> None:
    """Print by their codes signs that the terminal, or the file behind it, has no room for, such as Greek in cp1252."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _verb_of(error: Exception, verbs: Container[str]) -> str:
    """The command that was used wrongly: one of the verbs, or pugam itself."""
    verb = getattr(getattr(error, "ctx", None), "info_name", None)
    return "pugam" if verb in (None, "pugam") or verb not in verbs else f"pugam {verb}"


def _run(command: Callable[..., int | None], verbs: dict[str, Callable[..., None]]) -> int | None:
    try:
        from pugam.files import require_text_name

        for argument in sys.argv[1:]:
            require_text_name(argument)
        code = command(sys.argv[1:] or ["--help"], standalone_mode=False)
    except StoppedError:
        raise
    except PugamError as error:
        return _fail(error.told(in_flags), BAD_INPUT)
    except MemoryError:
        return _fail(OUT_OF_MEMORY, BAD_INPUT)
    except OSError as error:
        if error.errno not in NO_SPACE:
            if error.filename is None:
                raise
            return _fail(f"{os.fsdecode(error.filename)}: {error.strerror}.", BAD_INPUT)  # such as a name too long
        _forget_output()
        return _fail(f"{error.filename or 'The output'} cannot be written: {error.strerror}.", BAD_INPUT)
    except Exception as error:
        # Typer's own errors of usage, whatever class of click's they are in this version.
        if not hasattr(error, "format_message"):
            raise
        return _fail(f"{_misuse(error.format_message())} See {_verb_of(error, verbs)} --help.", BAD_INPUT)
    if code == INTERRUPTED:
        raise KeyboardInterrupt  # which Typer made a code of
    return code


def _misuse(message: str) -> str:
    """Say what was probably meant by an argument too many; a sentence."""
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


def _fail(message: str, code: int) -> int:
    import typer

    from pugam.command_line.options import in_one_line

    typer.echo(f"pugam: {in_one_line(message)}", err=True)
    return code
