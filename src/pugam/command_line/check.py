"""`pugam check`: which terms of a saved model matter, and whether each of them is good enough."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import narwhals as nw
import typer

from pugam.command_line.attached import attach_rows
from pugam.command_line.columns import Roles, remembered
from pugam.command_line.options import (
    Decimal,
    Delimiter,
    NegativeFile,
    Quiet,
    UnlabeledFiles,
    in_one_line,
    printing_warnings,
    require_level,
    say,
)
from pugam.command_line.rows import KindFiles
from pugam.command_line.wording import in_flags
from pugam.errors import InputError

__all__ = ["check"]

COLUMNS = ["term", "importance", "lower", "upper", "share"]


def check(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by pugam fit.")],
    data: Annotated[Path | None, typer.Argument(help="The file it was fitted to.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of labels, if it is not the one of the fit.")] = None,
    positive: Annotated[str | None, typer.Option(help="The value that marks a labelled positive.")] = None,
    positive_file: Annotated[Path | None, typer.Option(help="File of labelled positives, in place of DATA.")] = None,
    unlabeled_file: UnlabeledFiles = None,
    negative_file: NegativeFile = None,
    level: Annotated[float, typer.Option(help="Level of the limits, a probability such as 0.95.")] = 0.95,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Say which terms matter most, and check them: is k large enough, do labels turn out as predicted?

    The rows are those of the fit: a model file holds none of them.

    Examples:

    pugam check model.json patients.csv
    """
    from pugam.estimator import load

    require_level(level)
    model = load(model_file)
    if model._kinds is not None:
        raise InputError(f"{model_file}: the model has several kinds of positives; check them one by one, in Python.")
    roles = Roles.as_in_fit(remembered(model), data is not None, label, positive)
    files = KindFiles(positive_file, tuple(unlabeled_file or ()), negative_file)
    with printing_warnings():
        attach_rows(model, data, roles, files, delimiter, decimal, False if quiet else None)
        lines = [*_importance(model.importance(level), level), *model.check_terms().told(in_flags).splitlines()]
    for line in lines:
        say(in_one_line(line))


def _importance(frame: Any, level: float) -> Iterator[str]:
    """The terms by importance, as lines of text."""
    yield "Which terms matter? Standard deviations of effects over the unlabelled rows, in log odds."
    rows = list(nw.from_native(frame, eager_only=True).select(COLUMNS).iter_rows())
    width = max(len(term) for term, *_ in rows)
    limits = f"{100 * level:g}% limits"
    yield f"  {'':{width}}  importance  {limits:>14}  share"
    for term, spread, lower, upper, share in rows:
        limits = f"{lower:.2f} to {upper:.2f}"
        yield f"  {term:{width}}  {spread:10.2f}  {limits:>14}  {share:5.0%}"
