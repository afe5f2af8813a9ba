"""What others say of pi: estimators that know nothing of effects, beside the model.

Both see the rows through scores of boosted trees that were fitted without them. They are less accurate than a model
that fits, and have no interval; where both are far from it on the same side, the model may be the one that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.best_bin import bound_pi
from pugam.inference.boosting import held_out_chances
from pugam.inference.density_difference import density_ratio, share_of_positives
from pugam.inference.findings import Finding
from pugam.inference.intervals import Interval
from pugam.inference.rows_tested import RowsTested

__all__ = ["ROUGH", "Opinion", "OthersDisagree", "agree", "ask_others", "find_disagreement"]

Array = NDArray[np.float64]

LOWEST_CHANCE = 1e-3  # chances stay away from 0 and 1, so that logits exist
ROUGH = 0.05  # mean error of both on real tables, results/realdata/another_seed/realdata_methods.md
MOST_ASKED = 4000  # rows: densities by kernels take as many steps as there are pairs of them


@dataclass(frozen=True)
class Opinion:
    """Another estimate of pi.

    Attributes
    ----------
    method : str
    pi : float
    """

    method: str
    pi: float


@dataclass(frozen=True)
class OthersDisagree(Finding):
    """Others than the model put pi elsewhere, all of them on the same side."""

    pi: tuple[str, ...]
    side: str
    distance: float
    said = (
        "Two estimates of pi that do not use the model ({pi}) lie {side} its interval, by {distance:.3f} or more. They "
        "are rough, but boosted trees may see what the model misses: look at the tests of fit, and report all three.",
    )


def ask_others(rows: RowsTested) -> tuple[Opinion, ...]:
    """Estimate pi by others than the model; none where rows are too few, or some count for more."""
    if not rows.are_enough or np.ptp(rows.weights) > 0.0:
        return ()
    chances = held_out_chances(rows)
    best = bound_pi(rows, chances)
    scores = np.clip(chances, LOWEST_CHANCE, 1.0 - LOWEST_CHANCE)
    labelled, hidden = (_thinned(scores[label]) for label in (rows.positive, ~rows.positive))
    by_densities = Opinion("difference of densities", share_of_positives(density_ratio(labelled, hidden)))
    return (by_densities,) if best is None else (Opinion("best bin", best.estimate), by_densities)


def _thinned(scores: Array) -> Array:
    """As many of them as can be asked about, evenly from the lowest to the highest."""
    return np.sort(scores)[:: max(-(-len(scores) // MOST_ASKED), 1)]


def agree(opinions: tuple[Opinion, ...], interval: Interval) -> bool:
    """Whether others find what the model finds, as far as they can tell."""
    return all(interval.lower - ROUGH <= opinion.pi <= interval.upper + ROUGH for opinion in opinions)


def find_disagreement(opinions: tuple[Opinion, ...], interval: Interval) -> Iterator[Finding]:
    """Tell where all of several others lie far off the interval for pi, on the same side."""
    if len(opinions) < 2:
        return
    shares = [opinion.pi for opinion in opinions]
    below, above = interval.lower - max(shares), min(shares) - interval.upper
    if max(below, above) > ROUGH:
        shown = tuple(f"{share:.3f}" for share in shares)
        yield OthersDisagree(shown, "below" if below > 0.0 else "above", max(below, above))
