"""Effects that rows leave open: of levels that lie on one side, and of terms that say the same.

Where the model doubts none of a level's rows, nothing holds its effect, which runs off. Where the information is nearly
singular, some effects can change together, at will, and the likelihood with them does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pugam.solvers import Fitted, Optimum
from pugam.terms import Basis, FactorBasis, LinearBasis, MissingBasis

__all__ = ["LARGEST_CONDITION", "condition_number", "one_sided_levels", "open_terms", "rows_in_doubt"]

Array = NDArray[np.float64]

FEWEST_IN_A_LEVEL = 0.1  # a level with labelled and unlabelled rows has one at least; where climbs stop, 0.01 is left
MOST_NAMES = 3
LARGEST_CONDITION = 1e9
SMALLEST_EIGENVALUE = 1e-16  # relative to a unit diagonal
SMALLEST_INFORMATION = 1e-100
SMALLEST_SHARE = 0.01  # of a direction in which effects are open, that a term has


def rows_in_doubt(fitted: Fitted, curves: Optimum) -> float:
    """How many rows are left whose class the model doubts: each adds up to a quarter of its weight to the information.

    It is they that tell how steep curves are.
    """
    return float(_sums_in_doubt(fitted, curves)[0])


def one_sided_levels(fitted: Fitted) -> str | None:
    """Name the levels of which hardly a row is in doubt; None where there are none.

    The two values of a binary column and missing values count as levels. A ridge holds every effect.
    """
    if fitted.fit.shrinkage is not None:
        return None
    sums = _sums_in_doubt(fitted, fitted.fit.penalized)
    everywhere, of_columns = float(sums[0]), sums[1:]
    names = [
        f"{basis.spec.column} {level}"
        for basis, block in zip(fitted.design.bases, fitted.design.blocks, strict=True)
        for level, in_doubt in _levels(basis, everywhere, of_columns[block])
        if in_doubt < FEWEST_IN_A_LEVEL
    ]
    return _listed(names) if names else None


def condition_number(fitted: Fitted) -> float:
    """Condition number of the penalised information, scaled to a unit diagonal."""
    eigenvalues = np.linalg.eigvalsh(_scaled_information(fitted))
    return float(eigenvalues[-1] / max(eigenvalues[0], SMALLEST_EIGENVALUE))


def open_terms(fitted: Fitted) -> str | None:
    """Name the terms whose effects can change at will, alone or together; None where the information is regular."""
    if fitted.fit.shrinkage is not None or condition_number(fitted) < LARGEST_CONDITION:
        return None
    eigenvalues, vectors = np.linalg.eigh(_scaled_information(fitted))
    directions = vectors[-fitted.design.n_columns :, eigenvalues < eigenvalues[-1] / LARGEST_CONDITION]
    labels = [
        basis.spec.label
        for basis, block in zip(fitted.design.bases, fitted.design.blocks, strict=True)
        if (directions[block] ** 2).sum(axis=0).max() > SMALLEST_SHARE
    ]
    return _listed(labels) if labels else None


def _scaled_information(fitted: Fitted) -> Array:
    """Penalised information of the parameters that are free, scaled to a unit diagonal."""
    free = fitted.settings.pi_range.free
    hessian = fitted.fit.penalized.hessian[free, free]
    scale = 1.0 / np.sqrt(np.maximum(hessian.diagonal(), SMALLEST_INFORMATION))
    scaled: Array = hessian * scale * scale[:, None]
    return scaled


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _sums_in_doubt(fitted: Fitted, curves: Optimum) -> Array:
    """Sums of the intercept and all model columns over the rows in doubt."""
    engine = fitted.engine
    mean_weight = (engine.n0 + engine.n1) / engine.n_rows
    sums: Array = 4.0 * curves.information[1, 1:] / mean_weight
    return sums


def _levels(basis: Basis, everywhere: float, sums: Array) -> Iterator[tuple[str, float]]:
    """Split the rows in doubt by level, given the sums of the term's columns over them."""
    match basis:
        case MissingBasis():
            missing = float(sums[-1])
            yield "missing", missing
            yield from _levels(basis.inner, everywhere - missing, sums[:-1])
        case FactorBasis():
            # Contrasts are orthonormal: with the constant they give back the indicator of every level.
            in_doubt = everywhere / len(basis.levels) + basis.contrasts[:-1] @ sums
            yield from ((f"= {level!r}", float(rows)) for level, rows in zip(basis.levels, in_doubt, strict=True))
        case LinearBasis():
            upper = everywhere / 2.0 + float(sums[0])
            yield f"= {basis.lower:g}", everywhere - upper
            yield f"= {basis.upper:g}", upper
