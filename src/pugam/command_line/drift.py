"""`pugam drift`: new rows compared with those of a saved model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from pugam.command_line.columns import Features, Roles, match_levels, remembered
from pugam.command_line.labels import mark_labelled, read_label_column
from pugam.command_line.options import (
    Decimal,
    Delimiter,
    Quiet,
    in_one_line,
    printing_warnings,
    require_level,
    require_table,
    say,
)
from pugam.command_line.places import require_apart
from pugam.command_line.results import Json, drift_found, require_json, write_json
from pugam.command_line.scoring import require_columns, writer_like
from pugam.errors import InputError
from pugam.files import DataFile, open_file
from pugam.messages import counted

__all__ = ["drift"]


def drift(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by pugam fit.")],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA", help="New rows: a .csv, .csv.gz or .parquet file, or a folder of Parquet files."
        ),
    ],
    pi: Annotated[
        float | None, typer.Option(help="Share of positives to score these rows with; that of the fit by default.")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(help="Column of labels, if it is not that of the fit: labelled rows are left out."),
    ] = None,
    positive: Annotated[str | None, typer.Option(help="The value that marks a labelled positive.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write a table with a line for each column (.csv, .tsv or .parquet).")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the interval, a probability such as 0.95.")] = 0.95,
    json: Json = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Say which columns of new rows differ from those of the fit, and whether the rows contradict a share of positives.

    Only unlabelled rows count: where the file has the column of labels, labelled rows are left out.

    Examples:

    pugam drift may.json june.csv

    pugam drift may.json june.csv --pi 0.05 --out drift.csv
    """
    from pugam.estimator import load, read_share

    require_level(level)
    if out is not None:
        require_table(out, "--out")
    require_json(json)
    require_apart({"--out": out, "--json": json}, (model_file, data))
    if data.suffix == ".json" and model_file.suffix != ".json":
        raise InputError("The model comes first: pugam drift MODEL DATA.")
    model = load(model_file)
    if model._kinds is not None:
        raise InputError("A model of several kinds of positives has a density ratio for each; ask of one in Python.")
    file = open_file(data, delimiter, decimal)
    require_columns(model, file)
    features = Features.of_model(model)
    with printing_warnings():
        rows = match_levels(file.read(list(features.columns), features.kinds), features)
        kept = _unlabelled(file, remembered(model), label, positive)
        rows = rows if kept is None else rows.take(kept)
        if not rows.num_rows:
            raise InputError(f"{data} has no unlabelled row.")
        found = model.drift(rows, None if pi is None else read_share(pi), level)
        if out is not None:
            batch = found.columns.combine_chunks().to_batches()[0]
            with writer_like(out, data, delimiter, decimal)(batch.schema) as writer:
                writer.write(batch)
        write_json(json, drift_found(found))
    if kept is not None and not quiet:
        say(counted(rows.num_rows, "unlabelled row"))
    for line in found.lines():
        say(in_one_line(line))
    if out is not None and not quiet:
        say(f"{counted(found.columns.num_rows, 'column')}: {out}")


def _unlabelled(file: DataFile, known: Mapping[str, Any], label: str | None, positive: str | None) -> np.ndarray | None:
    """Places of unlabelled rows; None where the file has no column of labels."""
    roles = Roles.of_fit(known, True, label=label, positive=positive)
    if roles.label is None or (label is None and roles.label not in file.names):
        return None
    cells = file.read([roles.label], {roles.label: "text"})[roles.label]
    if positive is None:  # new rows may have no label yet
        named = "name the value that marks a labelled positive by --positive"
        return np.flatnonzero(~mark_labelled(file, cells, roles, named))
    return np.flatnonzero(~read_label_column(file, cells, roles))
