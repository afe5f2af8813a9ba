"""The entry point of the command line: its verbs, and how errors and interruptions end."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from pugam.command_line.demo import demo
from pugam.command_line.fit import fit
from pugam.command_line.options import in_flags, in_one_line
from pugam.command_line.predict import predict
from pugam.command_line.reports import report
from pugam.command_line.simulate import simulate
from pugam.command_line.study import study
from pugam.errors import FormulaError, PugamError
from pugam.version import __version__

__all__ = ["app", "main"]

BAD_INPUT, INTERRUPTED = 2, 130

app = typer.Typer(
    name="pugam",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
VERBS = {verb.__name__: verb for verb in (demo, fit, predict, report, simulate, study)}
for verb in VERBS.values():
    app.command()(verb)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def pugam(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Generalized additive models for positive-unlabelled data."""


def main() -> None:
    """Run the command line; a user's mistake ends in one line on stderr and exit code 2, without a traceback."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except FormulaError as error:
        code = _fail(_with_arrow(error), BAD_INPUT)
    except PugamError as error:
        code = _fail(in_flags(str(error)), BAD_INPUT)
    except typer.Abort:
        code = _fail("Interrupted.", INTERRUPTED)
    except KeyboardInterrupt:
        code = _fail("Interrupted.", INTERRUPTED)
    except typer.Exit as end:
        code = end.exit_code
    except Exception as error:
        # Typer's own errors of usage, whatever class of click's they are in this version.
        if not hasattr(error, "format_message"):
            raise
        verb = getattr(getattr(error, "ctx", None), "info_name", None)
        where = "pugam" if verb in (None, "pugam") or verb not in VERBS else f"pugam {verb}"
        code = _fail(f"{error.format_message().rstrip('.')}. See {where} --help.", BAD_INPUT)
    sys.exit(code)


def _with_arrow(error: FormulaError) -> str:
    """Point into the formula with an arrow, where a message of several lines has a caret under it."""
    sentence, formula, caret = str(error).split("\n")
    return f"{sentence} In the formula: {formula[: len(caret) - 1]}>>{formula[len(caret) - 1 :]}"


def _fail(message: str, code: int) -> int:
    typer.echo(f"pugam: {in_one_line(message)}", err=True)
    return code
