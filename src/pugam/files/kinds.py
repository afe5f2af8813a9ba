"""What kind a column of a CSV file is, decided over all of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pugam.files.arrow import arrow
from pugam.files.cells import convert, fits, looks_decimal_comma, looks_grouped, present, with_points
from pugam.files.formats import Kind

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MixedColumnError", "Tally"]


class MixedColumnError(Exception):
    """A column that holds mostly numbers, and some cells that are none."""


@dataclass
class Tally:
    """How many cells of a column are of which kind, counted block by block.

    Attributes
    ----------
    present, numbers, booleans, decimal_commas, grouped, ambiguous : int
        How many cells are not missing; how many of these are numbers, booleans, would be numbers if their comma were
        a point, without signs between groups of three digits, or either.
    misfit_row : int or None
        The first row, counted from 0, whose cell is neither missing nor a number; and what it holds.
    misfit : str
        What that cell holds.
    """

    present: int = 0
    numbers: int = 0
    booleans: int = 0
    decimal_commas: int = 0
    grouped: int = 0
    ambiguous: int = 0
    misfit_row: int | None = None
    misfit: str = ""

    @property
    def have_groups(self) -> bool:
        """Whether commas, or what misfits else, stand between groups of three digits, as far as one can tell."""
        return self.grouped > 0 and self.decimal_commas == self.ambiguous

    def add(self, text: pa.Array, first_row: int, decimal: str = ".") -> None:
        """Count a block of cells, as written, the first of which is in this row of the table."""
        numbers = convert(with_points(text, decimal), "number")
        if numbers is not None:
            n_present = len(numbers) - numbers.null_count
            self.present += n_present
            self.numbers += n_present
        else:
            self._add_words(text, first_row, decimal)

    def _add_words(self, text: pa.Array, first_row: int, decimal: str) -> None:
        """Count cells that are not all numbers."""
        pc, words = arrow("compute"), present(text)
        is_number = fits(with_points(words, decimal), "number")
        grouped, commas = looks_grouped(words), looks_decimal_comma(words)
        self.present += len(words) - words.null_count
        self.numbers += _count(is_number)
        self.booleans += _count(fits(words, "boolean"))
        if decimal == ".":
            self.decimal_commas += _count(commas)
            self.ambiguous += _count(pc.and_(grouped, commas))
        else:
            grouped = pc.or_(grouped, fits(words, "number"))  # with points, which are no decimals here
        self.grouped += _count(pc.and_(grouped, pc.invert(is_number)))
        if self.misfit_row is None:
            position = pc.index(is_number, False).as_py()
            self.misfit_row, self.misfit = first_row + position, text[position].as_py()

    def kind(self) -> Kind:
        """Decide: numbers or booleans where all cells present are, text otherwise.

        A column of which more than half are numbers, but not all, is a `MixedColumnError`, numbers with slips in it:
        levels that are words come with few numbers among them, whereas a measurement has few slips. Numbers with a
        decimal comma, or with digits in groups, count as numbers here, or else a column of them would pass for text.
        """
        if self.numbers == self.present:
            return "number"
        if self.booleans == self.present:
            return "boolean"
        like_numbers = self.decimal_commas + self.grouped - self.ambiguous
        if 2 * (self.numbers + like_numbers) > self.present:
            raise MixedColumnError
        return "text"


def _count(answers: pa.Array) -> int:
    return int(arrow("compute").sum(answers, min_count=0).as_py())
