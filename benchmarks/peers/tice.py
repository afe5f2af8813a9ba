"""TIcE, which bounds the label frequency by means of a decision tree: Bekker and Davis, AAAI 2018.

In any part of the feature space the labelled share of all rows is at most c = P(labelled | y = 1), and equals it where
all rows are positive. A tree looks for such parts in one fold; the other folds bound c from below in each of them.
"""

from __future__ import annotations

import heapq

import numpy as np
import pandas as pd

from pugam.studies.answers import Answer

from .scales import pi_of_label_frequency

__all__ = ["label_frequency", "tice"]

# Defaults of the authors' program (dtai.cs.kuleuven.be/software/tice).
FOLDS, PASSES, MOST_SPLITS = 5, 2, 500
PARTS = 4  # equal intervals of [0, 1] into which a feature is split
SMOOTHING = 5  # k of the max-bepp score
LEAST_ROWS = 10
FIRST_C = 0.5


def quarters(values: np.ndarray) -> np.ndarray:
    """Interval of each value, after each column is brought to [0, 1]."""
    low, width = values.min(axis=0), np.ptp(values, axis=0)
    scaled = (values - low) / np.where(width > 0, width, 1.0)
    return np.minimum((PARTS * scaled).astype(np.int8), PARTS - 1)


def lower_bound(labelled: int, rows: int, c: float, delta: float) -> float:
    """Below the share labelled / rows by a one-sided Chebyshev limit, which c exceeds with probability 1 - delta."""
    return labelled / rows - float(np.sqrt(c * (1.0 - c) * (1.0 - delta) / (delta * rows)))


def counts(parts: np.ndarray, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
    """How many of the rows each feature puts into each interval: (PARTS, features)."""
    at = parts[np.ix_(rows, features)]
    return np.array([(at == part).sum(axis=0) for part in range(PARTS)])


class Tree:
    """Best-first search through one fold for subsets rich in labels, judged by the rows of the other folds."""

    def __init__(self, parts: np.ndarray, labelled: np.ndarray, growing: np.ndarray, c: float) -> None:
        self.parts, self.labelled, self.c = parts, labelled, c
        judging = np.flatnonzero(~growing)
        self.delta = max(0.025, 1.0 / (1.0 + 0.004 * len(judging)))
        self.best = float(labelled[judging].mean())  # all positives are labelled at least as often as all rows
        self.root = (np.flatnonzero(growing), judging)

    def bound(self) -> float:
        """The highest lower bound of c in any subset."""
        self.judge(self.root[1])
        number = 0  # breaks ties in the queue, whose arrays cannot be compared
        queue = [(0.0, 0, number, *self.root, np.arange(self.parts.shape[1]))]
        needed = 1.0
        for _ in range(MOST_SPLITS):
            if not queue:
                break
            *_, grown, judged, features = heapq.heappop(queue)
            children, left = self.split(grown, judged, features, needed)
            for _, child in children:
                self.judge(child)
            # A subset of labels only has to hold this many of them to raise the bound.
            spread = self.c * (1.0 - self.c) * (1.0 - self.delta) / self.delta
            needed = spread / max(1.0 - self.best, 1e-9) ** 2
            for child_grown, child in children:
                known = int(self.labelled[child_grown].sum())
                pure = known in (0, len(child_grown))
                if not pure and len(child_grown) > LEAST_ROWS and self.labelled[child].sum() > needed:
                    promise = lower_bound(known, len(child_grown), self.c, self.delta)
                    number += 1
                    heapq.heappush(queue, (-promise, -known, number, child_grown, child, left))
        return self.best

    def judge(self, rows: np.ndarray) -> None:
        """Raise the bound if these rows allow it."""
        if len(rows) >= LEAST_ROWS:
            known = int(self.labelled[rows].sum())
            self.best = max(self.best, lower_bound(known, len(rows), self.c, self.delta))

    def split(
        self, grown: np.ndarray, judged: np.ndarray, features: np.ndarray, needed: float
    ) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
        """Subsets by the feature with the highest max-bepp score, and the features left for their own splits."""
        useful = counts(self.parts, judged[self.labelled[judged]], features).max(axis=0, initial=0) >= needed
        features = features[useful]
        if len(features) == 0:
            return [], features
        sizes = counts(self.parts, grown, features)
        known = counts(self.parts, grown[self.labelled[grown]], features)
        scores = (known / (sizes + SMOOTHING)).max(axis=0)
        best = int(np.argmax(scores))
        grown_parts, judged_parts = self.parts[grown, features[best]], self.parts[judged, features[best]]
        if scores[best] <= 0.0 or len(np.unique(judged_parts)) == 1:
            return [], features
        children = [(grown[grown_parts == part], judged[judged_parts == part]) for part in range(PARTS)]
        return children, np.delete(features, best)


def label_frequency(values: np.ndarray, labelled: np.ndarray, rng: np.random.Generator) -> float:
    """TIcE's c = P(labelled | y = 1): the mean of five folds' bounds, in a second pass with the c of the first."""
    parts = quarters(values)
    fold = rng.permutation(np.arange(len(values)) % FOLDS)
    c = FIRST_C
    for _ in range(PASSES):
        c = float(np.mean([Tree(parts, labelled, fold == k, c).bound() for k in range(FOLDS)]))
    return c


def tice(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """TIcE; it has no posteriors."""
    c = label_frequency(X.to_numpy(float), labelled, rng)
    return Answer(pi_of_label_frequency(c, int(labelled.sum()), int((~labelled).sum())))
