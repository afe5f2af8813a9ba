"""Tables and labels in: any data frame or array becomes checked NumPy columns."""

from pugam.data.labels import Labels, read_labels, read_weights
from pugam.data.tables import Column, ColumnKind, Table, as_array, is_missing, make_frame, read_table, require_numeric

__all__ = [
    "Column",
    "ColumnKind",
    "Labels",
    "Table",
    "as_array",
    "is_missing",
    "make_frame",
    "read_labels",
    "read_table",
    "read_weights",
    "require_numeric",
]
