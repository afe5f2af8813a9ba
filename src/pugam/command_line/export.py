"""`pugam export`: a saved model as a scorer for places without pugam."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pugam.command_line.options import Quiet, printing_warnings, say
from pugam.command_line.places import require_apart
from pugam.command_line.scoring import caveat, model_of_kind
from pugam.errors import InputError

__all__ = ["export"]


def export(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by pugam fit.")],
    scorer: Annotated[
        Path | None, typer.Argument(metavar="SCORER", help="The file to write: scorer.py, or scorer.sql.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The same, as for other commands.")] = None,
    table: Annotated[str | None, typer.Option(help="Table that the query reads, for .sql.")] = None,
    schema: Annotated[str | None, typer.Option(help="Schema of that table, if it has to be named.")] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column that the query returns beside the score; repeatable. Without it, all."),
    ] = None,
    pi: Annotated[
        float | None, typer.Option(help="Share of positives among the rows to be scored, if it is not that of the fit.")
    ] = None,
    sample: Annotated[str | None, typer.Option(help="Sample of the fit that the rows are from.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="Which kind of positives to score, where the model has several.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a model as a scorer that needs no pugam: a Python module, or a query in standard SQL.

    Scores are those of pugam predict. The module defines score(row), the query adds a column pugam_score.

    Examples:

    pugam export model.json scorer.py

    pugam export model.json --out scorer.sql --table claims --keep claim_id
    """
    from pugam.estimator import load

    path = _one_of(scorer, out)
    require_apart({"SCORER" if out is None else "--out": path}, [model_file])
    model = model_of_kind(load(model_file), kind)
    place = table if schema is None or table is None else (schema, table)
    with printing_warnings():
        model.export(path, table=place, keep=keep or None, pi=pi, sample=sample)
    for line in caveat(model.verdict_, pi):
        say(line, aside=True)
    if not quiet:
        say(f"Scorer: {path}")


def _one_of(scorer: Path | None, out: Path | None) -> Path:
    """The file to write, named in one of two ways."""
    if scorer is not None and out is not None:
        raise InputError("The file to write is given twice, as SCORER and by --out; give one of them.")
    path = scorer or out
    if path is None:
        raise InputError("Name the file to write, as in --out scorer.py or --out scorer.sql.")
    return path
