"""`pugam predict`: a posterior for every row of a file, however long it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from pugam.command_line.columns import Features, match_levels, split_names
from pugam.command_line.labelled import Labelled
from pugam.command_line.options import (
    Decimal,
    Delimiter,
    Quiet,
    printing_warnings,
    require_choice,
    require_level,
    require_table,
    say,
)
from pugam.command_line.places import require_apart
from pugam.command_line.scoring import (
    Beyond,
    OpenWriter,
    Share,
    caveat,
    of_all_samples,
    place_among,
    require_columns,
    writer_like,
)
from pugam.command_line.shortlists import Ranking, Scored, Shortlist, expectation
from pugam.command_line.spreadsheets import Formulas, Neutralise
from pugam.command_line.unscored import REASON, Unscored
from pugam.errors import InputError, RowError
from pugam.files import DataFile, TableWriter, is_text, open_file
from pugam.messages import counted
from pugam.progress import Progress

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["predict"]

NEW_COLUMNS = ("p_positive", "log_density_ratio")
INTERVAL_COLUMNS = ("p_se", "p_lower", "p_upper")


def predict(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by pugam fit.")],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A .csv, .csv.gz or .parquet file, or a folder of Parquet files.")
    ],
    out: Annotated[
        Path, typer.Option(help="Where to write the rows with their posteriors (.csv, .csv.gz, .tsv or .parquet).")
    ],
    pi: Annotated[
        float | None, typer.Option(help="Share of positives among these rows, if it is not that of the fit.")
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            help="Column that names the sample of each row, or the name of a sample of the fit, for all rows; where "
            "both are there, the column counts."
        ),
    ] = None,
    interval: Annotated[
        bool, typer.Option("--interval", help="Add a standard error and limits to each posterior.")
    ] = False,
    level: Annotated[float, typer.Option(help="Level of the limits, a probability such as 0.95.")] = 0.95,
    top: Annotated[int | None, typer.Option(help="Write only this many rows, the likeliest positives first.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Write only rows whose posterior is at least this large, in their order."),
    ] = None,
    cost_review: Annotated[
        float | None,
        typer.Option(help="What it costs to review a row: with --cost-miss, write the rows that are worth a review."),
    ] = None,
    cost_miss: Annotated[float | None, typer.Option(help="What it costs to miss a positive.")] = None,
    sort: Annotated[
        bool, typer.Option("--sort", help="Write the likeliest positives first; rows are kept in memory.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column to write beside the new ones, in place of all; several as a,b."),
    ] = None,
    labelled: Annotated[
        str | None,
        typer.Option(
            help="Rows that are labelled, known negatives or audited already, by the columns of the fit: drop or keep; "
            "by default a worklist (--top, --threshold, costs) drops them."
        ),
    ] = None,
    unscorable: Annotated[
        str,
        typer.Option(
            help="Rows with a level that the fit never saw, or with a gap that it does not permit: error, or empty "
            "(they get no score, and the column not_scored says why)."
        ),
    ] = "error",
    neutralise: Neutralise = False,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Append p_positive and log_density_ratio to every row, keeping its columns and its place.

    p_positive is the probability of being positive for an unlabelled row; --interval adds p_se, p_lower and p_upper.
    --top, --threshold and the costs write a worklist, and say how many positives a review of it is expected to find.

    Examples:

    pugam predict model.json new.parquet --out scored.parquet

    pugam predict model.json other_region.csv --pi 0.05 --interval --out scored.csv

    pugam predict model.json patients.csv --sample year --out scored.csv

    pugam predict model.json claims.csv --top 200 --keep claim --out review.csv

    pugam predict model.json new.csv --unscorable empty --out scored.csv
    """
    from pugam.estimator import load, read_cutoff, read_share

    pi = None if pi is None else read_share(pi)
    smallest = read_cutoff(top, threshold, cost_review, cost_miss)
    require_level(level)
    require_choice("--labelled", labelled or "drop", "drop", "keep")
    require_choice("--unscorable", unscorable, "error", "empty")
    require_table(out, "--out")
    if data.suffix == ".json" and model_file.suffix != ".json":
        raise InputError("The model comes first: pugam predict MODEL DATA.")
    require_apart({"--out": out}, (model_file, data))
    model = load(model_file)
    file = open_file(data, delimiter, decimal)
    added = (*_columns_added(model), *(INTERVAL_COLUMNS if interval else ()))
    unscored = Unscored() if unscorable == "empty" else None
    taken = [name for name in (*added, *(() if unscored is None else (REASON,))) if name in file.names]
    if taken:
        raise InputError(f"{data} has a column {taken[0]!r} already; rename it first.")
    require_columns(model, file)
    kept = split_names(keep or (), file.names)
    for column in kept:
        if column not in file.names:
            file.read([column])
    share = Share(pi, sample, sample in file.names)
    share.require_known(model)
    for line in (*caveat(model.verdict_, pi), *of_all_samples(model, share, file.names)):
        say(line, aside=True)
    _tell_of_renamed(model)
    ranking = Ranking(top, smallest, sort or top is not None, tuple(kept) or None)
    shortlist = Shortlist(ranking, data)
    known = Labelled(model, file, keep=labelled != "drop" and not (ranking.leaves_out and labelled is None))
    with printing_warnings():
        batches = _scored(model, file, share, level if interval else None, is_text(out), added, unscored, known)
        formulas = Formulas(is_text(out), neutralise)
        writing = writer_like(out, data, delimiter, decimal)
        _write(batches, file, writing, shortlist, formulas, False if quiet else None)
        formulas.warn()
        known.warn()
        said = tuple(expectation(model, shortlist, pi, sample, level)) if ranking.leaves_out else ()
    if not quiet:
        if known.n_rows:
            say(known.told())
        say(f"{counted(shortlist.n_listed, 'row')}: {out}")
    for line in said:
        say(line)


