"""Data on which effects do not add up, and a diagnosis of data that determine pi."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.datasets import simulate


@pytest.fixture(scope="session")
def make_interacting():
    """Make rows of five uniform features whose effects add up but for a product of the first two, of a given size."""

    def make(size, n=600, seed=0):
        rng = np.random.default_rng(seed)
        x = rng.random((40 * n, 5))
        log_odds = 12.0 * np.sum((x - 0.3) ** 2, axis=1) - 7.0 + 12.0 * size * (x[:, 0] - 0.5) * (x[:, 1] - 0.5)
        y = rng.random(len(x)) < 1.0 / (1.0 + np.exp(-log_odds))
        hidden = int(0.4 * n)
        rows = np.vstack([x[y][: n + hidden], x[~y][: n - hidden]])
        return pd.DataFrame(rows, columns=[f"x{j}" for j in range(1, 6)]), np.repeat([1, 0], n)

    return make


@pytest.fixture(scope="session")
def clear_data():
    """Data that determine pi."""
    return simulate(2, n0=700, n=1400, random_state=0)


@pytest.fixture(scope="session")
def clear_model(clear_data):
    return PUGAM(n_starts=4).fit(clear_data.X, clear_data.z)


@pytest.fixture(scope="session")
def clear(clear_model):
    """A diagnosis without any warning."""
    return clear_model.diagnose()


@pytest.fixture(scope="session")
def clear_mode(clear_data):
    """A diagnosis of the mode without any warning."""
    return PUGAM(n_starts=4, estimate="mode").fit(clear_data.X, clear_data.z).diagnose()
