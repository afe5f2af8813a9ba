"""The curves of a fitted model: effects with limits, differences, odds ratios, posteriors, and their covariance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import SurveyRows, make_frame, read_flag
from pugam.engines import Engine, one_blas_thread
from pugam.errors import InputError
from pugam.inference import (
    Center,
    Inference,
    Interval,
    RatioInterval,
    Scale,
    contrast,
    default_grid,
    draw_parameters,
    effect_table,
    in_alpha,
    make_inference,
    shaped_covariance,
    term_center,
)
from pugam.solvers import Fit, Fitted, Settings
from pugam.terms import Design, Term, parse_formula

if TYPE_CHECKING:
    from pugam.estimator.kind_fits import KindFits

__all__ = ["CurveMethods", "RowsOfFit"]


class RowsOfFit(NamedTuple):
    """The engine of a fit, and which rows of the data are in it; None stands for all."""

    engine: Engine
    kept: np.ndarray | None


class CurveMethods:
    """What a fitted model says about single terms and rows; the numbers are made in `pugam.inference`."""

    pi_: float
    alpha_: float
    coef_: np.ndarray
    n0_: float
    n1_: float
    _design: Design
    _settings: Settings
    _fit: Fit
    _drawn: tuple[Fit, np.ndarray]
    _library: str
    _rows: RowsOfFit
    _index: Any = None  # of the data of the fit, if they have one
    _survey: SurveyRows | None = None
    _kinds: KindFits | None = None

    def covariance(self, kind: Literal["curves", "bayesian", "frequentist"] = "curves") -> np.ndarray:
        """Return the covariance of all parameters: logit pi, alpha, then `coef_`; corrected for sampling given z.

        Parameters
        ----------
        kind : {"curves", "bayesian", "frequentist"}
            "bayesian": given the smoothing parameters, the bias of smoothing counted on average over curves as rough
            as they allow. "frequentist": the variance over repeated samples alone (sandwich). "curves", behind
            `effect`, `odds_ratio` and `contrast`: the Bayesian one, widened by the estimated bias and by not knowing
            the smoothing parameters. Where terms have a shape, active constraints count as known in the first two;
            "curves" is the covariance of random curves that keep to the constraints. By marginal likelihood, the
            default, all three are the same: the Bayesian one, widened by the estimated bias of the priors.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2").fit(data.X, data.z)
        >>> model.covariance().shape
        (4, 4)
        """
        check_is_fitted(self)
        if kind == "curves":
            covariance = self._covariance
        elif kind == "bayesian":
            covariance = self._inference.bayesian_covariance()
        elif kind == "frequentist":
            covariance = self._inference.frequentist_covariance()
        else:
            raise InputError(f"kind is 'curves', 'bayesian' or 'frequentist'; got {kind!r}.")
        return in_alpha(self._design.layout, covariance, self.pi_, self.n0_, self.n1_)

    def effect(
        self,
        term: str | Term,
        grid: Any = None,
        level: float = 0.95,
        simultaneous: bool = False,
        *,
        scale: Scale = "log",
        derivative: bool | str = False,
        center: Literal["rows", "range"] = "rows",
    ) -> Any:
        """Return a term's estimated effect with limits: a tidy frame x, u, se, lower, upper.

        u is the term's contribution to the log density ratio, and so to the log odds of being positive. It is centred:
        its mean over the unlabelled rows of the fit is zero, so u compares a value with the average unlabelled row, as
        `plot`, `report`, `summary` and `explain` do. Differences of u are log odds ratios.

        Parameters
        ----------
        term : str or term
            The term's column, the term as written in a formula, or itself: "age", "s(age)" or s("age").
        grid : array-like, optional
            Values of the column; by default 100 points over its range, or its levels. For a term of several columns a
            list of tuples, or a mapping or data frame with a list of values for each column; x is then x1, x2, ...
        level : float
        simultaneous : bool
            Limits for the curve as a whole over the grid, not for each point alone.
            Of a term with a shape, all limits are quantiles of random curves of that shape: those of increasing curves
            increase.
        scale : {"log", "odds"}
            "odds" gives exp(u), the factor by which the odds of being positive change.
        derivative : bool or str
            Give the first derivative of u, per unit of the column: where the effect rises and falls. Of a term of
            several columns: the name of the column to go along.
        center : {"rows", "range"}
            "rows": u has mean zero over the unlabelled rows of the fit (weighted, if they have weights). "range", as in
            the paper: u of a number integrates to zero over the range of its column (or of its logarithms), effects of
            levels sum to zero over the levels, and `alpha_` plus all effects is `log_density_ratio`. A model saved
            before format 6 does not know its rows until `attach`, and its effects are centred over the range. Limits
            are those of the centred curve in both cases.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> frame = PUGAM().fit(data.X, data.z).effect("x1", grid=[0.2, 0.8])
        >>> list(frame.columns)
        ['x', 'u', 'se', 'lower', 'upper']
        """
        check_is_fitted(self)
        simultaneous = read_flag("simultaneous", simultaneous)
        derivative = derivative if derivative and isinstance(derivative, str) else read_flag("derivative", derivative)
        number = self._number(term)
        basis, block = self._design.bases[number], self._design.blocks[number]
        points = default_grid(basis, bool(derivative)) if grid is None else grid
        covariance = self._curve_covariance[block, block]
        with one_blas_thread():
            middle = self._center(number, center)
            table = effect_table(
                basis,
                points,
                self.coef_[block],
                covariance,
                level,
                simultaneous,
                scale,
                derivative,
                middle,
                self._draws()[:, block] if len(basis.constraints) else None,
            )
        return make_frame(self._library, table)

    def _draws(self) -> np.ndarray:
        """Coefficients of all terms, drawn at random, that keep to their constraints: shape (N, p)."""
        known = getattr(self, "_drawn", None)
        if known is None or known[0] is not self._fit:
            drawn = draw_parameters(self._inference)
            known = self._drawn = self._fit, drawn[:, self._design.layout.coefficients]
        return known[1]

    @cached_property
    def _covariance(self) -> np.ndarray:
        """Covariance of beta = (logit pi, a, theta) behind bands and odds ratios; a stored model brings its own."""
        with one_blas_thread():
            return shaped_covariance(self._inference)

    @property
    def _curve_covariance(self) -> np.ndarray:
        """Covariance of `coef_`."""
        coefficients = self._design.layout.coefficients
        return self._covariance[coefficients, coefficients]

    def _center(self, number: int, center: str) -> Center | None:
        """Model columns at which a term's effect is to be zero; None where those of the basis are centred already."""
        if center not in ("rows", "range"):
            raise InputError(f"center is 'rows' or 'range'; got {center!r}.")
        if center == "range":
            return None
        return term_center(self._fit, self._design, number)

    def contrast(self, a: Mapping[str, Any], b: Mapping[str, Any], level: float = 0.95) -> Interval:
        """Return how much larger the log density ratio is at the values b than at a, of one or several columns.

        It is a log odds ratio, and its `exp()` an odds ratio; columns that are not named are kept equal.

        Parameters
        ----------
        a, b : dict of values by column
            Both name the same columns.
        level : float
            Of the limits.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z)
        >>> model.contrast({"x1": 0.2, "x2": 0.2}, {"x1": 0.8, "x2": 0.8}).lower > 0
        True
        """
        check_is_fitted(self)
        covariance = self._curve_covariance
        with one_blas_thread():
            return contrast(self._design, a, b, self.coef_, covariance, level, self._draws, self._fit.added)

    def odds_ratio(
        self, term: str | Term | Mapping[str, Any], a: Any, b: Any = None, level: float = 0.95
    ) -> RatioInterval:
        """Return the factor by which the odds of being positive change when a term's column goes from a to b.

        With two sets of values, ``odds_ratio({"age": 40, "bmi": 25}, {"age": 60, "bmi": 30})``, several columns change
        at once. If a column also stands in an interaction that you asked for, name values of all columns of the
        interaction; over interactions that were added for you, its odds ratio is averaged.

        Parameters
        ----------
        term : str, term, or dict of values by column
            The term, named as in `effect`, or the first of two sets of values.
        a, b
            From which value the column goes to which; a gap is None. With sets of values, a is the second, and b is
            left out.
        level : float
            Of the limits.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> PUGAM().fit(data.X, data.z).odds_ratio("x1", 0.4, 0.6).estimate > 1
        True
        """
        check_is_fitted(self)
        if isinstance(term, Mapping):
            if b is not None:
                raise InputError(f"Two sets of values are compared, each as {{column: value}}; leave out {b!r}.")
            return self.contrast(term, a, level).exp()
        number = self._number(term)
        if b is None and self._design.bases[number].spec.missing == "error":
            raise InputError(f"An odds ratio compares two values; give another one beside {a!r}.")
        name = term if isinstance(term, str) and term in self._design.columns_used else self._design.labels[number]
        return self.contrast({name: a}, {name: b}, level).exp()

    def _number(self, term: str | Term) -> int:
        """Find a term by its column, by its label, as written in a formula, or by itself."""
        design = self._design
        if isinstance(term, str) and ("(" not in term or term in (*design.labels, *design.columns_used)):
            return design.index(term)
        asked = _read_one(term, design) if isinstance(term, str) else term
        number = design.index(getattr(asked, "label", str(asked)))
        if isinstance(asked, Term):
            _require_same(asked, design.bases[number].spec, design)
        return number

    @property
    def _inference(self) -> Inference[Fit]:
        """What can be said of the fit without its rows."""
        return make_inference(self._fit, self._design, self._settings, self.n0_, self.n1_)

    def _fitted(self, what: str) -> Fitted:
        """Return the fit with the rows behind it, which a stored model does not have."""
        if getattr(self, "_rows", None) is None:
            fit, same = self._fit, ", with the same sample, audit, negative, groups and strata as in the fit"
            raise InputError(
                f"{what} needs the rows the model was fitted to, which a copied or stored model does not carry; "
                f"give them back with attach(X, z){'' if fit.samples is None and fit.survey is None else same}."
            )
        return Fitted(self._rows.engine, self._design, self._settings, self._fit)


