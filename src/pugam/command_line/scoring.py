"""What verbs share that say something of the rows of a file: their share of positives, their columns, their places."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.command_line.columns import remembered
from pugam.data import Levels, is_missing, numbered_names, read_table
from pugam.errors import InputError
from pugam.files import DataFile, TableWriter, is_text, open_writer
from pugam.terms import columns_read, count_outside, count_unseen, warn_outside, warn_unseen

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = [
    "Beyond",
    "OpenWriter",
    "Share",
    "caveat",
    "model_of_kind",
    "of_all_samples",
    "place_among",
    "require_columns",
    "require_several_kinds",
    "writer_like",
]

OpenWriter = Callable[["pa.Schema"], AbstractContextManager[TableWriter]]


@dataclass(frozen=True)
class Share:
    """Which share of positives holds for rows: a known one, that of a sample, or of one named in a column."""

    pi: float | None
    sample: str | None
    in_column: bool

    def require_known(self, model: PUGAM) -> None:
        """Refuse two shares, and samples that the model does not know, before a file is read."""
        model._known_shares(self.pi, None if self.in_column else self.sample, 0)
        if self.in_column:
            model._known_shares(self.pi, [], 0)

    def of_batches(self, file: DataFile, model: PUGAM) -> Callable[[pa.RecordBatch, int], dict[str, Any]]:
        """Return what gives the share of a batch of rows, from its first row on, as arguments of predictions.

        Samples are known by how they are spelt, or else as the only one that is as large: 2023 is 2023.0.
        """
        if not self.in_column or self.sample is None:
            return lambda *_: {"pi": self.pi, "sample": self.sample}
        column, names = self.sample, Levels(self.sample, model._require_samples().names)

        def of_batch(batch: pa.RecordBatch, first_row: int) -> dict[str, Any]:
            read = file.typed(batch.select([column]), {column: "text"}, first_row).column(0).to_pylist()
            found = {value: None if is_missing(value) else names.find(value) for value in set(read)}
            return {"pi": None, "sample": [found[value] for value in read]}

        return of_batch


def writer_like(out: Path, data: Path, delimiter: str | None, decimal: str) -> OpenWriter:
    """Return what opens a table to be written: from CSV to CSV, the delimiter and the decimal sign stay the same."""
    style: dict[str, Any] = {"delimiter": delimiter, "decimal": decimal} if is_text(data) else {}
    return partial(open_writer, out, **style)


def caveat(verdict: str | None, pi: float | None) -> Iterator[str]:
    """Say what the probabilities rest on where the fit left doubts; a share that is given is not in doubt."""
    from pugam.inference import DOUBTS

    if verdict == "does not fit":
        yield "! The model does not fit the rows it was fitted to, and probabilities rest on it."
    elif verdict in DOUBTS and pi is None:
        yield f"! pi is {verdict} by the rows of the fit, and probabilities depend on it. Give --pi if you know it."


def of_all_samples(model: PUGAM, share: Share, names: Sequence[str]) -> Iterator[str]:
    """Say that rows do not get the shares of their samples, where a column of the file names these."""
    column = remembered(model).get("sample")
    has_own = model._kinds is None and model._own_column is not None  # then the column was read
    if share.pi is None and share.sample is None and column is not None and column in names and not has_own:
        told = "! Rows are scored with the share of all samples together; "
        yield f"{told}--sample {shlex.quote(column)} takes that of each row's own."


def require_several_kinds(model: PUGAM, kind: str | None) -> None:
    """Refuse what tells kinds of positives apart, where there is a single one."""
    if model._kinds is None and kind is not None:
        raise InputError("--kind is for models of several kinds of positives; this one has a single kind.")


def model_of_kind(model: PUGAM, kind: str | None) -> PUGAM:
    """The model of one kind of positives, where there are several."""
    require_several_kinds(model, kind)
    if model._kinds is None:
        return model
    if kind is None:
        names = ", ".join(model.kinds_)
        raise InputError(
            f"This model has several kinds of positives ({names}), each with terms of its own; choose one with --kind."
        )
    one: PUGAM = model.of_kind(kind)
    return one


def require_columns(model: PUGAM, file: DataFile) -> None:
    """Refuse a file that lacks a column of the model."""
    columns = columns_read([term for one in model._models for term in one.terms_ if not term.is_labelling])
    known = set(file.names)
    if not hasattr(model, "feature_names_in_"):
        _require_numbered(model.n_features_in_, file)
    lacking = [column for column in columns if column not in known]
    if lacking:
        file.read(lacking[:1])  # says that there is no such column, and which is nearest


def _require_numbered(n_columns: int, file: DataFile) -> None:
    """Refuse a file that has not all the names that columns of an array have: its columns would be others."""
    lacking = [name for name in numbered_names(n_columns) if name not in file.names]
    if lacking:
        raise InputError(
            f"The model was fitted to an array of {n_columns} columns without names, so {file.path} is read by the "
            f"names x0 to x{n_columns - 1}, and has no {lacking[0]}; name its columns so, in the order of the array."
        )


def place_of(file: DataFile, first_row: int, row: int) -> str:
    """Where a row of a batch stands in its file."""
    return f"{file.path}, {file.place(first_row + row)}"


def place_among(file: DataFile, first_row: int, places: Sequence[int] | np.ndarray, row: int) -> str:
    """Where a row stands in its file that is one of several chosen from a batch."""
    return place_of(file, first_row, int(places[row]))


@dataclass(frozen=True)
class Beyond:
    """Counts rows that the fit saw none like, over all batches: outside its range, or with a level it never saw.

    Attributes
    ----------
    outside : Counter
        Rows well outside the range of a column.
    unseen : dict of str to Counter
        Rows of each level that terms permit although the fit never saw it, by column.
    """

    outside: Counter[str] = field(default_factory=Counter)
    unseen: dict[str, Counter[object]] = field(default_factory=dict)

    def add(self, model: PUGAM, rows: pa.Table) -> None:
        """Count rows of a batch."""
        designs, table = [one._design for one in model._models], read_table(rows)
        self.outside.update(count_outside(designs, table))
        for column, levels in count_unseen(designs, table).items():
            self.unseen.setdefault(column, Counter()).update(levels)

    def warn(self) -> None:
        """Tell of them, once."""
        warn_outside(self.outside)
        warn_unseen(self.unseen)
