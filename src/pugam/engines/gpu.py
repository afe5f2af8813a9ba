"""The engine for a GPU: many parameter vectors or many weightings at a time, with PyTorch in double precision.

Starts, candidates for the smoothing parameter and the refits of a bootstrap are such batches. A single parameter
vector goes to the device where the rows are many, and is left to the engine in memory otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.engines.device import DeviceRows, choose_device, likelihood_on_device, load_torch
from pugam.engines.memory import MemoryEngine
from pugam.engines.protocol import Counts, Sources
from pugam.layout import Layout
from pugam.likelihood import Scores, Sums, label_frequency, to_logit_pi
from pugam.linear_algebra import FLOOR, RIDGE
from pugam.terms import Design

__all__ = ["GpuEngine", "GpuHessians", "GpuResampledRows"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]

PRODUCT_BYTES = 8 * 2**30  # products of columns, as many as fit into this part of the device's memory at a time
MANY_VECTORS = 8  # as many parameter vectors are worth the way to the device
MANY_PRODUCTS = 2_000_000_000  # so are so many products of cells for a single one
MOST_CELLS = 2**29  # model columns are kept on the device up to this number of cells, 4 GiB


class GpuEngine(MemoryEngine):
    """Rows kept in memory, and on the GPU too for batches of parameters or weightings, and for sums over many rows.

    Parameters
    ----------
    device : torch.device, optional
        None stands for the GPU; a CPU device serves for tests.
    *rows, **options
        As of `MemoryEngine`.
    """

    name = "gpu"
    most_weightings, most_weighted_rows = 1024, 200_000_000

    def __init__(self, *rows: Any, device: Any = None, **options: Any) -> None:
        self.device = choose_device() if device is None else device
        self._tensors: dict[str, Any] = {}
        super().__init__(*rows, **options)

    def _sums(self, pi: Array, b: Array, observed: bool) -> Sums:
        q = 1 + self.design.n_columns
        if len(b) >= MANY_VECTORS and self.n_rows * q <= MOST_CELLS and self.n_rows * len(b) <= self.most_weighted_rows:
            found = GpuResampledRows.unweighted(self).sums(pi, b, observed)
            information: Any = found.information
            return Sums(found.value, found.score, information.cpu().numpy())
        if self.n_rows * q**2 >= MANY_PRODUCTS:
            return self._device_rows.sums(*label_frequency(pi, self.n0, self.n1), b, observed)
        return super()._sums(pi, b, observed)

    def trace_slopes(self, pi: Array, b: Array, matrix: Array) -> Array:
        """How the trace of a matrix times the expected information in (a, theta) changes."""
        if self.n_rows * b.shape[1] ** 2 < MANY_PRODUCTS:
            return super().trace_slopes(pi, b, matrix)
        return self._device_rows.trace_slopes(*label_frequency(pi, self.n0, self.n1), b, matrix)

    @cached_property
    def _device_rows(self) -> DeviceRows:
        torch = load_torch()
        design, encoded = self.design, self.encoded
        places = np.empty((len(design.local_terms), self.n_rows))
        for place, number in zip(places, design.local_terms, strict=True):
            place[:] = design.bases[number].places(encoded[number])
        dense = np.hstack([np.empty((self.n_rows, 0)), *design.columns_by_term(design.dense_terms, encoded)])
        parts = (places, dense, self.positive, self.weights, design.known(encoded))
        return DeviceRows(
            design, *(None if values is None else torch.as_tensor(values, device=self.device) for values in parts)
        )

    def resampled(self, counts: Counts) -> GpuResampledRows:  # type: ignore[override]
        """Return the same rows under B weightings: how often each row counts, shape (B, n_rows)."""
        return GpuResampledRows.under(self, counts)

    def redesigned(self, design: Design, terms: Sequence[Sources], once: bool = False) -> GpuEngine:
        """Return an engine over the same rows for another design, of those of its terms with these numbers."""
        encoded = self._encoded_for(terms)
        other = GpuEngine(design, encoded, self.positive, self.weights, self.n_threads, once=once, device=self.device)
        return other.coded(self.codes, self.negatives and self.negatives.redesigned(design, terms, once))

    def reweighted(self, counts: Counts) -> GpuEngine:
        """Return an engine over the same rows in which each counts so many times, shape (n_rows,)."""
        other = super().reweighted(counts)
        assert isinstance(other, GpuEngine)
        other._tensors = {}
        other.__dict__.pop("_device_rows", None)
        return other

    @property
    def n_side_by_side(self) -> int:
        """One: it has the whole device."""
        return 1

    def tensors(self) -> dict[str, Any]:
        """Model columns, labels and products of columns on the device, made once."""
        if not self._tensors:
            torch = load_torch()
            X, known = self.design.matrix(self.encoded), self.design.known(self.encoded)
            columns = torch.as_tensor(X, device=self.device)
            first, second = torch.triu_indices(X.shape[1], X.shape[1], device=self.device)
            self._tensors = {
                "X": columns,
                "positive": torch.as_tensor(self.positive, device=self.device),
                "weights": torch.as_tensor(
                    np.ones(len(X)) if self.weights is None else self.weights, device=self.device
                ),
                "known": torch.as_tensor(np.zeros(1) if known is None else known, device=self.device),
                "first": first,
                "second": second,
            }
            if 8 * len(first) * len(X) <= PRODUCT_BYTES:
                self._tensors["products"] = columns[:, first] * columns[:, second]
        return self._tensors


class GpuResampledRows:
    """An engine's rows under B weightings, on the device; see `protocol.ResampledRows`."""

    def __init__(self, engine: GpuEngine, weights: Any, n0: Array, n1: Array) -> None:
        self._engine, self._weights, self.n0, self.n1 = engine, weights, n0, n1
        self.layout = engine.design.layout

    @classmethod
    def under(cls, engine: GpuEngine, counts: Counts) -> GpuResampledRows:
        """Bring weightings to the device: how often each row counts, shape (B, n_rows)."""
        torch, tensors = load_torch(), engine.tensors()
        weights = torch.as_tensor(np.asarray(counts), device=engine.device).to(torch.float64)
        weights = weights * tensors["weights"]
        labelled = tensors["positive"].to(torch.float64)
        return cls(engine, weights, (weights @ labelled).cpu().numpy(), (weights @ (1.0 - labelled)).cpu().numpy())

    @classmethod
    def unweighted(cls, engine: GpuEngine) -> GpuResampledRows:
        """The rows as they are, under a single weighting that all parameter vectors share."""
        weights = engine.tensors()["weights"][None]
        return cls(engine, weights, np.array([engine.n0]), np.array([engine.n1]))

    def take(self, numbers: Numbers) -> GpuResampledRows:
        """Return the weightings of these numbers only."""
        weights = self._weights[self._on_device(numbers)]
        return GpuResampledRows(self._engine, weights, self.n0[numbers], self.n1[numbers])

    def sums(self, pi: Array, b: Array, observed: bool = False) -> Sums:
        """Value, score and expected (or observed) information; the information stays on the device."""
        value, score_s, score_c, *information = self._rows(pi, b, observed)
        return Sums(*self._sum_scores(value, score_s, score_c), self._information(*information))

    def scores(self, pi: Array, b: Array) -> Scores:
        """Value and score alone, which cost much less."""
        return Scores(*self._sum_scores(*self._rows(pi, b, False)[:3]))

    def hessians(self, information: Any, slope: Array, corner: Array, diagonal: Array) -> GpuHessians:
        """Make systems of the information."""
        to_logit_pi(self.layout, information, self._on_device(slope), self._on_device(corner))
        information.diagonal(dim1=1, dim2=2).add_(self._on_device(diagonal))
        return GpuHessians(self.layout, information)

    def _rows(self, pi: Array, b: Array, observed: bool) -> tuple[Any, ...]:
        """The likelihood of all rows, shape (B, n) each."""
        tensors = self._engine.tensors()
        c, d = (self._on_device(part)[:, None] for part in label_frequency(pi, self.n0, self.n1))
        s = self._on_device(b) @ tensors["X"].T + tensors["known"]
        return likelihood_on_device(tensors["positive"], s, c, d, observed)

    def _sum_scores(self, value: Any, score_s: Any, score_c: Any) -> tuple[Array, Array]:
        weights, values = self._weights, (value * self._weights).sum(1)
        packed = values.new_empty((len(values), 1 + self.layout.size))  # fetched once, which is faster than twice
        packed[:, 0], score = values, packed[:, 1:]
        score[:, self.layout.share] = (score_c * weights).sum(1)
        score[:, self.layout.predictor] = (score_s * weights) @ self._engine.tensors()["X"]
        together: Array = packed.cpu().numpy()
        return together[:, 0], together[:, 1:].copy()

    def _information(self, info_ss: Any, info_sc: Any, info_cc: Any) -> Any:
        tensors, weights, q = self._engine.tensors(), self._weights, self.layout.size
        share, predictor = self.layout.share, self.layout.predictor
        X, weighted = tensors["X"], info_ss * weights
        information = X.new_empty((len(weighted), q, q))
        information[:, share, share] = (info_cc * weights).sum(1)
        information[:, share, predictor] = edge = (info_sc * weights) @ X
        information[:, predictor, share] = edge
        self._fill_grams(weighted, information[:, predictor, predictor])
        return information

    def _fill_grams(self, weighted: Any, out: Any) -> None:
        """Write X' diag(w) X for every row w, by products of columns where these are kept."""
        tensors = self._engine.tensors()
        if "products" in tensors:
            first, second = tensors["first"], tensors["second"]
            grams = weighted @ tensors["products"]
            out[:, first, second] = grams
            out[:, second, first] = grams
        else:
            for row, gram in zip(weighted, out, strict=True):
                gram[:] = (tensors["X"] * row[:, None]).T @ tensors["X"]

    def _on_device(self, values: Any) -> Any:
        return load_torch().as_tensor(np.ascontiguousarray(values), device=self._engine.device)


