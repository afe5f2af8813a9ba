"""The rows of a prediction that are asked for, however long the file is: the likeliest, or those worth a review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.messages import counted, in_percent

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["Ranking", "Scored", "Shortlist", "expectation"]

MOST_SORTED = 1 << 30  # bytes of rows that are kept in memory
MOST_JUDGED = 200_000  # rows of a list, up to which its yield has an interval: nobody reviews more
MOST_AMONG = 50_000  # rows of a file, up to which all of them are asked about, and not only those on the list
ROWS_AT_A_TIME = 1 << 16


@dataclass(frozen=True)
class Ranking:
    """What is asked for.

    Attributes
    ----------
    top : int or None
        So many rows, the likeliest.
    smallest : float or None
        Rows from this posterior on.
    in_order : bool
        The likeliest first.
    columns : tuple of str, or None for all
        What is written beside the new columns.
    """

    top: int | None
    smallest: float | None
    in_order: bool
    columns: tuple[str, ...] | None

    @property
    def leaves_out(self) -> bool:
        """Whether not all rows are written."""
        return self.top is not None or self.smallest is not None


@dataclass(frozen=True)
class Scored:
    """Rows of a file with their scores.

    Attributes
    ----------
    batch : RecordBatch
        As they are written.
    new : tuple of str
        The columns that scores are in.
    features : Table
        The columns of the model, as it reads them.
    sample : list or None
        Names of the samples they are from, where a column says so.
    """

    batch: pa.RecordBatch
    new: tuple[str, ...]
    features: pa.Table
    sample: list[Any] | None

    @property
    def posterior(self) -> np.ndarray:
        """Their posteriors; NaN where there is none."""
        return np.asarray(self.batch.column("p_positive").to_numpy(zero_copy_only=False))

    @property
    def ranks(self) -> np.ndarray:
        """What rows are ordered by: of rows as good as certain, posteriors say no more which is likelier."""
        names = ("p_positive", "log_density_ratio")
        columns = [self.batch.column(name).to_numpy(zero_copy_only=False) for name in names if name in self.new]
        return np.lexsort([-column for column in columns[::-1]])

    def take(self, places: np.ndarray) -> Scored:
        """Some of them."""
        import pyarrow as pa

        chosen = pa.array(places)
        sample = None if self.sample is None else [self.sample[place] for place in places.tolist()]
        return replace(self, batch=self.batch.take(chosen), features=self.features.take(chosen), sample=sample)


def _joined(parts: Sequence[Scored]) -> Scored:
    """All rows of several parts, one after another."""
    import pyarrow as pa

    first, *others = parts
    if not others:
        return first
    (batch,) = _together([pa.Table.from_batches([part.batch]) for part in parts]).to_batches() or [first.batch]
    samples = [name for part in parts for name in part.sample or ()]
    features = _together([part.features for part in parts])
    return replace(first, batch=batch, features=features, sample=None if first.sample is None else samples)


def _together(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of several, in one piece."""
    import pyarrow as pa

    same = [table.cast(tables[0].schema) for table in tables]
    return pa.concat_tables(same).unify_dictionaries().combine_chunks()


