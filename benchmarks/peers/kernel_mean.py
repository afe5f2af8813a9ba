"""Ramaswamy, Scott and Tewari, Mixture proportion estimation via kernel embedding of distributions, ICML 2016: KM2.

With F the mixture of unlabelled rows and H the positives, lambda F + (1 - lambda) H is a distribution up to
lambda = 1 / (1 - pi), and none beyond. Its distance d(lambda) from all distributions on the rows, in the space of a
Gaussian kernel, stays near 0 and then rises; pi comes from the lambda where its slope passes a threshold.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist

from pugam.studies.answers import Answer

__all__ = ["Embedding", "kernel_mean"]

# Settings of the authors' program.
WIDTHS = np.logspace(-1.0, 1.0, 5)  # in medians of the distances
HIGHEST, PRECISION = 8.0, 0.04  # of lambda: pi is at most 0.875
FIRST_STEP = 0.05
WEIGHT = 0.2  # of the last slope of d in KM2's threshold
# Ours, for time.
MOST_ROWS = 800  # of each sample
GAP, MOST_STEPS = 1e-6, 1000  # of the squared distance; three times the steps move pi by less than 0.01


def onto_simplex(values: np.ndarray) -> np.ndarray:
    """The nearest vector of weights that are not negative and sum to 1."""
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(values) + 1)
    return np.maximum(values - excess[np.flatnonzero(falling > excess)[-1]], 0.0)


def widest_apart(mixture: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Gaussian kernel of all rows, its width the one that sets the means of both samples apart most."""
    rows = np.vstack([mixture, component])
    squared = cdist(rows, rows, "sqeuclidean")
    median = np.sqrt(np.median(squared)) or 1.0
    difference = contrast(len(mixture), len(component))
    kernels = (np.exp(-squared / (2.0 * (width * median) ** 2)) for width in WIDTHS)
    return max(kernels, key=lambda kernel: float(difference @ kernel @ difference))


def contrast(n_mixture: int, n_component: int) -> np.ndarray:
    """Weights of the rows in F - H."""
    return np.repeat([1.0 / n_mixture, -1.0 / n_component], [n_mixture, n_component])


class Embedding:
    """Distances d(lambda) between lambda F + (1 - lambda) H and all distributions on the rows of both samples.

    Everything is a vector of weights of the rows, F - H too; inner products are those of the kernel.
    """

    def __init__(self, mixture: np.ndarray, component: np.ndarray) -> None:
        self.kernel = widest_apart(mixture, component)
        self.steepness = float(eigsh(self.kernel, 1, v0=np.ones(len(self.kernel)), return_eigenvectors=False)[0])
        self.difference = contrast(len(mixture), len(component))
        self.component = -np.minimum(self.difference, 0.0)
        self.weights = np.maximum(self.difference, 0.0)

    def nearest(self, target: np.ndarray) -> np.ndarray:
        """The nearest distribution to the target, by accelerated projected gradients from the last one."""
        weights = ahead = self.weights
        momentum = 1.0
        for step in range(MOST_STEPS):
            slope = self.kernel @ (ahead - target)
            moved = onto_simplex(ahead - slope / self.steepness)
            if step % 10 == 0 and 2.0 * (slope @ ahead - slope.min()) < GAP:
                return moved
            if slope @ (moved - weights) > 0:  # momentum that leads uphill is dropped
                momentum, ahead = 1.0, weights
                continue
            grown = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            ahead = moved + (momentum - 1.0) / grown * (moved - weights)
            weights, momentum = moved, grown
        return weights

    def distance_and_slope(self, lam: float) -> tuple[float, float]:
        """Distance d(lambda) and its derivative, which the envelope theorem gives without a second distance."""
        target = self.component + lam * self.difference
        self.weights = self.nearest(target)
        residual = target - self.weights
        image = self.kernel @ residual
        distance = float(np.sqrt(max(residual @ image, 0.0)))
        return distance, float(self.difference @ image) / distance if distance > 0 else 0.0

    def share(self) -> float:
        """KM2's estimate of the share of H in F."""
        first, _ = self.distance_and_slope(1.0 + FIRST_STEP)
        # d is convex; this is how much it rises per lambda in the end.
        last = float(np.sqrt(self.difference @ self.kernel @ self.difference))
        threshold = (1.0 - WEIGHT) * first / FIRST_STEP + WEIGHT * last
        low, high = 1.0, HIGHEST
        while high - low > PRECISION:
            middle = (low + high) / 2.0
            _, slope = self.distance_and_slope(middle + PRECISION / 4.0)  # amid the authors' difference quotient
            low, high = (low, middle) if slope > threshold else (middle, high)
        return 1.0 - 2.0 / (low + high)


def kernel_mean(X: pd.DataFrame, labelled: np.ndarray, rng: np.random.Generator) -> Answer:
    """KM2 on standardised features, of at most 800 rows of each sample; it has no posteriors."""
    values = X.to_numpy(float)
    spread = values.std(axis=0)
    values = values / np.where(spread > 0, spread, 1.0)
    samples = (values[~labelled], values[labelled])
    drawn = [sample[rng.permutation(len(sample))[:MOST_ROWS]] for sample in samples]
    return Answer(Embedding(*drawn).share())
