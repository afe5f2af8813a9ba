"""Pictures of a diagnosis: the profile of pi, the starts, calibration, and the effects with pi fixed along a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.inference import Diagnosis, Interval, headline, normal_quantile
from pugam.presentation.panels import BAND, LINE, MARK, ZERO, make_panels, use_axes
from pugam.presentation.protocol import FittedModel
from pugam.presentation.sensitivity_plots import plot_sensitivity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["DIAGNOSTIC_PLOTS", "SINGLE_SIZE", "plot_diagnosis"]

SINGLE_SIZE = 4.4, 3.2


def plot_diagnosis(diagnosis: Diagnosis, model: FittedModel, which: str | None = None, axes: Any = None) -> Figure:
    """Draw one picture of a diagnosis, or all of them, in a new figure or in axes of the caller's."""
    if which == "sensitivity":
        return plot_sensitivity(diagnosis.sensitivity, model, axes)
    if which == "starts" and not diagnosis.starts:
        without = 'PUGAM(estimate="mode") fits from several, unless few rows make it shrink curves.'
        raise InputError(f"There are no starts to draw: {without}")
    drawn = [name for name in _SINGLE if name != "starts" or diagnosis.starts]
    names = drawn if which is None else [which]
    figure, panels = make_panels(len(names), *SINGLE_SIZE) if axes is None else use_axes(axes, len(names))
    for name, ax in zip(names, panels, strict=True):
        _SINGLE[name](ax, diagnosis)
    if axes is not None:
        return figure
    share = f": {diagnosis.wald}" if which is None else ""
    figure.suptitle(f"{headline(diagnosis.verdict)}{share}", fontsize=11)
    return figure


def _draw_profile(ax: Axes, diagnosis: Diagnosis) -> None:
    profile = diagnosis.profile_interval
    if profile is None:
        ax.text(0.5, 0.5, "pi is fixed", ha="center", va="center", transform=ax.transAxes)
    else:
        limit = normal_quantile(profile.level) ** 2
        _draw_limit(ax, diagnosis.profile_pi, profile, limit)
        ax.plot(diagnosis.profile_pi, diagnosis.profile_deviance, color=LINE, linewidth=1.8)
        ax.axvline(profile.estimate, color=MARK, linewidth=1.0)
        ax.set_ylim(0.0, 2.5 * limit)
    ax.set_title("profile", fontsize=10)
    ax.set_xlabel("pi fixed at")
    ax.set_ylabel("deviance")


def _draw_limit(ax: Axes, pi: np.ndarray, profile: Interval, limit: float) -> None:
    """Draw how far the deviance may rise within the interval, and the level of the interval beside it."""
    inside = (pi >= profile.lower) & (pi <= profile.upper)
    ax.fill_between(pi, 0.0, limit, where=list(inside), color=BAND, alpha=0.35, linewidth=0)
    ax.axhline(limit, color=ZERO, linewidth=0.8)
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
    ax.annotate(f"{100 * profile.level:g}%", (1.0, limit), fontsize=8, **place)


def _draw_starts(ax: Axes, diagnosis: Diagnosis) -> None:
    ends = diagnosis.starts
    best = max((record.objective for record in ends), default=0.0)
    behind = np.array([best - record.objective for record in ends])
    pi = np.array([record.pi for record in ends])
    converged = np.array([record.converged for record in ends], dtype=bool)
    for chosen, face, label in ((converged, LINE, "converged"), (~converged, "none", "given up")):
        if chosen.any():
            ax.scatter(pi[chosen], behind[chosen], color=LINE, facecolors=face, alpha=0.7, label=label)
    estimate = diagnosis.wald.estimate
    ax.axvline(estimate, color=MARK, linewidth=1.0, label=f"estimate, {estimate:.3f}", zorder=0)
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_ylim(max(1.0, 2.0 * behind.max(initial=0.0)), -0.05)
    ax.set_xlim(0.0, 1.0)
    ax.set_title("where the starts ended", fontsize=10)
    ax.set_xlabel("pi of the first search, before it is refined")
    ax.set_ylabel("log-likelihood behind the best")
    ax.legend(fontsize=8, frameon=False)


def _draw_calibration(ax: Axes, diagnosis: Diagnosis) -> None:
    found = diagnosis.calibration
    ends = [0.0, max(float(found.predicted.max()), float(found.observed.max())) * 1.05]
    ax.plot(ends, ends, color=ZERO, linewidth=0.8)
    half = normal_quantile(0.95) * found.se
    ax.errorbar(found.predicted, found.observed, yerr=half, fmt="o", markersize=4, color=LINE, ecolor=BAND, capsize=2)
    ax.set_title(f"calibration, p = {found.pvalue:.2g}", fontsize=10)
    ax.set_xlabel("predicted P(z = 1)")
    ax.set_ylabel("share of labelled rows")


_SINGLE: dict[str, Callable[[Axes, Diagnosis], None]] = {
    "profile": _draw_profile,
    "starts": _draw_starts,
    "calibration": _draw_calibration,
}
DIAGNOSTIC_PLOTS = (*_SINGLE, "sensitivity")