class Shortlist:
    """Gathers the rows that are asked for: the likeliest so far, or those above a threshold.

    Attributes
    ----------
    n_rows, n_listed : int
        Rows seen, and among those written.
    total, expected : float
        How many of them are expected to be positive.
    """

    def __init__(self, ranking: Ranking, source: Path) -> None:
        self.n_rows = self.n_listed = 0
        self.total = self.expected = 0.0
        self._kept: list[Scored] = []
        self._all: list[Scored] | None = []
        self._ranking, self._source = ranking, source

    @property
    def listed(self) -> Scored | None:
        """The rows on the list, to ask the model about; None where there are none, or too many."""
        return _joined(self._kept) if self._kept and self.n_listed <= MOST_JUDGED else None

    @property
    def among(self) -> tuple[Scored, dict[str, Any]] | None:
        """Rows to ask the model about, and how the list is cut from them: all of a file that is not too long."""
        if self._all and self._kept and self.n_listed <= MOST_JUDGED:
            return _joined(self._all), {"top": self._ranking.top, "threshold": self._ranking.smallest}
        return None if self.listed is None else (self.listed, {})

    def add(self, scored: Scored) -> pa.RecordBatch:
        """Look at rows, and return those that can be written at once."""
        posterior, ranking = scored.posterior, self._ranking
        self.n_rows += len(posterior)
        self._remember(scored)
        self.total += float(np.nansum(posterior))
        if ranking.leaves_out:  # rows without a score are on no list
            scored = scored.take(np.flatnonzero(posterior >= (ranking.smallest or 0.0)))
        if ranking.leaves_out or ranking.in_order:
            self._gather(scored)
        if ranking.top is None:
            self._count(scored)
        return self._written(scored.batch.slice(0, 0) if ranking.in_order else scored.batch, scored.new)

    def in_order(self) -> Iterator[pa.RecordBatch]:
        """What could not be written at once: the likeliest rows first."""
        if not self._ranking.in_order or not self._kept:
            return
        together = _joined(self._kept)
        listed = together.take(together.ranks)
        if self._ranking.top is not None:
            self._count(listed)
        for start in range(0, listed.batch.num_rows, ROWS_AT_A_TIME):
            yield self._written(listed.batch.slice(start, ROWS_AT_A_TIME), listed.new)

    def _count(self, scored: Scored) -> None:
        self.n_listed += scored.batch.num_rows
        self.expected += float(np.nansum(scored.posterior))

    def _remember(self, scored: Scored) -> None:
        """Keep the features of all rows that have a score, as long as they are not too many."""
        if self._all is None or not self._ranking.leaves_out or self.n_rows > MOST_AMONG:
            self._all = None
            return
        kept = scored.take(np.flatnonzero(np.isfinite(scored.posterior)))
        self._all.append(replace(kept, batch=kept.batch.select(list(kept.new))))

    def _gather(self, scored: Scored) -> None:
        """Keep rows for the end: so many of the likeliest, or as many as memory may hold."""
        if self._ranking.top is not None:
            together = _joined([*self._kept, scored.take(np.sort(scored.ranks[: self._ranking.top]))])
            self._kept = [together.take(np.sort(together.ranks[: self._ranking.top]))]
        elif self._ranking.in_order:
            self._kept.append(scored)
        elif self.n_listed <= MOST_JUDGED:  # written at once, only to be asked about
            self._kept.append(replace(scored, batch=scored.batch.select(list(scored.new))))
        if sum(part.batch.nbytes for part in self._kept) > MOST_SORTED:
            raise InputError(
                f"Rows are kept in memory to be sorted, and those of {self._source} take more than "
                f"{MOST_SORTED / (1 << 30):g} GiB; write fewer of them with --top or --threshold."
            )

    def _written(self, batch: pa.RecordBatch, new: tuple[str, ...]) -> pa.RecordBatch:
        columns = self._ranking.columns
        return batch if columns is None else batch.select([*dict.fromkeys([*columns, *new])])


def expectation(
    model: PUGAM, shortlist: Shortlist, pi: float | None, sample: str | None, level: float
) -> Iterator[str]:
    """Say what a review of the rows on a list is expected to find, all of one sample where one is named."""
    count, among = shortlist.n_listed, shortlist.among
    if count == 0:
        yield f"No row of {shortlist.n_rows:,} is on the list."
        return
    limits = ""
    if model._kinds is None and among is not None:
        rows_asked, cut = among
        found = model.worklist(rows_asked.features, **cut, level=level, pi=pi, sample=rows_asked.sample or sample).found
        limits = f" ({100 * level:g}% interval {found.lower:,.0f} to {found.upper:,.0f})"
    of_all = shortlist.expected / max(shortlist.total, 1e-300)
    yield (
        f"Review {counted(count, 'row')}, expect {counted(round(shortlist.expected), 'positive')}{limits}: "
        f"that is {in_percent(shortlist.expected / count)} of the rows reviewed, and {in_percent(of_all)} of the "
        f"{counted(round(shortlist.total), 'positive')} expected among all {counted(shortlist.n_rows, 'row')}."
    )
