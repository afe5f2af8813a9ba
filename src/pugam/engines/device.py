"""Sums over many rows on a GPU: model columns are evaluated there, some rows at a time, and never leave it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.errors import InputError
from pugam.extras import load_extra
from pugam.layout import Layout
from pugam.likelihood import LOWEST_VALUE, SaturatingRows, Sums, information_slope_rows, saturating_rows
from pugam.messages import Argument
from pugam.terms import Design

__all__ = ["DeviceRows", "choose_device", "likelihood_on_device", "load_torch", "serves_many_at_once"]

Array = NDArray[np.float64]

BLOCK_CELLS = 2**28  # model cells evaluated at a time: 2 GiB, and a few times as much while they are made


def load_torch() -> Any:
    """Import PyTorch, or say how to get it."""
    return load_extra("gpu", Argument("engine", "gpu"), " needs")


def choose_device() -> Any:
    """Return the GPU, or say that there is none."""
    torch = load_torch()
    if not torch.cuda.is_available():
        raise InputError(
            Argument("engine", "gpu"),
            " needs a GPU that PyTorch can use, and there is none here; use ",
            Argument("engine", "memory"),
            ".",
        )
    return torch.device("cuda")


def serves_many_at_once() -> bool:
    """Whether the GPU works for several processes at once, by NVIDIA's multi-process service, and not in turns."""
    pipes = os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps")  # nosec B108 # where the service puts them
    return Path(pipes, "control").exists()


def likelihood_on_device(positive: Any, s: Any, c: Any, d: Any, observed: bool) -> SaturatingRows:
    """The likelihood of rows on the device, values no lower than can be weighted."""
    rows = saturating_rows(positive, s, c, d, observed, load_torch())
    return rows._replace(value=rows.value.clip(LOWEST_VALUE))


class DeviceRows:
    """Rows on the device as places among the breaks of each term: eight bytes a value, whatever the columns.

    Parameters
    ----------
    design : Design
    places : tensor of shape (p, n), float64
        Of the p terms that are polynomials; see `Basis.places`.
    dense : tensor of shape (n, m), float64
        The model columns of the other terms.
    positive : tensor of shape (n,), bool
    weights : tensor of shape (n,), float64, or None
    known : tensor of shape (n,), float64, or None
        What known effects add to the linear predictors.
    """

    def __init__(
        self, design: Design, places: Any, dense: Any, positive: Any, weights: Any = None, known: Any = None
    ) -> None:
        self._design, self._places, self._dense = design, places, dense
        self._positive, self._weights, self._known = positive, weights, known
        self._tables = [
            [self._on_device(table) for table in (piece.breaks, piece.origins, piece.coefficients)]
            for piece in design.local_pieces
        ]

    def sums(self, c: Array, d: Array, b: Array, observed: bool) -> Sums:
        """Value, score and information of the saturating likelihood; see `likelihood.saturating_sums`."""
        torch = load_torch()
        layout = self._design.layout
        value = torch.zeros(len(b), dtype=torch.float64, device=self._places.device)
        score = value.new_zeros((len(b), layout.size))
        information = value.new_zeros((len(b), layout.size, layout.size))
        vectors = self._on_device(b)
        for rows, X in self.blocks():
            positive, weights = self._positive[rows], None if self._weights is None else self._weights[rows]
            for number in range(len(b)):
                s = self._predict(rows, X, vectors[number])
                parts = likelihood_on_device(positive, s, float(c[number]), float(d[number]), observed)
                if weights is not None:
                    parts = SaturatingRows(*(part * weights for part in parts))
                value[number] += parts.value.sum()
                _add_derivatives(layout, X, parts, score[number], information[number])
        information[:, layout.predictor, layout.share] = information[:, layout.share, layout.predictor]
        return Sums(value.cpu().numpy(), score.cpu().numpy(), information.cpu().numpy())

    def trace_slopes(self, c: Array, d: Array, b: Array, matrix: Array) -> Array:
        """How the trace of a matrix times the information changes; see `likelihood.trace_slopes`."""
        torch, layout = load_torch(), self._design.layout
        (vector,), product = self._on_device(b), self._on_device(matrix)
        slopes = vector.new_zeros(layout.size)
        for rows, X in self.blocks():
            leverages = (X @ product).mul_(X).sum(1)
            if self._weights is not None:
                leverages *= self._weights[rows]
            s = self._predict(rows, X, vector)
            of_s, of_c = information_slope_rows(s, float(c[0]), float(d[0]), torch)  # type: ignore[arg-type]
            slopes[layout.share] += (leverages * of_c).sum()
            slopes[layout.predictor] += (leverages * of_s) @ X
        found: Array = slopes.cpu().numpy()
        return found

    def _predict(self, rows: slice, X: Any, vector: Any) -> Any:
        """Linear predictors of some rows."""
        return X @ vector if self._known is None else X @ vector + self._known[rows]

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Evaluate the model columns, intercept first, block by block."""
        n, q = self._places.shape[1], self._design.layout.of_predictors.size
        size = max(1, BLOCK_CELLS // q)
        for start in range(0, n, size):
            rows = slice(start, min(start + size, n))
            yield rows, self._columns(rows, q)

    def _columns(self, rows: slice, q: int) -> Any:
        X = self._places.new_empty((rows.stop - rows.start, q))
        alone = self._design.layout.of_predictors
        X[:, alone.intercept] = 1.0
        columns = X[:, alone.coefficients]  # a view
        columns[:, self._design.columns_of(self._design.dense_terms)] = self._dense[rows]
        blocks = [self._design.blocks[number] for number in self._design.local_terms]
        for places, table, block in zip(self._places, self._tables, blocks, strict=True):
            columns[:, block] = _polynomials(places[rows], *table)
        return X

    def _on_device(self, values: Any) -> Any:
        return load_torch().as_tensor(np.ascontiguousarray(values), device=self._places.device)


def _add_derivatives(layout: Layout, X: Any, parts: SaturatingRows, score: Any, information: Any) -> None:
    """Add what some rows contribute to the score, and to the upper half of the information."""
    share, predictor = layout.share, layout.predictor
    score[share] += parts.score_c.sum()
    score[predictor] += parts.score_s @ X
    information[share, share] += parts.info_cc.sum()
    information[share, predictor] += parts.info_sc @ X
    information[predictor, predictor] += X.T @ (X * parts.info_ss[:, None])


def _polynomials(t: Any, breaks: Any, origins: Any, coefficients: Any) -> Any:
    """Columns of a term that is a polynomial between breaks, at places t, by Horner's rule."""
    torch = load_torch()
    interval = torch.bucketize(t, breaks, right=True)
    missing = torch.isnan(t)
    offset = torch.where(missing, 0.0, t - origins[interval])[:, None]
    interval = torch.where(missing, coefficients.shape[1] - 1, interval)
    values = coefficients[-1][interval]
    for power in range(len(coefficients) - 2, -1, -1):
        values = torch.addcmul(coefficients[power][interval], values, offset)
    return values
