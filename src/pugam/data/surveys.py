"""How rows of a survey were drawn: in clusters, within strata, with unequal chances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data.arrays import as_array, is_missing
from pugam.errors import InputError, RowError
from pugam.messages import Argument

__all__ = ["SurveyRows", "effective_weights", "number_labels", "read_survey"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SurveyRows:
    """In which cluster each row was drawn, and each cluster in which stratum.

    Attributes
    ----------
    clusters : int array of shape (n_rows,)
        Numbers of the clusters of the rows kept.
    strata : int array of shape (n_clusters,)
        Numbers of the strata of the clusters, those without rows that are kept included.
    negatives : int array of shape (n_negatives,)
        Numbers of the clusters of known negatives, which are not among these rows.
    """

    clusters: Numbers
    strata: Numbers
    negatives: Numbers = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    @property
    def of_all(self) -> Numbers:
        """Numbers of the clusters of all rows, known negatives last."""
        return np.concatenate([self.clusters, self.negatives])

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.strata)

    @property
    def n_strata(self) -> int:
        """Number of strata."""
        return 1 + int(self.strata.max())


def read_survey(
    groups: Any, strata: Any, n_rows: int, kept: Flags | None, negatives: Flags | None = None
) -> SurveyRows | None:
    """Read clusters and strata, one label for each row; None where neither is given.

    Rows without clusters are clusters of their own; rows without strata are in one. Rows of weight zero are left out,
    but their clusters count: they were drawn, too.

    Parameters
    ----------
    groups, strata : array-like, or None
    n_rows : int
        How many rows there are, those of weight zero included.
    kept : bool array, optional
        Which of all rows are kept; None stands for all.
    negatives : bool array, optional
        Which of all rows are known negatives that count; None stands for none.
    """
    if groups is None and strata is None:
        return None
    clusters, names = _numbers("groups", groups, n_rows, np.arange(n_rows))
    stratum, strata_names = _numbers("strata", strata, n_rows, np.zeros(n_rows, dtype=np.intp))
    of_clusters = np.zeros(1 + clusters.max(), dtype=np.intp)
    of_clusters[clusters] = stratum
    torn = np.flatnonzero(of_clusters[clusters] != stratum)
    if len(torn):
        first, second = strata_names[stratum[torn[0]]], strata_names[of_clusters[clusters[torn[0]]]]
        raise InputError(
            Argument("groups"),
            f": cluster {_shown(names[clusters[torn[0]]])} lies in stratum {_shown(first)} and in stratum "
            f"{_shown(second)}; where clusters are numbered anew in each stratum, join both labels into one.",
        )
    _require_several(of_clusters, strata_names if strata is not None else None)
    beside = clusters[:0] if negatives is None else clusters[negatives]
    return SurveyRows(clusters if kept is None else clusters[kept], of_clusters, beside)


def _numbers(what: str, values: Any, n_rows: int, otherwise: Numbers) -> tuple[Numbers, list[Any]]:
    """Numbers of the labels of all rows, and the labels."""
    return (otherwise, list(range(n_rows))) if values is None else number_labels(what, values, n_rows)


def number_labels(what: str, values: Any, n_rows: int) -> tuple[Numbers, list[Any]]:
    """Number labels, one for each row, in the order in which they come; return numbers and labels."""
    labels = as_array(values)
    if labels.ndim != 1 or len(labels) != n_rows:
        raise InputError(Argument(what), f" needs one label per row, {n_rows} in all; got shape {labels.shape}.")
    listed = labels.tolist()
    for row, label in enumerate(listed):
        if is_missing(label):
            raise RowError(Argument(what), " has no label in ", row, "; give every row one.")
    codes: dict[Any, int] = {}
    numbers = np.array([codes.setdefault(label, len(codes)) for label in listed], dtype=np.intp)
    return numbers, list(codes)


def _require_several(strata: Numbers, names: list[Any] | None) -> None:
    """Refuse a stratum of one cluster: nothing tells how much its clusters differ."""
    alone = np.flatnonzero(np.bincount(strata) < 2)
    if not len(alone):
        return
    if names is None:
        raise InputError(Argument("groups"), " names a single cluster; standard errors need several.")
    raise InputError(
        Argument("strata"),
        f": stratum {_shown(names[alone[0]])} has a single cluster, which tells nothing of how clusters differ; join "
        "it to another stratum.",
    )


def _shown(label: Any) -> str:
    return repr(label) if isinstance(label, str) else str(label)


def effective_weights(weights: Array | None) -> Array | None:
    """Scale sampling weights to add up to as many rows as would say as much if all had the same weight.

    That number is (sum w)^2 / sum w^2 (Kish). So evidence takes rows for no more than they say, whatever the unit of
    the weights. None stands for ones.
    """
    if weights is None or np.ptp(weights) == 0.0:
        return None
    relative = weights / weights.max()
    return np.asarray(relative * (relative.sum() / np.sum(relative**2)))
