"""What pictures of one effect and of several have in common: their box, scale, bands and numbers for the script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pugam.presentation.report.content import Effect
from pugam.presentation.report.drawing import Box, Path, Scale, finite, polygon
from pugam.presentation.report.formats import number, rounded

__all__ = ["BOX", "HEIGHT", "band", "chart_data", "curve_data", "effect_label", "effect_scale", "rug", "zero_line"]

HEIGHT = 200.0
BOX = Box(38.0, 8.0, 312.0, 176.0)
RUG_HEIGHT = 5.0
ROOM = 0.3  # for curves of the slider beyond the band, as a share of its height


def effect_scale(effects: Sequence[Effect], start: float, end: float) -> Scale:
    """Return a scale with room for bands and for all curves of the slider, unless these go far beyond them."""
    band = finite([0.0, *(value for e in effects for ends in (e.u, e.lower, e.upper) for value in ends)])
    low, high = min(band), max(band)
    moved = finite(value for effect in effects for curve in effect.with_pi_fixed for value in curve)
    room = ROOM * (high - low)
    reach = [min(max(value, low - room), high + room) for value in moved]
    return Scale.over([*band, *reach], start, end, pad=0.04)


def chart_data(
    column: str,
    scale: Scale,
    places: Sequence[float],
    names: Sequence[str],
    curves: Sequence[dict[str, Any]],
    upright: bool,
    joined: int,
) -> dict[str, Any]:
    """Return what the script needs to draw over curves or levels.

    Parameters
    ----------
    scale : Scale
        Of effects: upwards for curves, to the right for levels.
    places : where each place of x stands on the other axis
    names : texts of the places of x
    curves : see `curve_data`
    joined : int
        How many of the places, from the first, are joined by a line.
    """
    return {
        "column": column,
        "upright": upright,
        "scale": scale.as_list(),
        "places": [round(place, 1) for place in places],
        "joined": joined,
        "names": list(names),
        "curves": list(curves),
    }


def curve_data(effect: Effect, name: str = "") -> dict[str, Any]:
    """Return the numbers of an effect, for the script."""
    numbers = {key: rounded(getattr(effect, key)) for key in ("u", "lower", "upper")}
    return {"name": name, **numbers, "fixed": [rounded(curve) for curve in effect.with_pi_fixed]}


def band(effect: Effect, places: Sequence[float], scale: Scale) -> str:
    """Return the outline of a band."""
    upper, lower = (
        [(place, scale.inside(end)) for place, end in zip(places, ends, strict=False)]
        for ends in (effect.upper, effect.lower)
    )
    return polygon([*upper, *reversed(lower)])


def rug(effect: Effect, along: Scale) -> Path:
    """Return the marks where the rows lie."""
    marks = (f"M{along(x):.1f} {BOX.bottom:.1f}v{-RUG_HEIGHT}" for x in effect.rug if along.low <= x <= along.high)
    return Path("rug", "".join(marks))


def zero_line(scale: Scale) -> Path:
    """Return the line of no effect."""
    return Path("zero", f"M{BOX.left} {scale(0.0):.1f}H{BOX.right}")


def effect_label(effect: Effect, names: Sequence[str]) -> str:
    """Say in words where an effect is lowest and highest."""
    known = [place for place, u in enumerate(effect.u) if math.isfinite(u)]
    if not known:
        return effect.label
    lowest, highest = min(known, key=effect.u.__getitem__), max(known, key=effect.u.__getitem__)
    ends = (f"{number(effect.u[place])} at {names[place]}" for place in (lowest, highest))
    return f"{effect.label}: effect on the log odds from {' to '.join(ends)}"
