"""Two fits of the same model to different rows: how far shares and effects are apart, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pugam.data import Levels, frame_columns, is_missing
from pugam.inference.column_digests import ColumnDigest
from pugam.inference.effects import join_points, standard_errors
from pugam.inference.intervals import Interval, normal_quantile
from pugam.messages import in_lines
from pugam.terms import Axis, Basis, Design, number_axis

__all__ = ["Changes", "Curves", "TermChange", "change_columns", "compare_effects", "curve_columns_of", "share_change"]

Array = NDArray[np.float64]

GRID_POINTS = {1: 50, 2: 15}  # along each numeric column, by how many of them a term has
FEW_POINTS = 5  # for terms of more numeric columns
N_DRAWS = 10_000
SEED = 0


class Curves(NamedTuple):
    """The terms of a fit, their coefficients, shape (p,), the covariance of these, shape (p, p), and its columns.

    `columns` tells what the unlabelled rows look like; empty where that is not known.
    """

    design: Design
    theta: Array
    covariance: Array
    columns: tuple[ColumnDigest, ...] = ()


@dataclass(frozen=True, eq=False)
class TermChange:
    """How an effect changed, where both fits have seen rows.

    Attributes
    ----------
    term : str
    points : list of str
        Where: values of its columns, as they are shown.
    old, new, se : arrays, as long
        The effect in both fits, with mean zero over the unlabelled rows of the newer one, as far as they lie where both
        have seen rows; and the standard error of the difference.
    pvalue : float
        Of the largest difference, in standard errors: how often one so large would be seen at any of the points if the
        effects were the same. NaN where there are fewer than two points.
    """

    term: str
    points: list[str]
    old: Array
    new: Array
    se: Array
    pvalue: float

    @property
    def difference(self) -> Array:
        """The new effect less the old one."""
        return self.new - self.old

    @property
    def largest(self) -> int | None:
        """The number of the point at which the effects are farthest apart."""
        return int(np.argmax(np.abs(self.difference))) if self.points else None


def share_change(old: Interval, new: Interval) -> Interval:
    """Return the difference of two independent shares, with limits from theirs.

    Squares of distances from estimates to limits add up, each on its own side (Zou and Donner 2008), as intervals for
    shares are not symmetric.
    """
    estimate = new.estimate - old.estimate
    lower = estimate - math.hypot(new.estimate - new.lower, old.upper - old.estimate)
    upper = estimate + math.hypot(new.upper - new.estimate, old.estimate - old.lower)
    return Interval(estimate, max(-1.0, lower), min(1.0, upper), new.level, "independent")


def compare_effects(old: Curves, new: Curves) -> Iterator[TermChange]:
    """Compare the effects of all terms that both fits have."""
    for number, label in enumerate(new.design.labels):
        if label in old.design.labels and number not in new.design.known_terms:
            yield _compare_term(old, old.design.labels.index(label), new, number)


def _compare_term(old: Curves, old_number: int, new: Curves, number: int) -> TermChange:
    bases = old.design.bases[old_number], new.design.bases[number]
    label = bases[1].spec.label
    grids = _common_grids(*bases)
    if any(len(grid) < 2 for grid in grids[1]) or not grids[1]:
        nothing = np.zeros(0)
        return TermChange(label, [], nothing, nothing, nothing, np.nan)
    blocks = old.design.blocks[old_number], new.design.blocks[number]
    weights = _row_weights(bases[1], grids[1], new.columns)
    columns = [_columns(basis, grid, weights) for basis, grid in zip(bases, grids, strict=True)]
    effects = [each @ one.theta[block] for each, one, block in zip(columns, (old, new), blocks, strict=True)]
    covariances = [one.covariance[block, block] for one, block in zip((old, new), blocks, strict=True)]
    errors = [standard_errors(*pair) for pair in zip(columns, covariances, strict=True)]
    se = np.hypot(*errors)
    covariance = sum(each @ own @ each.T for each, own in zip(columns, covariances, strict=True))
    pvalue = _largest_pvalue(effects[1] - effects[0], se, np.asarray(covariance))
    return TermChange(label, _shown(bases[1], grids[1]), effects[0], effects[1], se, pvalue)


def _common_grids(old: Basis, new: Basis) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Values of each column that both fits have seen, as each knows them; none where columns hold other things."""
    if len(old.axes) != len(new.axes):
        return [], []
    n_numeric = sum(axis.is_numeric for axis in new.axes)
    pairs = zip(old.axes, new.axes, strict=True)
    grids = [_common_grid(*pair, GRID_POINTS.get(n_numeric, FEW_POINTS)) for pair in pairs]
    return [grid for grid, _ in grids], [grid for _, grid in grids]


