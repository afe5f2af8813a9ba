"""What every chart is made of: scales, ticks, and paths in the coordinates of an SVG picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pugam.presentation.report.formats import fine

__all__ = [
    "CHARACTER",
    "DOT",
    "WIDTH",
    "Box",
    "Card",
    "Chart",
    "Key",
    "Label",
    "Path",
    "Scale",
    "Tick",
    "circles",
    "finite",
    "in_percent",
    "line",
    "polygon",
    "rectangles",
    "shortened",
    "ticks_below",
    "ticks_beside",
]

WIDTH = 320.0  # of all charts with axes, so that their texts are of one size
DOT = 3.2  # radius of a point estimate
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MOST_TICKS = 6
CHARACTER, LINE_HEIGHT = 6.5, 12.0  # of a tick's text, with some air
FREE_RIGHT = 12.0  # where a text may stand right of the axis

Point = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """A straight map from numbers, low to high, to places, start to end."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float, pad: float = 0.0) -> Scale:
        """Return the scale on which all values have a place, with a share of their range free at both ends."""
        shown = finite(values) or [0.0]
        low, high = min(shown), max(shown)
        if high - low <= 1e-9 * max(abs(low), abs(high)):
            half = 0.5 * abs(low) or 0.5
            low, high = low - half, high + half
        free = pad * (high - low)
        return cls(low - free, high + free, start, end)

    def __call__(self, value: float) -> float:
        """Return the place of a number."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def inside(self, value: float) -> float:
        """Return the place of a number, or of the nearest one on the scale."""
        return self(min(max(value, self.low), self.high))

    def as_list(self) -> list[float]:
        """Return low, high, start and end, for the script."""
        return [self.low, self.high, self.start, self.end]


@dataclass(frozen=True)
class Box:
    """Where on a picture the data go."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Its width."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Its height."""
        return self.bottom - self.top


@dataclass(frozen=True)
class Tick:
    """A mark on an axis and its text, centred or (`anchor`) moved to the left; `whole` is what was shortened to it."""

    place: float
    text: str
    whole: str = ""
    anchor: str = "middle"

    @property
    def text_place(self) -> float:
        """Where the middle of the text stands, or its end."""
        return self.place if self.anchor == "middle" else self.place + FREE_RIGHT


@dataclass(frozen=True)
class Path:
    """A shape: its class in the style sheet, its outline, and its colour where that is not for the style to say."""

    style: str
    outline: str
    fill: str = ""


@dataclass(frozen=True)
class Label:
    """A text in a picture, with its middle at a place."""

    x: float
    y: float
    text: str

    def overlaps(self, other: Label) -> bool:
        """Tell whether two labels are so close that they cannot be read."""
        width = 0.5 * CHARACTER * (len(self.text) + len(other.text))
        return abs(self.x - other.x) < width and abs(self.y - other.y) < LINE_HEIGHT

    def is_inside(self, box: Box) -> bool:
        """Tell whether the whole label lies in a box."""
        half, up = 0.5 * CHARACTER * len(self.text), 0.5 * LINE_HEIGHT
        return box.left + half <= self.x <= box.right - half and box.top + up <= self.y <= box.bottom - up


@dataclass(frozen=True)
class Chart:
    """A picture; `label` says in words what it shows."""

    label: str
    width: float
    height: float
    box: Box
    below: tuple[Tick, ...]
    beside: tuple[Tick, ...]
    paths: tuple[Path, ...]
    grid: str = "beside"  # the axis whose ticks are drawn through the box, if any
    below_title: str = ""
    beside_title: str = ""
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True)
class Key:
    """What a colour or a line of a picture stands for."""

    path: Path
    text: str


@dataclass(frozen=True)
class Card:
    """A picture of an effect with all that stands beside it, and what the script needs to draw over it.

    Attributes
    ----------
    caption : str
    chart : Chart
    data : mapping
        For the script.
    moving : styles of the outlines that the slider draws; none where it draws nothing
    keys_title : str
    keys : what colours and lines stand for
    colours : Chart, optional
        What the colours of a map stand for.
    notes : texts
    span : int
        How many lines of the grid of charts it is as high as.
    """

    caption: str
    chart: Chart
    data: dict[str, Any]
    moving: tuple[str, ...] = ()
    keys_title: str = ""
    keys: tuple[Key, ...] = ()
    colours: Chart | None = None
    notes: tuple[str, ...] = ()
    span: int = 1


def shortened(name: str, longest: int) -> str:
    """Return a name, or as much of it as has room."""
    return name if len(name) <= longest else name[: longest - 1].rstrip() + "…"


def finite(values: Iterable[float]) -> list[float]:
    """Return the values that are numbers."""
    return [value for value in values if math.isfinite(value)]


def ticks_beside(scale: Scale) -> tuple[Tick, ...]:
    """Return ticks at round numbers for an upright axis."""
    return tuple(_round_ticks(scale, MOST_TICKS))


def ticks_below(scale: Scale) -> tuple[Tick, ...]:
    """Return ticks at round numbers for a level axis, as many as have room for their texts."""
    for most in range(MOST_TICKS, 1, -1):
        found = tuple(_round_ticks(scale, most))
        if sum(len(tick.text) + 1 for tick in found) * CHARACTER <= scale.end - scale.start:
            break
    return tuple(_kept_inside(tick, scale.end + FREE_RIGHT) for tick in found)


def in_percent(make_ticks: Callable[[Scale], tuple[Tick, ...]], scale: Scale) -> tuple[Tick, ...]:
    """Return the ticks of a scale of shares, as percentages."""
    found = make_ticks(replace(scale, low=100.0 * scale.low, high=100.0 * scale.high))
    return tuple(replace(tick, text=f"{tick.text}%") for tick in found)


def _kept_inside(tick: Tick, right: float) -> Tick:
    sticks_out = tick.place + 0.5 * CHARACTER * len(tick.text) > right
    return replace(tick, anchor="end") if sticks_out else tick


def _round_ticks(scale: Scale, most: int) -> Iterator[Tick]:
    width = scale.high - scale.low
    power = 10.0 ** math.floor(math.log10(width / most))
    step = next(step * power for step in (*STEPS, 20.0) if width / (step * power) <= most)
    for count in range(math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9) + 1):
        # A step of 2.5 needs a decimal more than its power of ten has.
        yield Tick(scale(count * step), fine(count * step, step if round(step / power, 6) != 2.5 else power / 10.0))


def line(points: Iterable[Point]) -> str:
    """Return the outline of a line through the points."""
    text = "L".join(f"{x:.1f} {y:.1f}" for x, y in _known(points))
    return f"M{text}" if text else ""


def polygon(points: Iterable[Point]) -> str:
    """Return the outline of the area inside the points."""
    outline = line(points)
    return f"{outline}Z" if outline else ""


def circles(points: Iterable[Point], radius: float) -> str:
    """Return the outline of a circle around each point."""
    half = f"a{radius} {radius} 0 1 0"
    return "".join(f"M{x - radius:.1f} {y:.1f}{half} {2 * radius} 0{half} {-2 * radius} 0" for x, y in _known(points))


def rectangles(corners: Sequence[tuple[Point, Point]]) -> str:
    """Return the outline of rectangles, each given by two opposite corners."""
    return "".join(f"M{x0:.1f} {y0:.1f}H{x1:.1f}V{y1:.1f}H{x0:.1f}Z" for (x0, y0), (x1, y1) in corners)


def _known(points: Iterable[Point]) -> Iterator[Point]:
    return (point for point in points if all(math.isfinite(place) for place in point))