class GpuHessians:
    """Penalised information matrices of B climbs on the device; see `protocol.Hessians`."""

    def __init__(self, layout: Layout, matrices: Any) -> None:
        self._layout, self._matrices = layout, matrices

    def take(self, numbers: Numbers) -> GpuHessians:
        """Return the systems of these numbers."""
        return GpuHessians(self._layout, self._matrices[self._on_device(numbers)])

    def put(self, numbers: Numbers, others: GpuHessians) -> None:
        """Replace the systems of these numbers."""
        self._matrices[self._on_device(numbers)] = others._matrices

    def solve(self, numbers: Numbers, rhs: Array, damping: Array, share_fixed: Flags) -> tuple[Array, Flags]:
        """Solve some of the systems by Cholesky factors of all at once; see `protocol.Hessians`."""
        torch = load_torch()
        matrices = self._matrices[self._on_device(numbers)]
        diagonal = matrices.diagonal(dim1=1, dim2=2).clone()
        scale = (diagonal * (1.0 + RIDGE + self._on_device(damping)[:, None]) + FLOOR).clamp_min(FLOOR).rsqrt()
        scaled = matrices * scale[:, :, None] * scale[:, None, :]
        scaled.diagonal(dim1=1, dim2=2).fill_(1.0)
        right = self._on_device(rhs) * scale
        # Where the share is fixed its equation reads x = 0.
        fixed, share, predictor = (
            self._on_device(np.flatnonzero(share_fixed)),
            self._layout.share,
            self._layout.predictor,
        )
        scaled[fixed, share, predictor], scaled[fixed, predictor, share], right[fixed, share] = 0.0, 0.0, 0.0
        lower, info = torch.linalg.cholesky_ex(scaled)
        solutions = torch.cholesky_solve(right[:, :, None], lower)[:, :, 0] * scale
        negative = diagonal.clone()
        negative[fixed, share] = 0.0
        definite = (info == 0) & (negative >= 0.0).all(1)
        return np.where(definite.cpu().numpy()[:, None], solutions.cpu().numpy(), 0.0), definite.cpu().numpy()

    def _on_device(self, values: Any) -> Any:
        return load_torch().as_tensor(np.ascontiguousarray(values), device=self._matrices.device)
