"""`pugam explain`: why rows of a file have their probabilities, term by term."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from pugam.command_line.columns import Features, match_levels, remembered
from pugam.command_line.options import (
    Decimal,
    Delimiter,
    Quiet,
    in_one_line,
    printing_warnings,
    require_at_least,
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
    model_of_kind,
    place_among,
    require_columns,
    writer_like,
)
from pugam.command_line.spreadsheets import Formulas, Neutralise
from pugam.command_line.unscored import REASON
from pugam.data import read_table
from pugam.errors import InputError, RowError
from pugam.files import DataFile, TableWriter, is_text, open_file
from pugam.messages import counted
from pugam.terms import unscorable_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["explain"]

MOST_PRINTED = 10  # rows, where none is asked for by name
TOP = 5
LONGEST_NAME, LONGEST_VALUE = 40, 24
ROWS_AT_ONCE = 1000  # written


def explain(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by pugam fit.")],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A .csv, .csv.gz or .parquet file, or a folder of Parquet files.")
    ],
    row: Annotated[
        list[str] | None,
        typer.Option(
            help="A row to explain: its number, 1 for the first, or its identifier, in the column of --id or of "
            "the fit; repeatable."
        ),
    ] = None,
    id: Annotated[str | None, typer.Option(help="Column of identifiers, to name rows by.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write a table, a line for each row and term, in place of text (.csv, .tsv or .parquet)."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(help="How many terms of each row to show, before the sum of the rest; 5 as text, all in a table."),
    ] = None,
    pi: Annotated[
        float | None, typer.Option(help="Share of positives among these rows, if it is not that of the fit.")
    ] = None,
    sample: Annotated[
        str | None, typer.Option(help="Column that names the sample of each row, or a sample of the fit, for all rows.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Which kind of positives to explain, where the model has several.")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the limits, a probability such as 0.95.")] = 0.95,
    unscorable: Annotated[
        str,
        typer.Option(
            help="Rows with a level that the fit never saw, or with a gap that it does not permit: error, or empty "
            "(the reason in place of an explanation; in a table, in the column not_scored)."
        ),
    ] = "error",
    neutralise: Neutralise = False,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Say why rows have their probabilities: what each term adds to the log odds of the average unlabelled row.

    The lines of a row add up to the log odds of its p_positive, as of pugam predict.

    Examples:

    pugam explain model.json patients.csv --row 17

    pugam explain model.json patients.csv --id patient --row A-1043 --top 8

    pugam explain model.json patients.csv --id patient --out explained.csv
    """
    from pugam.estimator import load, read_share

    require_level(level)
    require_at_least("--top", top, 1)
    require_choice("--unscorable", unscorable, "error", "empty")
    if out is not None:
        require_table(out, "--out")
        require_apart({"--out": out}, (model_file, data))
    if data.suffix == ".json" and model_file.suffix != ".json":
        raise InputError("The model comes first: pugam explain MODEL DATA.")
    model = model_of_kind(load(model_file), kind)
    file = open_file(data, delimiter, decimal)
    require_columns(model, file)
    share = Share(None if pi is None else read_share(pi), sample, sample in file.names)
    share.require_known(model)
    wanted = Wanted.read(file, row, id, remembered(model).get("id"))
    for line in caveat(model.verdict_, pi):
        say(line, aside=True)
    with printing_warnings():
        most, empty = None if out is not None or row else MOST_PRINTED, unscorable == "empty"
        explained = _explained(model, file, share, level, wanted, most, empty)
        if out is None:
            for number, found in enumerate(explained):
                _print(found, top or TOP, level, first=number == 0)
            return
        formulas = Formulas(is_text(out), neutralise)
        writing = writer_like(out, data, delimiter, decimal)
        n_rows = _write(explained, writing, top, wanted.column or "row", empty, formulas)
        formulas.warn()
    if not quiet:
        say(f"{counted(n_rows, 'row')}: {out}")


