"""Does boosting see what the model does not? An omnibus test of fit.

Trees that were fitted to the residuals of some rows predict those of others. Projected off the tangent space of the
model, their predictions w have sum w (z - P) / sqrt(sum w^2 P (1 - P)) ~ N(0, 1) if the model holds, about; if there is
more to learn than the model says, the sum is larger. Rows come in stages, and trees know the stages before theirs only:
were each stage predicted by all others, a pair of rows would count twice, and the sum would vary 1.4 times as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pugam.inference.boosting import predict_residuals
from pugam.inference.rows_tested import N_FOLDS, RowsTested

__all__ = ["Omnibus", "probe_residuals"]

FEWEST_ROWS_PER_PARAMETER = 3  # of a stage, whose tangent space predictions are projected off
FEWEST_STAGES = 2
LEAST_LEFT = 1e-8  # of the square of the predictions' length, outside the tangent space: less is rounding


@dataclass(frozen=True)
class Omnibus:
    """A test that boosting finds nothing in the residuals.

    Attributes
    ----------
    statistic : float
        Standard normal if the model holds.
    pvalue : float
        One-sided: predictions that are worse than none are chance.
    n_rows : int
        How many rows were looked at: a sample of many.
    """

    statistic: float
    pvalue: float
    n_rows: int


def probe_residuals(rows: RowsTested) -> Omnibus | None:
    """Test whether residuals can be predicted; None where rows are too few.

    Stages count by the root of the number of those before them, as what trees learn of little grows with their rows.
    """
    n_stages = min(N_FOLDS, int(rows.rows_per_parameter / FEWEST_ROWS_PER_PARAMETER))
    if not rows.are_enough or n_stages < FEWEST_STAGES:
        return None
    stages = rows.folds * n_stages // N_FOLDS
    weights = np.sqrt(np.arange(1, n_stages))
    found = [_probe(rows, stages < stage, stages == stage) for stage in range(1, n_stages)]
    statistic = float(weights @ found / np.linalg.norm(weights))
    return Omnibus(statistic, float(ndtr(-statistic)), len(rows.positive))


def _probe(rows: RowsTested, known: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> float:
    """How well the residuals of some rows predict those of others: standard normal if they say nothing of them."""
    direction = predict_residuals(rows, known, wanted) * np.sqrt(rows.variance * rows.weights)[wanted]
    left = rows.off_tangents(direction, wanted)
    length = float(np.linalg.norm(left))
    return float(left @ rows.residuals[wanted]) / length if length**2 > LEAST_LEFT * direction @ direction else 0.0