def _write(
    batches: Iterator[Scored],
    file: DataFile,
    open_table: OpenWriter,
    shortlist: Shortlist,
    formulas: Formulas,
    show: bool | None,
) -> None:
    """Write what is asked for of scored batches: at once, or in order at the end."""
    with ExitStack() as stack:
        bar = stack.enter_context(Progress("rows", file.n_rows or 0, show))
        writer: TableWriter | None = None
        for scored in _one_ahead(batches):
            batch = formulas.guard(shortlist.add(scored))
            if writer is None:
                writer = stack.enter_context(open_table(batch.schema))
            writer.write(batch)
            bar.advance(scored.batch.num_rows)
        if writer is not None:
            for batch in shortlist.in_order():
                writer.write(formulas.guard(batch))


def _one_ahead(batches: Iterator[Scored]) -> Iterator[Scored]:
    """Prepare the next batch in a thread of its own while the caller is busy with the last one."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = pool.submit(next, batches, None)
            yield batch


def _scored(
    model: PUGAM,
    file: DataFile,
    share: Share,
    level: float | None,
    as_written: bool,
    added: Sequence[str],
    unscored: Unscored | None,
    known: Labelled,
) -> Iterator[Scored]:
    """Score batch by batch; from text to text all columns go out as they were written, also those of the model."""
    import pyarrow as pa

    features = Features.of_model(model)
    kinds, share_of = file.kinds(features.columns, features.kinds), share.of_batches(file, model)
    first_row = 0
    beyond = Beyond()
    for whole in file.batches():
        typed = file.typed(whole.select(list(features.columns)), kinds, first_row)
        places = known.others(whole, first_row)
        batch, read = (_taken(part, places) for part in (whole, typed))
        if batch.num_rows:
            rows = match_levels(pa.Table.from_batches([read]), features)
            try:
                holds = share_of(batch, first_row)
                score = partial(_scores, model, share=holds, level=level)
                scorable, new = (rows, score(rows)) if unscored is None else unscored.scores(model, rows, added, score)
            except RowError as error:
                raise error.placed(partial(place_among, file, first_row, places)) from None
            beyond.add(model, rows)
            understood = () if as_written else set(features.columns)
            kept = [(read if name in understood else batch).column(name) for name in batch.schema.names]
            columns = [*kept, *(_as_column(name, values) for name, values in new.items())]
            scored = pa.RecordBatch.from_arrays(columns, names=[*batch.schema.names, *new])
            yield Scored(scored, tuple(new), scorable, holds["sample"] if share.in_column else None)
        first_row += whole.num_rows
    if known.n_rows == first_row:
        raise InputError(f"{file.path} has no unlabelled row of unknown class: {known.listed()}.")
    beyond.warn()
    if unscored is not None:
        unscored.warn()


def _taken(batch: pa.RecordBatch, places: np.ndarray) -> pa.RecordBatch:
    """Some rows of a batch; itself, where these are all."""
    return batch if len(places) == batch.num_rows else batch.take(places)


def _as_column(name: str, values: Any) -> pa.Array:
    """Scores as numbers, none where there is none, or reasons as text."""
    import pyarrow as pa

    return pa.array(values, pa.string() if name == REASON else pa.float64(), from_pandas=True)


def _scores(model: PUGAM, features: pa.Table, share: dict[str, Any], level: float | None) -> dict[str, Any]:
    from pugam.likelihood import expit

    if model._kinds is not None:
        return _scores_of_kinds(model, features, share, level)
    ratio = model.log_density_ratio(features)
    known, _ = model._known_shares(**share, n_rows=len(ratio), X=features)
    new = {"p_positive": expit(model._posterior_logits(ratio, known)), "log_density_ratio": ratio}
    if level is not None:
        limits = model.predict_interval(features, level, **share)
        new |= dict(zip(INTERVAL_COLUMNS, (np.asarray(limits[name]) for name in ("se", "lower", "upper")), strict=True))
    return new


def _columns_added(model: PUGAM) -> tuple[str, ...]:
    """Names of the columns of a prediction; with several kinds of positives the probability of each."""
    if model._kinds is None:
        return NEW_COLUMNS
    return (NEW_COLUMNS[0], *_columns_of_kinds(model.kinds_).values())


def _columns_of_kinds(names: Sequence[str]) -> dict[str, str]:
    """A column for each kind of positives; an underscore sets it apart where it would be another column of results."""
    plain = {name: f"p_{name}" for name in names}
    results = {*NEW_COLUMNS, *INTERVAL_COLUMNS, REASON}
    taken = results | set(plain.values())
    for name, column in plain.items():
        while column in results or (column != f"p_{name}" and column in taken):
            column += "_"
        plain[name] = column
        taken.add(column)
    return plain


def _tell_of_renamed(model: PUGAM) -> None:
    """Say which columns have not the name that their kind of positives would give them."""
    for name, column in () if model._kinds is None else _columns_of_kinds(model.kinds_).items():
        if column != f"p_{name}":
            say(f"! The probability of the kind {name!r} is column {column!r}: p_{name} is another.", aside=True)


def _scores_of_kinds(model: PUGAM, features: pa.Table, share: dict[str, Any], level: float | None) -> dict[str, Any]:
    from pugam.likelihood import expit

    if level is not None:
        raise InputError("--interval is of one kind of positives, but this model has several; leave it out.")
    total, now = expit(model._logits(features, **share)), expit(model._logits(features, None, None))
    kinds = model._require_kinds().posteriors(features).T
    with np.errstate(invalid="ignore"):  # a kind keeps its part of the positives in another population
        parts = np.where(now > 0.0, kinds / now, 0.0) * total
    return dict(zip(_columns_added(model), (total, *parts), strict=True))
