"""How high the objective gets with curves that grow without bound: whether there is a maximum at all.

Bent curves that grow are penalised without bound; straight ones are not. In two numeric columns they cut rows off
along a straight line, all labelled rows on one side: P(z = 1) becomes c there and 0 on the other side, so that the
fewer unlabelled rows are left among the labelled ones, the better.
"""

import math
from itertools import pairwise

__all__ = ["reached_at_infinity"]

SHARES = [number / 10_000 for number in range(1, 10_000)]


def reached_at_infinity(rows, terms, prior):
    """The supremum of the objective along such lines; None for models of other than two numeric columns."""
    if len(terms) != 2 or any(term.kind == "factor" for term in terms):
        return None
    points = {"0": [], "1": []}
    for row in rows:
        points[row["z"]].append(tuple(float(row[term.column]) for term in terms))
    n0, n1 = len(points["1"]), len(points["0"])
    left = n1 - most_cut_off(points["1"], points["0"])
    a, b = (float(exponent) - 1 for exponent in prior)

    def objective(pi):
        c = n0 / (n0 + n1 * pi)
        return n0 * math.log(c) + left * math.log(1 - c) + a * math.log(pi) + b * math.log(1 - pi)

    return max(map(objective, SHARES))


def most_cut_off(labelled, unlabelled):
    """Most unlabelled points that a straight line leaves on one side, all labelled ones on the other.

    What is on which side changes only at directions in which a labelled and an unlabelled point are equally far.
    """
    turns = {
        math.atan2(y - b, x - a) + quarter
        for x, y in labelled
        for a, b in unlabelled
        for quarter in (-math.pi / 2, math.pi / 2)
    }
    most = 0
    for first, second in pairwise(sorted(turns)):
        across, along = math.cos((first + second) / 2), math.sin((first + second) / 2)
        nearest = min(across * x + along * y for x, y in labelled)
        most = max(most, sum(across * x + along * y < nearest for x, y in unlabelled))
    return most
