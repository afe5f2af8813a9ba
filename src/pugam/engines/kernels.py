"""Compiled loops over rows whose model columns are polynomials on one interval at a time.

Within its interval every function of a term is a polynomial of the offset u from the interval's origin. All that sums
over rows need to know of a term is therefore, for each interval, the moments sum w u^a (a = 0 to 3), and of two terms,
for each pair of intervals, the sixteen moments sum w u^a v^b. The sixteen lie side by side, so a row adds to them
with two wide instructions, whatever the number of functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from pugam.engines.compiling import compiled
from pugam.terms import POWERS

__all__ = ["add_first_moments", "add_forms", "add_second_moments", "evaluate", "fill_gram", "locate"]

CHUNK = 512  # rows whose powers are kept at a time: those of two terms fit into the first-level cache
FARTHEST_OFFSET = 1e50  # offsets whose sixth power is finite: rows further out are as certain as these


def _vector(builder: Any, array: Any, position: Any, length: int) -> Any:
    """Point at so many numbers of an array as one vector."""
    pointer = ir.VectorType(ir.DoubleType(), length).as_pointer()
    return builder.bitcast(builder.gep(array.data, [position]), pointer)


def _spread(builder: Any, vector: Any, lanes: list[int]) -> Any:
    """Make a vector of the entries of another one at these places."""
    places = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), places)


@intrinsic
def _add_outer_product(typing: Any, target: Any, at: Any, left: Any, at_left: Any, right: Any, at_right: Any) -> Any:
    """target[at + 4 a + b] += left[at_left + a] * right[at_right + b] for a, b < 4.

    Written out in vectors of eight: the compiler does not see by itself that these sixteen sums are independent.
    """
    signature = types.void(target, types.uint64, left, types.uint64, right, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays = [
            context.make_array(signature.args[number])(context, builder, arguments[number]) for number in (0, 2, 4)
        ]
        factors = [
            builder.load(_vector(builder, array, arguments[place], POWERS), align=8)
            for array, place in zip(arrays[1:], (3, 5), strict=True)
        ]
        columns = _spread(builder, factors[1], [0, 1, 2, 3, 0, 1, 2, 3])
        for half in (0, 1):
            rows = _spread(builder, factors[0], [2 * half] * 4 + [2 * half + 1] * 4)
            place = builder.add(arguments[1], ir.Constant(ir.IntType(64), 8 * half))
            cells = _vector(builder, arrays[0], place, 8)
            product = builder.fmul(rows, columns, flags=("contract",))
            builder.store(builder.fadd(product, builder.load(cells, align=8), flags=("contract",)), cells, align=8)
        return context.get_dummy_value()

    return signature, generate


@compiled
def locate(places: Any, cells: Any, breaks: Any, origins: Any, missing: int, intervals: Any, offsets: Any) -> None:
    """Find the interval of every value of a term, and its offset there.

    Parameters
    ----------
    places : array of shape (n,)
    cells : int array of shape (n_cells,)
        For a grid of cells of equal width over [0, 1]: the interval at the left end of each.
    breaks : array of shape (most_intervals,)
        The right end of each interval; infinite for the last.
    origins : array of shape (most_intervals,)
    missing : int
        The interval of missing values.
    intervals, offsets : arrays of shape (n,)
        Written to.
    """
    n_cells = len(cells)
    for row in range(len(places)):
        t = places[row]
        if t != t:
            intervals[row], offsets[row] = missing, 0.0
            continue
        t = min(max(t, -FARTHEST_OFFSET), FARTHEST_OFFSET)
        i = 0
        if t >= 1.0:
            i = cells[n_cells - 1]
        elif t >= 0.0:
            i = cells[int(t * n_cells)]
        while t >= breaks[i]:
            i += 1
        while i > 0 and t < breaks[i - 1]:  # rounding may have led into the cell after
            i -= 1
        intervals[row], offsets[row] = i, t - origins[i]


@compiled
def evaluate(intervals: Any, offsets: Any, coefficients: Any, out: Any) -> None:
    """Add the effects of all terms to out, shape (n,); coefficients by rising power, shape (p, most_intervals, 4)."""
    for j in range(intervals.shape[0]):
        for row in range(intervals.shape[1]):
            i, u = intervals[j, row], offsets[j, row]
            c = coefficients[j, i]
            out[row] += c[0] + u * (c[1] + u * (c[2] + u * c[3]))


@compiled
def add_first_moments(intervals: Any, offsets: Any, weights: Any, moments: Any) -> None:
    """Add the powers of every row's offsets, under four weightings at once, to the moments of every term.

    Parameters
    ----------
    intervals, offsets : arrays of shape (p, n)
    weights : array of shape (4 n,)
        Four weights of each row, side by side.
    moments : array of shape (p, 16 * most_intervals)
        By interval, weighting and power.
    """
    p, n = intervals.shape
    powers = np.empty(POWERS * CHUNK)
    for first in range(0, n, CHUNK):
        size = min(CHUNK, n - first)
        for j in range(p):
            _raise_to_powers(offsets[j], first, size, powers)
            of_term = moments[j]
            for row in range(size):
                block, here = np.uint64(intervals[j, first + row]), np.uint64(POWERS * row)
                place = np.uint64(POWERS * (first + row))
                _add_outer_product(of_term, np.uint64(16) * block, weights, place, powers, here)  # type: ignore[call-arg]


@compiled
def _raise_to_powers(offsets: Any, first: int, size: int, powers: Any) -> None:
    for row in range(size):
        u, at = offsets[first + row], POWERS * row
        powers[at], powers[at + 1], powers[at + 2], powers[at + 3] = 1.0, u, u * u, u * u * u


@compiled
def add_second_moments(intervals: Any, offsets: Any, weights: Any, starts: Any, strides: Any, moments: Any) -> None:
    """Add every row's weight times the products of powers of two offsets, for every pair of terms.

    Parameters
    ----------
    intervals, offsets : arrays of shape (p, n)
    weights : array of shape (n,)
    starts, strides : uint64 arrays of shape (p, p)
        Where a pair's moments begin, and how many blocks of sixteen apart neighbouring intervals of the first term are.
    moments : array, one-dimensional
    """
    p, n = intervals.shape
    powers, weighted = np.empty((p, POWERS * CHUNK)), np.empty(POWERS * CHUNK)
    for first in range(0, n, CHUNK):
        size = min(CHUNK, n - first)
        for j in range(p):
            _raise_to_powers(offsets[j], first, size, powers[j])
        for j in range(p):
            for row in range(size):
                w, at = weights[first + row], POWERS * row
                for a in range(POWERS):
                    weighted[at + a] = w * powers[j, at + a]
            for k in range(j, p):
                start, stride, others = starts[j, k], strides[j, k], powers[k]
                for row in range(size):
                    block = np.uint64(intervals[j, first + row]) * stride + np.uint64(intervals[k, first + row])
                    here = np.uint64(POWERS * row)
                    _add_outer_product(moments, start + np.uint64(16) * block, weighted, here, others, here)  # type: ignore[call-arg]


@compiled
def add_forms(intervals: Any, offsets: Any, coefficients: Any, starts: Any, strides: Any, out: Any) -> None:
    """Add polynomials in two offsets, for every pair of terms, to out, shape (n,).

    Parameters
    ----------
    intervals, offsets, starts, strides
        As of `add_second_moments`.
    coefficients : array, one-dimensional
        What the products of powers are multiplied with, in the order of the moments.
    """
    p, n = intervals.shape
    for first in range(0, n, CHUNK):
        last = min(first + CHUNK, n)
        for j in range(p):
            for k in range(j, p):
                start, stride = starts[j, k], strides[j, k]
                for row in range(first, last):
                    u, v = offsets[j, row], offsets[k, row]
                    block = np.uint64(intervals[j, row]) * stride + np.uint64(intervals[k, row])
                    at, total = start + np.uint64(16) * block, 0.0
                    for a in range(POWERS - 1, -1, -1):
                        here = at + np.uint64(POWERS * a)
                        c0, c1 = coefficients[here], coefficients[here + np.uint64(1)]
                        c2, c3 = coefficients[here + np.uint64(2)], coefficients[here + np.uint64(3)]
                        total = total * u + (c0 + v * (c1 + v * (c2 + v * c3)))
                    out[row] += total


@compiled
def fill_gram(moments: Any, starts: Any, strides: Any, matrices: Any, places: Any, blocks: Any, gram: Any) -> None:
    """Work out the products of all columns that the moments of pairs of terms amount to.

    Parameters
    ----------
    moments, starts, strides
        As of `add_second_moments`.
    matrices : array, one-dimensional
        Coefficients of the columns of all terms, each by interval, power and column.
    places : int array of shape (p + 1,)
        Where those of each term begin.
    blocks : int array of shape (p + 1,)
        Where the columns of each term begin in the Gram matrix, whose first one is the intercept.
    gram : array of shape (q, q)
        Written to.
    """
    p = len(blocks) - 1
    gram[0, 0] = 0.0
    for i in range((places[1] - places[0]) // (POWERS * (blocks[1] - blocks[0]))):
        gram[0, 0] += moments[int(starts[0, 0]) + 16 * i]
    for j in range(p):
        left = matrices[places[j] : places[j + 1]].reshape((-1, blocks[j + 1] - blocks[j]))
        for k in range(j, p):
            right = matrices[places[k] : places[k + 1]].reshape((-1, blocks[k + 1] - blocks[k]))
            halfway = np.zeros((len(left), right.shape[1]))
            _multiply_moments(moments, int(starts[j, k]), int(strides[j, k]), right, halfway)
            for column in range(left.shape[1]):
                for other in range(right.shape[1]):
                    product = 0.0
                    for row in range(len(left)):
                        product += left[row, column] * halfway[row, other]
                    gram[blocks[j] + column, blocks[k] + other] = gram[blocks[k] + other, blocks[j] + column] = product
            if k == j:
                for other in range(right.shape[1]):
                    total = 0.0
                    for row in range(0, len(left), POWERS):
                        total += halfway[row, other]
                    gram[0, blocks[j] + other] = gram[blocks[j] + other, 0] = total


@compiled
def _multiply_moments(moments: Any, start: int, stride: int, right: Any, out: Any) -> None:
    """Add the moments of two terms, of one with itself where the stride is zero, times the matrix of the second."""
    n_left, n_right = len(out) // POWERS, len(right) // POWERS
    for i in range(n_left):
        first, last = (i, i + 1) if stride == 0 else (0, n_right)
        for l in range(first, last):
            at = start + 16 * (i * stride + l)
            for a in range(POWERS):
                for b in range(POWERS):
                    moment = moments[at + POWERS * a + b]
                    if moment != 0.0:
                        for column in range(right.shape[1]):
                            out[POWERS * i + a, column] += moment * right[POWERS * l + b, column]
