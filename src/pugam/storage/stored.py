"""What a saved model consists of: all that a fitted estimator needs to come back, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference import ColumnDigest, TermMoments
from pugam.nodes import Plain
from pugam.solvers import Fit
from pugam.terms import Design
from pugam.version import __version__

__all__ = ["Provenance", "StoredModel"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Provenance:
    """Which version of pugam saved a model, when (ISO 8601, UTC), by which command, if by one, and from which data.

    `data` is what the saver wished to remember of them, such as the name of a file and of its column of labels.
    """

    pugam: str
    date: str
    command: str | None = None
    data: Mapping[str, Plain] = field(default_factory=dict)

    @classmethod
    def now(cls, command: str | None = None, data: Mapping[str, Plain] | None = None) -> Provenance:
        """State this version and this second."""
        return cls(__version__, datetime.now(UTC).isoformat(timespec="seconds"), command, dict(data or {}))


@dataclass(frozen=True, eq=False)
class StoredModel:
    """A fitted model without its rows.

    Attributes
    ----------
    parameters : mapping
        The constructor's arguments by name, `terms` included. Generators are saved as None.
    design, fit : Design, Fit
    verdict : str, optional
        None where none was asked for.
    covariance : array of shape (q, q)
        Of (logit pi, intercept a, theta), behind bands and odds ratios.
    n0, n1 : float
        Total weight of labelled and of unlabelled rows.
    classes : array of shape (2,)
        The user's codes for unlabelled and positive.
    n_features : int
    feature_names : tuple of str, or None
        None where X had no names.
    library : str
        In which the user's frames come: pandas, polars or pyarrow; others are saved as pandas.
    provenance : Provenance
    summary : mapping
        For readers of the file; nothing is computed from it.
    columns : tuple of ColumnDigest, or None
        What the columns of unlabelled rows look like; None where it was not kept.
    moments : TermMoments, or None
        How the terms vary over the same rows; None where it was not kept.
    """

    parameters: Mapping[str, Any]
    design: Design
    fit: Fit
    verdict: str | None
    covariance: Array
    n0: float
    n1: float
    classes: NDArray[Any]
    n_features: int
    feature_names: tuple[str, ...] | None
    library: str
    provenance: Provenance
    summary: Mapping[str, Plain]
    columns: tuple[ColumnDigest, ...] | None = None
    moments: TermMoments | None = None