@dataclass(frozen=True)
class Wanted:
    """Which rows are explained, and how they are called.

    Attributes
    ----------
    column : str or None
        Of identifiers.
    names : set of str, or None
        Those asked for; None for all rows.
    """

    file: DataFile
    column: str | None
    names: set[str] | None

    @classmethod
    def read(cls, file: DataFile, rows: Sequence[str] | None, column: str | None, known: str | None = None) -> Wanted:
        """Check what was asked for; identifiers in the column known from the fit come before numbers of rows."""
        if column is None and known is not None and known in file.names and _are_identifiers(file, known, rows or ()):
            column = known
        if column is not None and column not in file.names:
            file.read([column])  # says that there is no such column, and which is nearest
        for name in rows or ():
            if column is None and not _is_number(name):
                raise InputError(
                    f"--row is the number of a row, 1 for the first; got {name!r}. Give --id with the column of "
                    "identifiers to name rows by these."
                )
        names = None if not rows else {name if column is not None else name.lstrip("0") for name in rows}
        return cls(file, column, names)

    def choose(self, batch: pa.RecordBatch, first_row: int) -> tuple[list[int], list[str]]:
        """Places of rows in a batch, and their names."""
        if self.column is None:
            names = [str(first_row + place + 1) for place in range(batch.num_rows)]
        else:
            own = self.file.typed(batch.select([self.column]), {self.column: "text"}, first_row).column(0)
            names = ["" if name is None else str(name) for name in own.to_pylist()]
        places = [place for place, name in enumerate(names) if self.names is None or name in self.names]
        return places, [names[place] for place in places]

    def require_found(self, found: set[str], n_rows: int) -> None:
        """Refuse names of rows that are not there."""
        lacking = sorted((self.names or set()) - found)
        if not lacking:
            return
        from pugam.presentation.steps import shortened

        name = shortened(lacking[0], LONGEST_NAME)
        if self.column is None:
            raise InputError(f"{self.file.path} has {counted(n_rows, 'row')}, and no row {name}.")
        raise InputError(f"{self.file.path}: column {self.column!r} holds no {name!r}; check --row and --id.")


def _are_identifiers(file: DataFile, column: str, rows: Sequence[str]) -> bool:
    """Whether rows are named by identifiers: one is no number, or the column holds one of them."""
    if not all(map(_is_number, rows)):
        return True
    asked, first_row = set(rows), 0
    for batch in file.batches([column]) if asked else ():
        own = file.typed(batch, {column: "text"}, first_row).column(0).to_pylist()
        if not asked.isdisjoint("" if name is None else str(name) for name in own):
            return True
        first_row += batch.num_rows
    return False


def _is_number(row: str) -> bool:
    return row.isascii() and row.isdigit() and bool(row.lstrip("0"))


@dataclass(frozen=True)
class RowFound:
    """One row: its name, the lines of `explain`, and why there are none."""

    name: str
    lines: list[Any]
    reason: str | None = None


def _explained(
    model: PUGAM, file: DataFile, share: Share, level: float, wanted: Wanted, most: int | None, empty: bool
) -> Iterator[RowFound]:
    """Explain rows batch by batch; more than `most` are refused before any is shown."""
    import pyarrow as pa

    features = Features.of_model(model)
    kinds, share_of = file.kinds(features.columns, features.kinds), share.of_batches(file, model)
    if most is not None and wanted.names is None:
        _require_few(file, most)
    first_row, beyond, found = 0, Beyond(), set[str]()
    for batch in file.batches():
        places, names = wanted.choose(batch, first_row)
        found.update(names)
        if places:
            read = file.typed(batch.select(list(features.columns)), kinds, first_row)
            rows = match_levels(pa.Table.from_batches([read]), features).take(places)
            try:
                yield from _of_batch(model, rows, names, _taken(share_of(batch, first_row), places), level, empty)
            except RowError as error:
                raise error.placed(partial(place_among, file, first_row, places)) from None
            beyond.add(model, rows)
        first_row += batch.num_rows
    wanted.require_found(found, first_row)
    beyond.warn()


def _require_few(file: DataFile, most: int) -> None:
    n_rows = 0
    for batch in file.batches(file.names[:1]):
        n_rows += batch.num_rows
        if n_rows > most:
            raise InputError(
                f"{file.path} has more than {most} rows; say which to explain, as in --row 17, or write all of them to "
                "a table with --out explained.csv."
            )


def _taken(share: dict[str, Any], places: Sequence[int]) -> dict[str, Any]:
    sample = share["sample"]
    return share | {"sample": [sample[place] for place in places] if isinstance(sample, list) else sample}


