"""The summary of a fit: the table a statistician expects, and its parts as tidy frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from pugam.data import make_frame
from pugam.errors import InputError
from pugam.inference import (
    Interval,
    OrderName,
    assumed_of_samples,
    normal_quantile,
    not_converged,
    standard_errors,
    term_center,
)
from pugam.messages import Message, See, Words, in_python
from pugam.presentation.blocks import Block, TextTable, in_html, in_text
from pugam.presentation.equations import equations
from pugam.presentation.latex import in_latex
from pugam.presentation.protocol import FittedModel, prior_of
from pugam.solvers import edf_by_term
from pugam.terms.gaps import listed
from pugam.version import __version__

__all__ = ["Summary", "summarize"]

STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."))
SMALLEST_SHOWN = 1e-16
SMALLEST_ALIGNED = 1e-4  # standard error of a slope: columns of smaller ones would be mostly zeros
FEW_VALUES = 5  # a column of numbers with so many distinct values may be one of levels


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """A fit in numbers.

    Attributes
    ----------
    model : frame with columns quantity, value
        pi with its interval, counts, log-likelihood and the like.
    smooth : frame with columns term, edf, ref_df, statistic, pvalue, smoothing
        One line for each smooth term: its degrees of freedom and the test that it is zero.
    linear : frame with columns term, level, estimate, se, z, pvalue, lower, upper
        One line for each linear term (per unit of its column), level of a factor (against the average unlabelled row)
        and effect of missing values (against the column's median, or as a level).
    factors : frame with columns term, df, statistic, pvalue
        The joint test of each factor's levels.
    messages : tuple of Message
    warnings : tuple of str
        The same as text.
    """

    model: Any
    smooth: Any
    linear: Any
    factors: Any
    messages: tuple[Message, ...]
    _blocks: tuple[Block, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should worry, each with a remedy."""
        return tuple(map(str, self.messages))

    def told(self, words: Words) -> str:
        """Return the summary in the words of one kind of reader."""
        return in_text(self._said(words))

    def to_html(self) -> str:
        """Return the summary as a piece of HTML; a notebook shows it so."""
        return in_html(self._said(in_python))

    def to_latex(self) -> str:
        r"""Return the summary as LaTeX, to be used with `\usepackage{booktabs, textcomp}`."""
        return in_latex(self._said(in_python))

    def _said(self, words: Words) -> list[Block]:
        return [*self._blocks, *(f"! {message.told(words)}" for message in self.messages)]

    def __str__(self) -> str:
        return self.told(in_python)

    __repr__ = __str__
    _repr_html_ = to_html


def summarize(
    model: FittedModel,
    level: float | None = None,
    interval: Interval | None = None,
    order: OrderName = "formula",
) -> Summary:
    """Collect the summary of a fitted model; the interval for pi is Wald's, if none is given."""
    if level is None:
        level = 0.95 if interval is None else interval.level
    interval = model.pi_interval(level) if interval is None else interval
    if level != interval.level:
        raise InputError(f"The interval has the level {interval.level:g}, but level={level:g} was asked for; give one.")
    overall = _overall(model, interval)
    places = _places(model, order)
    smooth, linear, factors = (
        sorted(rows, key=lambda row: places[row[0]])
        for rows in (_smooth_rows(model), _coefficient_rows(model, level), _factor_rows(model))
    )
    library = model._library
    return Summary(
        make_frame(library, _columns(("quantity",), ("value",), list(overall.items()))),
        make_frame(library, _columns(("term",), ("edf", "ref_df", "statistic", "pvalue", "smoothing"), smooth)),
        make_frame(library, _columns(("term", "level"), ("estimate", "se", "z", "pvalue", "lower", "upper"), linear)),
        make_frame(library, _columns(("term",), ("df", "statistic", "pvalue"), factors)),
        tuple(_messages(model)),
        tuple(_lines(model, interval, smooth, linear, factors)),
    )


def _places(model: FittedModel, order: OrderName) -> dict[str, int]:
    """Where the lines of each term stand."""
    if order == "importance":
        model._require_moments("A summary ordered by importance")
    return {model._design.labels[number]: place for place, number in enumerate(model._order(order))}


def _overall(model: FittedModel, interval: Interval) -> dict[str, float]:
    return {
        "pi": model.pi_,
        "pi_lower": interval.lower,
        "pi_upper": interval.upper,
        "level": interval.level,
        "pi_penalized": model.pi_penalized_,
        "prevalence": model.prevalence_,
        "label_frequency": model.label_frequency_,
        "n0": model.n0_,
        "n1": model.n1_,
        "alpha": model.alpha_,
        "loglik": model.loglik_,
        "edf": model.edf_,
        "aic": model.aic_,
    }


def _smooth_rows(model: FittedModel) -> list[tuple[Any, ...]]:
    design, penalized = model._design, model._fit.penalized
    degrees = edf_by_term(design, penalized, penalized.covariance(model._settings.pi_range))
    rows = []
    for number in dict.fromkeys(penalty.term for penalty in design.penalties):
        test = model.test(design.labels[number])
        kappas = model.smoothing_.get(design.names[number], math.nan)  # none where a ridge shrank the curves
        kappa = float(np.max(kappas))
        rows.append((design.labels[number], float(degrees[number]), test.df, test.statistic, test.pvalue, kappa))
    return rows


def _coefficient_rows(model: FittedModel, level: float) -> list[tuple[Any, ...]]:
    design, coefficients = model._design, model._design.layout.coefficients
    covariance = model._covariance[coefficients, coefficients]
    rows = []
    for number, (basis, block, label) in enumerate(zip(design.bases, design.blocks, design.labels, strict=True)):
        center = term_center(model._fit, design, number)
        for name, at, _, is_level in basis.comparisons():
            weights = at - center.columns if is_level else at
            estimate = float(weights @ model.coef_[block])
            se = float(standard_errors(weights[None], covariance[block, block])[0])
            # A level that all unlabelled rows have is the average row itself.
            z = estimate / se if se > 0.0 else 0.0 if estimate == 0.0 else float("nan")
            half = normal_quantile(level) * se
            rows.append((label, name, estimate, se, z, float(2.0 * ndtr(-abs(z))), estimate - half, estimate + half))
    return rows


def _compared_to(model: FittedModel) -> dict[tuple[str, str], str]:
    """To what a line compares, where that has to be said."""
    return {
        (basis.spec.label, line.name): line.against for basis in model._design.bases for line in basis.comparisons()
    }


def _linear_title(model: FittedModel) -> str:
    levels = any(line.is_level for basis in model._design.bases for line in basis.comparisons())
    against = " and levels (against the average unlabelled row)" if levels else ""
    return f"Linear terms (per unit of the column){against}"


def _factor_rows(model: FittedModel) -> list[tuple[Any, ...]]:
    rows = []
    for basis, label in zip(model._design.bases, model._design.labels, strict=True):
        if basis.is_tested_jointly:
            test = model.test(label)
            rows.append((label, test.df, test.statistic, test.pvalue))
    return rows


def _messages(model: FittedModel) -> Iterator[Message]:
    if model.at_boundary_:
        yield Message("The estimate of pi lies on the boundary of its range: see ", See("diagnosis"), ".")
    if not model.converged_:
        yield not_converged(model._settings).message


def _samples(model: FittedModel, level: float) -> Iterator[Block]:
    """The share of each unlabelled sample, where there are several."""
    rows = model._share_rows(level)
    if len(rows) == 1:
        return
    audits = any(row.audited > 0.0 for row in rows)
    shown = [
        (
            row.sample,
            f"{row.rows:g}",
            *([f"{row.audited:g}"] if audits else []),
            *(f"{number:.3f}" for number in (row.interval.estimate, row.interval.lower, row.interval.upper)),
            row.verdict or "",
        )
        for row in rows
    ]
    header = ("", "rows", *(["audited"] if audits else []), "pi", "lower", "upper", "")
    yield TextTable("Unlabelled samples", header, tuple(shown))
    yield f"  {model.test_shares()}"
    yield f"  {assumed_of_samples(model._fit.samples is None or model._fit.samples.own_column is None)}"
    yield from _pooled(model)


def _pooled(model: FittedModel) -> Iterator[str]:
    """Tell towards what shares are pulled, where they are pooled."""
    found = model._fit.samples
    if found is not None and found.pooled is not None:
        pooled = found.pooled
        yield f"  shares are pooled: logits with mean {pooled.mean:.3f} and standard deviation {pooled.spread:.3f}"


def _negatives(model: FittedModel) -> Iterator[str]:
    """Count the known negatives, where there are any."""
    found = model._fit.samples
    if found is not None and found.negatives > 0.0:
        yield f"known negatives: {found.negatives:g} row{'' if found.negatives == 1.0 else 's'}"


def _columns(texts: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, NDArray[Any]]:
    return {
        name: np.array([row[place] for row in rows], dtype=object if name in texts else float)
        for place, name in enumerate((*texts, *numbers))
    }


def _lines(
    model: FittedModel,
    interval: Interval,
    smooth: Sequence[Sequence[Any]],
    linear: Sequence[Sequence[Any]],
    factors: Sequence[Sequence[Any]],
) -> Iterator[Block]:
    yield "Positive-unlabelled generalized additive model"
    yield from equations(model.terms_)
    yield ""
    yield f"labelled positives n0 = {model.n0_:g}, unlabelled n1 = {model.n1_:g}"
    yield from _negatives(model)
    yield from _survey(model)
    yield f"share of positives among the unlabelled: pi = {interval}"
    yield f"share among all rows {model.prevalence_:.3f}, share of positives labelled {model.label_frequency_:.3f}"
    yield from _samples(model, interval.level)
    if smooth:
        curves = (
            (term, f"{edf:.2f}", f"{df:.2f}", f"{statistic:.2f}", *_p(pvalue))
            for term, edf, df, statistic, pvalue, _ in smooth
        )
        yield TextTable("Smooth terms", ("", "edf", "ref.df", "statistic", "p", ""), tuple(curves))
    if linear:
        compared = _compared_to(model)
        decimals = _decimals([row[3] for row in linear])
        slopes = (
            (_line_name(term, name, compared), *_aligned(estimate, se, decimals), f"{z:.2f}", *_p(pvalue))
            for term, name, estimate, se, z, pvalue, _, _ in linear
        )
        yield TextTable(_linear_title(model), ("", "estimate", "se", "z", "p", ""), tuple(slopes))
    if factors:
        tested = ((term, f"{df:.3g}", f"{statistic:.2f}", *_p(pvalue)) for term, df, statistic, pvalue in factors)
        yield TextTable("Factors, all levels together", ("", "df", "statistic", "p", ""), tuple(tested))
    yield from _offsets(model)
    yield from _few_values(model)
    yield "---"
    yield "p-values: 0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1"
    yield ""
    yield f"log-likelihood {model.loglik_:.2f} on {model.edf_:.1f} effective degrees of freedom, AIC {model.aic_:.2f}"
    described = model._inference.describe(prior=prior_of(model))
    yield f"{described}; pugam {_version(model)}"


def _version(model: FittedModel) -> str:
    """The version that fitted a model: that of the file, where it is from one."""
    known: dict[str, Any] = getattr(model, "provenance_", {})
    return str(known.get("pugam") or __version__)


def _offsets(model: FittedModel) -> Iterator[str]:
    """Name the terms that are known."""
    known = [model._design.labels[number] for number in model._design.known_terms]
    if known:
        yield ""
        yield f"Known, added with coefficient 1: {', '.join(known)}"


def _few_values(model: FittedModel) -> Iterator[str]:
    """Tell which columns of few numbers became curves, where nobody asked for these."""
    if model._fitted_with.get("terms", "") is not None:
        return
    # A curve through so many values has a bend for all but two of them.
    few = [
        basis.axes[0].column
        for basis in model._design.bases
        if len(basis.axes) == 1 and basis.bends is not None and 0 < basis.bends.sum() <= FEW_VALUES - 2
    ]
    names = list(dict.fromkeys(few))
    if names:
        have, each = ("has", "a curve") if len(names) == 1 else ("have", "curves")
        yield ""
        yield (
            f"{listed(names)} {have} at most {FEW_VALUES} distinct values and became {each} through them; "
            f"f({names[0]}) gives each value its own effect"
        )


def _survey(model: FittedModel) -> Iterator[str]:
    """Tell that standard errors are those of a survey."""
    survey = model._fit.survey
    if survey is None:
        return
    weighted = survey.n_rows != round(model.n0_ + model.n1_, 6)
    as_many = f", weighted ones that count as {model.n0_ + model.n1_:.6g}," if weighted else ""
    strata = "" if survey.n_strata == 1 else f" of {survey.n_strata} strata"
    drawn = f"in {survey.n_clusters} clusters{strata}"
    yield f"survey of {survey.n_rows} rows{as_many} {drawn}: standard errors allow for them"


def _line_name(term: str, name: str, compared: Mapping[tuple[str, str], str]) -> str:
    return f"{term} {name}{compared.get((term, name), '')}".rstrip()


def _decimals(errors: Sequence[float]) -> int:
    """With how many decimals a column is written, so that the smallest standard error has three digits."""
    smallest = min((se for se in errors if se >= SMALLEST_ALIGNED and math.isfinite(se)), default=1.0)
    return max(2 - math.floor(math.log10(smallest)), 1)


def _aligned(estimate: float, se: float, decimals: int) -> tuple[str, str]:
    """An estimate and its standard error with so many decimals; slopes per tiny units have exponents."""
    if 0.0 < se < SMALLEST_ALIGNED:
        return f"{estimate:.3g}", f"{se:.3g}"
    shown, error = (f"{number:.{decimals}f}" for number in (estimate, se))
    return shown.removeprefix("-") if float(shown) == 0.0 else shown, error


def _p(pvalue: float) -> tuple[str, str]:
    shown = f"< {SMALLEST_SHOWN:g}" if pvalue < SMALLEST_SHOWN else f"{pvalue:.3g}"
    return shown, next((star for limit, star in STARS if pvalue < limit), "")
