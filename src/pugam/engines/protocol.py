"""What a solver may ask of the rows: sums for given parameters, never the rows themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from pugam.engines.pilots import ShownRows
from pugam.layout import Layout
from pugam.likelihood import Scores, Sums
from pugam.terms import Design, Encoded

__all__ = ["Counts", "Engine", "EngineName", "Expectation", "Hessians", "OfRows", "ResampledRows", "Sources"]

Array = NDArray[np.float64]
EngineName = Literal["auto", "memory", "stream", "dask", "gpu"]  # as users ask for them
Sources = int | tuple[int, ...]  # number of a term, or of several
OfRows = Callable[..., Any]  # of columns, codes and weights of a block, and of what is shared
Counts = NDArray[np.integer] | NDArray[np.float64]  # how often rows count; fractions where weights are frequencies


class Expectation(Protocol):
    """Expected labels, kept where the rows are; only their sum is seen outside."""

    @property
    def hidden_positives(self) -> Array:
        """Weighted sum of the expected labels over the unlabelled rows, shape (B,)."""
        ...


class Hessians(Protocol):
    """Penalised information matrices of B climbs, kept where they were summed: only what they solve is seen outside."""

    def take(self, numbers: NDArray[np.intp]) -> Self:
        """Return the systems of these numbers."""
        ...

    def put(self, numbers: NDArray[np.intp], others: Self) -> None:
        """Replace the systems of these numbers."""
        ...

    def solve(
        self, numbers: NDArray[np.intp], rhs: Array, damping: Array, share_fixed: NDArray[np.bool_]
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Solve (H + damping diag H) x = rhs for the systems of m numbers, rhs of shape (m, q).

        Where told, the share's entry of x is kept at zero. Also returns which systems are positive definite; solutions
        of the others mean nothing.
        """
        ...


class ResampledRows(Protocol):
    """Sums over the same rows under B weightings at once, one for each parameter vector.

    `b` has shape (B, 1 + p) and `pi` shape (B,), or one vector that all weightings share.
    """

    @property
    def layout(self) -> Layout:
        """Where the parameters stand in sums."""
        ...

    @property
    def n0(self) -> Array:
        """Total weight of the labelled rows in each weighting, shape (B,)."""
        ...

    @property
    def n1(self) -> Array:
        """Total weight of the unlabelled rows in each weighting, shape (B,)."""
        ...

    def take(self, numbers: NDArray[np.intp]) -> ResampledRows:
        """Return the weightings of these numbers only."""
        ...

    def sums(self, pi: Array, b: Array, observed: bool = False) -> Sums:
        """Value, score and expected (or observed) information of the profile likelihood in (log c, a, theta).

        The information need not be a NumPy array: it is for `hessians`.
        """
        ...

    def scores(self, pi: Array, b: Array) -> Scores:
        """Value and score alone, which cost much less."""
        ...

    def hessians(self, information: Any, slope: Array, corner: Array, diagonal: Array) -> Hessians:
        """Make systems of the information in `Sums`, which is used up.

        Its coordinate log c is brought to another one whose derivative is `slope`, shape (B,); `corner`, shape (B,), is
        taken from that coordinate's entry on the diagonal and `diagonal`, shape (B, q), added to the diagonal.
        """
        ...


