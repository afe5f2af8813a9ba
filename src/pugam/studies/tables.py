"""Tables of results: Markdown for readers, CSV for programs, the printed figure beside ours."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pugam.files import replacing
from pugam.studies.monte_carlo import Comparison

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Row", "Table"]

MARK = " \\*"  # escaped: a bare star would begin emphasis
LEGEND = (
    "Each cell: ours ± its Monte-Carlo standard error [the paper's]; * where the two differ by more than three "
    "standard errors of their difference."
)


@dataclass(frozen=True)
class Row:
    """One line of a table.

    Attributes
    ----------
    labels : tuple of str
    cells : mapping
        By quantity; quantities that a line does not have are left empty.
    """

    labels: tuple[str, ...]
    cells: Mapping[str, Comparison]


@dataclass(frozen=True)
class Table:
    """A table of measured figures.

    Attributes
    ----------
    name : str
        Names the files.
    title : str
    headings : tuple of str
        Of the labels.
    rows : sequence of Row
    notes : sequence of str

    Examples
    --------
    >>> from pugam.studies import Table
    >>> from pugam.studies.monte_carlo import Comparison, Measured
    >>> from pugam.studies.tables import Row
    >>> found = Comparison(Measured(0.31, 0.02, 500), printed=0.256)
    >>> table = Table("mine", "Mine", ("n",), [Row(("1500",), {"mse": found})])
    >>> table.quantities, table.differing
    (['mse'], [])
    """

    name: str
    title: str
    headings: tuple[str, ...]
    rows: Sequence[Row]
    notes: Sequence[str] = field(default=())

    @property
    def quantities(self) -> list[str]:
        """The quantities, in the order in which they first appear."""
        return list(dict.fromkeys(quantity for row in self.rows for quantity in row.cells))

    @property
    def differing(self) -> list[tuple[tuple[str, ...], str]]:
        """Labels and quantity of every cell that differs from the printed one."""
        return [(row.labels, name) for row in self.rows for name, cell in row.cells.items() if cell.differs]

    def markdown(self) -> str:
        """The table as a page."""
        header = [*self.headings, *self.quantities]
        lines = [_line(header), _line(["---"] * len(header))]
        for row in self.rows:
            cells = (row.cells.get(quantity) for quantity in self.quantities)
            lines.append(_line([*row.labels, *("" if cell is None else _text(cell) for cell in cells)]))
        with_paper = any(cell.printed is not None for row in self.rows for cell in row.cells.values())
        legend = LEGEND if with_paper else "Each cell: the figure ± its Monte-Carlo standard error."
        paragraphs = [f"# {self.title}", "\n".join(lines), legend, *self.notes]
        return "\n\n".join(paragraphs) + "\n"

    def frame(self) -> pd.DataFrame:
        """The table with one line per figure."""
        import pandas as pd

        return pd.DataFrame(self._long(), columns=self._long_header())

    def write(self, folder: Path) -> list[Path]:
        """Write NAME.md and NAME.csv into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        page, sheet = folder / f"{self.name}.md", folder / f"{self.name}.csv"
        with replacing(page) as temporary:
            temporary.write_text(self.markdown(), encoding="utf-8")
        with replacing(sheet) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self._long_header())
            writer.writerows([["" if value is None else value for value in line] for line in self._long()])
        return [page, sheet]

    def _long_header(self) -> list[str]:
        return [*self.headings, "quantity", "value", "mc_error", "replicates", "paper", "differs"]

    def _long(self) -> list[list[str | float | int | bool | None]]:
        return [
            [
                *row.labels,
                name,
                *astuple(cell.measured)[:3],
                cell.printed,
                None if cell.printed is None else cell.differs,
            ]
            for row in self.rows
            for name, cell in row.cells.items()
        ]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _text(cell: Comparison) -> str:
    ours = f"{cell.measured.value:.{cell.digits}f} ± {cell.measured.error:.{cell.digits}f}"
    if cell.printed is None:
        return ours
    return f"{ours} [{cell.printed:.{cell.digits}f}]" + (MARK if cell.differs else "")