def _common_grid(old: Axis, new: Axis, n_points: int) -> tuple[NDArray[Any], NDArray[Any]]:
    if old.is_numeric != new.is_numeric:
        return np.zeros(0), np.zeros(0)
    if not new.is_numeric:
        common = _common_levels(old, new)
        return _as_array(common.values()), _as_array(common)
    lower, upper = max(old.lower, new.lower), min(old.upper, new.upper)
    grid = number_axis(new.column, lower, upper).grid(n_points) if lower < upper else np.zeros(0)
    return grid, grid


def _as_array(levels: Iterable[object]) -> NDArray[Any]:
    return np.array(list(levels), dtype=object)


def _common_levels(old: Axis, new: Axis) -> dict[object, object]:
    """For each level of the new fit that the old one has, what it is there: text may stand for a number or a boolean.

    Matched as in predictions: files of text and files that know numbers spell one level in two ways.
    """
    found: dict[object, object] = {text: level for level, text in _spelt_in(new, old).items()}
    found.update(_spelt_in(old, new))
    found.update(zip(old.levels, old.levels, strict=True))
    return {level: found[level] for level in new.levels if level in found}


def _spelt_in(text: Axis, other: Axis) -> dict[object, str]:
    """For levels of an axis that are numbers or booleans, which text stands for each on the other axis."""
    texts = [level for level in text.levels if isinstance(level, str)]
    known = Levels(text.column, texts)
    found = {level: known.find(level) for level in other.levels if not isinstance(level, str)}
    return {level: spelt for level, spelt in found.items() if spelt in texts}


def _row_weights(basis: Basis, grids: list[NDArray[Any]], columns: Sequence[ColumnDigest]) -> Array:
    """How many rows are near each combination of the values, as if columns were independent; ones if unknown."""
    known = {digest.column: digest for digest in columns}
    along = [_weights_along(grid, known.get(axis.column)) for axis, grid in zip(basis.axes, grids, strict=True)]
    return np.asarray(np.prod(join_points(along), axis=0))


def _weights_along(grid: NDArray[Any], digest: ColumnDigest | None) -> Array:
    if digest is None:
        return np.ones(len(grid))
    if digest.quantiles is None:
        weights = np.array([digest.levels.get(level, 0.0) for level in grid])
    else:
        values = digest.quantiles[(digest.quantiles >= grid[0]) & (digest.quantiles <= grid[-1])]
        nearest = np.searchsorted(0.5 * (grid[1:] + grid[:-1]), values)
        weights = np.bincount(nearest, minlength=len(grid)).astype(float)
    return weights if weights.sum() > 0.0 else np.ones(len(grid))


def _columns(basis: Basis, grids: list[NDArray[Any]], weights: Array) -> Array:
    """Model columns at all combinations of the values, centred over them by these weights."""
    values = join_points(grids)
    read = [axis.read(basis.spec.label, each) for axis, each in zip(basis.axes, values, strict=True)]
    columns = basis.columns(basis.encode(read))
    return np.asarray(columns - np.average(columns, axis=0, weights=weights))


def _shown(basis: Basis, grids: list[NDArray[Any]]) -> list[str]:
    values = join_points(grids)
    shown = (_shown_along(axis, each) for axis, each in zip(basis.axes, values, strict=True))
    return [", ".join(point) for point in zip(*shown, strict=True)]


def _shown_along(axis: Axis, values: NDArray[Any]) -> list[str]:
    """Numbers to a thousandth of their range, or a little more closely."""
    if not axis.is_numeric:
        return [axis.show(value) for value in values]
    decimals = 3 - math.floor(math.log10(values.max() - values.min()))
    return [axis.show(round(float(value), decimals)) for value in values]


