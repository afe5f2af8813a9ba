"""Pictures of a fitted model, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pugam.errors import InputError
from pugam.inference import Diagnosis, Interval
from pugam.presentation.diagnosis_plots import DIAGNOSTIC_PLOTS, plot_diagnosis
from pugam.presentation.panels import BAND, LINE, ZERO, make_panels
from pugam.terms import Design, Factor, TermSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "plot_effects"]


class FittedModel(Protocol):
    """What a picture needs of a fitted model."""

    terms_: list[TermSpec]
    _design: Design

    def effect(self, term: str, grid: Any = None, level: float = 0.95, **options: Any) -> Any:
        """Return a term's effect as a frame."""
        ...

    def _number(self, term: str) -> int:
        """Find a term."""
        ...

    def diagnose(self) -> Diagnosis:
        """Look at the fit from all sides."""
        ...

    def pi_interval(self, level: float = 0.95) -> Interval:
        """Return an interval for pi."""
        ...


def draw(model: FittedModel, what: str, level: float = 0.95, **options: Any) -> Figure:
    """Draw the effects of a model, or the pictures of its diagnosis."""
    if what == "effects":
        return plot_effects(model, level, **options)
    if what != "diagnosis" and what not in DIAGNOSTIC_PLOTS:
        names = "', '".join(["effects", *DIAGNOSTIC_PLOTS, "diagnosis"])
        raise InputError(f"plot draws '{names}'; got {what!r}.")
    diagnosis = options.pop("diagnosis", None) or model.diagnose()
    if options:
        raise InputError(f"plot({what!r}) takes no {', '.join(options)}.")
    return plot_diagnosis(diagnosis, model._design, None if what == "diagnosis" else what)


def plot_effects(model: FittedModel, level: float = 0.95, terms: Any = None, **options: Any) -> Figure:
    """Draw each term's effect on the log density ratio with its band, one panel a term.

    Parameters
    ----------
    terms : list of str, optional
        The terms to draw; all by default.
    **options
        As of `effect`: simultaneous, scale, derivative.
    """
    unknown = [name for name in options if name not in ("simultaneous", "scale", "derivative")]
    if unknown:
        raise InputError(f"plot('effects') takes terms, simultaneous, scale and derivative; got {', '.join(unknown)}.")
    listed = [terms] if isinstance(terms, str) else terms
    columns = [spec.column for spec in model.terms_] if listed is None else list(listed)
    shown = [model.terms_[model._number(column)] for column in columns]
    figure, panels = make_panels(len(shown))
    for term, ax in zip(shown, panels, strict=True):
        frame = model.effect(term.column, level=level, **options)
        x, u, lower, upper = (np.asarray(frame[name]) for name in ("x", "u", "lower", "upper"))
        (_draw_levels if isinstance(term, Factor) else _draw_curve)(ax, x, u, lower, upper)
        ax.axhline(1.0 if options.get("scale") == "odds" else 0.0, color=ZERO, linewidth=0.8, zorder=0)
        ax.set_title(term.label, fontsize=10)
    if len(shown) > 1:
        figure.suptitle(f"Share of positives among the unlabelled: {model.pi_interval(level)}", fontsize=11)
    derivative = "derivative of the " if options.get("derivative") else ""
    scale = "factor on the odds" if options.get("scale") == "odds" else f"{derivative}effect on log density ratio"
    figure.supylabel(scale, fontsize=10)
    return figure


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
