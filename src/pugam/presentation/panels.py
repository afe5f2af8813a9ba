"""What all pictures share: colours that colour-blind readers can tell apart, and a figure of panels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.messages import counted
from pugam.terms import Basis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BAND",
    "CURVES",
    "LINE",
    "MARK",
    "ZERO",
    "make_panels",
    "name_quantity",
    "panel_size",
    "share_scale",
    "use_axes",
]

LINE, BAND, MARK, ZERO = "#0072B2", "#56B4E9", "#D55E00", "#999999"  # Okabe and Ito's palette
CURVES = (LINE, "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000")  # of several in one panel
MOST_COLUMNS = 4
PANEL_SIZE, WIDE_PANEL = (3.0, 2.6), (3.6, 3.2)


def make_panels(
    n_panels: int, width: float = PANEL_SIZE[0], height: float = PANEL_SIZE[1], columns: int | None = None
) -> tuple[Figure, list[Axes]]:
    """Return a figure and so many axes, in lines of so many columns, or of four at most."""
    from matplotlib.figure import Figure

    n_lines = -(-n_panels // (columns or MOST_COLUMNS))
    n_columns = columns or -(-n_panels // n_lines)
    figure = Figure(figsize=(width * n_columns, height * n_lines + 0.4), layout="constrained")
    panels = list(figure.subplots(n_lines, n_columns, squeeze=False).ravel())
    for ax in panels:
        ax.spines[["top", "right"]].set_visible(False)
    for ax in panels[n_panels:]:
        ax.set_visible(False)
    return figure, panels[:n_panels]


def panel_size(bases: Iterable[Basis]) -> tuple[float, float]:
    """Return width and height of panels: larger where terms of several columns need room for a key."""
    return WIDE_PANEL if any(len(basis.axes) > 1 for basis in bases) else PANEL_SIZE


def use_axes(axes: Any, n_panels: int) -> tuple[Figure, list[Axes]]:
    """Take the caller's own axes, one or an array of them, and their figure."""
    panels = list(np.ravel(np.asarray(axes, dtype=object)))
    if len(panels) != n_panels:
        raise InputError(f"The picture has {counted(n_panels, 'panel')}; axes gives {len(panels)}.")
    return panels[0].figure, panels


def share_scale(panels: Sequence[Axes]) -> None:
    """Give all panels the same vertical axis."""
    ends = [ax.get_ylim() for ax in panels]
    for ax in panels:
        ax.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def name_quantity(panels: Sequence[Axes], quantity: str, figure: Figure | None) -> None:
    """Say what the vertical axis is: once for the figure, or at each panel."""
    if figure is not None:
        figure.supylabel(quantity, fontsize=10)
        return
    for ax in panels:
        ax.set_ylabel(quantity, fontsize="small")
