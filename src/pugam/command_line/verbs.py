"""The verbs of the command line, and the flags that need none."""

from __future__ import annotations

from typing import Annotated

import typer

from pugam.command_line.anova import anova
from pugam.command_line.check import check
from pugam.command_line.compare import compare
from pugam.command_line.demo import demo
from pugam.command_line.drift import drift
from pugam.command_line.explain import explain
from pugam.command_line.export import export
from pugam.command_line.fit import fit
from pugam.command_line.predict import predict
from pugam.command_line.refit import refit
from pugam.command_line.reports import report
from pugam.command_line.simulate import simulate
from pugam.command_line.study import study
from pugam.version import __version__

__all__ = ["VERBS", "command"]

app = typer.Typer(
    name="pugam",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
ALL = (demo, fit, check, anova, predict, explain, export, refit, compare, drift, report, simulate, study)
VERBS = {verb.__name__: verb for verb in ALL}
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


command = typer.main.get_command(app)
