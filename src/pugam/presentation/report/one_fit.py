"""Collects what a report says of one fit: the terms with their effects, odds ratios and tests, and the diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.inference import Diagnosis, Interval
from pugam.messages import Words
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.comparing import collect_ratios
from pugam.presentation.report.content import Diagnostics, Folding, Ratio, Shown, TermLine, plain_numbers
from pugam.presentation.report.effects import collect_effects
from pugam.presentation.report.folding import fold_effects, rank_terms
from pugam.solvers import Fitted
from pugam.terms import Design

__all__ = ["TermParts", "collect_diagnostics", "collect_terms"]


class TermParts(NamedTuple):
    """What a report says of terms, the most important first."""

    effects: tuple[Shown, ...]
    folding: Folding
    terms: tuple[TermLine, ...]
    ratios: tuple[Ratio, ...]


def collect_terms(model: FittedModel, fitted: Fitted, coef: NDArray[np.float64], level: float) -> TermParts:
    """Collect what is said of terms; the slider shows their effects with K other sets of coefficients, shape (K, p)."""
    ranked = rank_terms(model, fitted)
    pictures = list(collect_effects(model, fitted, coef, level, ranked.order))
    return TermParts(
        tuple(shown for of_term in pictures for shown in of_term),
        fold_effects(pictures, ranked),
        ranked.lines,
        _by_term(collect_ratios(model, fitted, level), fitted.design, ranked.order),
    )


def _by_term(ratios: Iterable[Ratio], design: Design, order: Sequence[int]) -> tuple[Ratio, ...]:
    """Put odds ratios in the order of the first terms that read their columns."""
    places: dict[str, int] = {}
    for place, number in enumerate(order):
        for column in design.bases[number].spec.columns:
            places.setdefault(column, place)
    return tuple(sorted(ratios, key=lambda line: places.get(line.column, len(order))))


def collect_diagnostics(found: Diagnosis, interval: Interval, words: Words) -> Diagnostics:
    """Collect what is shown of a diagnosis, with the interval for pi that the page has."""
    fixed = found.profile_interval is None
    return Diagnostics(
        verdict=found.verdict,
        text=found.in_words(interval, words),
        profile_pi=() if fixed else plain_numbers(found.profile_pi),
        profile_deviance=() if fixed else plain_numbers(found.profile_deviance),
        predicted=plain_numbers(found.calibration.predicted),
        observed=plain_numbers(found.calibration.observed),
        se=plain_numbers(found.calibration.se),
        pvalue=float(found.calibration.pvalue),
    )
