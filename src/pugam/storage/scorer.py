"""A fitted model as a scorer: what is worked out for a row, before it is written in some language."""

from __future__ import annotations

from dataclasses import dataclass

from pugam.terms.expressions import Expression, columns_with_level
from pugam.version import __version__

__all__ = ["RATIO", "Scorer"]

RATIO = "ratio"  # the name by which posteriors know the log density ratio


@dataclass(frozen=True)
class Scorer:
    """What a model says of a row.

    Attributes
    ----------
    formula : str
    columns : tuple of str
        What it reads of a row.
    ratio : Expression
        The log density ratio.
    posterior : tuple of (float, Expression)
        Logits as expressions of that ratio: the chance that an unlabelled row is positive is the sum of their
        posteriors with these weights.
    """

    formula: str
    columns: tuple[str, ...]
    ratio: Expression
    posterior: tuple[tuple[float, Expression], ...]

    @property
    def columns_with_empty_text(self) -> tuple[str, ...]:
        """Columns in which text without a character is a level; in others it stands for a missing value."""
        asked = columns_with_level(self.ratio, "")
        return tuple(column for column in self.columns if column in asked)

    def remarks(self) -> tuple[str, ...]:
        """Say what it is, on single lines of ASCII."""
        return (
            f"Written by pugam {__version__}: the chance that an unlabelled row is positive.",
            f"Model: {ascii(self.formula)[1:-1]}",
        )
