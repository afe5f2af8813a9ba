"""A picture of how wrong pi could be, against how much chances of being labelled vary among positives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.inference import LabellingBounds
from pugam.presentation.panels import BAND, LINE, MARK, ZERO, make_panels, use_axes
from pugam.presentation.protocol import FittedModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["DRAWN_GAMMAS", "plot_labelling"]

SIZE = 5.2, 3.6
TICKS = (1, 2, 3, 5, 10)
DRAWN_GAMMAS = tuple(float(gamma) for gamma in np.geomspace(TICKS[0], TICKS[-1], 41))


def plot_labelling(
    model: FittedModel, level: float = 0.95, axes: Any = None, bounds: LabellingBounds | None = None, **options: Any
) -> Figure:
    """Draw the range of pi against Gamma, with and without sampling error, and the limit that needs no model."""
    if options:
        raise InputError(f"plot('labelling') takes axes and bounds; got {', '.join(options)}.")
    found = model.labelling_bounds(DRAWN_GAMMAS, level) if bounds is None else bounds
    figure, (ax,) = make_panels(1, *SIZE) if axes is None else use_axes(axes, 1)
    _draw(ax, found)
    return figure


def _draw(ax: Axes, found: LabellingBounds) -> None:
    limits: dict[str, Any] = {"color": BAND, "alpha": 0.25, "linewidth": 0}
    ax.fill_between(
        found.gamma,
        found.lower_limit,
        found.upper_limit,
        **limits,
        label=f"from the {100.0 * found.pi.level:g}% interval",
    )
    given: dict[str, Any] = {"color": LINE, "alpha": 0.45, "linewidth": 0}
    ax.fill_between(found.gamma, found.lower, found.upper, **given, label="given the fit")
    if np.isfinite(found.without_model).all():
        ax.plot(
            found.gamma, found.without_model, color=MARK, linewidth=1.5, linestyle="--", label="limit without model"
        )
    ax.axhline(found.pi.estimate, color=ZERO, linewidth=0.8)
    ax.set_xscale("log")
    ticks = [tick for tick in TICKS if found.gamma.min() <= tick <= found.gamma.max()]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xlim(found.gamma.min(), found.gamma.max())
    ax.set_ylim(0.0, 1.0)
    ax.set_xlabel("Gamma: how many times as likely to be labelled")
    ax.set_ylabel("pi")
    ax.set_title(f"pi if labels are at random: {found.pi}", fontsize=10)
    ax.legend(fontsize=8, frameon=False, loc="upper left")
