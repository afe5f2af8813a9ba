"""Rows of a file whose class is known already: on no list of rows to review."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.command_line.columns import Roles, remembered
from pugam.command_line.labels import mark_answered, mark_labelled, tell_of_others
from pugam.files import DataFile

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["Labelled"]

# What is said of rows by the role that tells of them: of one row, and of several.
TOLD = {
    "label": ("is labelled already", "are labelled already"),
    "negative": ("is a known negative", "are known negatives"),
    "audit": ("was audited", "were audited"),
}


class Labelled:
    """Finds rows of unknown class by the columns that a model remembers of its fit, and counts the others.

    Attributes
    ----------
    columns : dict of str to str
        By role: those of labels, known negatives and audits that the file has; none where all rows are kept.
    counts : Counter
        Rows seen that are labelled, or else known negatives, or else audited, by role.
    """

    def __init__(self, model: PUGAM, file: DataFile, keep: bool) -> None:
        self._file, self._roles = file, Roles.as_in_fit(remembered(model), in_one_file=True)
        columns = {"label": self._roles.label, "negative": self._roles.negative, "audit": self._roles.audit}
        self.columns = {role: name for role, name in columns.items() if name in file.names and not keep}
        self.counts: Counter[str] = Counter()
        self._labels: Counter[Any] = Counter()

    @property
    def n_rows(self) -> int:
        """How many rows were seen whose class is known."""
        return self.counts.total()

    def others(self, batch: pa.RecordBatch, first_row: int) -> np.ndarray:
        """Places of rows of unknown class in a batch; all, where nothing is known."""
        left = np.ones(batch.num_rows, dtype=bool)
        for role, name in self.columns.items():
            cells = self._file.typed(batch.select([name]), {name: "text"}, first_row).column(0)
            marked = left & self._marked(role, cells)
            self.counts[role] += int(np.sum(marked))
            left &= ~marked
        return np.flatnonzero(left)

    def _marked(self, role: str, cells: pa.Array) -> np.ndarray:
        if role == "label":
            remedy = "give --labelled keep, which ranks all rows"
            return mark_labelled(self._file, cells, self._roles, remedy, self._labels)
        return mark_answered(self._file, cells, self.columns[role], (1,) if role == "negative" else (0, 1))

    def warn(self) -> None:
        """Tell once which values of the label were taken for unlabelled, where that may be a slip."""
        tell_of_others(self._roles, self._labels)

    def listed(self) -> str:
        """How many rows have a known class, and which columns tell it."""
        return ", ".join(
            f"{count:,} {'row ' if count == 1 else 'rows '}{TOLD[role][count > 1]} (column {self.columns[role]!r})"
            for role, count in self.counts.items()
            if count
        )

    def told(self) -> str:
        """Say how many rows were left out."""
        return f"{self.listed()} and left out; --labelled keep ranks {'it' if self.n_rows == 1 else 'them'}, too."
