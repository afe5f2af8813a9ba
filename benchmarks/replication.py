"""Replicates of a simulation, spread over all cores; the result does not depend on how many there are."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from pugam.errors import PugamWarning


def run_replicates(function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> np.ndarray:
    """Call the function for every task and return the results as an array, one row each."""
    calls = (delayed(_quietly)(function, task) for task in tasks)
    return np.array(Parallel(n_jobs=-1, batch_size=8)(calls), dtype=float)


def _quietly(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        return function(*task)


def seeds(key: tuple[int, ...], replicates: int) -> list[int]:
    """Return one seed per replicate of a cell, far from those of other cells."""
    return [int(state) for state in np.random.SeedSequence(key).generate_state(replicates)]
