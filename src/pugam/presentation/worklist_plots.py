"""Pictures of what a review is expected to find, against how many rows are reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.inference import Limits, Worklist, Yields
from pugam.presentation.panels import BAND, LINE, MARK, make_panels, use_axes
from pugam.presentation.protocol import FittedModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["nearly_all", "plot_worklist"]

SIZE = 3.6, 3.2
NEARLY_ALL = 0.98  # of the positives: what comes after says nothing new
TITLES = {"found": "positives found", "precision": "precision", "recall": "recall"}


def plot_worklist(
    model: FittedModel, level: float = 0.95, axes: Any = None, worklist: Worklist | None = None, **options: Any
) -> Figure:
    """Draw positives found, precision and recall with their limits, for the unlabelled rows of the fit or others."""
    if options:
        raise InputError(f"plot('worklist') takes axes and worklist; got {', '.join(options)}.")
    listed = model.worklist(level=level) if worklist is None else worklist
    figure, panels = make_panels(len(TITLES), *SIZE) if axes is None else use_axes(axes, len(TITLES))
    for (name, title), ax in zip(TITLES.items(), panels, strict=True):
        _draw(ax, listed, getattr(listed.curve, name))
        ax.set_title(title, fontsize=10)
    for ax, highest in zip(panels, (1.05 * float(listed.curve.found.upper.max()), 1.02, 1.02), strict=True):
        ax.set_ylim(0.0, highest)
    if axes is None and listed.caveat:
        figure.suptitle(listed.caveat, fontsize=9, color=MARK)
    return figure


def _draw(ax: Axes, listed: Worklist, limits: Limits) -> None:
    curve = listed.curve
    ax.fill_between(curve.reviewed, limits.lower, limits.upper, color=BAND, alpha=0.35, linewidth=0)
    ax.plot(curve.reviewed, limits.estimate, color=LINE, linewidth=1.5)
    end = max(nearly_all(curve), min(2 * listed.n_reviewed, listed.n_rows) if listed.n_reviewed < listed.n_rows else 0)
    if 0 < listed.n_reviewed < listed.n_rows:
        ax.axvline(listed.n_reviewed, color=MARK, linewidth=1.0)
    ax.set_xlim(0, end)
    ax.set_xlabel("rows reviewed")


def nearly_all(curve: Yields) -> int:
    """After how many rows nearly all positives are expected to be found."""
    return int(curve.reviewed[int(np.argmax(curve.recall.estimate >= NEARLY_ALL))])
