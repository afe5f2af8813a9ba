"""Smooth terms, `s(age)`: a cubic spline of a numeric column, penalised by its roughness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from pugam.data import Column, require_numeric
from pugam.errors import InputError
from pugam.messages import counted
from pugam.nodes import Node
from pugam.terms.axes import Axis, number_axis
from pugam.terms.basis import Basis, Encoded, Penalty
from pugam.terms.expressions import Case, Expression, Value, cases_of_pieces, fraction, scaled
from pugam.terms.gaps import complete_numbers
from pugam.terms.kinds.varying import CurveByLevel, CurveTimesNumber, resolve_varying, restore_varying
from pugam.terms.options import (
    BASIS_SIZE,
    BOUNDS,
    BY,
    CYCLIC,
    KNOTS,
    MISSING,
    SCALE,
    SHAPE,
    UNSEEN,
    JointMissingPolicy,
    KnotPlacement,
    MissingPolicy,
    ScaleChoice,
    ShapeChoice,
    UnseenPolicy,
    check_basis_size,
    check_choice,
    check_column,
    checked_bounds,
    read_range,
    shown,
)
from pugam.terms.ranges import (
    affordable_size,
    count_distinct,
    observed_range,
    refuse_strange_bounds,
    unit_interval,
    warn_of_far_values,
)
from pugam.terms.scales import LogScale, find_log_scale, is_skewed
from pugam.terms.shelf import Shelf, take_from
from pugam.terms.splines import (
    CUBIC_ORDER,
    PiecewiseBasis,
    bspline_coefficients,
    centred_basis,
    cyclic_basis,
    even_knots,
    quantile_knots,
)
from pugam.terms.term import Argument, Term, register_term
from pugam.terms.tokens import format_column

__all__ = ["Smooth", "SmoothBasis", "s"]

Array = NDArray[np.float64]

FEWEST_FUNCTIONS = 3
CURVED = ("convex", "concave")
SCALE_SAMPLE, FEWEST_DISTINCT = 100_000, 20


@register_term
@dataclass(frozen=True)
class Smooth(Term):
    """A cubic spline of a numeric column, penalised by its roughness; see `s`."""

    column: str
    k: int = 10
    bounds: tuple[float, float] | None = None
    knots: KnotPlacement = "even"
    missing: JointMissingPolicy = "error"
    scale: ScaleChoice = "auto"
    by: str | None = None
    unseen: UnseenPolicy = "error"
    cyclic: bool = False
    shape: ShapeChoice | None = None

    function: ClassVar[str] = "s"
    kind: ClassVar[str] = "smooth"
    purpose: ClassVar[str] = "for a smooth"
    options: ClassVar = {
        "k": BASIS_SIZE,
        "bounds": BOUNDS,
        "knots": KNOTS,
        "missing": MISSING,
        "scale": SCALE,
        "by": BY,
        "unseen": UNSEEN,
        "cyclic": CYCLIC,
        "shape": SHAPE,
    }

    def __post_init__(self) -> None:
        check_column(self.column)
        check_basis_size(self.label, self.k)
        check_choice(self.label, "knots", self.knots, get_args(KnotPlacement))
        check_choice(
            self.label, "missing", self.missing, get_args(MissingPolicy if self.by is None else JointMissingPolicy)
        )
        check_choice(self.label, "scale", self.scale, get_args(ScaleChoice))
        self._check_by()
        self._check_cyclic()
        self._check_shape()
        object.__setattr__(self, "k", int(self.k))
        object.__setattr__(self, "bounds", checked_bounds(self.label, self.bounds))

    def _check_by(self) -> None:
        check_choice(self.label, "unseen", self.unseen, get_args(UnseenPolicy))
        if self.by is None and self.unseen != "error":
            raise InputError(f"{self.label}: unseen is for levels of another column, given as by.")
        if self.by is not None:
            check_column(self.by)
        if self.by == self.column:
            raise InputError(f"{self.label}: a curve varies with another column than its own.")

    def _check_cyclic(self) -> None:
        check_choice(self.label, "cyclic", self.cyclic, (True, False))
        if self.cyclic and (self.knots != "even" or self.scale == "log" or self.shape is not None):
            raise InputError(
                f"{self.label}: a cyclic term has even knots, no logarithms and no shape; leave these options out."
            )

    def _check_shape(self) -> None:
        check_choice(self.label, "shape", self.shape, (None, *get_args(ShapeChoice)))
        if self.shape in CURVED and self.scale == "log":
            raise InputError(
                f"{self.label}: shape={self.shape!r} is about the column itself, not about its logarithms; leave out "
                "scale='log'."
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of the curve, and the one that it varies with."""
        return (self.column,) if self.by is None else (self.column, self.by)

    @property
    def label(self) -> str:
        """The term as it is shown."""
        by = f", by={shown(self.by)}" if isinstance(self.by, str) else ""
        return f"{self.function}({shown(self.column)}{by})"

    @property
    def gap_policy(self) -> JointMissingPolicy:
        """The effects of another column, which are those of other terms, tell of missing values."""
        return "effect" if self.by is None else "zero"

    def treating_unseen(self, policy: UnseenPolicy) -> Smooth:
        """Change what becomes of unseen levels of the other column, if there is one."""
        return self if self.by is None else replace(self, unseen=policy)

    def common(self, column: str) -> Smooth | None:
        """The curve, if it varies with the column."""
        return self._alone if self.by == column else None

    @property
    def _alone(self) -> Smooth:
        """The curve, if it did not vary."""
        return replace(self, by=None, unseen="error", missing="error")

    @classmethod
    def _for_several(cls, arguments: Sequence[Argument]) -> str:
        names = ", ".join(format_column(name) for name in arguments if isinstance(name, str) and name)
        return f"a surface of several columns is te({names}), their interaction alone ti({names})"

    def resolve(self, columns: Sequence[Column]) -> SmoothBasis | CurveByLevel | CurveTimesNumber:
        """Find range and knots, a scale if logarithms were asked for, and what else the curve varies with."""
        curve = self._resolve_curve(columns[0])
        return curve if self.by is None else resolve_varying(self, curve, columns[1], self.unseen != "error")

    def _resolve_curve(self, column: Column) -> SmoothBasis:
        """Resolve the curve as a term of its own, but call it what the user called it."""
        values = require_numeric(column, self.label)
        lower, upper = self._range(column, values)
        k = affordable_size(self, column, values, self.k)
        scale = find_log_scale(_inside(values, lower, upper), lower, upper) if self.scale == "log" else None
        return _knotted(self if self.by is None else self._alone, values, (lower, upper), k, scale)

    def _range(self, column: Column, values: Array) -> tuple[float, float]:
        seen = observed_range(self, column, values)
        if self.bounds is None and self.cyclic:
            return _period(values, seen)
        if self.bounds is None:
            warn_of_far_values(self, column, values, seen)
            return seen
        refuse_strange_bounds(self, column, self.bounds, seen)
        return self.bounds

    def restore(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> SmoothBasis | CurveByLevel | CurveTimesNumber:
        """Read range, scale and functions, and what else the curve varies with."""
        if self.by is None:
            return self._restore_curve(found, shelf)
        return restore_varying(self, self._alone, found, shelf, self.unseen != "error")

    def _restore_curve(self, found: Node, shelf: Sequence[PiecewiseBasis]) -> SmoothBasis:
        parts = found.fields("lower", "upper", "logarithm", "basis")
        lower, upper = read_range(parts["lower"], parts["upper"])
        if self.bounds is not None and self.bounds != (lower, upper):
            raise parts["lower"].error("the lower bound of the term, and upper its upper one")
        functions = take_from(shelf, parts["basis"])
        if len(functions.roughness) >= self.k:
            raise parts["basis"].error(f"a basis of at most {self.k - 1} functions, for k = {self.k}")
        scale = None if parts["logarithm"].value is None else self._read_scale(parts["logarithm"], lower, upper)
        return SmoothBasis(self, lower, upper, functions, scale)

    def _read_scale(self, node: Node, lower: float, upper: float) -> LogScale:
        if self.scale != "log":
            raise node.error('null, as the term does not say scale = "log"')
        return LogScale.from_plain(node, lower, upper)


@dataclass(frozen=True)
class SmoothBasis(Basis):
    """A spline of a numeric column whose interval [lower, upper] is taken as [0, 1], along its values or logarithms."""

    spec: Smooth
    lower: float
    upper: float
    functions: PiecewiseBasis
    scale: LogScale | None = None

    @property
    def size(self) -> int:
        """One column less than there are B-splines: the curve is centred."""
        return len(self.functions.roughness)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The range, or the period."""
        return (number_axis(self.spec.column, self.lower, self.upper, open=self.spec.cyclic),)

    @cached_property
    def penalties(self) -> tuple[Penalty, ...]:
        """The integral of the squared second derivative of each function, if any bends."""
        return (Penalty(self.functions.roughness),) if self.functions.roughness.any() else ()

    @cached_property
    def constraints(self) -> Array:
        """B-spline coefficients of the first or second derivative, with the sign that the shape asks for.

        A spline whose coefficients are not negative is not negative. For the second derivative of a cubic spline, which
        is linear between knots, the reverse holds, too.
        """
        if self.spec.shape is None:
            return np.zeros((0, self.size))
        rows = bspline_coefficients(self.functions.derivative())
        if self.spec.shape in CURVED:
            rows = bspline_coefficients(self.functions.derivative().derivative())
            rows[:, self.functions.roughness == 0.0] = 0.0
        rows = rows[rows.any(axis=1)]
        return rows if self.spec.shape in ("increasing", "convex") else -rows

    def encode(self, columns: Sequence[Column]) -> Encoded:
        """Check that the column is numeric and complete."""
        return complete_numbers(columns[0], self.spec)

    def columns(self, encoded: Encoded) -> Array:
        """Evaluate the centred splines: shape (n, k - 1)."""
        return self.functions(self.places(encoded))

    @property
    def pieces(self) -> PiecewiseBasis:
        """The splines themselves."""
        return self.functions

    def cases(self) -> tuple[Case, ...]:
        """One polynomial for each interval between knots, lines beyond the ends."""
        values: Expression = Value(self.spec.column)
        place = scaled(values if self.scale is None else self.scale.expression(values), *self._ends)
        return cases_of_pieces(self.functions, fraction(place) if self.spec.cyclic else place)

    def effect(self, encoded: Encoded, theta: Array) -> Array:
        """Evaluate the one spline that they add up to."""
        return self.functions.combine(theta)(self.places(encoded)).ravel()

    def slopes(self, encoded: Encoded, along: int = 0) -> Array:
        """Evaluate the derivatives of the splines."""
        low, high = self._ends
        slope = 1.0 if self.scale is None else self.scale.slope(encoded)[:, None]
        return self.functions.derivative()(self.places(encoded)) * slope / (high - low)

    def places(self, encoded: Encoded) -> Array:
        """Where values lie between the ends, taken as 0 and 1, or within their period."""
        places = unit_interval(encoded if self.scale is None else self.scale(encoded), *self._ends)
        return np.mod(places, 1.0) if self.spec.cyclic else places

    @cached_property
    def _ends(self) -> tuple[float, float]:
        if self.scale is None:
            return self.lower, self.upper
        low, high = self.scale(np.array([self.lower, self.upper]))
        return float(low), float(high)

    @property
    def bends(self) -> NDArray[np.bool_] | None:
        """All functions but the line; a period has none."""
        return None if self.spec.cyclic else self.functions.roughness > 0.0

    def coarse(self, n_functions: int) -> tuple[SmoothBasis, NDArray[np.intp]]:
        """Keep the smoothest functions only."""
        kept = self.functions.coarse(n_functions)
        return replace(self, functions=kept), np.arange(len(kept.roughness))

    def margin(self, n_functions: int) -> SmoothBasis | None:
        """The curve with so many functions, on the same range and scale; none of a period or of a given shape."""
        if self.spec.cyclic or self.spec.shape is not None:
            return None
        k = max(min(n_functions, self.size) + 1, FEWEST_FUNCTIONS)
        order = min(CUBIC_ORDER, k)
        spec = replace(self.spec, k=k, knots="even", missing="error")
        functions = centred_basis(even_knots(k - order), order).coarse(n_functions)
        return replace(self, spec=spec, functions=functions)

    def on_log_scale(self, columns: Sequence[Column]) -> SmoothBasis:
        """Take logarithms if one tail of the column is long, unless the scale was given or there is no point in it."""
        if self.spec.scale != "auto" or self.spec.cyclic or self.spec.shape in CURVED:
            return self
        numbers = require_numeric(columns[0], self.spec.label)
        values = numbers[~np.isnan(numbers)]
        inside = _inside(values, self.lower, self.upper)
        if count_distinct(inside, FEWEST_DISTINCT) < FEWEST_DISTINCT or not is_skewed(inside):
            return self
        scale = find_log_scale(inside, self.lower, self.upper)
        return _knotted(replace(self.spec, scale="log"), values, (self.lower, self.upper), 1 + self.size, scale)

    def curve(self, t: Array) -> Array:
        """Evaluate the splines."""
        return self.columns(self.lower + t * (self.upper - self.lower))

    def found(self, shelf: Shelf) -> dict[str, Any]:
        """Range, scale and functions."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "logarithm": None if self.scale is None else self.scale.to_plain(),
            "basis": shelf.number(self.functions),
        }


