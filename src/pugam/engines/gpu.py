"""The engine for a GPU: many parameter vectors or many weightings at a time, with PyTorch in double precision.

Starts, candidates for the smoothing parameter and the refits of a bootstrap are such batches. What comes singly is left
to the engine in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.engines.memory import MemoryEngine
from pugam.engines.protocol import Counts
from pugam.errors import InputError
from pugam.likelihood import Scores, Sums, label_frequency
from pugam.terms import Design

__all__ = ["GpuEngine", "GpuHessians", "GpuResampledRows"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]

PRODUCT_BYTES = 8 * 2**30  # products of columns, as many as fit into this part of the device's memory at a time
MOST_RESAMPLES, RESAMPLED_CELLS = 1024, 200_000_000  # weightings summed at once; fewer where the rows are many
RIDGE, FLOOR = 1e-11, 1e-100  # as in `linear_algebra`
MANY_VECTORS = 8  # as many parameter vectors are worth the way to the device
LOWEST_VALUE = -1e300
SMALLEST, SMALLEST_SQUARABLE = float(np.finfo(np.float64).tiny), 1e-150


def load_torch() -> Any:
    """Import PyTorch, or say how to get it."""
    try:
        import torch
    except ImportError:
        raise InputError("engine='gpu' needs PyTorch; install it with pip install 'pugam[gpu]'.") from None
    return torch


def choose_device() -> Any:
    """Return the GPU, or say that there is none."""
    torch = load_torch()
    if not torch.cuda.is_available():
        raise InputError("engine='gpu' needs a GPU that PyTorch can use, and there is none here; use engine='memory'.")
    return torch.device("cuda")


class GpuEngine(MemoryEngine):
    """Rows held in memory, and on the GPU too for resamples.

    Parameters
    ----------
    device : torch.device, optional
        None stands for the GPU; a CPU device serves for tests.
    **rows
        As of `MemoryEngine`.
    """

    name = "gpu"

    def __init__(self, *rows: Any, device: Any = None, **options: Any) -> None:
        self.device = choose_device() if device is None else device
        self._tensors: dict[str, Any] = {}
        super().__init__(*rows, **options)

    def sums(self, pi: Array, b: Array, observed: bool = False) -> Sums:
        """Value, score and expected (or observed) information of the profile likelihood in (log c, a, theta)."""
        if len(b) < MANY_VECTORS:
            return super().sums(pi, b, observed)
        found = GpuResampledRows.unweighted(self).sums(pi, b, observed)
        information: Any = found.information
        return Sums(found.value, found.score, information.cpu().numpy())

    @property
    def most_resamples(self) -> int:
        """How many weightings are worth summing at once."""
        return max(1, min(MOST_RESAMPLES, RESAMPLED_CELLS // self.n_rows))

    def resampled(self, counts: Counts) -> GpuResampledRows:  # type: ignore[override]
        """Return the same rows under B weightings: how often each row counts, shape (B, n_rows)."""
        return GpuResampledRows.under(self, counts)

    def redesigned(self, design: Design, terms: Sequence[int]) -> GpuEngine:
        """Return an engine over the same rows for another design, of those of its terms with these numbers."""
        encoded = [self.encoded[number] for number in terms]
        return GpuEngine(design, encoded, self.positive, self.weights, self.n_threads, device=self.device)

    def reweighted(self, counts: Counts) -> GpuEngine:
        """Return an engine over the same rows in which each counts so many times, shape (n_rows,)."""
        other = super().reweighted(counts)
        assert isinstance(other, GpuEngine)
        other._tensors = {}
        return other

    def tensors(self) -> dict[str, Any]:
        """Model columns, labels and products of columns on the device, made once."""
        if not self._tensors:
            torch = load_torch()
            X = self.design.matrix(self.encoded)
            columns = torch.as_tensor(X, device=self.device)
            first, second = torch.triu_indices(X.shape[1], X.shape[1], device=self.device)
            self._tensors = {
                "X": columns,
                "positive": torch.as_tensor(self.positive, device=self.device),
                "weights": torch.as_tensor(
                    np.ones(len(X)) if self.weights is None else self.weights, device=self.device
                ),
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
        m, h, odds, tilt, scores = self._rows(pi, b)
        positive, torch = self._engine.tensors()["positive"], load_torch()
        if observed:
            info_cc = torch.where(positive, 0.0, odds * (1.0 + odds))
            info_sc = torch.where(positive, 0.0, tilt * (1.0 + odds))
            info_ss = torch.where(positive, m * h, tilt * (h - m + tilt))
        else:
            info_cc, info_sc, info_ss = odds, tilt, tilt * h
        information = self._information(info_ss, info_sc, info_cc)
        value, score = self._sum_scores(*scores)
        return Sums(value, score, information)

    def scores(self, pi: Array, b: Array) -> Scores:
        """Value and score alone, which cost much less."""
        return Scores(*self._sum_scores(*self._rows(pi, b)[-1]))

    def hessians(self, information: Any, slope: Array, corner: Array, diagonal: Array) -> GpuHessians:
        """Make systems of the information."""
        slopes = self._on_device(slope)[:, None]
        information[:, 0, :] *= slopes
        information[:, :, 0] *= slopes
        information[:, 0, 0] -= self._on_device(corner)
        information.diagonal(dim1=1, dim2=2).add_(self._on_device(diagonal))
        return GpuHessians(information)

    def _rows(self, pi: Array, b: Array) -> tuple[Any, Any, Any, Any, tuple[Any, Any, Any]]:
        """The likelihood of all rows as in `likelihood.rows`."""
        torch, tensors = load_torch(), self._engine.tensors()
        c, d = (self._on_device(part)[:, None] for part in label_frequency(pi, self.n0, self.n1))
        positive = tensors["positive"]
        s = self._on_device(b) @ tensors["X"].T
        m, h = torch.special.expit(s), torch.special.expit(-s)
        unlabelled = h + d * m
        value = torch.log(torch.where(positive, c * m, unlabelled)).clamp_min(LOWEST_VALUE)
        odds = c * m / unlabelled.clamp_min(SMALLEST_SQUARABLE)
        tilt = c * m * (h / unlabelled.clamp_min(SMALLEST))
        scores = (value, torch.where(positive, h, -tilt), torch.where(positive, 1.0, -odds))
        return m, h, odds, tilt, scores

    def _sum_scores(self, value: Any, score_s: Any, score_c: Any) -> tuple[Array, Array]:
        torch, weights = load_torch(), self._weights
        sums = torch.cat(
            [
                (value * weights).sum(1, keepdim=True),
                (score_c * weights).sum(1, keepdim=True),
                (score_s * weights) @ self._engine.tensors()["X"],
            ],
            dim=1,
        )
        together: Array = sums.cpu().numpy()
        return together[:, 0], together[:, 1:].copy()

    def _information(self, info_ss: Any, info_sc: Any, info_cc: Any) -> Any:
        torch, tensors, weights = load_torch(), self._engine.tensors(), self._weights
        X, first, second = tensors["X"], tensors["first"], tensors["second"]
        q = 1 + X.shape[1]
        weighted = info_ss * weights
        information = torch.empty((len(weighted), q, q), dtype=torch.float64, device=X.device)
        information[:, 0, 0] = (info_cc * weights).sum(1)
        edge = (info_sc * weights) @ X
        information[:, 0, 1:] = edge
        information[:, 1:, 0] = edge
        if "products" in tensors:
            grams = weighted @ tensors["products"]
            information[:, 1 + first, 1 + second] = grams
            information[:, 1 + second, 1 + first] = grams
        else:
            for number, row in enumerate(weighted):
                information[number, 1:, 1:] = (X * row[:, None]).T @ X
        return information

    def _on_device(self, values: Any) -> Any:
        return load_torch().as_tensor(np.ascontiguousarray(values), device=self._engine.device)


class GpuHessians:
    """Penalised information matrices of B climbs on the device; see `protocol.Hessians`."""

    def __init__(self, matrices: Any) -> None:
        self._matrices = matrices

    def take(self, numbers: Numbers) -> GpuHessians:
        """Return the systems of these numbers."""
        return GpuHessians(self._matrices[self._on_device(numbers)])

    def put(self, numbers: Numbers, others: GpuHessians) -> None:
        """Replace the systems of these numbers."""
        self._matrices[self._on_device(numbers)] = others._matrices

    def solve(self, numbers: Numbers, rhs: Array, damping: Array, held: Flags) -> tuple[Array, Flags]:
        """Solve some of the systems by Cholesky factors of all at once; see `protocol.Hessians`."""
        torch = load_torch()
        matrices = self._matrices[self._on_device(numbers)]
        diagonal = matrices.diagonal(dim1=1, dim2=2).clone()
        scale = (diagonal * (1.0 + RIDGE + self._on_device(damping)[:, None]) + FLOOR).clamp_min(FLOOR).rsqrt()
        scaled = matrices * scale[:, :, None] * scale[:, None, :]
        scaled.diagonal(dim1=1, dim2=2).fill_(1.0)
        right = self._on_device(rhs) * scale
        # Where the first entry is held its equation reads x = 0.
        fixed = self._on_device(np.flatnonzero(held))
        scaled[fixed, 0, 1:], scaled[fixed, 1:, 0], right[fixed, 0] = 0.0, 0.0, 0.0
        lower, info = torch.linalg.cholesky_ex(scaled)
        solutions = torch.cholesky_solve(right[:, :, None], lower)[:, :, 0] * scale
        negative = diagonal.clone()
        negative[fixed, 0] = 0.0
        definite = (info == 0) & (negative >= 0.0).all(1)
        return np.where(definite.cpu().numpy()[:, None], solutions.cpu().numpy(), 0.0), definite.cpu().numpy()

    def _on_device(self, values: Any) -> Any:
        return load_torch().as_tensor(np.ascontiguousarray(values), device=self._matrices.device)
