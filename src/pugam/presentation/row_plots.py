"""The picture of one row: how its terms lead from the log odds of the average row to its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.presentation.panels import LINE, MARK, ZERO, make_panels, use_axes
from pugam.presentation.protocol import FittedModel
from pugam.presentation.steps import Step, fold_steps, shortened, steps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_row"]

WIDTH, HEIGHT_OF_A_STEP, MARGIN = 7.0, 0.34, 1.2
MOST_STEPS = 12
LONGEST_NAME, LONGEST_VALUE = 32, 18
SMALL = 8


def plot_row(model: FittedModel, level: float = 0.95, row: Any = None, axes: Any = None, **options: Any) -> Figure:
    """Draw one row as a waterfall: bars from the log odds of the average unlabelled row to its own.

    `row` is a table of one row, or a row of a pandas frame. Terms stand in the order of their contributions, at most
    twelve of them; lines are limits of a contribution, drawn around where its bar ends.
    """
    unknown = [name for name in options if name not in ("pi", "sample")]
    if unknown:
        raise InputError(f"plot('explain') takes row, pi, sample and axes; got {', '.join(unknown)}.")
    baseline, *steps = steps_of(model.explain(_one_row(row), level, **options))
    steps = fold_steps(steps, MOST_STEPS)
    height = MARGIN + HEIGHT_OF_A_STEP * (len(steps) + 2)
    figure, (ax,) = make_panels(1, WIDTH, height) if axes is None else use_axes(axes, 1)
    ends = baseline.contribution + np.cumsum([step.contribution for step in steps])
    _draw_steps(ax, baseline.contribution, steps, ends)
    names = ["average unlabelled row", *(_name(step) for step in steps), "this row"]
    ax.set_yticks(range(len(names)), names, fontsize=SMALL)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel(f"log odds of being positive, with {100 * level:g}% intervals", fontsize=9)
    probabilities = _probability(ends[-1]), _probability(baseline.contribution)
    ax.set_title("P(positive) = {}; of the average row {}".format(*probabilities), fontsize=10)
    return figure


def _one_row(row: Any) -> Any:
    if row is None:
        raise InputError("plot('explain') draws one row; give it, as in row=X.iloc[[0]].")
    if hasattr(row, "to_frame") and getattr(row, "ndim", 2) == 1:
        return row.to_frame().T.infer_objects()
    if len(row) != 1:
        raise InputError(f"plot('explain') draws one row; got {len(row)}. Give one, as in row=X.iloc[[0]].")
    return row


def _draw_steps(ax: Axes, start: float, steps: Sequence[Step], ends: np.ndarray) -> None:
    """Draw a bar for each step from where the last one ended, with its limits and its size."""
    places = 1 + np.arange(len(steps))
    starts = np.append(start, ends[:-1])
    colours = [MARK if step.contribution > 0.0 else LINE for step in steps]
    ax.barh(places, ends - starts, 0.62, left=starts, color=colours, alpha=0.75, zorder=2)
    for place, begin, end, step in zip(places, starts, ends, steps, strict=True):
        ax.plot([begin, begin], [place - 1, place], color=ZERO, linewidth=0.8, zorder=1)
        if np.isfinite(step.lower):
            ax.plot([begin + step.lower, begin + step.upper], [place, place], color="black", linewidth=1.0, zorder=3)
        ahead = np.nanmax([begin, end, begin + step.upper])
        text = f"{step.contribution:+.2f}".replace("-", "−")  # noqa: RUF001
        ax.annotate(text, (ahead, place), (4, 0), textcoords="offset points", va="center", fontsize=SMALL)
    last = len(steps) + 1
    ax.plot([ends[-1], ends[-1]], [last - 1, last], color=ZERO, linewidth=0.8, zorder=1)
    for value, line in ((start, 0), (ends[-1], last)):
        ax.plot(value, line, marker="D", color="black", markersize=5, zorder=3)
        text = f"{value:.2f}".replace("-", "−")  # noqa: RUF001
        ax.annotate(text, (value, line), (7, 0), textcoords="offset points", va="center", fontsize=SMALL)
    ax.axvline(0.0, color=ZERO, linewidth=0.8, linestyle=":", zorder=0)
    ax.use_sticky_edges = False  # bars may begin at the edge otherwise
    ax.margins(x=0.09)


def _name(step: Step) -> str:
    """The term and the row's value, shortened where they are long."""
    name = shortened(step.term, LONGEST_NAME)
    return f"{name} = {shortened(step.value, LONGEST_VALUE)}" if step.value else name


def _probability(logit: float) -> str:
    share = 1.0 / (1.0 + np.exp(-np.clip(logit, -700.0, 700.0)))
    return f"{100.0 * share:.3g}%" if share < 0.9995 else "> 99.9%"