def _knotted(spec: Smooth, values: Array, ends: tuple[float, float], k: int, scale: LogScale | None) -> SmoothBasis:
    """Place the knots of a spline with k functions, and build it."""
    order = min(CUBIC_ORDER, k)
    lower, upper = ends
    functions = cyclic_basis(k) if spec.cyclic else centred_basis(even_knots(k - order), order)
    basis = SmoothBasis(spec, float(lower), float(upper), functions, scale)
    if spec.knots == "even":
        return basis
    interior = _quantile_knots(spec, basis.places(np.unique(values)), k - order)
    return replace(basis, functions=centred_basis(interior, order))


def _period(values: Array, seen: tuple[float, float]) -> tuple[float, float]:
    """Return the period of a column: its range, or that of its numbers and the step behind the last, if whole.

    After month 12 comes month 1, one step later, not at once.
    """
    lower, upper = seen
    is_whole = bool(np.all(values == np.rint(values)))
    return (lower - 0.5, upper + 0.5) if is_whole else seen


def _inside(values: Array, lower: float, upper: float) -> Array:
    """As many values within the range as tell how long their tails are."""
    sample = values[:: max(1, len(values) // SCALE_SAMPLE)]
    return np.asarray(sample[(sample >= lower) & (sample <= upper)])


def _quantile_knots(spec: Smooth, distinct: Array, n_interior: int) -> Array:
    inside = distinct[(distinct >= 0.0) & (distinct <= 1.0)]
    if len(inside) < n_interior + 2:
        raise InputError(
            f"{spec.label}: bounds = {spec.bounds} hold only {counted(len(inside), 'distinct value')}, too few for "
            'quantile knots; widen the bounds or use knots="even".'
        )
    return quantile_knots(inside, n_interior)


def s(
    column: str,
    k: int = 10,
    bounds: tuple[float, float] | None = None,
    knots: KnotPlacement = "even",
    missing: JointMissingPolicy = "error",
    scale: ScaleChoice = "auto",
    by: str | None = None,
    unseen: UnseenPolicy = "error",
    cyclic: bool = False,
    shape: ShapeChoice | None = None,
) -> Smooth:
    """Ask for a smooth effect of a numeric column.

    The effect is a cubic spline of `k` B-splines on the column's range scaled to [0, 1], centred so that it
    integrates to zero there, penalised by the integral of its squared second derivative, and continued
    by straight lines outside the range.

    Parameters
    ----------
    column : str
        Name of the column.
    k : int
        Number of basis functions, at least 3 (with 3 the spline is quadratic). Capped by the number of distinct
        values, with a warning; more than 300 are refused.
    bounds : (float, float), optional
        The interval taken as [0, 1]; by default the range seen in the data.
    knots : {"even", "quantile"}
        Interior knots spread evenly over the interval, or at quantiles of the distinct values. Neither estimated pi
        better on real tables (benchmarks/results/knots.md); even ones are simpler.
    missing : {"error", "effect", "zero"}
        Refuse missing values, or give them an effect of their own; with `by`, "zero" gives rows that lack a value in
        one of the columns a zero effect.
    scale : {"auto", "linear", "log"}
        Where the effect is taken to be smooth: along the values, or along their logarithms, less a shift that makes
        them symmetric. "auto" tries logarithms of all columns that have one long tail, and keeps them where the
        evidence is higher, or, with ``estimate="mode"``, Akaike's criterion prefers the fit; straight continuations
        into a long tail can bias pi much (benchmarks/results/scale_simulated.md). With ``smoothing`` other than "reml",
        "auto" is "linear".
    by : str, optional
        Name of another column that the curve varies with. Of text, booleans and categories: a curve for each level,
        centred by itself (and smoothed by itself with ``estimate="mode"``); add ``f`` of that column for the means of
        the levels. Of numbers z: z times the curve, which then is not centred.
    unseen : {"error", "zero"}
        What prediction does with a level of `by` that the fit never saw: refuse it, or give it a zero effect.
    cyclic : bool
        Let the curve go on at the lower end where it stops at the upper one, as for months, hours or directions. The
        period is `bounds`; by default the range seen, and for whole numbers one more: months from 1 to 12 have the
        period 12. Values outside it count as those inside that are a whole number of periods away.
    shape : {"increasing", "decreasing", "convex", "concave"}, optional
        What the fitted curve has to be, everywhere. Its band respects it, too. "convex" and "concave" are about the
        column itself, so with them "auto" tries no logarithms.

    Examples
    --------
    >>> from pugam import s
    >>> s("age", k=6).label
    's(age)'
    """
    return Smooth(column, k, bounds, knots, missing, scale, by, unseen, cyclic, shape)
