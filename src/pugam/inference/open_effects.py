"""Effects that rows leave open: of levels that lie on one side, and of terms that say the same.

Where the model doubts none of a level's rows, nothing limits its effect, which runs off. Where terms say the same,
their effects can change together, at will, and the likelihood does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from pugam.engines import Engine
from pugam.inference.covariance import NO_IDEA
from pugam.inference.effects import curve_columns, default_grid, standard_errors
from pugam.linear_algebra import restrict
from pugam.solvers import Fitted, Optimum, count_rows, mean_products
from pugam.terms import Basis, Design

__all__ = ["LARGEST_CONDITION", "OpenEffects", "condition_number", "find_one_sided", "find_open_effects"]

Array = NDArray[np.float64]

FEWEST_IN_A_LEVEL = 0.1  # a level with labelled and unlabelled rows has one at least; where climbs stop, 0.01 is left
SMALLEST_RUNAWAY = 4.0  # effect, against the middle one of the other levels: where weights are small, so is the doubt
LARGEST_CONDITION = 1e9
LEAST_OWN = 1e-12  # of a parameter's information, that the intercept does not share: less is rounding
LEAST_SHARE = 1e-6  # of a level's rows, labelled or unlabelled: less is rounding
SMALLEST_SHARE = 0.01  # of a direction in which effects are open, that a term has
SMALLEST_EIGENVALUE = 1e-16  # relative to a unit diagonal
SMALLEST_INFORMATION = 1e-100


@dataclass(frozen=True)
class OpenEffects:
    """What rows leave open.

    Attributes
    ----------
    levels : tuple of str
        Levels whose effects grow without bound, such as "site = 'north'".
    terms : tuple of str
        Other terms whose effects can change at will, alone or together.
    one_sided : tuple of str
        Levels without labelled rows, or without unlabelled ones, whose effects a prior keeps from growing.
    """

    levels: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    one_sided: tuple[str, ...] = ()


def condition_number(fitted: Fitted) -> float:
    """Condition number of the penalised information, scaled to a unit diagonal."""
    penalized = fitted.fit.penalized
    information = restrict(penalized.hessian, penalized.free(fitted.settings.pi_range))
    eigenvalues = np.linalg.eigvalsh(_scaled(information))
    return float(eigenvalues[-1] / max(eigenvalues[0], SMALLEST_EIGENVALUE))


def find_open_effects(fitted: Fitted) -> OpenEffects:
    """Find levels on one side, and terms that say the same, of curves that no ridge keeps small.

    Those of the penalised optimum, and those reported: effects may run off only where pi was corrected.
    """
    places = [fitted.fit.penalized]
    if fitted.fit.optimum is not fitted.fit.penalized:
        places.append(fitted.fit.optimum)
    one_sided: dict[str, dict[str, None]] = {}
    for basis, names in (found for curves in places for found in _one_sided_levels(fitted, curves)):
        one_sided.setdefault(basis.spec.label, {}).update(dict.fromkeys(names))
    levels = tuple(name for names in one_sided.values() for name in names)
    drawn = [curve_columns(basis, default_grid(basis)) for basis in fitted.design.bases]
    terms = dict.fromkeys(label for curves in places for label in _open_terms(fitted, curves, drawn))
    return OpenEffects(levels, tuple(label for label in terms if not one_sided[label]))


def find_one_sided(engine: Engine) -> tuple[str, ...]:
    """Find levels of which all rows are labelled, or none; terms without levels are not summed."""
    bases = engine.design.bases
    numbers = [number for number, basis in enumerate(bases) if basis.has_levels]
    if not numbers:
        return ()
    if len(numbers) < len(bases):
        engine = engine.redesigned(Design(tuple(bases[number] for number in numbers)), numbers, once=True)
    labelled = engine.n0 * mean_products(engine.reweighted(engine.positive.astype(float)))
    unlabelled = (engine.n0 + engine.n1) * mean_products(engine) - labelled
    sides = [_rows_by_level(engine, products) for products in (labelled, unlabelled)]
    rounding = LEAST_OWN * (engine.n0 + engine.n1)
    # A number with two values among rows of one label may have more among others: it has no levels then.
    both = {name: (rows, sides[1][name]) for name, rows in sides[0].items() if name in sides[1]}
    return tuple(name for name, rows in both.items() if min(rows) < LEAST_SHARE * sum(rows) + rounding)


def _rows_by_level(engine: Engine, products: Array) -> dict[str, float]:
    """How many of the rows summed each level of each term has."""
    alone = engine.design.layout.of_predictors
    of_columns = products[alone.coefficients, alone.coefficients]
    everywhere, means = float(products[alone.intercept, alone.intercept]), products[alone.intercept, alone.coefficients]
    return {
        f"{':'.join(basis.spec.columns)} {level.name}": level.rows
        for basis, block in zip(engine.design.bases, engine.design.blocks, strict=True)
        for level in basis.levels_in_doubt(everywhere, means[block], of_columns[block, block], np.zeros(basis.size))
    }


def _open_terms(fitted: Fitted, curves: Optimum, drawn: list[Array]) -> Iterator[str]:
    """Terms of which next to nothing is known anywhere, or with a part in directions of next to no information.

    `drawn` holds the model columns of each term where it is drawn.
    """
    coefficients = fitted.design.layout.coefficients
    covariance = curves.covariance(fitted.settings.pi_range)[coefficients, coefficients]
    unit = min(1.0, np.sqrt(_mean_weight(fitted)))  # rows that weigh little tell little, and are no sign
    directions = _directions_left_open(fitted, curves)
    for basis, block, columns in zip(fitted.design.bases, fitted.design.blocks, drawn, strict=True):
        errors = standard_errors(columns, covariance[block, block])
        share = np.max((directions[block] ** 2).sum(axis=0), initial=0.0)
        if unit * errors.min() > NO_IDEA or share > SMALLEST_SHARE:
            yield basis.spec.label


def _directions_left_open(fitted: Fitted, curves: Optimum) -> Array:
    """Unit vectors of coefficients, in columns, along which there is next to no information."""
    # The intercept follows whatever the effects do: a column that is nearly constant is no sign that rows tell nothing.
    layout, hessian = fitted.design.layout, curves.hessian
    intercept, free = layout.intercept, layout.free(share_fixed=fitted.settings.pi_range.fixed)
    others = np.setdiff1d(np.arange(layout.size)[free], [intercept])
    shared = hessian[others, intercept] / np.sqrt(max(hessian[intercept, intercept], SMALLEST_INFORMATION))
    information = hessian[np.ix_(others, others)] - np.outer(shared, shared)
    rounding = information.diagonal() <= LEAST_OWN * hessian.diagonal()[others]
    information[rounding] = information[:, rounding] = 0.0
    of_coefficients = np.isin(others, layout.all_coefficients)
    scaled = _scaled(information)
    if _is_well_conditioned(scaled):
        return np.zeros((np.count_nonzero(of_coefficients), 0))
    eigenvalues, vectors = np.linalg.eigh(scaled)
    open_ones = eigenvalues < eigenvalues[-1] / LARGEST_CONDITION
    return np.asarray(vectors[np.ix_(of_coefficients, open_ones)])


def _is_well_conditioned(scaled: Array) -> bool:
    """Whether all eigenvalues are surely large enough, which a Cholesky factor tells sooner than they do."""
    size = len(scaled)  # with a unit diagonal, no eigenvalue is larger
    _, info = lapack.dpotrf(scaled - size / LARGEST_CONDITION * np.eye(size), lower=1, overwrite_a=1)
    return bool(info == 0)


def _scaled(information: Array) -> Array:
    """Information with each parameter in units in which it has one."""
    scale = 1.0 / np.sqrt(np.maximum(information.diagonal(), SMALLEST_INFORMATION))
    scaled: Array = information * scale * scale[:, None]
    return scaled


def _one_sided_levels(fitted: Fitted, curves: Optimum) -> Iterator[tuple[Basis, list[str]]]:
    """Of each term, the levels of which hardly a row is in doubt, and whose effects are large."""
    products, theta = _products_in_doubt(fitted, curves), curves.theta
    alone = fitted.design.layout.of_predictors
    of_intercept, of_columns = products[alone.intercept], products[alone.coefficients, alone.coefficients]
    everywhere = float(of_intercept[alone.intercept])
    for basis, block in zip(fitted.design.bases, fitted.design.blocks, strict=True):
        own = of_intercept[alone.coefficients][block]
        found = list(basis.levels_in_doubt(everywhere, own, of_columns[block, block], theta[block]))
        doubted = [level.effect for level in found if level.rows >= FEWEST_IN_A_LEVEL]
        middle = float(np.median(doubted)) if doubted else 0.0
        yield (
            basis,
            [
                f"{':'.join(basis.spec.columns)} {level.name}"
                for level in found
                if level.rows < FEWEST_IN_A_LEVEL and abs(level.effect - middle) > SMALLEST_RUNAWAY
            ],
        )


def _products_in_doubt(fitted: Fitted, curves: Optimum) -> Array:
    """Products of the intercept and all model columns, summed over the rows in doubt."""
    predictor = curves.layout.predictor
    products: Array = 4.0 * curves.information[predictor, predictor] / _mean_weight(fitted)
    return products


def _mean_weight(fitted: Fitted) -> float:
    return (fitted.engine.n0 + fitted.engine.n1) / count_rows(fitted.engine)
