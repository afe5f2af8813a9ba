"""What a model does with missing values and unseen levels, in all terms that do not say it themselves."""

from __future__ import annotations

from collections.abc import Sequence

from pugam.data import Table
from pugam.terms.gaps import missing_rows
from pugam.terms.options import MissingPolicy, UnseenPolicy
from pugam.terms.term import Term

__all__ = ["with_policies"]


def with_policies(specs: Sequence[Term], table: Table, missing: MissingPolicy, unseen: UnseenPolicy) -> list[Term]:
    """Return the terms with what a model says of all of them; "error" leaves each as it is.

    Terms whose columns have no gaps need no leave for them, and stay as they are written.
    """
    if unseen != "error":
        specs = [spec.treating_unseen(unseen) for spec in specs]
    if missing == "error":
        return list(specs)
    return [spec.permitting_gaps() if _has_gaps(spec, table) else spec for spec in specs]


def _has_gaps(spec: Term, table: Table) -> bool:
    return bool(missing_rows([table.column(name) for name in spec.columns]).any())
