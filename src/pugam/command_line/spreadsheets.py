"""Cells that a spreadsheet would run as a formula, whoever wrote them: told of, or made text, in CSV files out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pugam.command_line.columns import family_of
from pugam.errors import warn_user
from pugam.messages import counted, first_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Formulas", "Neutralise"]

Neutralise = Annotated[
    bool,
    typer.Option(
        "--neutralise",
        help="In a CSV file, put an apostrophe before text that begins with =, +, - or @: spreadsheets would run it.",
    ),
]

# What begins so is a formula, unless it is a number, or a sign for a missing value.
BEGINS = r"^\s*[=@+\-\t\r]"
HARMLESS = r"^\s*[+\-]?(\d[\d.,]*|[.,]\d+|)([eE][+\-]?\d+)?\s*$|^\s*[+\-]?(?i:inf|infinity|nan)\s*$"
RUNS = r"^\s*[=@\t\r]|^\s*[+\-].*[(|!]"  # and not only shows a telephone number
MOST_NAMES = 3


@dataclass
class Formulas:
    """Looks for formulas in the batches of a table that is written, and makes them text if that is wanted.

    Attributes
    ----------
    in_text : bool
        Whether the table is a CSV file: others say that text is text.
    neutralise : bool
    found : Counter
        How many cells a spreadsheet would run, by column, whose name is a cell, too.
    """

    in_text: bool
    neutralise: bool = False
    found: Counter[str] = field(default_factory=Counter)

    def guard(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return rows to write."""
        import pyarrow as pa

        if not self.in_text:
            return batch
        names = pa.array(batch.schema.names, pa.string())
        if not self.neutralise and not self.found:  # the names are written once, before all batches
            self.found.update(dict(zip(names.to_pylist(), map(int, _runs(names).to_pylist()), strict=True)))
        columns = [self._column(name, column) for name, column in zip(names.to_pylist(), batch.columns, strict=True)]
        header = _made_text(names) if self.neutralise else names
        return pa.RecordBatch.from_arrays(columns, names=header.to_pylist())

    def _column(self, name: str, column: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        if family_of(column.type) != "text":
            return column
        text = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        if self.neutralise:
            return _made_text(text)
        self.found[name] += pc.sum(_runs(text)).as_py() or 0
        return column

    def warn(self) -> None:
        """Tell once which columns hold formulas."""
        names = [name for name, count in self.found.items() if count]
        if not names:
            return
        shown = first_of(names, MOST_NAMES, repr)
        columns = "columns" if len(names) > 1 else "column"
        warn_user(
            f"{counted(self.found.total(), 'cell')} of {columns} {shown} would be run as a formula by a spreadsheet. "
            "If you do not trust the table, give --neutralise."
        )


def _runs(text: Any) -> Any:
    import pyarrow.compute as pc

    return pc.match_substring_regex(text, RUNS)


def _made_text(text: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    runs = pc.and_(pc.match_substring_regex(text, BEGINS), pc.invert(pc.match_substring_regex(text, HARMLESS)))
    apostrophe, nothing = pa.scalar("'", text.type), pa.scalar("", text.type)
    return pc.if_else(runs, pc.binary_join_element_wise(apostrophe, text, nothing), text)
