"""In which order a report shows terms, and which of their pictures are folded: pages of wide tables stay short."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference import effect_spreads, measure_terms
from pugam.messages import first_and_more
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.content import Folding, Shown, TermLine
from pugam.presentation.report.drawing import Card
from pugam.solvers import Fitted, edf_by_term

__all__ = ["MOST_OPEN", "Fold", "Ranked", "fold_effects", "folds_of", "rank_terms"]

MOST_OPEN = 12  # pictures
FLAT_PVALUE, FLAT_SHARE = 0.05, 0.01  # of terms that show no effect: a larger p-value, a smaller share of variances
MOST_NAMES = 5


@dataclass(frozen=True)
class Ranked:
    """Terms as a report shows them.

    Attributes
    ----------
    order : tuple of int
        Numbers of the terms: the most important first, then those that say who is labelled, flat ones last.
    lines : tuple of TermLine
        What is tested of each, in this order.
    n_flat : int
        How many of the last terms show no effect.
    """

    order: tuple[int, ...]
    lines: tuple[TermLine, ...]
    n_flat: int


@dataclass(frozen=True)
class Fold:
    """Pictures that are folded together, each with its number on the page; `title` is empty for those that are open."""

    title: str
    cards: tuple[tuple[int, Card], ...]


def rank_terms(model: FittedModel, fitted: Fitted) -> Ranked:
    """Test all terms and put them in order."""
    spreads = effect_spreads(measure_terms(fitted), fitted.design, model.coef_)
    lines = list(_lines(model, fitted, spreads))
    flat = _flat(lines, spreads)
    shown = [number for number in model._order() if number not in flat]
    order = (*shown, *(number for number in model._order() if number in flat))
    return Ranked(order, tuple(lines[number] for number in order), len(flat))


def _lines(model: FittedModel, fitted: Fitted, spreads: NDArray[np.float64]) -> Iterator[TermLine]:
    penalized = fitted.fit.penalized
    degrees = edf_by_term(fitted.design, penalized, penalized.covariance(fitted.settings.pi_range))
    for number, (basis, edf) in enumerate(zip(fitted.design.bases, degrees, strict=True)):
        label, importance = basis.spec.label, float(spreads[number]) if number < len(spreads) else math.nan
        if basis.size == 0:  # known, so there is nothing to test
            yield TermLine(label, 0.0, math.nan, math.nan, None, importance)
            continue
        zero = model.test(label)
        may_bend = basis.bends is not None and bool(basis.bends.any())
        linear = model.test(label, null="linear").pvalue if may_bend else None
        yield TermLine(label, float(edf), float(zero.statistic), float(zero.pvalue), linear, importance)


def _flat(lines: Sequence[TermLine], spreads: NDArray[np.float64]) -> set[int]:
    """Terms that show no effect; none where all of them are such, since then there would be nothing to see."""
    small = spreads**2 <= FLAT_SHARE * np.sum(spreads**2)
    flat = {number for number, is_small in enumerate(small) if is_small and lines[number].pvalue > FLAT_PVALUE}
    return flat if len(flat) < len(lines) else set()


def fold_effects(pictures: Sequence[Sequence[Shown]], ranked: Ranked) -> Folding:
    """Fold away all but the first pictures; those of a term stay together."""
    counts = [len(of_term) for of_term in pictures]
    n_flat = sum(counts[len(counts) - ranked.n_flat :])
    ends = np.cumsum(counts[: len(counts) - ranked.n_flat])
    n_open = int(max(ends[0], ends[ends <= MOST_OPEN].max(initial=0)))
    flat = tuple(line.label for line in ranked.lines[len(counts) - ranked.n_flat :])
    return Folding(n_open, n_flat, flat)


def folds_of(folding: Folding | None, cards: Sequence[Card], first: int = 0) -> list[Fold]:
    """Group the pictures of a fit, of which the first one has this number on the page."""
    numbered = tuple(enumerate(cards, first))
    folding = folding or Folding(len(cards))
    end = len(cards) - folding.n_flat
    more = end - folding.n_open
    found = [
        Fold("", numbered[: folding.n_open]),
        Fold(f"{more} more, in the order of their importance", numbered[folding.n_open : end]),
        Fold(f"Nearly flat: {first_and_more(folding.flat, MOST_NAMES)}", numbered[end:]),
    ]
    return [fold for fold in found if fold.cards]
