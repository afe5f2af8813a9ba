"""Pictures of the studies, drawn with matplotlib: histograms of estimates, mean curves, errors of many methods."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.files import replacing
from pugam.presentation.panels import BAND, LINE, MARK, ZERO, make_panels
from pugam.studies.monte_carlo import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    Figure = Any

__all__ = ["Figure", "errors_by_table", "histograms", "mean_curves", "write"]

BINS = 25
NAMES = {"GAET": "the paper's method", "default": "the default"}
STYLES = (("#009E73", "-."), (MARK, ":"), (LINE, "--"))
RESOLUTION = 150  # dots an inch

# Of methods that are compared: ours in one colour, the best of the others by colour and shape, the rest in grey.
OUR_STYLES = ((LINE, "D", LINE), (LINE, "D", "white"))
OTHER_STYLES = tuple(
    (colour, marker, colour)
    for colour, marker in (
        *((MARK, "o"), ("#009E73", "s"), ("#CC79A7", "^"), ("#E69F00", "v")),
        *(("black", "X"), (BAND, "P"), ("#8A7A00", "<"), ("#7F3C8D", ">")),
    )
)
REST = "#C8C8C8"
ERROR_TICKS = (0.0, 0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


def histograms(estimates: Mapping[tuple[str, int], Sequence[float]], pi: float, n: int) -> Figure:
    """Draw estimates of pi, one panel for each method and setting, with the truth and their mean."""
    figure, panels = _lines_of(list(estimates), width=3.2)
    everything = np.concatenate(list(estimates.values()))
    edges = np.linspace(everything.min(), everything.max(), BINS + 1)
    for ax, ((method, setting), values) in zip(panels, estimates.items(), strict=True):
        ax.hist(values, edges, color=BAND, edgecolor="white", linewidth=0.5)
        ax.axvline(pi, color=MARK, label=f"truth, {pi:g}")
        ax.axvline(float(np.mean(values)), color=LINE, linestyle=":", label=f"mean, {np.mean(values):.3f}")
        ax.set_title(f"Setting {setting}, {NAMES[method]}", fontsize=10)
        ax.set_xlabel("estimate of pi")
        ax.set_ylabel("replicates")
        ax.margins(y=0.35)  # room for the legend
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    figure.suptitle(f"Estimates of pi in {len(next(iter(estimates.values())))} replicates, n = {n}", fontsize=11)
    return figure


def mean_curves(
    grid: np.ndarray, means: Mapping[tuple[str, int, int], np.ndarray], truths: Mapping[int, np.ndarray]
) -> Figure:
    """Draw mean estimates of u_3 for several sample sizes, one panel for each method and setting, and the truth."""
    figure, panels = _lines_of(list(dict.fromkeys(key[:2] for key in means)), width=4.2)
    sizes = list(dict.fromkeys(n for _, _, n in means))
    for ax, (method, setting) in zip(panels, dict.fromkeys(key[:2] for key in means), strict=True):
        ax.plot(grid, truths[setting], color=ZERO, linewidth=2.5, label="truth")
        for n, (colour, style) in zip(sizes, STYLES, strict=True):
            ax.plot(grid, means[method, setting, n], color=colour, linestyle=style, label=f"n = {n}")
        ax.set_title(f"Setting {setting}, {NAMES[method]}", fontsize=10)
        ax.set_xlabel("x3")
        ax.set_ylabel("mean of u3")
        _leave_room(ax, [truths[setting], *(curve for key, curve in means.items() if key[1] == setting)])
    panels[0].legend(frameon=False, fontsize=8)
    return figure


def _leave_room(ax: Any, curves: Sequence[np.ndarray]) -> None:
    """Give panels of the same curves the same vertical axis."""
    lowest, highest = float(np.min(curves)), float(np.max(curves))
    ax.set_ylim(lowest - 0.05 * (highest - lowest), highest + 0.05 * (highest - lowest))


def errors_by_table(errors: Mapping[str, Mapping[str, Measured]], ours: Collection[str]) -> Figure:
    """Draw the mean absolute errors of pi of many methods, one line of dots for each table.

    Parameters
    ----------
    errors : mapping
        By method and table; the bars are one standard error long to either side.
    ours : collection of str
        Methods to be emphasised. Of the others, the eight with the least mean error have colours of their own.
    """
    names = sorted({name for found in errors.values() for name in found})
    styles = _styles(errors, ours)
    figure, (ax,) = make_panels(1, width=8.6, height=1.0 + (0.2 + 0.055 * len(styles)) * len(names), columns=1)
    for lane, (method, style) in enumerate(styles.items()):
        height = 0.8 * ((lane + 0.5) / len(styles) - 0.5)  # each method has a lane of its own
        places = [names.index(name) + height for name in errors[method]]
        _dots_and_bars(ax, places, list(errors[method].values()), style, method, method in ours)
    rest = [method for method in errors if method not in styles and errors[method]]
    for number, method in enumerate(rest):
        values = [one.value for one in errors[method].values()]
        label = f"{len(rest)} more, see the table" if number == 0 else None
        places = [names.index(name) for name in errors[method]]
        # By errorbar like the others: a legend lists plain lines before them.
        ax.errorbar(values, places, fmt="|", color=REST, markersize=12.0, zorder=1, label=label)
    _scale_of_errors(ax, [one for of_method in errors.values() for one in of_method.values()])
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    for number in range(1, len(names)):
        ax.axhline(number - 0.5, color=ZERO, linewidth=0.5)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8, title="method")
    return figure


def _styles(errors: Mapping[str, Mapping[str, Measured]], ours: Collection[str]) -> dict[str, tuple[str, str, str]]:
    """Colour, marker and filling of the methods that have them: ours, then the best of the others."""
    means = {method: float(np.mean([one.value for one in found.values()])) for method, found in errors.items() if found}
    own = [method for method in means if method in ours]
    others = sorted((method for method in means if method not in ours), key=lambda method: means[method])
    return dict(zip([*own, *others], [*OUR_STYLES[: len(own)], *OTHER_STYLES], strict=False))


def _dots_and_bars(
    ax: Any,
    places: Sequence[float],
    found: Sequence[Measured],
    style: tuple[str, str, str],
    label: str,
    emphasised: bool,
) -> None:
    colour, marker, filling = style
    ax.errorbar(
        [one.value for one in found],
        places,
        xerr=np.nan_to_num([one.error for one in found]),
        fmt=marker,
        color=colour,
        markerfacecolor=filling,
        markersize=7.5 if emphasised else 5.0,
        elinewidth=1.0,
        zorder=4 if emphasised else 3,
        label=label,
    )


def _scale_of_errors(ax: Any, found: Sequence[Measured]) -> None:
    """A square-root scale: errors differ tenfold, and some are almost 0."""
    furthest = 1.05 * max((one.value + float(np.nan_to_num(one.error)) for one in found), default=1.0)
    ax.set_xscale("function", functions=(lambda values: np.sqrt(np.maximum(values, 0.0)), np.square))
    ax.set_xlim(0.0, furthest)
    ax.set_xticks(ticks := [tick for tick in ERROR_TICKS if tick < furthest], [f"{tick:g}" for tick in ticks])
    ax.set_xlabel("mean absolute error of pi, square-root scale; bars: one standard error")


def write(figure: Figure, folder: Path, name: str) -> Figure:
    """Write NAME.png and NAME.svg into a folder; the same figure gives the same bytes."""
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": name}), replacing(folder / f"{name}.svg") as temporary:
        figure.savefig(temporary, metadata={"Date": None})
    with replacing(folder / f"{name}.png") as temporary:
        figure.savefig(temporary, dpi=RESOLUTION)
    return figure


def _lines_of(panels: Sequence[tuple[str, int]], width: float) -> tuple[Figure, list[Any]]:
    """Panels in lines, one for each method."""
    return make_panels(len(panels), width=width, columns=len({setting for _, setting in panels}))
