"""`pugam drift`: new rows compared with those of a saved model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from pugam.command_line.columns import Features, Roles, match_levels, remembered
from pugam.command_line.labels import mark_answered, mark_labelled, read_label_column, tell_of_others
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
from pugam.command_line.scoring import place_among, require_columns, writer_like
from pugam.command_line.spreadsheets import Formulas, Neutralise
from pugam.data import as_array
from pugam.errors import InputError, RowError, warn_user
from pugam.files import DataFile, is_text, open_file
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
    neutralise: Neutralise = False,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Say which columns of new rows differ from those of the fit, and whether the rows contradict a share of positives.

    Only unlabelled rows count: where the file has the columns of the fit that tell them, labelled rows and known
    negatives are left out. Rows are weighted by the column of the fit.

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
        places = np.arange(rows.num_rows) if kept is None else kept.places
        if not len(places):
            raise InputError(f"{data} has no unlabelled row.")
        weights = _weights(file, remembered(model).get("weights"))
        weights = None if weights is None else weights[places]
        share = None if pi is None else read_share(pi)
        try:
            found = model.drift(rows.take(places), share, level, sample_weight=weights)
        except RowError as error:
            raise error.placed(partial(place_among, file, 0, places)) from None
        if out is not None:
            formulas = Formulas(is_text(out), neutralise)
            batch = formulas.guard(found.columns.combine_chunks().to_batches()[0])
            with writer_like(out, data, delimiter, decimal)(batch.schema) as writer:
                writer.write(batch)
            formulas.warn()
        write_json(json, drift_found(found))
    if kept is not None and not quiet:
        beside = f"; {counted(kept.n_negative, 'known negative')} left out" if kept.n_negative else ""
        say(f"{counted(len(places), 'unlabelled row')}{beside}")
    if weights is not None and not quiet:
        say(f"weighted by column {remembered(model)['weights']!r}, as in the fit")
    for line in found.lines():
        say(in_one_line(line))
    if out is not None and not quiet:
        say(f"{counted(found.columns.num_rows, 'column')}: {out}")


class _Unlabelled(NamedTuple):
    """Places of unlabelled rows, audited ones among them, and how many known negatives stand beside them."""

    places: np.ndarray
    n_negative: int


def _unlabelled(
    file: DataFile, known: Mapping[str, Any], label: str | None, positive: str | None
) -> _Unlabelled | None:
    """Find unlabelled rows; None where the file has no column of labels or of known negatives."""
    roles = Roles.as_in_fit(known, True, label=label, positive=positive)
    labelled, negative = _labelled(file, roles, label is not None, positive is not None), _negative(file, roles)
    if labelled is None and negative is None:
        return None
    marked = [flags for flags in (labelled, negative) if flags is not None]
    return _Unlabelled(np.flatnonzero(~np.logical_or.reduce(marked)), 0 if negative is None else int(negative.sum()))


def _labelled(file: DataFile, roles: Roles, is_asked: bool, is_named: bool) -> np.ndarray | None:
    """Mark labelled rows: by the column of the fit, if the file has it, or by one that is asked for."""
    if roles.label is None or (not is_asked and roles.label not in file.names):
        return None
    cells = file.read([roles.label], {roles.label: "text"})[roles.label]
    if is_named:
        return read_label_column(file, cells, roles)
    # New rows may have no label yet.
    seen: Counter[Any] = Counter()
    marked = mark_labelled(file, cells, roles, "name the value that marks a labelled positive by --positive", seen)
    tell_of_others(roles, seen)
    return marked


def _negative(file: DataFile, roles: Roles) -> np.ndarray | None:
    """Mark known negatives, which are not among the unlabelled rows of the fit either."""
    if roles.negative not in file.names:
        return None
    cells = file.read([roles.negative], {roles.negative: "text"})[roles.negative]
    return mark_answered(file, cells, roles.negative, (1,))


def _weights(file: DataFile, column: str | None) -> np.ndarray | None:
    """The weights of all rows, by the column of the fit; a word where the file lacks it."""
    if column is None:
        return None
    if column not in file.names:
        warn_user(
            f"Rows of the fit were weighted by column {column!r}, which {file.path} lacks; all its rows count alike."
        )
        return None
    return as_array(file.read([column])[column])
