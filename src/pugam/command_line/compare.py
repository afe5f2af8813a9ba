"""`pugam compare`: what changed from one saved model to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pugam.command_line.options import Quiet, in_one_line, printing_warnings, require_level, require_table, say
from pugam.command_line.places import require_apart
from pugam.command_line.results import Json, changes_found, require_json, write_json
from pugam.command_line.spreadsheets import Formulas, Neutralise
from pugam.data import frame_columns
from pugam.errors import InputError
from pugam.files import is_text, open_writer
from pugam.messages import counted

if TYPE_CHECKING:
    from pugam.estimator import PUGAM

__all__ = ["compare"]


def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A model saved by pugam fit.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another, fitted to other rows.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a table of both effects of every term, point by point, with their difference (.csv, .tsv or "
            ".parquet)."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of intervals, a probability such as 0.95.")] = 0.95,
    json: Json = None,
    neutralise: Neutralise = False,
    quiet: Quiet = False,
) -> None:
    """Compare two models that were fitted to different rows: shares of positives, effects, and their differences.

    The fits are taken as independent: where they share rows, intervals of differences are too wide.

    Examples:

    pugam compare may.json june.json

    pugam compare may.json june.json --out curves.csv
    """
    from pugam.estimator import load
    from pugam.inference import NEEDS_NO_CAVEAT, headline

    require_level(level)
    if out is not None:
        require_table(out, "--out")
    require_json(json)
    require_apart({"--out": out, "--json": json}, (old, new))
    before, now = load(old), load(new)
    for model, path in ((before, old), (now, new)):
        _require_one_kind(model, path)
    with printing_warnings():
        changes = now.changes_since(before, level)
        if out is not None:
            formulas = Formulas(is_text(out), neutralise)
            n_points = _write(changes.curves, out, formulas)
            formulas.warn()
        write_json(json, changes_found(changes, before, now))
    for model, path in ((before, old), (now, new)):
        if model.verdict_ is not None and model.verdict_ not in NEEDS_NO_CAVEAT:
            say(f"! {path.name}: {headline(model.verdict_)}, and the comparison rests on it.", aside=True)
    for line in changes.lines():
        say(in_one_line(line))
    if out is not None and not quiet:
        say(f"{counted(n_points, 'row')}: {out}")


def _require_one_kind(model: PUGAM, path: Path) -> None:
    if model._kinds is not None:
        raise InputError(
            f"{path}: the model has several kinds of positives, with curves of its own; compare them one by one, in "
            "Python."
        )


def _write(frame: Any, out: Path, formulas: Formulas) -> int:
    """Write a table, and return how many rows it has."""
    import pyarrow as pa

    batch = formulas.guard(pa.RecordBatch.from_pydict(frame_columns(frame)))
    with open_writer(out, batch.schema) as writer:
        writer.write(batch)
    return int(batch.num_rows)
