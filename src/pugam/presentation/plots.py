"""Pictures of a fitted model, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.inference import posteriors_of_rows
from pugam.presentation.diagnosis_plots import DIAGNOSTIC_PLOTS, SINGLE_SIZE, plot_diagnosis
from pugam.presentation.grids import grid_for_drawing
from pugam.presentation.panels import BAND, LINE, MARK, ZERO, make_panels, use_axes
from pugam.presentation.protocol import FittedModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "plot_effects", "plot_posterior"]

RUG_MARKS, GRID_POINTS = 100, 100
POSTERIOR_BINS = 25


def draw(model: FittedModel, what: str, level: float = 0.95, **options: Any) -> Figure:
    """Draw the effects of a model, its posteriors, or the pictures of its diagnosis."""
    if what == "effects":
        return plot_effects(model, level, **options)
    if what == "posterior":
        return plot_posterior(model, **options)
    if what != "diagnosis" and what not in DIAGNOSTIC_PLOTS:
        names = "', '".join(["effects", "posterior", *DIAGNOSTIC_PLOTS, "diagnosis"])
        raise InputError(f"plot draws '{names}'; got {what!r}.")
    diagnosis = options.pop("diagnosis", None) or model.diagnose()
    axes = options.pop("axes", None)
    if options:
        raise InputError(f"plot({what!r}) takes no {', '.join(options)}.")
    return plot_diagnosis(diagnosis, model._design, None if what == "diagnosis" else what, axes)


def plot_effects(
    model: FittedModel,
    level: float = 0.95,
    terms: Any = None,
    rug: bool = True,
    shared_scale: bool = False,
    axes: Any = None,
    **options: Any,
) -> Figure:
    """Draw each term's effect on the log density ratio with its band, one panel a term.

    Effects average to zero over the rows; those of a stored model, which has none, integrate to zero over the range.

    Parameters
    ----------
    terms : list of str, optional
        The terms to draw; all by default.
    rug : bool
        Mark along the axis where the values of the rows lie; a stored model knows its rows after `attach` only.
    shared_scale : bool
        Give all panels the same vertical axis, so that effects can be compared.
    axes : matplotlib axes, one for each term, optional
        Where to draw; a new figure by default.
    **options
        As of `effect`: simultaneous, scale, derivative.
    """
    unknown = [name for name in options if name not in ("simultaneous", "scale", "derivative")]
    if unknown:
        known = "terms, rug, shared_scale, axes, simultaneous, scale and derivative"
        raise InputError(f"plot('effects') takes {known}; got {', '.join(unknown)}.")
    listed = [terms] if isinstance(terms, str) else terms
    numbers = range(len(model.terms_)) if listed is None else [model._number(term) for term in listed]
    figure, panels = make_panels(len(numbers)) if axes is None else use_axes(axes, len(numbers))
    for number, ax in zip(numbers, panels, strict=True):
        term, basis = model.terms_[number], model._design.bases[number]
        values, (axis,) = _values(model, number), basis.axes
        grid = grid_for_drawing(basis, values, GRID_POINTS, options.get("derivative", False))
        frame = model.effect(term.label, grid, level, center="rows" if len(values) else "range", **options)
        x, u, lower, upper = (np.asarray(frame[name]) for name in ("x", "u", "lower", "upper"))
        (_draw_curve if axis.is_numeric else _draw_levels)(ax, x, u, lower, upper)
        if rug and axis.is_numeric:
            _draw_rug(ax, values, ax.get_xlim())
        ax.axhline(1.0 if options.get("scale") == "odds" else 0.0, color=ZERO, linewidth=0.8, zorder=0)
        ax.set_title(term.label, fontsize=10)
    if shared_scale:
        ends = [ax.get_ylim() for ax in panels]
        for ax in panels:
            ax.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    derivative = "derivative of the " if options.get("derivative") else ""
    scale = "factor on the odds" if options.get("scale") == "odds" else f"{derivative}effect on log density ratio"
    if axes is not None:
        for ax in panels:
            ax.set_ylabel(scale)
        return figure
    if len(numbers) > 1:
        figure.suptitle(f"Share of positives among the unlabelled: {model.pi_interval(level)}", fontsize=11)
    figure.supylabel(scale, fontsize=10)
    return figure


def plot_posterior(model: FittedModel, axes: Any = None, **options: Any) -> Figure:
    """Draw how many unlabelled rows have which posterior, and how the labelled positives would fare without a label."""
    if options:
        raise InputError(f"plot('posterior') takes axes; got {', '.join(options)}.")
    fitted = model._fitted("A histogram of posteriors")
    engine = fitted.engine
    posterior = posteriors_of_rows(fitted, model.pi_, model.alpha_, model.coef_)
    figure, (ax,) = make_panels(1, *SINGLE_SIZE) if axes is None else use_axes(axes, 1)
    edges = np.linspace(0.0, 1.0, POSTERIOR_BINS + 1).tolist()
    weights = np.ones(len(posterior)) if engine.weights is None else engine.weights
    unlabelled = ~engine.positive
    ax.hist(
        posterior[unlabelled], edges, weights=weights[unlabelled], color=BAND, alpha=0.6, label="unlabelled", zorder=1
    )
    rescaled = weights[engine.positive] * (weights[unlabelled].sum() / weights[engine.positive].sum())
    ax.hist(
        posterior[engine.positive],
        edges,
        weights=rescaled,
        histtype="step",
        color=MARK,
        linewidth=1.5,
        label="labelled, rescaled",
    )
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("P(positive) for an unlabelled row like it")
    ax.set_ylabel("unlabelled rows")
    ax.legend(fontsize=8, frameon=False)
    ax.set_title(f"pi = {model.pi_interval()}", fontsize=10)
    return figure


def _values(model: FittedModel, number: int) -> Any:
    rows = getattr(model, "_rows", None)
    return () if rows is None else rows[0].shown.encoded[number]


def _draw_rug(ax: Axes, values: Any, ends: tuple[float, float]) -> None:
    """Mark quantiles of the values along the lower edge, between the ends of what is drawn."""
    present = np.asarray(values)[~np.isnan(values)] if len(values) else np.empty(0)
    if len(present):
        marks = np.quantile(present, np.linspace(0.0, 1.0, min(len(present), RUG_MARKS)))
        marks = marks[(marks >= ends[0]) & (marks <= ends[1])]
        ax.plot(
            marks, np.zeros(len(marks)), "|", color=ZERO, markersize=7, transform=ax.get_xaxis_transform(), zorder=3
        )


def _draw_curve(ax: Axes, x: Any, u: Any, lower: Any, upper: Any) -> None:
    ax.fill_between(x, lower, upper, color=BAND, alpha=0.35, linewidth=0)
    ax.plot(x, u, color=LINE, linewidth=1.8)
    missing = np.isnan(x)
    if missing.any():
        place = np.nanmax(x) + 0.08 * (np.nanmax(x) - np.nanmin(x))
        bars = np.array([u[missing] - lower[missing], upper[missing] - u[missing]])
        ax.errorbar([place], u[missing], yerr=bars, fmt="o", color=LINE, ecolor=BAND, capsize=3)
        ax.annotate(
            "missing", (place, u[missing][0]), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8
        )


def _draw_levels(ax: Axes, x: Any, u: Any, lower: Any, upper: Any) -> None:
    places = np.arange(len(x))
    ax.errorbar(places, u, yerr=[u - lower, upper - u], fmt="o", color=LINE, ecolor=BAND, capsize=3)
    ax.set_xticks(places, ["missing" if value is None or value != value else str(value) for value in x])