def _largest_pvalue(difference: Array, se: Array, covariance: Array) -> float:
    """How often the largest of normal deviations with this covariance, in standard errors, is larger than that seen."""
    sure = se > 0.0
    if not sure.any():
        return np.nan
    seen = np.abs(difference[sure] / se[sure]).max()
    correlation = covariance[np.ix_(sure, sure)] / np.outer(se[sure], se[sure])
    variances, directions = np.linalg.eigh(correlation)
    root = directions * np.sqrt(np.maximum(variances, 0.0))
    draws = np.random.default_rng(SEED).standard_normal((N_DRAWS, len(variances))) @ root.T
    return float((1 + np.count_nonzero(np.abs(draws).max(axis=1) >= seen)) / (1 + N_DRAWS))


def change_columns(changes: list[TermChange]) -> dict[str, Any]:
    """Columns of a table with one row for each term: its largest difference, and where that is."""
    found = [(change, change.largest) for change in changes]
    return {
        "term": [change.term for change in changes],
        "at": [None if at is None else change.points[at] for change, at in found],
        "old": [np.nan if at is None else float(change.old[at]) for change, at in found],
        "new": [np.nan if at is None else float(change.new[at]) for change, at in found],
        "difference": [np.nan if at is None else float(change.difference[at]) for change, at in found],
        "se": [np.nan if at is None else float(change.se[at]) for change, at in found],
        "pvalue": [change.pvalue for change in changes],
    }


def curve_columns_of(changes: list[TermChange], level: float) -> dict[str, Any]:
    """Columns of a table with one row for each term and point: both effects, and their difference with limits."""
    quantile = normal_quantile(level)
    difference, se = (
        np.concatenate([np.zeros(0), *(getattr(change, name) for change in changes)]) for name in ("difference", "se")
    )
    return {
        "term": [change.term for change in changes for _ in change.points],
        "at": [point for change in changes for point in change.points],
        "old": np.concatenate([np.zeros(0), *(change.old for change in changes)]),
        "new": np.concatenate([np.zeros(0), *(change.new for change in changes)]),
        "difference": difference,
        "se": se,
        "lower": difference - quantile * se,
        "upper": difference + quantile * se,
    }


@dataclass(frozen=True, eq=False, repr=False)
class Changes:
    """What changed from one fit to another, to other rows.

    Attributes
    ----------
    share : Interval
        The difference of the shares of positives, new less old.
    shares : data frame
        One row for each unlabelled sample that both models have, the last, "all", for all unlabelled rows: sample, old
        and new with their limits, difference, lower and upper. Limits of a difference count sampling error alone.
    effects : data frame
        One row for each term that both models have: where its effects are farthest apart (at), old, new, difference,
        se, and the p-value of effects that are the same everywhere.
    curves : data frame
        Both effects of each term on a grid of values that both fits have seen, centred over the same rows: term, at,
        old, new, difference, se, lower and upper.
    only_old, only_new : tuple of str
        Terms of one model that the other lacks.
    level : float
    """

    share: Interval
    shares: Any
    effects: Any
    curves: Any
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    level: float

    def __str__(self) -> str:
        return in_lines(self.lines())

    __repr__ = __str__

    def lines(self) -> Iterator[str]:
        """What changed, in words."""
        names = "sample old new difference lower upper"
        for sample, old, new, difference, lower, upper in _rows(self.shares, names):
            what = "pi" if sample == "all" else f"pi of {sample}"
            limits = f"{100 * self.level:g}% interval {lower:+.3f} to {upper:+.3f}"
            yield f"{what}: {old:.3f} before, {new:.3f} now, difference {difference:+.3f} ({limits})"
        rows = list(_rows(self.effects, "term at old new difference se pvalue"))
        if rows:
            yield "Largest differences of effects, in log odds:"
        width = max((len(row[0]) for row in rows), default=0)
        for term, at, old, new, difference, se, pvalue in rows:
            if is_missing(at):  # pandas has NaN where text is missing
                yield f"  {term:<{width}}  no values that both fits have seen"
                continue
            p = "" if np.isnan(pvalue) else f", p = {pvalue:.3f}" if pvalue >= 0.001 else ", p < 0.001"
            yield f"  {term:<{width}}  {difference:+.2f} (se {se:.2f}{p}) at {at}: {old:+.2f} before, {new:+.2f} now"
        for when, terms in (("old", self.only_old), ("new", self.only_new)):
            if terms:
                yield f"Only in the {when} model: {', '.join(terms)}."
        yield "The two fits are taken as independent; where they share rows, intervals are too wide."


def _rows(frame: Any, names: str) -> Iterator[tuple[Any, ...]]:
    columns = frame_columns(frame)
    return zip(*(columns[name] for name in names.split()), strict=True)
