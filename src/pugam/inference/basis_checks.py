"""Has each smooth term functions enough? Score tests of finer functions of its column than the term has.

The functions are cosines of the column's ranks, faster ones than the term's basis follows. They are projected off all
that the model could say with free parameters, so that too much smoothing is not mistaken for too few functions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.pair_products import in_ranks
from pugam.inference.rows_tested import RowsTested
from pugam.inference.score_test import FEWEST_ROWS_PER_PARAMETER, score_directions, unit_directions
from pugam.terms import Basis, Encoded

__all__ = ["BasisCheck", "check_bases"]

Array = NDArray[np.float64]

N_FINER = 8  # cosines that are tested


@dataclass(frozen=True)
class BasisCheck:
    """Whether a term that bends has functions enough.

    Attributes
    ----------
    term : str
    size : int
        How many functions it has, which is the most that edf could be: k' in R's mgcv.
    edf : float
    statistic, df, pvalue : float
        The test that finer functions of the column would add nothing; NaN where there is none, as for terms of several
        columns and where rows are too few.
    """

    term: str
    size: int
    edf: float
    statistic: float = math.nan
    df: float = math.nan
    pvalue: float = math.nan


def check_bases(rows: RowsTested, edf: Array) -> tuple[BasisCheck, ...]:
    """Check all terms that bend, given the effective degrees of freedom of all terms."""
    tested = rows.are_enough and rows.rows_per_parameter >= FEWEST_ROWS_PER_PARAMETER
    found = []
    for number, basis in enumerate(rows.design.effect_bases):
        if basis.bends is not None and basis.bends.any():
            check = BasisCheck(basis.spec.label, basis.size, float(edf[number]))
            found.append(_test(check, basis, rows, rows.encoded[number]) if tested else check)
    return tuple(found)


def _test(check: BasisCheck, basis: Basis, rows: RowsTested, encoded: Encoded) -> BasisCheck:
    if len(basis.axes) > 1 or not basis.axes[0].is_numeric:
        return check
    finer = _finer_functions(np.asarray(basis.along(encoded, 0), dtype=float), rows.weights, basis.size)
    test = score_directions(rows, unit_directions(rows, rows.along_predictor(finer)))
    return check if test.df == 0.0 else BasisCheck(check.term, check.size, check.edf, *test)


def _finer_functions(values: Array, weights: Array, size: int) -> Array:
    """Cosines of the ranks that turn more often than functions of a basis of this size: shape (n, r); zero in gaps."""
    present = ~np.isnan(values)
    found = np.zeros((len(values), N_FINER))
    ranks = 0.5 + 0.5 * in_ranks(values[present], weights[present])
    found[present] = np.cos(np.pi * np.outer(ranks, np.arange(size, size + N_FINER)))
    return found
