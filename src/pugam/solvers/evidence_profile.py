"""The evidence along pi: followed to its maximum and down on both sides, on the logit scale.

At each place the precisions are where the evidence is highest for that pi, so that its slope along pi is the one with
precisions fixed (`laplace`). Values and slopes give a cubic between places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from pugam.solvers.laplace import EvidenceAt, Model, climb
from pugam.solvers.optimum import Optimum
from pugam.solvers.pi import PiRange
from pugam.solvers.settling import adjust, left_to_gain
from pugam.solvers.tuning import TUNING

__all__ = ["EvidenceCurve", "climb_profile"]

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

    def limits(self, fall: float) -> tuple[float, float]:
        """The outermost places up to which the evidence has fallen by no more than this; infinite where none has."""
        if len(self.places) < TUNING.fewest_places:
            return -np.inf, np.inf
        highest = self.places[self.best]
        grid = np.union1d(np.linspace(self.places[0], self.places[-1], TUNING.evidence_grid), highest)
        inside = np.flatnonzero((self._curve(grid) >= self.values.max() - fall) | (grid == highest))
        low, high = grid[inside[0]], grid[inside[-1]]
        return (-np.inf if inside[0] == 0 else float(low)), (np.inf if inside[-1] == len(grid) - 1 else float(high))

    def summit(self, first: int) -> float:
        """Where the cubic between a place and the next one is highest."""
        piece = self._curve.c[:, first]
        width = self.places[first + 1] - self.places[first]
        turns = np.roots(np.polyder(piece))
        real = turns[np.isreal(turns)].real
        inside = np.append(real[(real > 0.0) & (real < width)], (0.0, width))
        top = inside[np.argmax(np.polyval(piece, inside))]
        return float(self.places[first] + top)


@dataclass
class _Search:
    """Places looked at so far, each from its nearest neighbour."""

    model: Model
    settles: bool
    limits: tuple[float, float]
    found: dict[float, EvidenceAt]

    @property
    def best(self) -> EvidenceAt:
        """The highest place."""
        return max(self.found.values(), key=lambda one: one.value)

    def curve(self) -> EvidenceCurve:
        places = np.array(sorted(self.found))
        known = [self.found[place] for place in places]
        return EvidenceCurve(places, np.array([one.value for one in known]), np.array([one.slope for one in known]))

    def look(self, place: float, least_gain: float = TUNING.walking_gain) -> EvidenceAt:
        place = float(np.clip(place, *self.limits))
        nearest = self._nearest(place)
        if abs(nearest.place - place) <= TUNING.same_place:
            return nearest
        logs = self._logs(nearest, place)
        seen = climb(self.model, nearest.moved(place, logs), logs, nearest.bend)
        self.found[place] = adjust(self.model, seen, least_gain) if self.settles else seen
        return self.found[place]

    def _nearest(self, place: float, but: EvidenceAt | None = None) -> EvidenceAt:
        return min((one for one in self.found.values() if one is not but), key=lambda one: abs(one.place - place))

    def _logs(self, nearest: EvidenceAt, place: float) -> Array:
        """Where precisions are likely to be: on a line through two places nearby."""
        if not self.settles or len(self.found) == 1:
            return nearest.logs
        other = self._nearest(place, but=nearest)
        step = (nearest.logs - other.logs) * (place - nearest.place) / (nearest.place - other.place)
        return np.clip(
            nearest.logs + np.clip(step, -TUNING.longest_guess, TUNING.longest_guess), *TUNING.log_precision_limits
        )

    def ascend(self) -> EvidenceAt:
        """Go up until next to nothing is left to gain; far from the top precisions need not be exact."""
        for _ in range(TUNING.most_places):
            best = self.best
            place, gain = self._next(best)
            if gain >= TUNING.summit_gain and abs(place - best.place) > TUNING.same_place:
                self.look(place, max(TUNING.summit_gain, TUNING.share_of_gain * gain))
            elif not self._tighten(best):
                break
        self._forget()
        return self.best

    def _forget(self) -> None:
        """Keep no place on the way up whose precisions were not exact: they would bend the curve."""
        best = self.best
        if self.settles:
            known = self.found.items()
            self.found = {at: one for at, one in known if one is best or left_to_gain(one) <= TUNING.walking_gain}

    def _tighten(self, best: EvidenceAt) -> bool:
        """Bring precisions to where they are best; return whether they were not there."""
        if not self.settles:
            return False
        tight = self.found[best.place] = adjust(self.model, best, TUNING.summit_gain)
        return tight.value > best.value

    def _next(self, best: EvidenceAt) -> tuple[float, float]:
        """Where the top is thought to be, and what is to be gained there."""
        step = best.slope / self._bend(best)
        place = float(np.clip(best.place + np.clip(step, -TUNING.longest_look, TUNING.longest_look), *self.limits))
        curve, ahead = self.curve(), 1 if best.slope > 0.0 else -1
        if 0 <= curve.best + ahead < len(curve.places) and ahead * (place - curve.places[curve.best + ahead]) >= 0.0:
            place = curve.summit(min(curve.best, curve.best + ahead))
        return place, 0.5 * best.slope * (place - best.place)

    def _bend(self, best: EvidenceAt) -> float:
        """By how much the slope falls along pi: between the two places nearest to the top, if they tell."""
        if len(self.found) > 1:
            other = self._nearest(best.place, but=best)
            seen = (other.slope - best.slope) / (best.place - other.place)
            if seen > 0.0:
                return seen
        return _standard_error(best.optimum) ** -2

    def walk(self, start: EvidenceAt, step: float, fall: float) -> None:
        """Go on in one direction until the evidence has fallen enough, in steps that grow."""
        place = start.place
        for _ in range(TUNING.most_places):
            place, before = place + step, self.best.value
            seen = self.look(place)
            if seen.value < self.best.value - fall or not self.limits[0] < place < self.limits[1]:
                return
            step *= TUNING.step_growth if seen.value <= before else 1.0

    def sharpen(self) -> None:
        """Look where the limits of the interval are thought to be."""
        for place in self.curve().limits(TUNING.evidence_limit):
            if np.isfinite(place):
                self.look(place)


def climb_profile(
    model: Model, start: EvidenceAt, pi_range: PiRange, settles: bool = True, fall: float = TUNING.evidence_fall
) -> tuple[EvidenceAt, EvidenceCurve]:
    """Follow the evidence from a start to its maximum, and away from it on both sides.

    Parameters
    ----------
    settles : bool
        Whether precisions follow pi; otherwise they stay where they are.
    fall : float
        How far down the evidence is followed; with 0 only the maximum is looked for.
    """
    search = _Search(model, settles, pi_range.logits, {start.place: start})
    for _ in range(TUNING.most_walks):
        top = search.ascend()
        if fall == 0.0:
            break
        step = float(np.clip(search._bend(top) ** -0.5, *TUNING.profile_steps))
        for way in (step, -step):
            search.walk(top, way, fall)
        if search.best is top:
            break
    if fall > TUNING.evidence_limit:
        search.sharpen()
    return search.best, search.curve()


def _standard_error(optimum: Optimum) -> float:
    """Of logit pi, seen from one place."""
    share = optimum.layout.share
    return float(np.sqrt(max(optimum.covariance(PiRange())[share, share], TUNING.smallest_information)))
