"""What is said around a panel in matplotlib: names of levels, keys to curves, and what the picture cannot show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pugam.presentation.panels import CURVES, ZERO
from pugam.presentation.pictures import Panel, Picture
from pugam.presentation.views import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BELOW", "LEGEND_STYLE", "MOST_LEVELS", "SMALL", "explain_curves", "name_levels", "say_below"]

LONGEST_LEVELS = 34  # characters of all names of levels that have room side by side
MOST_LEVELS = 24  # whose names have room when they stand upright
SMALL, LINE_HEIGHT = 7, 8.4
BELOW = -34.0  # points from the axis to what is said below its name
LEGEND_STYLE: dict[str, Any] = {
    "fontsize": SMALL,
    "frameon": False,
    "borderpad": 0.2,
    "columnspacing": 1.0,
    "handlelength": 1.5,
}


def explain_curves(ax: Axes, view: View, is_dotted: bool = False) -> None:
    """Say beside several curves which is which."""
    from matplotlib.lines import Line2D

    names = view.names if len(view.along) == 1 and len(view.cases) > 1 else ()
    keys = [Line2D([], [], color=color, label=name) for color, name in zip(CURVES, names, strict=False)]
    if is_dotted:
        keys.append(Line2D([], [], linestyle=":", color=ZERO, label="no rows near"))
    if keys:
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        ax.legend(handles=keys, title=view.fixed, title_fontsize=SMALL, **place, **LEGEND_STYLE)


def name_levels(ax: Axes, view: View, with_missing: bool) -> None:
    """Name levels along the axis, upright where there is no room otherwise, and say below it which are shown."""
    names = [*view.names, *(["missing"] if with_missing else [])]
    is_long = sum(map(len, names)) > LONGEST_LEVELS
    ax.set_xticks(range(len(names)), names, rotation=90 if is_long else 0, fontsize=SMALL if is_long else None)
    columns = [view.fixed] if len(view.axes) > 1 else []
    ax.set_xlabel("\n".join([*columns, *_left_out(view)]), fontsize=SMALL if view.left_out else None)


def say_below(ax: Axes, picture: Picture, panel: Panel, lines_above: float = 0.0) -> None:
    """Say below a panel what it cannot show."""
    said = [*_effect_of_missing(picture, panel), *_left_out(panel.view)]
    if said:
        ax.annotate(
            "\n".join(said),
            (0.5, 0.0),
            xycoords="axes fraction",
            xytext=(0.0, BELOW - lines_above * LINE_HEIGHT),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=SMALL,
        )


def _effect_of_missing(picture: Picture, panel: Panel) -> list[str]:
    """The effect of missing values, below the first panel of a term."""
    if picture.missing is None or panel is not picture.panels[0]:
        return []
    u, lower, upper = picture.missing
    return [f"missing values: {u:.2f} ({lower:.2f} to {upper:.2f})".replace("-", "−")]  # noqa: RUF001


def _left_out(view: View) -> list[str]:
    n_cases = len(view.cases)
    return [f"the {n_cases} most frequent of {n_cases + view.left_out} are shown"] if view.left_out else []
