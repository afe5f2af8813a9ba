"""A fitted model written down for scoring elsewhere: a Python module, or a query in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import read_names
from pugam.errors import InputError
from pugam.files import replacing
from pugam.likelihood import logit
from pugam.messages import Argument
from pugam.storage import RATIO, Scorer, write_python, write_sql
from pugam.terms import Basis, columns_read
from pugam.terms.expressions import Choice, Has, Is, Number, Plus, Result

__all__ = ["ExportMethods"]


class ExportMethods:
    """How a fitted model leaves for places without pugam."""

    def export(
        self: Any,
        path: Any,
        *,
        table: str | Sequence[str] | None = None,
        keep: Sequence[str] | None = None,
        pi: float | None = None,
        sample: str | None = None,
    ) -> None:
        """Write the model as a scorer that needs no pugam: a Python module (.py), or a query in SQL (.sql).

        Scores are those of `predict_proba`, up to rounding. The module defines ``score(row)``, for a mapping from
        columns to values, and imports `math` alone. The query adds a column pugam_score to a table. A row that
        `predict_proba` refuses raises ValueError in Python, and has the score NULL in SQL.

        Parameters
        ----------
        path : path-like
            Ends with .py or .sql.
        table : str, or sequence of schema and name
            The table that the query reads; for .sql only.
        keep : sequence of str, optional
            Columns of the table that the query returns beside the score; by default all, and the log density ratio.
        pi : float, optional
            Share of positives in another population, as of `predict_proba`.
        sample : str, optional
            Name of the unlabelled sample of the fit that rows are from, as of `predict_proba`.

        Examples
        --------
        >>> import runpy, tempfile
        >>> from pathlib import Path
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("s(x1) + x2").fit(data.X, data.z)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.export(Path(folder, "scorer.py"))
        ...     score = runpy.run_path(Path(folder, "scorer.py"))["score"]
        >>> row = data.X.head(1)
        >>> bool(abs(score(row.to_dict("records")[0]) - model.predict_proba(row)[0, 1]) < 1e-10)
        True
        """
        check_is_fitted(self)
        kind = Path(path).suffix.lower()
        if kind not in (".py", ".sql"):
            raise InputError(f"A model is exported to a file that ends with .py or .sql; got {str(path)!r}.")
        if kind == ".py" and (table is not None or keep is not None):
            given = Argument("table" if table is not None else "keep")
            raise InputError(given, " is for queries; give a file that ends with .sql, or leave it out.")
        scorer = self._scorer(pi, sample)
        text = (
            write_python(scorer)
            if kind == ".py"
            else write_sql(scorer, _read_table(table), None if keep is None else read_names("keep", keep))
        )
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")

    def _scorer(self: Any, pi: float | None, sample: str | None) -> Scorer:
        if self._kinds is not None:
            raise InputError(
                "A model of several kinds of positives has a density ratio for each; export those of its kinds one by "
                "one, as of_kind gives them."
            )
        shares, _ = self._known_shares(pi, sample, 1)
        share = self.pi_ if shares is None else float(shares if pi is not None else shares[0])
        design = self._design
        ratio = design.expression(design.layout.join_predictor(self.alpha_, self.coef_))
        effects = [basis.spec for basis in design.effect_bases]
        posterior = self._inference.posterior_expression(Result(RATIO), share)
        if pi is None and self._own_column is not None:
            apart = self._require_samples().reported - logit(share)
            posterior = tuple((part, Plus((told, _by_level(design.bases[-1], apart)))) for part, told in posterior)
        return Scorer(self.formula_, columns_read(effects), ratio, posterior)


def _by_level(effects: Basis, values: np.ndarray) -> Choice:
    """A number for each level of a factor, and zero for others where these are permitted."""
    (axis,) = effects.axes
    known = [(Is(axis.column, level), Number(float(value))) for level, value in zip(axis.levels, values, strict=True)]
    others = [(Has((axis.column,)), Number(0.0))] if axis.open else []
    return Choice((*known, *others))


def _read_table(table: str | Sequence[str] | None) -> tuple[str, ...]:
    parts = () if table is None else tuple(read_names("table", table))
    if not parts:
        raise InputError("A query reads a table; name it, as in ", Argument("table", "claims"), ".")
    return parts
