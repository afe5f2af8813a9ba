"""How much steps are damped: what is added to the diagonal of the information, relative to it.

Damping grows faster with every step in a row that fails, and falls, by ten at most, the better a gain was predicted: it
settles where steps are as long as the quadratic model is right. The rules are for one climb, or for arrays of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["FIRST", "FIRST_GROWTH", "STUCK", "loosened", "tightened"]

FIRST = 1e-3  # of a climb that was not damped; a step damped no more is nearly as long as one that is not
NEGLIGIBLE = 1e-12  # taken for none
STUCK = 1e8  # not even a tiny step leads upwards
FIRST_GROWTH, GROWTH_OF_GROWTH, FASTEST_FALL = 4.0, 2.0, 0.1
SMALLEST_PROMISE = 1e-200


def tightened(damping: Any, growth: Any) -> tuple[Any, Any]:
    """Damping after a step that failed, and how fast it is to grow should the next one fail, too."""
    return np.where(damping == 0.0, FIRST, growth * damping), GROWTH_OF_GROWTH * growth


def loosened(damping: Any, gain: Any, predicted: Any) -> Any:
    """Damping after a step that led upwards, from what it gained and what half its slope promised."""
    share = np.clip(gain / np.maximum(predicted, SMALLEST_PROMISE), 0.0, 1.0)
    less = damping * np.clip(1.0 - (2.0 * share - 1.0) ** 3, FASTEST_FALL, 1.0)
    return np.where(less > NEGLIGIBLE, less, 0.0)
