"""Many symmetric systems at once, kept where the sums were taken: here, in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood import to_logit_pi
from pugam.linear_algebra import Factor, factorize, solve_factorized

__all__ = ["MemoryHessians"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]


class MemoryHessians:
    """Penalised information matrices of B climbs, shape (B, q, q); see `protocol.Hessians`."""

    def __init__(self, layout: Layout, matrices: Array, factors: list[Factor | None] | None = None) -> None:
        self._layout, self._matrices = layout, matrices
        self._factors = factors or [None] * len(matrices)  # of systems that were solved before, undamped and whole

    @classmethod
    def assemble(
        cls, layout: Layout, information: Array, slope: Array, corner: Array, diagonal: Array
    ) -> MemoryHessians:
        """Bring information from log c to logit pi and add what penalty and prior contribute; see `ResampledRows`."""
        places = np.arange(information.shape[1])
        to_logit_pi(layout, information, slope, corner)
        information[:, places, places] += diagonal
        return cls(layout, information)

    def take(self, numbers: Numbers) -> MemoryHessians:
        """Return the systems of these numbers."""
        return MemoryHessians(self._layout, self._matrices[numbers], [self._factors[number] for number in numbers])

    def put(self, numbers: Numbers, others: MemoryHessians) -> None:
        """Replace the systems of these numbers."""
        self._matrices[numbers] = others._matrices
        for number, factor in zip(numbers, others._factors, strict=True):
            self._factors[number] = factor

    def solve(self, numbers: Numbers, rhs: Array, damping: Array, share_fixed: Flags) -> tuple[Array, Flags]:
        """Solve some of the systems; see `protocol.Hessians`."""
        solutions, definite = np.zeros_like(rhs), np.ones(len(rhs), dtype=bool)
        for place, number in enumerate(numbers):
            free = self._layout.free(share_fixed=bool(share_fixed[place]))
            factor = self._factor(number, float(damping[place]), free)
            definite[place] = factor is not None
            if factor is not None:
                solutions[place, free] = solve_factorized(factor, rhs[place, free])
        return solutions, definite

    def _factor(self, number: np.intp, damping: float, free: slice) -> Factor | None:
        if damping > 0.0 or free.start:
            return factorize(self._matrices[number, free, free], damping)
        if self._factors[number] is None:
            self._factors[number] = factorize(self._matrices[number])
        return self._factors[number]
