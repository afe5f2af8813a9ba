"""Rows of a file that are labelled already: on no list of rows to review."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pugam.command_line.columns import Roles, remembered
from pugam.command_line.labels import mark_labelled
from pugam.files import DataFile

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["Labelled"]


class Labelled:
    """Finds unlabelled rows by the column of labels that a model remembers of its fit, and counts the others.

    Attributes
    ----------
    column : str or None
        Of labels; None where the file has none, or where labelled rows are kept.
    n_rows : int
        Labelled rows seen.
    """

    def __init__(self, model: PUGAM, file: DataFile, keep: bool) -> None:
        roles = Roles.of_fit(remembered(model), True, label=None, positive=None)
        self.column = None if keep or roles.label not in file.names else roles.label
        self.n_rows = 0
        self._file, self._roles = file, roles

    def others(self, batch: pa.RecordBatch, first_row: int) -> np.ndarray:
        """Places of unlabelled rows in a batch; all, where nothing is known of labels."""
        if self.column is None:
            return np.arange(batch.num_rows)
        labels = self._file.typed(batch.select([self.column]), {self.column: "text"}, first_row).column(0)
        marked = mark_labelled(self._file, labels, self._roles, "give --labelled keep, which ranks all rows")
        self.n_rows += int(np.sum(marked))
        return np.flatnonzero(~marked)

    def told(self) -> str:
        """Say how many rows were left out."""
        one = self.n_rows == 1
        return (
            f"{self.n_rows:,} row{' is' if one else 's are'} labelled already (column {self.column!r}) and left out; "
            f"--labelled keep ranks {'it' if one else 'them'}, too."
        )
