"""How much steps are damped: what is added to the diagonal of the information, relative to it.

Damping grows faster with every step in a row that fails, and falls, by ten at most, the better a gain was predicted: it
settles where steps are as long as the quadratic model is right. All functions take one climb, or an array of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST_GROWTH", "FLAT", "STUCK", "loosened", "tightened", "undamped_gain"]

Array = NDArray[np.float64]
Real = float | Array

FIRST, NONE, STUCK = 1e-3, 1e-12, 1e8
FIRST_GROWTH, GROWTH_OF_GROWTH, FASTEST_FALL = 4.0, 2.0, 0.1
FLAT = 1e-5  # curvature, relative to the diagonal, of the flattest directions that count


def tightened(damping: Real, growth: Real) -> tuple[Array, Array]:
    """Damping after a step that failed, and how fast it is to grow should the next one fail, too."""
    return np.maximum(np.multiply(growth, damping), FIRST), np.multiply(GROWTH_OF_GROWTH, growth)


def loosened(damping: Real, gain: Real, predicted: Real) -> Array:
    """Damping after a step that led upwards, from what it gained and what half its slope promised."""
    share = np.minimum(np.divide(gain, np.maximum(predicted, np.finfo(float).tiny)), 1.0)
    less = damping * np.clip(1.0 - (2.0 * share - 1.0) ** 3, FASTEST_FALL, 1.0)
    return np.where(less > NONE, less, 0.0)


def undamped_gain(predicted: Real, damping: Real) -> Array:
    """What a full step may promise where a damped one promises so much: far more, along flat directions."""
    return np.multiply(predicted, np.maximum(1.0, np.divide(damping, FLAT)))
