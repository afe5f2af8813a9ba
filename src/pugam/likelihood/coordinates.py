"""Ways to write the mixture proportion: pi, its logit, the label frequency, and the paper's alpha."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from pugam.layout import Layout

__all__ = [
    "alpha_shift",
    "expit",
    "label_frequency",
    "log_c_bend",
    "log_c_slope",
    "logit",
    "preferred_labels",
    "to_logit_pi",
]

Array = NDArray[np.float64]


def label_frequency(pi: Array, n0: float | Array, n1: float | Array) -> tuple[Array, Array]:
    """Return c = n0 / (n0 + n1 pi) and 1 - c, the latter without cancellation."""
    positives = n0 + n1 * pi
    return n0 / positives, n1 * pi / positives


def preferred_labels(
    s: Array, log_w: Array | None, pi: Array | float, n0: float, n1: float
) -> tuple[Array, Array, Array]:
    """Return predictors, label frequencies and their complements where positives are labelled in proportion to exp(W).

    With them, P(z = 1 | x) = c expit(s) as ever. W is `Preference.logs`; None where labels are given at random, which
    leaves predictors a + eta as they are, and one label frequency for all rows.
    """
    c, d = label_frequency(np.asarray(pi, dtype=float), n0, n1)
    if log_w is None:
        return s, c, d
    preferred = c * np.exp(log_w)
    positives = preferred + d
    return s + np.log(positives), preferred / positives, d / positives


def log_c_slope(pi: Array, n0: float | Array, n1: float | Array) -> Array:
    """Return d log c / d logit pi = -(1 - c)(1 - pi)."""
    _, d = label_frequency(pi, n0, n1)
    return -d * (1.0 - pi)


def log_c_bend(pi: Array, n0: float | Array, n1: float | Array) -> Array:
    """Return d^2 log c / d (logit pi)^2 = -(1 - c)(1 - pi)(c (1 - pi) - pi)."""
    c, d = label_frequency(pi, n0, n1)
    return -d * (1.0 - pi) * (c * (1.0 - pi) - pi)


def to_logit_pi(layout: Layout, information: Any, slope: Any, corner: Any) -> None:
    """Bring B information matrices from log c to logit pi, in place: arrays, or tensors on a device.

    Parameters
    ----------
    slope, corner : shape (B,)
        The derivative of log c, and its second derivative times the score in log c: zero for the expected information.
    """
    information[:, layout.share, :] *= slope[:, None]
    information[:, :, layout.share] *= slope[:, None]
    information[:, layout.share, layout.share] -= corner


def alpha_shift(pi: Array | float, n0: float | Array, n1: float | Array) -> Array:
    """Return a - alpha = log((n0 + n1 pi) / (n1 (1 - pi))), the shift between the paper's alpha_* and alpha."""
    pi = np.asarray(pi, dtype=float)
    return np.asarray(np.log(n0 + n1 * pi) - np.log(n1) - np.log1p(-pi))