class Engine(Protocol):
    """Sums over all rows for B parameter vectors at once.

    `b` has shape (B, 1 + p): intercept a, then the coefficients theta; `pi` has shape (B,).
    """

    # ---- sums

    def sums(self, pi: Array, b: Array, observed: bool = False) -> Sums:
        """Value, score and expected (or observed) information of the profile likelihood in (log c, a, theta)."""
        ...

    def trace_slopes(self, pi: Array, b: Array, matrix: Array) -> Array:
        """How the trace of a matrix times the expected information in (a, theta) changes: shape (2 + p,).

        Derivatives in (log c, a, theta), for a single parameter vector and a symmetric matrix.
        """
        ...

    def expectation(self, pi: Array, b: Array) -> Expectation:
        """E-step: the expected labels of all rows."""
        ...

    def logistic_sums(self, labels: Expectation, b: Array) -> Sums:
        """Value, score and information of the M-step's logistic likelihood in (a, theta)."""
        ...

    def sum_groups(self, values: Array, groups: NDArray[np.integer], n_groups: int) -> Array:
        """Sum values times model columns, the intercept's ones first, over the rows of each group.

        Values have shape (k, n_rows), groups are numbers of shape (n_rows,), sums have shape (k, n_groups, 1 + p).
        """
        ...

    def sum_products(self, values: Array) -> Array:
        """Sum values of any sign, shape (n_rows,), times products of model columns, the intercept's ones first."""
        ...

    def sum_rows(self, of_block: OfRows, shared: tuple[Any, ...]) -> Any:
        """Add up what a function makes of blocks of rows, `of_block(X, codes, weights, *shared)`.

        For likelihoods of several samples, known negatives included. The function may be sent to other processes, and
        its results are added.
        """
        ...

    # ---- other engines over the same rows

    def redesigned(self, design: Design, terms: Sequence[Sources], once: bool = False) -> Engine:
        """Return an engine over the same rows for another design, for one pass over them or for many.

        Each of its terms reads what the term of ours with this number reads, or what several of one column each do.
        """
        ...

    def pilot(self, design: Design, n_rows: int, rng: np.random.Generator) -> Engine:
        """Return a smaller engine for a first look: another design of the same terms, on about `n_rows` rows.

        It may hold other shares of labelled and unlabelled rows: pi, alpha and the curves mean the same there, the
        intercept a does not.
        """
        ...

    def reweighted(self, counts: Counts) -> Engine:
        """Return an engine over the same rows in which each counts so many times, shape (n_rows,).

        Counts of known negatives may follow those of all other rows.
        """
        ...

    def resampled(self, counts: Counts) -> ResampledRows:
        """Return the same rows under B weightings: how often each row counts, shape (B, n_rows)."""
        ...

    def coded(self, codes: NDArray[np.int32] | None, negatives: Engine | None = None) -> Engine:
        """Return the same rows with other codes, and known negatives beside them."""
        ...

    # ---- what is known of the rows

    @property
    def design(self) -> Design:
        """The terms, as model columns."""
        ...

    @property
    def n0(self) -> float:
        """Number (total weight) of the labelled rows."""
        ...

    @property
    def n1(self) -> float:
        """Number (total weight) of the unlabelled rows."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def positive(self) -> NDArray[np.bool_]:
        """True for the labelled rows."""
        ...

    @property
    def weights(self) -> Array | None:
        """Weights of the rows; None stands for ones."""
        ...

    @property
    def codes(self) -> NDArray[np.int32] | None:
        """What a likelihood of several samples needs to know of each row; None where there is one sample."""
        ...

    @property
    def negatives(self) -> Engine | None:
        """Known negatives, which only a likelihood of several samples knows of; they are counted apart."""
        ...

    def linear_predictor(self, b: Array) -> Array:
        """Intercept plus effects of every row for one vector b, shape (n_rows,)."""
        ...

    def encoded_at(self, rows: NDArray[np.intp]) -> tuple[Encoded, ...]:
        """Return the encoded values of these rows, whose numbers increase, one array per term."""
        ...

    @property
    def shown(self) -> ShownRows:
        """Rows spread evenly over all, for means and pictures."""
        ...

    # ---- what the engine is

    @property
    def name(self) -> str:
        """What a user calls it."""
        ...

    @property
    def n_threads(self) -> int:
        """How many threads, or workers, take the sums."""
        ...

    @property
    def n_side_by_side(self) -> int:
        """How many reweighted engines are worth working on at a time."""
        ...

    @property
    def most_resamples(self) -> int:
        """How many weightings are worth summing at once."""
        ...
