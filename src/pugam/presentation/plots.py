"""Pictures of a fitted model, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.extras import MATPLOTLIB, load_extra
from pugam.inference import KindDiagnoses, posteriors_of_rows, shares_of_rows
from pugam.presentation.diagnosis_plots import DIAGNOSTIC_PLOTS, SINGLE_SIZE, plot_diagnosis
from pugam.presentation.effect_plots import plot_effects
from pugam.presentation.labelling_plots import plot_labelling
from pugam.presentation.panels import BAND, MARK, make_panels, use_axes
from pugam.presentation.protocol import FittedModel
from pugam.presentation.row_plots import plot_row
from pugam.presentation.share_plots import plot_kinds, plot_shares
from pugam.presentation.worklist_plots import plot_worklist

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "plot_posterior"]

POSTERIOR_BINS = 25
WITH_LEVEL: dict[str, Callable[..., Figure]] = {
    "effects": plot_effects,
    "explain": plot_row,
    "shares": plot_shares,
    "kinds": plot_kinds,
    "labelling": plot_labelling,
    "worklist": plot_worklist,
}


def draw(model: FittedModel, what: str, level: float = 0.95, **options: Any) -> Figure:
    """Draw one of the pictures of a model, or those of its diagnosis."""
    load_extra(MATPLOTLIB, "Pictures need")
    what = what if isinstance(what, str) else repr(what)
    if what == "posterior":
        return plot_posterior(model, **options)
    if what in WITH_LEVEL:
        return WITH_LEVEL[what](model, level, **options)
    if what != "diagnosis" and what not in DIAGNOSTIC_PLOTS:
        names = "', '".join([*WITH_LEVEL, "posterior", *DIAGNOSTIC_PLOTS, "diagnosis"])
        raise InputError(f"plot draws '{names}'; got {what!r}.")
    diagnosis = options.pop("diagnosis", None) or model.diagnose()
    if isinstance(diagnosis, KindDiagnoses):
        told = f"plot({what!r}) draws one kind of positives: model.of_kind({diagnosis.worst!r}).plot({what!r})"
        raise InputError(f"{told}. The shares of all kinds are plot('kinds').")
    axes = options.pop("axes", None)
    if options:
        raise InputError(f"plot({what!r}) takes no {', '.join(options)}.")
    return plot_diagnosis(diagnosis, model, None if what == "diagnosis" else what, axes)


def plot_posterior(model: FittedModel, axes: Any = None, **options: Any) -> Figure:
    """Draw how many unlabelled rows have which posterior, and how the labelled positives would fare without a label."""
    if options:
        raise InputError(f"plot('posterior') takes axes; got {', '.join(options)}.")
    fitted = model._fitted("A histogram of posteriors")
    posterior = posteriors_of_rows(fitted, shares_of_rows(fitted, model.pi_), model.alpha_, model.coef_)
    weights = np.ones(len(posterior)) if fitted.engine.weights is None else fitted.engine.weights
    figure, (ax,) = make_panels(1, *SINGLE_SIZE) if axes is None else use_axes(axes, 1)
    _draw_histograms(ax, posterior, weights, fitted.engine.positive)
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("P(positive) for an unlabelled row like it")
    ax.set_ylabel("unlabelled rows")
    ax.legend(fontsize=8, frameon=False)
    ax.set_title(f"pi = {model.pi_interval()}", fontsize=10)
    return figure


def _draw_histograms(ax: Axes, posterior: np.ndarray, weights: np.ndarray, labelled: np.ndarray) -> None:
    """Draw the unlabelled rows as columns, and the labelled ones, as if there were as many, as their outline."""
    edges = np.linspace(0.0, 1.0, POSTERIOR_BINS + 1).tolist()
    columns: dict[str, Any] = {"color": BAND, "alpha": 0.6, "label": "unlabelled", "zorder": 1}
    ax.hist(posterior[~labelled], edges, weights=weights[~labelled], **columns)
    rescaled = weights[labelled] * (weights[~labelled].sum() / weights[labelled].sum())
    outline: dict[str, Any] = {"histtype": "step", "color": MARK, "linewidth": 1.5, "label": "labelled, rescaled"}
    ax.hist(posterior[labelled], edges, weights=rescaled, **outline)
