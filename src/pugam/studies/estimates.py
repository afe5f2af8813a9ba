"""What is recorded of a fit whose truth is known, and how records become the columns bias, se, mse, FP, FN and Err."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pugam.errors import PugamError
from pugam.estimator import PUGAM
from pugam.studies.monte_carlo import Comparison, Measured, mean_of, mean_square_of, spread_of
from pugam.studies.records import Record

__all__ = ["QUANTITIES", "classification_errors", "compare_estimates", "complete", "failure_note", "outcome", "seed_of"]

QUANTITIES = ("bias", "se", "mse", "FP", "FN", "Err")  # the first three in hundredths


def seed_of(rng: np.random.Generator) -> int:
    """Draw a seed for a fit or a bootstrap."""
    return int(rng.integers(2**31))


def classification_errors(predicted: np.ndarray, y: np.ndarray) -> Record:
    """Shares of negatives taken for positive, of positives taken for negative, and of all that are wrong."""
    predicted, true = predicted.astype(bool), y.astype(bool)
    return {
        "FP": float(np.mean(predicted[~true])),
        "FN": float(np.mean(~predicted[true])),
        "Err": float(np.mean(predicted != true)),
    }


def outcome(model: PUGAM, X: Any, y: np.ndarray) -> Record:
    """Record a fit: its pi, and its errors on the unlabelled rows X with their true labels y."""
    return {"pi": model.pi_, **classification_errors(np.asarray(model.predict(X)), y)}


def compare_estimates(
    records: Sequence[Record], method: str, pi: float, printed: Sequence[float | None] | None
) -> dict[str, Comparison]:
    """Make the columns of one method, the paper's figures beside them."""
    rows = [record[method] for record in complete(records)]
    figures: dict[str, Measured] = {}
    if "pi" in rows[0]:
        errors = np.array([row["pi"] for row in rows]) - pi
        figures |= {"bias": mean_of(100 * errors), "se": spread_of(100 * errors), "mse": mean_square_of(10 * errors)}
    figures |= {name: mean_of([row[name] for row in rows]) for name in ("FP", "FN", "Err")}
    beside = dict(zip(QUANTITIES, printed, strict=True)) if printed else {}
    return {name: Comparison(figure, beside.get(name)) for name, figure in figures.items()}


def complete(records: Sequence[Record]) -> list[Record]:
    """The records of replicates that did not break down."""
    found = [record for record in records if "error" not in record]
    if not found:
        raise PugamError(f"All {len(records)} replicates of a cell broke down: {records[0]['error']}")
    return found


def failure_note(records: Mapping[Any, Sequence[Record]]) -> list[str]:
    """Say how many replicates broke down, if any did."""
    failed = [record["error"] for of_cell in records.values() for record in of_cell if "error" in record]
    total = sum(len(of_cell) for of_cell in records.values())
    return [f"{len(failed)} of {total} replicates broke down and are left out: {failed[0]}"] if failed else []
