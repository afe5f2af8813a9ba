"""How much steps are damped: what is added to the diagonal of the information, relative to it.

Damping grows faster with every step in a row that fails, and falls, by ten at most, the better a gain was predicted: it
settles where steps are as long as the quadratic model is right. The rules are for one climb, or for arrays of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pugam.solvers.tuning import TUNING

__all__ = ["loosened", "tightened"]


def tightened(damping: Any, growth: Any) -> tuple[Any, Any]:
    """Damping after a step that failed, and how fast it is to grow should the next one fail, too."""
    return np.where(damping == 0.0, TUNING.first_damping, growth * damping), TUNING.growth_of_growth * growth


def loosened(damping: Any, gain: Any, predicted: Any) -> Any:
    """Damping after a step that led upwards, from what it gained and what half its slope promised."""
    share = np.minimum(np.maximum(gain / np.maximum(predicted, TUNING.smallest_promise), 0.0), 1.0)
    less = damping * np.minimum(np.maximum(1.0 - (2.0 * share - 1.0) ** 3, TUNING.fastest_fall), 1.0)
    return np.where(less > TUNING.negligible_damping, less, 0.0)
