"""Were positives labelled at random? A score test of preferences for some values of the columns.

If positives are labelled in proportion to exp(w(x_j)), then w(x_j) is added to the log odds of being labelled. An
effect is added to the predictor s instead, and log P levels off where s is large: among rows that are surely positive,
effects no longer tell labelled from unlabelled rows, and preferences still do. The directions of a column are the line
and the bow of its ranks, or one for each level. Projected off the parameters of the model, their score is tested as
that of pairs. They are projected off the same functions as effects, too: otherwise an effect that bends where the model
has a line would look like a preference. A column is tested if the others would identify pi at each of its values: two
of them at least, without interactions between them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pugam.inference.pair_products import in_ranks
from pugam.inference.rows_tested import RowsTested
from pugam.inference.score_test import FEWEST_ROWS_PER_PARAMETER, score_directions, unit_directions
from pugam.inference.verdict import FEWEST_TERMS
from pugam.terms import Axis, Encoded, f, group_columns, s
from pugam.terms.levels import MISSING_CODE

__all__ = ["LARGEST_LEADING", "MOST_LEADING", "LabellingTest", "functions_of_columns", "score_labelling"]

Array = NDArray[np.float64]

LARGEST_LEADING = 0.01  # at which a column is added to those that lead
MOST_LEADING = 3
MOST_LEVELS = 10  # of a column, the most frequent ones
MOST_DIRECTIONS, ROWS_PER_DIRECTION = 500, 10


@dataclass(frozen=True)
class LabellingTest:
    """A test that positives were labelled at random, whatever their values of the columns.

    Attributes
    ----------
    statistic, df, pvalue : float
        Of preferences by all columns together.
    columns : tuple of str
        The columns that were tested, the smallest p-value first.
    pvalues : tuple of float, as long
        Of each column by itself.
    leading : tuple of str
        The columns that a preference seems to go by, at most three: the first, if its p-value is below 0.01, then the
        one that says most beside it, and so on. Columns that merely go along with these are not among them.
    term : str
        Of the first of these, or of the first of all columns, as `labelling` takes it: "s(age)" or "f(sex)".
    """

    statistic: float
    df: float
    pvalue: float
    columns: tuple[str, ...]
    pvalues: tuple[float, ...]
    leading: tuple[str, ...]
    term: str


def score_labelling(rows: RowsTested, columns: Collection[str] | None = None) -> LabellingTest | None:
    """Test preferences by these columns, by default by all that the model reads.

    None where rows are too few, or where other columns do not identify a preference.
    """
    if not rows.are_enough or rows.rows_per_parameter < FEWEST_ROWS_PER_PARAMETER:
        return None
    functions = functions_of_columns(rows.axes, rows.weights)
    wanted = [name for name in functions if (columns is None or name in columns) and _is_identified(rows, name)]
    if not wanted:
        return None
    effects = unit_directions(rows, rows.along_predictor(np.hstack(list(functions.values()))))
    preferences = {column: rows.along_labelling(functions[column]) for column in wanted}
    found = _all_off(rows, preferences, effects)
    alone = {column: score_directions(rows, left).pvalue for column, left in found.items()}
    order = sorted(alone, key=alone.__getitem__)
    joint = score_directions(rows, np.hstack(list(found.values())))
    leading = _leading(rows, found)
    term = _term(rows, (leading or order)[0])
    return LabellingTest(*joint, tuple(order), tuple(alone[name] for name in order), leading, term)


def _term(rows: RowsTested, column: str) -> str:
    axis = next(axis for axis, _ in rows.axes.values() if axis.column == column)
    return (s if axis.is_numeric else f)(column).formula


def _is_identified(rows: RowsTested, column: str) -> bool:
    """Whether other columns identify pi where this one, and those that labels depend on, are kept at a value."""
    kept = {column, *rows.design.labelling_columns}
    others = ([name for name in basis.spec.columns if name not in kept] for basis in rows.design.bases)
    return len(group_columns(names for names in others if names)) >= FEWEST_TERMS


def functions_of_columns(axes: Mapping[str, tuple[Axis, Encoded]], weights: Array) -> dict[str, Array]:
    """Functions of each column, as far as there are rows enough for all."""
    room, found = min(MOST_DIRECTIONS, len(weights) // ROWS_PER_DIRECTION), {}
    for axis, values in axes.values():
        functions = _functions(axis, values, weights)
        if functions.shape[1] <= room:
            found[axis.column] = functions
            room -= functions.shape[1]
    return found


def _functions(axis: Axis, values: Encoded, weights: Array) -> Array:
    """Functions of a column, shape (n, r): line and bow of its ranks, or the most frequent levels; zero in gaps."""
    missing = values == MISSING_CODE if values.dtype == np.int32 else np.isnan(values)
    present = values[~missing]
    if axis.is_numeric:
        found = np.zeros((len(values), 2))
        line = in_ranks(present, weights[~missing])
        found[~missing] = np.column_stack([line, 1.5 * line**2 - 0.5])
        return found
    levels, counts = np.unique(present, return_counts=True)
    frequent = levels[np.argsort(-counts, kind="stable")][:MOST_LEVELS]
    return np.asarray(values[:, None] == frequent, dtype=np.float64)


def _all_off(rows: RowsTested, directions: Mapping[str, Array], beside: Array) -> dict[str, Array]:
    """Project the directions of all columns off the model at once, which takes far less time than one by one."""
    left = unit_directions(rows, np.hstack(list(directions.values())), beside)
    ends = np.cumsum([part.shape[1] for part in directions.values()])
    return dict(zip(directions, np.split(left, ends[:-1], axis=1), strict=True))


def _leading(rows: RowsTested, found: Mapping[str, Array]) -> tuple[str, ...]:
    """Columns one after another, each the one that says most beside those before it."""
    leading: list[str] = []
    while len(leading) < min(MOST_LEADING, len(found)):
        beside = np.hstack([found[column] for column in leading]) if leading else np.empty((len(rows.positive), 0))
        others = {column: left for column, left in found.items() if column not in leading}
        left = _all_off(rows, others, beside)
        pvalues = {column: score_directions(rows, directions).pvalue for column, directions in left.items()}
        best = min(pvalues, key=pvalues.__getitem__)
        if pvalues[best] >= LARGEST_LEADING:
            break
        leading.append(best)
    return tuple(leading)
