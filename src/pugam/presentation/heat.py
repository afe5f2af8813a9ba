"""How surfaces are coloured: on both sides of zero, told apart by colour-blind readers too, between contour lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, exp, floor, isfinite, log, log10

__all__ = ["CLOUD", "CONTOUR", "VEIL", "VEIL_STRENGTH", "HeatScale", "colour_at", "heat_scale"]

# ColorBrewer's RdBu without its darkest ends, on which no line could be seen: blue below zero, red above.
COLOURS = ("#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b")
CONTOUR, CLOUD = "#333333", "#222222"
VEIL, VEIL_STRENGTH = "#cdcfd1", 0.8  # over what cannot be told from zero
MOST_LINES = 4  # contour lines on each side of zero
STEPS = (1.0, 2.0, 5.0, 10.0)
RATIOS = (1.01, 1.02, 1.05, 1.1, 1.2, 2.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e9)  # steps of odds


@dataclass(frozen=True)
class HeatScale:
    """Contour lines at multiples of a step, and bands of colour of half a step each, alike on both sides of zero.

    Attributes
    ----------
    step : float
    n_bands : int
        On each side.
    odds : bool
        Whether effects, which are logarithms, are named by their exponentials.
    """

    step: float
    n_bands: int
    odds: bool = False

    @property
    def limit(self) -> float:
        """Where the last band ends."""
        return 0.5 * self.step * self.n_bands

    @property
    def edges(self) -> list[float]:
        """Where bands begin and end."""
        return [0.5 * self.step * number for number in range(-self.n_bands, self.n_bands + 1)]

    @property
    def colours(self) -> list[str]:
        """One for each band."""
        numbers = range(-self.n_bands, self.n_bands)
        return [colour_at((number + 0.5) / (self.n_bands - 0.5)) for number in numbers]

    @property
    def lines(self) -> list[float]:
        """The contour lines."""
        most = self.n_bands // 2
        return [self.step * number for number in range(-most, most + 1)]

    def name(self, effect: float) -> str:
        """What is written at a contour line."""
        if abs(effect) < 1e-9 * self.step:
            return "1" if self.odds else "0"
        if self.odds:
            return f"{exp(effect):.3g}"
        decimals = max(0, -floor(log10(self.step) + 1e-9))
        return f"{effect:.{decimals}f}".replace("-", "−")  # noqa: RUF001, as on axes


def heat_scale(largest: float, odds: bool = False) -> HeatScale:
    """Return a scale up to an effect of this size, with round numbers at its lines."""
    size = largest if isfinite(largest) and largest > 0.0 else 1.0
    step = next(step for step in _steps(size, odds) if size <= MOST_LINES * step * (1.0 + 1e-9))
    return HeatScale(step, max(1, ceil(2.0 * size / step - 1e-9)), odds)


def _steps(size: float, odds: bool) -> Iterator[float]:
    """Steps in rising order."""
    if odds:
        yield from map(log, RATIOS)
        yield size
    power = 10.0 ** floor(log10(size / MOST_LINES))
    yield from (step * power for step in STEPS)


def colour_at(place: float) -> str:
    """Return the colour of an effect, as a share of the largest one: from -1 to 1."""
    along = 0.5 * (min(max(place, -1.0), 1.0) + 1.0) * (len(COLOURS) - 1)
    first = min(int(along), len(COLOURS) - 2)
    low, high = (_parts(colour) for colour in COLOURS[first : first + 2])
    return _mixed(low, high, along - first)


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


def _mixed(low: tuple[int, ...], high: tuple[int, ...], share: float) -> str:
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(low, high, strict=True))
