"""A saved model with the rows it was fitted to, read again from their file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pugam.command_line.columns import Features, Roles, remembered
from pugam.command_line.rows import KindFiles, Rows, drop_gaps, read_rows
from pugam.progress import Waiting

if TYPE_CHECKING:
    from pugam.estimator import PUGAM

__all__ = ["attach_rows"]


def attach_rows(
    model: PUGAM,
    data: Path | None,
    roles: Roles,
    files: KindFiles,
    delimiter: str | None,
    decimal: str,
    show: bool | None,
) -> Rows:
    """Read the rows of a fit and give them to its model; rows with gaps are left out if the fit did that."""
    with Waiting("reading", show):
        rows = read_rows(data, roles, Features.of_model(model), files, delimiter, decimal)
        if remembered(model).get("missing") == "drop":
            rows, _ = drop_gaps(rows, model.formula_)
        several = model._kinds is not None
        roles_of_rows = {role: values for role, values in rows.roles.items() if several or role != "kind"}
        with rows.faults_placed():
            model.attach(rows.X, rows.z, rows.weights, **roles_of_rows)
    return rows