def _read_one(text: str, design: Design) -> Term:
    """Read a term as written in a formula."""
    asked = parse_formula(text)
    if len(asked) > 1:
        raise InputError(f"{text!r} names {len(asked)} terms where one is asked for; {design.listing}.")
    return asked[0]


def _require_same(asked: Term, known: Term, design: Design) -> None:
    """Refuse a term of other options than the term of the model that is shown alike."""
    is_bare = asked.formula == asked.label  # k of a bare te(x, y) is not that of s(x)
    if not is_bare and _contradicts(asked, known):
        raise InputError(f"There is no term {asked.formula} in the model, but {known.formula}; {design.listing}.")


def _contradicts(asked: Term, known: Term) -> bool:
    """Whether a term has other values of what is not at its default, in terms among its parts too."""
    defaults = {field.name: field.default for field in fields(asked)}  # type: ignore[arg-type]
    given = [name for name, default in defaults.items() if getattr(asked, name) != default]
    return any(_differ(getattr(asked, name), getattr(known, name, None)) for name in given)


def _differ(value: Any, other: Any) -> bool:
    if isinstance(value, tuple) and isinstance(other, tuple) and len(value) == len(other):
        return any(map(_differ, value, other))
    return _contradicts(value, other) if isinstance(value, Term) else bool(value != other)