def _of_batch(
    model: PUGAM, rows: pa.Table, names: Sequence[str], share: dict[str, Any], level: float, empty: bool
) -> Iterator[RowFound]:
    from pugam.presentation.steps import steps_of

    reasons = unscorable_rows([model._design], read_table(rows)) if empty else {}
    scored = [place for place in range(len(names)) if place not in reasons]
    steps = steps_of(model.explain(rows.take(scored), level, **_taken(share, scored))) if scored else []
    size = len(steps) // max(len(scored), 1)
    lines = {place: steps[number * size : (number + 1) * size] for number, place in enumerate(scored)}
    for place, name in enumerate(names):
        yield RowFound(name, lines.get(place, []), reasons.get(place))


def _write(
    explained: Iterator[RowFound], open_table: OpenWriter, top: int | None, column: str, empty: bool, formulas: Formulas
) -> int:
    """Write a line for each row and term, and tell how many rows there were."""
    import pyarrow as pa

    from pugam.presentation.steps import Step

    fields = (column, *Step._fields, *([REASON] if empty else []))
    if column in fields[1:]:
        raise InputError(f"--id {column}: the table has a column of that name of its own; rename it first.")
    n_rows, texts = 0, (column, "term", "value", REASON)
    with ExitStack() as stack:
        writer: TableWriter | None = None
        while some := list(islice(explained, ROWS_AT_ONCE)):
            lines = [line for row in some for line in _table_lines(row, top, empty)]
            columns = dict(zip(fields, map(list, zip(*lines, strict=True)), strict=True))
            schema = pa.schema([(name, pa.string() if name in texts else pa.float64()) for name in fields])
            batch = formulas.guard(pa.RecordBatch.from_pydict(columns, schema))
            if writer is None:
                writer = stack.enter_context(open_table(batch.schema))
            writer.write(batch)
            n_rows += len(some)
    return n_rows


def _table_lines(row: RowFound, top: int | None, empty: bool) -> Iterator[tuple[Any, ...]]:
    """Lines of a table: those of the row, or a single one with the reason why it has none."""
    if row.reason is not None:
        yield row.name, None, None, None, None, None, None, row.reason
        return
    for step in _folded(row, top):
        yield row.name, *step, *([None] if empty else [])


def _folded(row: RowFound, top: int | None) -> list[Any]:
    """The lines of a row, all but the largest terms taken together where so many are wanted."""
    from pugam.presentation.steps import fold_steps

    baseline, *steps = row.lines
    return row.lines if top is None else [baseline, *fold_steps(steps, top + 1)]


def _print(row: RowFound, top: int, level: float, first: bool) -> None:
    """Print one row: its probability, the average row, and the terms that matter most."""
    from pugam.likelihood import expit
    from pugam.presentation.steps import AVERAGING, shortened

    if row.reason is not None:
        say(in_one_line(f"row {row.name}: no score, since {row.reason}."), strong=True)
        return
    baseline, *steps = _folded(row, top)
    total = float(np.sum([step.contribution for step in row.lines]))
    if not first:
        say("")
    probability, average = (float(expit(np.array(value))) for value in (total, baseline.contribution))
    say(in_one_line(f"row {row.name}: p_positive {probability:.4f}, log odds {total:+.2f}"), strong=True)
    lines = [("average unlabelled row", f"p {average:.4f}", baseline)]
    for step in steps:
        name, value = (in_one_line(text) for text in (step.term, step.value))
        lines.append((shortened(name, LONGEST_NAME), shortened(value, LONGEST_VALUE), step))
    widths = [max(len(line[place]) for line in lines) for place in (0, 1)]
    for name, value, step in lines:
        limits = "" if np.isnan(step.lower) else f"  ({step.lower:+.2f} to {step.upper:+.2f})"
        say(f"  {name:<{widths[0]}}  {value:<{widths[1]}}  {step.contribution:+7.2f}{limits}")
    if first:
        averaged = any(step.term == AVERAGING for step in steps)
        why = f' The line "{AVERAGING}" allows for the uncertainty of pi and of the effects.' if averaged else ""
        say(f"  Contributions to the log odds, with {100 * level:g}% intervals.{why}")
