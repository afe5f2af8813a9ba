"""The evidence along pi: followed to its maximum and down on both sides, on the logit scale.

At each place the precisions are where the evidence is highest for that pi, so that its slope along pi is the one with
precisions fixed (`laplace`). Values and slopes give a cubic between places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from pugam.linear_algebra import inverse
from pugam.solvers.laplace import EvidenceAt, Model, climb, has_few_rows
from pugam.solvers.pi import PiRange
from pugam.solvers.settling import Box, adjust, bounded_move, move_to
from pugam.solvers.tuning import TUNING

__all__ = ["EvidenceCurve", "ascend", "follow"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EvidenceCurve:
    """The evidence at some places of the logit scale, and between them.

    Attributes
    ----------
    places, values, slopes : arrays of shape (m,)
        Increasing logits of pi, the log evidence there, and its derivatives.
    """

    places: Array
    values: Array
    slopes: Array

    @classmethod
    def without_jumps(cls, places: Array, values: Array, slopes: Array) -> EvidenceCurve:
        """Let the evidence fall from its top no further than slopes make it, from one place to the next.

        Where one mode of the coefficients ends, the climb goes on to a lower one. Such a jump says nothing about pi,
        and an interval is not to end there. A jump to a higher one counts.
        """
        best, widths, changes = int(np.argmax(values)), np.diff(places), np.diff(values)
        steepness = np.where(np.arange(len(places)) == best, 0.0, slopes)  # where a mode ends, its slope has no bound
        ends = np.stack([steepness[:-1], steepness[1:]])
        changes[best:] = np.maximum(changes[best:], (ends.min(axis=0) * widths)[best:])
        changes[:best] = np.minimum(changes[:best], (ends.max(axis=0) * widths)[:best])
        heights = np.append(0.0, np.cumsum(changes))
        return cls(places, values[best] + np.minimum(heights - heights[best], 0.0), slopes)

    @cached_property
    def _curve(self) -> CubicHermiteSpline:
        return CubicHermiteSpline(self.places, self.values, self.slopes)

    @property
    def best(self) -> int:
        """Number of the highest place."""
        return int(np.argmax(self.values))

    def fall(self, place: float) -> float:
        """By how much the evidence is lower at a place than where it is highest; beyond the ends, at the end."""
        if len(self.places) == 1:
            return 0.0
        inside = np.clip(place, self.places[0], self.places[-1])
        return float(max(self.values.max() - self._curve(inside), 0.0))

    def bends_evenly(self, place: float) -> bool:
        """Whether the evidence is nearly a parabola between the neighbours of a place.

        By how much the mean of the slopes misses the change of the values is what a cubic adds to it. What it leaves
        out itself is smaller by as much again.
        """
        right = int(np.clip(np.searchsorted(self.places, place), 1, len(self.places) - 1))
        ends = slice(right - 1, right + 1)
        change, way = np.ptp(self.values[ends]), float(np.diff(self.places[ends])[0])
        missed = abs(float(np.diff(self.values[ends])[0]) - float(self.slopes[ends].mean()) * way)
        return bool(missed <= TUNING.uneven * change)

    def extended(self, places: Array) -> Array:
        """The evidence at any places: beyond the ends it goes on along its slope there."""
        inside = np.clip(places, self.places[0], self.places[-1])
        slopes = np.where(places < inside, self.slopes[0], self.slopes[-1])
        known = self._curve(inside) if len(self.places) > 1 else np.full(len(places), self.values[0])
        return np.asarray(known + slopes * (places - inside))

    def falling(self, factor: float) -> EvidenceCurve:
        """The curve that falls off so many times as fast.

        Where it falls more slowly, it is drawn wider around its top, which is the same for a parabola: lower than it
        was followed, nothing is known of it.
        """
        if factor >= 1.0:
            return EvidenceCurve(self.places, factor * self.values, factor * self.slopes)
        wider, top = factor**-0.5, self.places[self.best]
        return EvidenceCurve(top + wider * (self.places - top), self.values, self.slopes / wider)

    @cached_property
    def _drawn(self) -> tuple[Array, Array]:
        """Places close to each other, the highest among them, and the evidence there."""
        grid = np.linspace(self.places[0], self.places[-1], TUNING.evidence_grid)
        grid = np.union1d(grid, self.places[self.best])
        return grid, self._curve(grid)

    def limits(self, fall: float) -> tuple[float, float]:
        """The outermost places up to which the evidence has fallen by no more than this; infinite where none has."""
        if len(self.places) < TUNING.fewest_places:
            return -np.inf, np.inf
        grid, heights = self._drawn
        inside = np.flatnonzero((heights >= self.values.max() - fall) | (grid == self.places[self.best]))
        low, high = grid[inside[0]], grid[inside[-1]]
        return (-np.inf if inside[0] == 0 else float(low)), (np.inf if inside[-1] == len(grid) - 1 else float(high))


@dataclass(eq=False)
class _Search:
    """Places of one share looked at so far, each from its nearest neighbour.

    Other shares, if there are any, and precisions follow, as far as places so far have shown how the evidence bends.
    """

    model: Model
    pi_range: PiRange
    number: int
    found: dict[float, EvidenceAt]
    bend: Array

    @property
    def best(self) -> EvidenceAt:
        """The highest place."""
        return max(self.found.values(), key=lambda one: one.value)

    def place(self, here: EvidenceAt) -> float:
        """Logit of the share."""
        return float(here.point[self.number])

    def slope(self, here: EvidenceAt) -> float:
        """How the evidence changes along it."""
        return float(here.slopes[self.number])

    def curve(self) -> EvidenceCurve:
        places = np.array(sorted(self.found))
        known = [self.found[place] for place in places]
        values, slopes = [one.value for one in known], [self.slope(one) for one in known]
        return EvidenceCurve.without_jumps(places, np.array(values), np.array(slopes))

    def look(self, place: float) -> EvidenceAt:
        place = float(np.clip(place, *self.pi_range.logits))
        nearest = self._nearest(place)
        if abs(self.place(nearest) - place) <= TUNING.same_place:
            return nearest
        box = Box.around(nearest, self.pi_range).holding(self.number, place)
        move = np.clip(bounded_move(nearest, self.bend, box), -TUNING.longest_guess, TUNING.longest_guess)
        seen = move_to(self.model, replace(nearest, bend=self.bend), box.inside(nearest.point + move))
        self.found[place] = adjust(self.model, seen, box, TUNING.settled_gain)
        self.bend = self.found[place].bend
        return self.found[place]

    def forget_jumps(self, top: EvidenceAt) -> float:
        """The standard error of the share. Where a step has ended on another hill, the bend is the one to expect."""
        of_share = self.number, self.number
        learned, usual = (float(np.sqrt(inverse(bend)[of_share])) for bend in (top.bend, top.usual_bend))
        if learned > TUNING.least_error * usual:
            return learned
        self.bend = top.usual_bend
        return usual

    @property
    def stride(self) -> float:
        """The first step, in standard errors: to near a limit; all the way down where many rows make a parabola."""
        all_the_way = float(np.sqrt(2.0 * TUNING.beyond * TUNING.evidence_fall))
        return all_the_way if self.has_many_rows else TUNING.first_step

    @property
    def has_many_rows(self) -> bool:
        """Whether each look takes long, and the evidence is nearly a parabola."""
        return self.model.engine.n_rows > TUNING.many_rows

    def _nearest(self, place: float) -> EvidenceAt:
        return min(self.found.values(), key=lambda one: abs(self.place(one) - place))

    def ascend(self) -> EvidenceAt:
        """Go up to the top; the place where that began has precisions that are not exact, and would bend the curve."""
        best = self.best
        del self.found[self.place(best)]
        top = ascend(self.model, best, self.pi_range)
        self.found[self.place(top)], self.bend = top, top.bend
        return top

    def walk(self, start: EvidenceAt, way: float, step: float, fall: float) -> None:
        """Go on in one direction until the evidence has fallen enough."""
        low, high = self.pi_range.logits
        here = start
        for _ in range(TUNING.most_places):
            there = self.look(self.place(here) + way * step)
            if there is here or there.value < self.best.value - fall or not low < self.place(there) < high:
                return
            ahead = self._distance(here, there, there.value - self.best.value + TUNING.beyond * fall)
            step, here = float(np.clip(ahead, step / TUNING.step_growth, step * TUNING.step_growth)), there

    def _distance(self, before: EvidenceAt, here: EvidenceAt, fall: float) -> float:
        """How far to go on for the evidence to fall so much, along a parabola with the slopes of the last places."""
        apart = self.place(here) - self.place(before)
        slope, bend = np.sign(apart) * self.slope(here), (self.slope(before) - self.slope(here)) / apart
        if bend > 0.0:
            return float((slope + np.sqrt(slope**2 + 2.0 * bend * max(fall, 0.0))) / bend)
        return fall / -slope if slope < 0.0 else np.inf

    def glance(self, top: EvidenceAt, error: float) -> bool:
        """Whether a little beside the top begins a higher hill, as curves of few rows may have it; remember where."""
        if not has_few_rows(self.model):
            return False
        for way in (1.0, -1.0):
            point = top.point.copy()
            point[self.number] = np.clip(self.place(top) + way * TUNING.glance * error, *self.pi_range.logits)
            box = Box.around(top, self.pi_range).holding(self.number, point[self.number])
            beta = top.optimum.layout.with_shares(top.optimum.beta, point[: top.n_shares])
            there = adjust(self.model, climb(self.model, beta, top.logs), box, TUNING.settled_gain)
            if there.value > top.value + TUNING.settled_gain:
                self.found[float(point[self.number])] = there
                return True
        return False

    def sharpen(self) -> None:
        """Look where the limits of the interval are thought to be, unless they are known well enough.

        That is where a place next to them was looked at, or where the evidence of many rows is nearly a parabola.
        """
        top, curve = self.place(self.best), self.curve()
        for place in curve.limits(TUNING.evidence_limit):
            if not np.isfinite(place) or (self.has_many_rows and curve.bends_evenly(place)):
                continue
            if abs(self.place(self._nearest(place)) - place) > TUNING.next_to * abs(place - top):
                self.look(place)


def ascend(
    model: Model, start: EvidenceAt, pi_range: PiRange, settles: bool = True, wanted: float = -np.inf
) -> EvidenceAt:
    """Climb to where the evidence is highest, shares and precisions together; `wanted` is as in `adjust`."""
    return adjust(model, start, Box.around(start, pi_range, settles), TUNING.summit_gain, wanted)


def follow(model: Model, start: EvidenceAt, pi_range: PiRange, number: int = 0) -> tuple[EvidenceAt, EvidenceCurve]:
    """Climb to the maximum of the evidence, and follow it down on both sides of one share; all else goes with it."""
    search = _Search(model, pi_range, number, {float(start.point[number]): start}, start.bend)
    for _ in range(TUNING.most_walks):
        top = search.ascend()
        error = search.forget_jumps(top)
        step = float(np.clip(search.stride * error, *TUNING.profile_steps))
        for way in (1.0, -1.0):
            search.walk(top, way, step, TUNING.evidence_fall)
        if search.best is top and not search.glance(top, error):
            break
    search.sharpen()
    if search.best is not top:  # the last look found another hill
        search.ascend()
    return search.best, search.curve()
