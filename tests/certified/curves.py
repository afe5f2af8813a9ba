"""Curves of one column in many digits: cubic splines with their penalty, straight lines, effects of levels.

Each has `size` coefficients and is determined up to a constant. `row` lists (number, value) of the functions that are
not zero at a value of the column; `penalty` is the Hessian of kappa int u''^2; `middle` holds the means of the
functions, which centring subtracts; `line` the coefficients of the straight line from 0 to 1, as a start.
"""

from itertools import product

from lists import zeros
from mpmath import mp

__all__ = ["make_curve"]

SMALLEST_GAP = 0.001  # quantile knots closer than this would be moved apart, which is not done here


def make_curve(term, values):
    """Let a term of `data_sets` meet the values of its column, as text."""
    if term.kind == "factor":
        return Levels(sorted(set(values)))
    numbers = [mp.mpf(value) for value in values]
    if term.kind == "linear":
        return Line(min(numbers), max(numbers))
    lower, upper = map(mp.mpf, term.bounds or (min(numbers), max(numbers)))
    inner = [mp.mpf(j) / (term.k - 3) for j in range(1, term.k - 3)]
    if term.knots == "quantile":
        places = {(number - lower) / (upper - lower) for number in numbers}
        inner = quantiles(sorted(place for place in places if 0 <= place <= 1), inner)
    return Spline(lower, upper, [mp.zero, *inner, mp.one], mp.mpf(term.kappa))


def quantiles(ordered, shares):
    """Interpolate between order statistics."""
    found = []
    for share in shares:
        place = share * (len(ordered) - 1)
        number = int(mp.floor(place))
        found.append(ordered[number] + (place - number) * (ordered[number + 1] - ordered[number]))
    assert all(b - a > SMALLEST_GAP for a, b in zip([mp.zero, *found], [*found, mp.one], strict=True))
    return found


class Line:
    """The straight line t."""

    size, penalty, line, middle = 1, [[mp.zero]], [mp.one], [mp.one / 2]

    def __init__(self, lower, upper):
        self.lower, self.upper = lower, upper

    def row(self, value):
        return [(0, (mp.mpf(value) - self.lower) / (self.upper - self.lower))]


class Levels:
    """Indicators of all levels but the first."""

    def __init__(self, levels):
        self.levels, self.size = levels, len(levels) - 1
        self.penalty, self.line = zeros(self.size, mp), [mp.zero] * self.size
        self.middle = [mp.one / len(levels)] * self.size

    def row(self, value):
        number = self.levels.index(value)
        return [(number - 1, mp.one)] if number else []


class Spline:
    """Cubic B-splines between 0 and 1 but for the first one, and the tangents beyond."""

    def __init__(self, lower, upper, breaks, kappa):
        self.lower, self.upper, self.breaks = lower, upper, breaks
        self.knots = [mp.zero] * 3 + breaks + [mp.one] * 3
        self.n_functions = len(self.knots) - 4
        self.size = self.n_functions - 1
        # A constant bends nowhere: leaving out one function leaves out nothing of the penalty.
        self.penalty = [[2 * kappa * entry for entry in line[1:]] for line in self._bending()[1:]]
        self.middle = [(self.knots[i + 4] - self.knots[i]) / 4 for i in range(1, self.n_functions)]
        self.line = [sum(self.knots[i + 1 : i + 4]) / 3 for i in range(1, self.n_functions)]

    def row(self, value):
        t = (mp.mpf(value) - self.lower) / (self.upper - self.lower)
        edge = min(max(t, mp.zero), mp.one)
        m = self._interval(edge)
        return [
            (i - 1, self._derivative(i, 4, edge, 0, m) + (t - edge) * self._derivative(i, 4, edge, 1, m))
            for i in range(max(1, m - 3), m + 1)
        ]

    def _interval(self, t):
        """Number m of the knot with knots[m] <= t < knots[m + 1]; 1 belongs to the last interval."""
        return max(m for m in range(3, self.n_functions) if self.knots[m] <= t)

    def _derivative(self, i, order, t, times, m):
        """Derivative at t of the i-th B-spline of an order, continued from the m-th interval (Cox and de Boor)."""
        if order == 1:
            return mp.mpf(i == m)
        total = mp.zero
        for j, sign in ((i, 1), (i + 1, -1)):
            width = self.knots[j + order - 1] - self.knots[j]
            if width == 0:
                continue
            if times:
                factor = sign * (order - 1) / width
            else:
                share = (t - self.knots[j]) / width
                factor = share if sign == 1 else 1 - share
            total += factor * self._derivative(j, order - 1, t, max(times - 1, 0), m)
        return total

    def _bending(self):
        """Integrals of products of second derivatives, straight lines on each interval: Simpson's rule is exact."""
        matrix = zeros(self.n_functions, mp)
        for m in range(3, self.n_functions):
            low, high = self.knots[m], self.knots[m + 1]
            bends = {
                i: [self._derivative(i, 4, t, 2, m) for t in (low, (low + high) / 2, high)] for i in range(m - 3, m + 1)
            }
            for i, j in product(bends, bends):
                first, middle, last = (a * b for a, b in zip(bends[i], bends[j], strict=True))
                matrix[i][j] += (high - low) * (first + 4 * middle + last) / 6
        return matrix
