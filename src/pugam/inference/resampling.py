"""Resamples as counts: how often each row is drawn, sample by sample, singly or in whole groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data import SurveyRows, number_labels
from pugam.engines import Counts, Engine
from pugam.errors import InputError
from pugam.messages import Argument
from pugam.solvers import are_copies

__all__ = ["Resampling", "make_resampling", "read_groups", "resample_survey", "with_negatives"]

Array = NDArray[np.float64]

FEWEST_TO_JOIN = 10  # groups: of eleven, one is drawn eleven times, and no other, in 3e-12 of all resamples


@dataclass(frozen=True, eq=False)
class Resampling:
    """A plan of drawing units (rows or groups of rows) with replacement, as many from each stratum as it has.

    Attributes
    ----------
    unit_of_row : int array of shape (n_rows,)
    strata : tuple of (units, number of draws, shares or None)
        Units of one kind, how many are drawn and with what probabilities.
    per_unit : array of shape (n_units,) or None
        What a unit counts already, where weights are frequencies: draws are divided by it.
    stretch : array of shape (n_units,) or None
        How many times a drawn unit counts, where fewer are drawn than there are.
    """

    unit_of_row: NDArray[np.intp]
    strata: tuple[tuple[NDArray[np.intp], int, Array | None], ...]
    per_unit: Array | None
    seed: int
    stretch: Array | None = None

    def counts(self, numbers: Iterable[int]) -> Counts:
        """Draw the resamples of these numbers, shape (len(numbers), n_rows); each number is always the same one."""
        return np.array([self._draw(number) for number in numbers])

    def _draw(self, number: int) -> Counts:
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        drawn = np.zeros(sum(len(units) for units, _, _ in self.strata), dtype=np.int32)
        for units, n_draws, shares in self.strata:
            if shares is None:
                drawn[units] = np.bincount(rng.integers(len(units), size=n_draws), minlength=len(units))
            else:
                drawn[units] = rng.multinomial(n_draws, shares)
        if self.per_unit is not None:
            return np.asarray(drawn / self.per_unit)[self.unit_of_row]
        if self.stretch is not None:
            return np.asarray(drawn * self.stretch)[self.unit_of_row]
        return drawn[self.unit_of_row]


def with_negatives(
    engine: Engine, samples: NDArray[np.integer], groups: NDArray[np.intp] | None
) -> tuple[NDArray[np.integer], Array | None, NDArray[np.intp] | None]:
    """Samples, weights and groups of the rows of an engine, and behind them of its known negatives, each by itself."""
    beside = engine.negatives
    if beside is None:
        return samples, engine.weights, groups
    weights = [np.ones(rows.n_rows) if rows.weights is None else rows.weights for rows in (engine, beside)]
    alone = None if groups is None else np.append(groups, 1 + groups.max() + np.arange(beside.n_rows))
    weighted = None if engine.weights is None else np.concatenate(weights)
    return np.append(samples, np.full(beside.n_rows, 1 + samples.max())), weighted, alone


def make_resampling(
    samples: NDArray[np.integer],
    weights: Array | None,
    groups: NDArray[np.intp] | None,
    seed: int,
    n_negatives: int = 0,
) -> Resampling:
    """Plan to draw the rows of each sample as often as there are: labelled ones, 0, and unlabelled ones, 1 and so on.

    The last rows may be known negatives, which are in no group; a single one is drawn every time, as without groups.

    Weights that are whole numbers stand for repeated rows, which are drawn apart; other weights go with their row.
    Groups are drawn whole: those with rows of the same samples as often as there are of them.
    """
    units = np.arange(len(samples)) if groups is None else groups
    if groups is None:
        members = _alike(samples, units)
    else:
        n_grouped = len(samples) - n_negatives
        members = _kinds_of_groups(samples[:n_grouped], groups[:n_grouped])
        members += [groups[n_grouped:]] if n_negatives else []
    if groups is None and weights is not None and are_copies(weights):
        strata = [(unit, round(weights[unit].sum()), weights[unit] / weights[unit].sum()) for unit in members]
        return Resampling(units, tuple(strata), weights, seed)
    return Resampling(units, tuple((unit, len(unit), None) for unit in members), None, seed)


def resample_survey(rows: SurveyRows, seed: int) -> Resampling:
    """Plan to draw whole clusters within strata: one fewer than there are, each counting for more (Rao and Wu 1988).

    As many as there are would vary too little, by half where a stratum has two.
    """
    counts = np.bincount(rows.strata)
    members = [np.flatnonzero(rows.strata == stratum) for stratum in range(len(counts))]
    strata = tuple((units, len(units) - 1, None) for units in members)
    return Resampling(rows.of_all, strata, None, seed, (counts / (counts - 1.0))[rows.strata])


def _alike(samples: NDArray[np.integer], units: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Units with rows of the same samples, those of one sample first."""
    present = np.zeros((1 + int(units.max()), 1 + int(samples.max())), dtype=bool)
    present[units, samples] = True
    kinds, which = np.unique(present, axis=0, return_inverse=True)
    order = sorted(range(len(kinds)), key=lambda kind: (kinds[kind].sum(), *np.flatnonzero(kinds[kind])))
    return [np.flatnonzero(which.ravel() == kind) for kind in order]


def _kinds_of_groups(samples: NDArray[np.integer], groups: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Groups with rows of the same samples; a single one of its kind goes with those of the most frequent kind.

    By itself it would be drawn every time. To go with others, these have to be many, and the rows of no sample may be
    in one group alone: no resample is to be without them.
    """
    kinds = _alike(samples, groups)
    lone, most = [kind for kind in kinds if len(kind) < 2], max(kinds, key=len)
    if not lone:
        return kinds
    if len(most) < FEWEST_TO_JOIN or any(len(np.unique(groups[samples == one])) < 2 for one in np.unique(samples)):
        raise InputError(
            Argument("groups"),
            f": a single group has {_described(samples[groups == lone[0][0]])}, so that every resample would have it. "
            "Make smaller groups, or leave them out.",
        )
    return [*(kind for kind in kinds if len(kind) > 1 and kind is not most), np.concatenate([most, *lone])]


def _described(samples: NDArray[np.integer]) -> str:
    """Of which labels the rows of a group are, which other groups do not share."""
    labelled = samples == 0
    if labelled.all():
        return "labelled rows only"
    return "labelled and unlabelled rows" if labelled.any() else "unlabelled rows only"


def read_groups(groups: Any, n_rows: int, kept: NDArray[np.bool_] | None) -> NDArray[np.intp] | None:
    """Read one group label per row of the fit into numbers; rows of weight zero are left out as there."""
    if groups is None:
        return None
    numbers, _ = number_labels("groups", groups, n_rows if kept is None else len(kept))
    if kept is not None:
        numbers, _ = number_labels("groups", numbers[kept], n_rows)
    if not numbers.any():
        raise InputError(Argument("groups"), " names a single group; a bootstrap needs several.")
    return numbers
