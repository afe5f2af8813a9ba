"""What a user asks for: the terms `s()`, `l()` and `f()` as plain immutable values, before any data is seen."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Literal, get_args

from pugam.errors import InputError

__all__ = ["Factor", "Linear", "Smooth", "TermSpec", "f", "l", "s"]

KnotPlacement = Literal["even", "quantile"]
ScaleChoice = Literal["auto", "linear", "log"]
MissingPolicy = Literal["error", "effect"]
UnseenPolicy = Literal["error", "zero"]

MIN_BASIS_SIZE = 3


@dataclass(frozen=True)
class Smooth:
    """A cubic spline of a numeric column, penalised by its roughness; see `s`."""

    column: str
    k: int = 10
    bounds: tuple[float, float] | None = None
    knots: KnotPlacement = "even"
    missing: MissingPolicy = "error"
    scale: ScaleChoice = "auto"

    def __post_init__(self) -> None:
        _check_column(self.column)
        if isinstance(self.k, bool) or not isinstance(self.k, numbers.Integral) or self.k < MIN_BASIS_SIZE:
            raise InputError(
                f"{self.label}: k is the number of basis functions, an integer of at least "
                f"{MIN_BASIS_SIZE}; got {self.k!r}."
            )
        _check_choice(self.label, "knots", self.knots, get_args(KnotPlacement))
        _check_choice(self.label, "missing", self.missing, get_args(MissingPolicy))
        _check_choice(self.label, "scale", self.scale, get_args(ScaleChoice))
        object.__setattr__(self, "k", int(self.k))
        object.__setattr__(self, "bounds", _checked_bounds(self.label, self.bounds))

    @property
    def label(self) -> str:
        """The term as it is shown: its kind and column, without its options."""
        return f"s({_shown(self.column)})"


@dataclass(frozen=True)
class Linear:
    """A straight line in a numeric column; see `l`."""

    column: str
    missing: MissingPolicy = "error"

    def __post_init__(self) -> None:
        _check_column(self.column)
        _check_choice(self.label, "missing", self.missing, get_args(MissingPolicy))

    @property
    def label(self) -> str:
        """The term as it is shown: its kind and column, without its options."""
        return f"l({_shown(self.column)})"


@dataclass(frozen=True)
class Factor:
    """One effect per level of a column, summing to zero over the levels; see `f`."""

    column: str
    missing: MissingPolicy = "error"
    unseen: UnseenPolicy = "error"

    def __post_init__(self) -> None:
        _check_column(self.column)
        _check_choice(self.label, "missing", self.missing, get_args(MissingPolicy))
        _check_choice(self.label, "unseen", self.unseen, get_args(UnseenPolicy))

    @property
    def label(self) -> str:
        """The term as it is shown: its kind and column, without its options."""
        return f"f({_shown(self.column)})"


TermSpec = Smooth | Linear | Factor


def _shown(column: str) -> str:
    """The name of a column, in one line."""
    return column if column.isprintable() else repr(column)[1:-1]


def s(
    column: str,
    k: int = 10,
    bounds: tuple[float, float] | None = None,
    knots: KnotPlacement = "even",
    missing: MissingPolicy = "error",
    scale: ScaleChoice = "auto",
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
        values, with a warning.
    bounds : (float, float), optional
        The interval taken as [0, 1]; by default the range seen in the data.
    knots : {"even", "quantile"}
        Interior knots spread evenly over the interval, or at quantiles of the distinct values. Neither estimated pi
        better on real tables (benchmarks/results/knots.md); even ones are simpler.
    missing : {"error", "effect"}
        Refuse missing values, or give them an effect of their own.
    scale : {"auto", "linear", "log"}
        Where the effect is taken to be smooth: along the values, or along their logarithms, less a shift that makes
        them symmetric. "auto" tries logarithms of all columns that have one long tail, and keeps them where Akaike's
        criterion prefers the fit; straight continuations into a long tail can bias pi much
        (benchmarks/results/scale_simulated.md). With ``smoothing`` other than "reml", "auto" is "linear".

    Examples
    --------
    >>> from pugam import s
    >>> s("age", k=6).label
    's(age)'
    """
    return Smooth(column, k, bounds, knots, missing, scale)


def l(column: str, missing: MissingPolicy = "error") -> Linear:  # noqa: E743
    """Ask for a linear effect of a numeric column, centred at the middle of its range.

    Examples
    --------
    >>> from pugam import l
    >>> l("dose").label
    'l(dose)'
    """
    return Linear(column, missing)


def f(column: str, missing: MissingPolicy = "error", unseen: UnseenPolicy = "error") -> Factor:
    """Ask for one effect per level of a column, summing to zero over the levels.

    Parameters
    ----------
    column : str
        Name of the column: text, boolean, categorical or numeric codes.
    missing : {"error", "effect"}
        Refuse missing values, or give them an effect of their own.
    unseen : {"error", "zero"}
        What prediction does with a level that the fit never saw: refuse it, or give it a zero effect.

    Examples
    --------
    >>> from pugam import f
    >>> f("site", unseen="zero").label
    'f(site)'
    """
    return Factor(column, missing, unseen)


def _check_column(column: object) -> None:
    if not isinstance(column, str) or not column:
        raise InputError(f"A term takes the name of a column as text; got {column!r}.")


def _check_choice(label: str, name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        options = " or ".join(repr(choice) for choice in choices)
        raise InputError(f"{label}: {name} must be {options}; got {value!r}.")


def _checked_bounds(label: str, bounds: object) -> tuple[float, float] | None:
    if bounds is None:
        return None
    try:
        low, high = (float(end) for end in bounds)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{label}: bounds are two numbers (low, high); got {bounds!r}.") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"{label}: bounds must be finite with low < high; got {bounds!r}.")
    return low, high
