"""The fit itself, of designs that have met the data, and what is said while it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pugam.engines import Engine
from pugam.estimator.options import read_shrinkage
from pugam.inference import inference_of
from pugam.messages import counted
from pugam.solvers import Fitted, Settings, choose_fit
from pugam.terms import Design

__all__ = ["fit_designs"]


def fit_designs(
    engine: Engine,
    designs: list[Design],
    settings: Settings,
    rng: np.random.Generator,
    samples: Sequence[str],
    own: str | None,
    shrinkage: Any,
    verbose: int,
) -> Fitted:
    """Fit designs of the same terms; see `choose_fit`."""
    if verbose:
        size = f"{counted(engine.n_rows, 'row')}, {counted(designs[0].n_columns, 'column')}"
        print(f"pugam: {size}, {engine.name} engine, {counted(engine.n_threads, 'thread')}")
    fitted = choose_fit(engine, designs, settings, rng, read_shrinkage(shrinkage, settings, designs[0]), samples, own)
    announcement = inference_of(fitted).announcement
    if verbose and announcement is not None:
        print(f"pugam: {announcement}")
    return fitted
