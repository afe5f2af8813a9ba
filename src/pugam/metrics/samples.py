"""What every score starts from: a value for each labelled and each unlabelled row, checked, and the share pi."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pugam.data import as_array, read_labels, read_weights
from pugam.errors import InputError, RowError
from pugam.messages import counted

__all__ = ["Sample", "read_classes", "read_probabilities", "read_scores", "read_share"]


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of one kind that count: what the model says of them, and their weights.

    Attributes
    ----------
    values : ndarray of float64, shape (n_rows,)
    weights : ndarray of float64, shape (n_rows,)
        All positive.
    """

    values: np.ndarray
    weights: np.ndarray

    def mean(self) -> float:
        """Return the weighted mean of the values."""
        return self.mean_of(self.values)

    def mean_of(self, quantities: np.ndarray) -> float:
        """Return the weighted mean of something else that each row has."""
        return float(self.weights @ quantities / self.weights.sum())

    def shares_from(self, thresholds: np.ndarray) -> np.ndarray:
        """Return for each threshold the share of the rows whose value reaches it."""
        return self._shares(thresholds, "right")

    def shares_above(self, thresholds: np.ndarray) -> np.ndarray:
        """Return for each threshold the share of the rows whose value exceeds it."""
        return self._shares(thresholds, "left")

    def _shares(self, thresholds: np.ndarray, side: Literal["left", "right"]) -> np.ndarray:
        falling = np.argsort(-self.values)
        up_to = np.concatenate([[0.0], np.cumsum(self.weights[falling])])
        return np.asarray(up_to[np.searchsorted(-self.values[falling], -thresholds, side)] / up_to[-1])


def read_share(pi: Any) -> float:
    """Read a share strictly between 0 and 1."""
    is_number = isinstance(pi, numbers.Real) and not isinstance(pi, bool)
    if not is_number or not 0.0 < pi < 1.0:
        raise InputError(
            f"pi, the share of positives among the unlabelled rows, lies strictly between 0 and 1; got {pi!r}."
        )
    return float(pi)


def read_scores(z: Any, score: Any, sample_weight: Any) -> tuple[Sample, Sample]:
    """Read labels and what ranks the rows; return the labelled and the unlabelled ones."""
    return _split(z, _numbers("score", score), sample_weight)


def read_probabilities(z: Any, probability: Any, sample_weight: Any) -> tuple[Sample, Sample]:
    """Read labels and probabilities of being positive; return the labelled and the unlabelled rows."""
    values = _numbers("probability", probability)
    outside = (values < 0.0) | (values > 1.0)
    if outside.any():
        row = int(np.argmax(outside))
        raise RowError(
            f"probability is {values[row]:g} at ",
            row,
            ", outside of 0 to 1; give model.predict_proba(X)[:, 1], not its decision_function.",
        )
    return _split(z, values, sample_weight)


def read_classes(z: Any, predicted: Any, sample_weight: Any) -> tuple[Sample, Sample]:
    """Read labels and predicted classes (1, else 0 or -1); return 1 and 0 for labelled and for unlabelled rows."""
    values = _numbers("predicted", predicted)
    unknown = ~np.isin(values, (-1.0, 0.0, 1.0))
    if unknown.any():
        row = int(np.argmax(unknown))
        raise RowError(
            f"predicted is {values[row]:g} at ",
            row,
            ", which is not a class; give 1 for positive and 0 (or -1) for negative, such as probability > 0.5.",
        )
    return _split(z, (values == 1.0).astype(np.float64), sample_weight)


def _numbers(name: str, values: Any) -> np.ndarray:
    array = as_array(values)
    try:
        if array.dtype.kind not in "biufO":
            raise TypeError
        found = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers without gaps, one per row.") from None
    if found.ndim != 1:
        both = found.ndim == 2 and found.shape[1] == 2
        hint = "; of predict_proba(X) take the column of the positives, [:, 1]" if both else ""
        raise InputError(f"{name} must be 1-d, one number per row; got shape {found.shape}{hint}.")
    if np.isnan(found).any():
        row = int(np.argmax(np.isnan(found)))
        raise RowError(f"{name} is NaN at ", row, "; leave the row out, with its label.")
    return found


def _split(z: Any, values: np.ndarray, sample_weight: Any) -> tuple[Sample, Sample]:
    n_rows = len(values)
    if z is None:
        raise InputError("z is None; give the labels: 1 for a labelled positive, 0 for an unlabelled row.")
    if not n_rows:
        raise InputError("There are no rows; scores need labelled and unlabelled ones.")
    for name, what, given in (("z", "label", z), ("sample_weight", "weight", sample_weight)):
        length = _length(given)
        if length is not None and length != n_rows:
            raise InputError(
                f"{name} has {counted(length, what)} for {counted(n_rows, 'row')} predicted; give one for each."
            )
    labelled = read_labels(z, n_rows).positive
    weights = read_weights(sample_weight, n_rows)
    weights = np.ones(n_rows) if weights is None else weights
    for kind, rows in (("labelled", labelled), ("unlabelled", ~labelled)):
        if not weights[rows].any():
            raise InputError(f"sample_weight is zero at every {kind} row; at least one of them must count.")
    counts = weights > 0.0
    groups = (labelled & counts, ~labelled & counts)
    of_labelled, of_unlabelled = (Sample(values[rows], weights[rows]) for rows in groups)
    return of_labelled, of_unlabelled


def _length(values: Any) -> int | None:
    try:
        return len(values)
    except TypeError:  # None, or one number for all rows
        return None
