"""A worklist: rows in the order in which to review them, and what a review is expected to find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference.intervals import Interval
from pugam.inference.verdict import DOUBTS, headline
from pugam.inference.yields import Limits, Yields
from pugam.messages import counted, in_percent

__all__ = ["Worklist", "lengths_of_reviews", "said_lengths", "yield_columns"]

Numbers = NDArray[np.intp]

FEWEST_SAID = 10  # rows: what the table of cut-offs begins with
EVENLY, FROM_THE_TOP = 61, 40  # points of the curve, along the number of rows and along its logarithm


@dataclass(frozen=True, eq=False, repr=False)
class Worklist:
    """Rows to review, the likeliest positives first, and how many positives a review of all of them is to find.

    Attributes
    ----------
    rows : data frame
        One row for each to review: rank, row (the index of X, or the place from 0 on), p_positive with its limits lower
        and upper, and the columns asked for.
    found : Interval
        The number of positives among them.
    precision, recall : Interval
        The same as a share of the rows to review, and of all positives among the rows of X.
    cutoffs : data frame
        The same for reviews of other lengths: reviewed, threshold (the smallest p_positive among them), found,
        precision and recall, each with lower and upper limits.
    curve : Yields
        The same for many lengths, as it is drawn.
    n_rows : int
        How many rows X has.
    verdict : str or None
        That of the fit.
    not_scored : data frame or None
        Rows of X that could not be scored, with reasons, where they were left out: row and reason.
    caveat : str or None
        What has to be said with the numbers, unless pi is well determined by a model that fits.
    """

    rows: Any
    found: Interval
    precision: Interval
    recall: Interval
    cutoffs: Any
    curve: Yields
    n_rows: int
    verdict: str | None
    caveat: str | None
    not_scored: Any = None

    @classmethod
    def of_yields(
        cls, rows: Any, cutoffs: Any, curve: Yields, length: int, verdict: str | None, pi_known: bool
    ) -> Worklist:
        """Put a list of this length together; a share that is given is not in doubt."""
        place = int(np.searchsorted(curve.reviewed, length))
        found, precision, recall = (
            limits.at(place, curve.level) for limits in (curve.found, curve.precision, curve.recall)
        )
        n_rows, caveat = int(curve.reviewed[-1]), _caveat(verdict, pi_known)
        return cls(rows, found, precision, recall, cutoffs, curve, n_rows, verdict, caveat)

    @property
    def n_reviewed(self) -> int:
        """How many rows there are to review."""
        return len(self.rows)

    def __str__(self) -> str:
        left_out = 0 if self.not_scored is None else len(self.not_scored)
        told = [f"{counted(left_out, 'row')} without a score left out."] if left_out else []
        return "\n".join([self.sentence, *told, *([f"! {self.caveat}"] if self.caveat else [])])

    __repr__ = __str__

    @property
    def sentence(self) -> str:
        """What to expect, in a sentence."""
        if self.n_reviewed == 0:
            return f"No row of {self.n_rows:,} is to be reviewed."
        found, recall = self.found, self.recall
        return (
            f"Review {counted(self.n_reviewed, 'row')}, expect {counted(round(found.estimate), 'positive')} "
            f"({100 * found.level:g}% interval {found.lower:,.0f} to {found.upper:,.0f}): "
            f"that is {in_percent(self.precision.estimate)} of the rows reviewed, and {in_percent(recall.estimate)} "
            f"({in_percent(recall.lower)} to {in_percent(recall.upper)}) of all positives among the "
            f"{counted(self.n_rows, 'row')}."
        )


def _caveat(verdict: str | None, pi_known: bool) -> str | None:
    if verdict == "does not fit":
        return f"{headline(verdict)}, and these numbers rest on it."
    if verdict in DOUBTS and not pi_known:
        return f"{headline(verdict)}, and these numbers depend on it."
    return None


def said_lengths(n_rows: int, length: int) -> Numbers:
    """Lengths of reviews for a table: round numbers, the length of the list, and all rows."""
    powers = 10.0 ** np.arange(1.0, 1.0 + np.ceil(np.log10(max(n_rows, FEWEST_SAID))))
    rounded = np.outer(powers, [1.0, 2.0, 5.0]).ravel()
    return np.unique([*rounded[rounded < n_rows].astype(int), *([length] if length else []), n_rows])


def lengths_of_reviews(n_rows: int, length: int) -> Numbers:
    """Lengths of reviews for a curve: those of the table, the length of the list, and many others."""
    evenly, from_top = np.linspace(1, n_rows, EVENLY), np.geomspace(1, n_rows, FROM_THE_TOP)
    many = np.concatenate([evenly, from_top]).round().astype(np.intp)
    return np.unique(np.concatenate([many, said_lengths(n_rows, length), [length]]))


def yield_columns(curve: Yields, lengths: Numbers) -> dict[str, Any]:
    """Columns of a table of reviews of these lengths."""
    at = np.searchsorted(curve.reviewed, lengths)
    columns: dict[str, Any] = {"reviewed": curve.reviewed[at], "threshold": curve.threshold[at]}
    for name in ("found", "precision", "recall"):
        limits: Limits = getattr(curve, name)
        ends = (name, f"{name}_lower", f"{name}_upper")
        columns |= {end: values[at] for end, values in zip(ends, limits, strict=True)}
    return columns
