"""The way from the log odds of the average row to those of a row, as steps that plot, page and terminal show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

__all__ = ["AVERAGING", "Step", "fold_steps", "shortened", "steps_of"]

AVERAGING = "averaging"


class Step(NamedTuple):
    """What a term contributes to the log odds of a row; error and limits are NaN where there are none."""

    term: str
    value: str
    contribution: float
    se: float
    lower: float
    upper: float


def steps_of(frame: Any) -> list[Step]:
    """Read the lines of a row from a frame of `explain`, baseline first."""
    lines = nw.from_native(frame, eager_only=True).select(Step._fields)
    return [Step(*line) for line in lines.iter_rows()]


def fold_steps(steps: Sequence[Step], most: int) -> list[Step]:
    """Order terms by the size of their contributions, and take all but the largest together as others.

    Averaging stays last, whatever its size: it is no term.
    """
    terms = [step for step in steps if step.term != AVERAGING]
    ordered = sorted(terms, key=lambda step: -abs(step.contribution))
    rest = [step for step in steps if step.term == AVERAGING]
    if len(ordered) <= most:
        return [*ordered, *rest]
    kept, folded = ordered[: most - 1], ordered[most - 1 :]
    total = sum(step.contribution for step in folded)
    return [*kept, Step(f"{len(folded)} others", "", total, np.nan, np.nan, np.nan), *rest]


def shortened(text: str, longest: int) -> str:
    """Leave the middle out: names that are long often differ at their ends."""
    half = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[:half]}…{text[-half:]}"
