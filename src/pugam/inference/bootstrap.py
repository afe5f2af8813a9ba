"""The bootstrap: refits to many resamples, and the intervals that come of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from pugam.data import find_sample
from pugam.engines import Counts
from pugam.errors import InputError, warn_user
from pugam.inference.bootstrap_store import FinishedBatches, conditions_of, open_store
from pugam.inference.effects import Center, Scale, centered_curves, contrast_weights, require_scale, term_center
from pugam.inference.influence import pi_influence
from pugam.inference.intervals import Interval, normal_quantile, wald_interval_log
from pugam.inference.resampling import Resampling
from pugam.likelihood import expit
from pugam.messages import Argument, See
from pugam.progress import Progress
from pugam.solvers import EDGE, Fitted, Refits, refit_resamples, reselect_resamples
from pugam.terms import Design

__all__ = ["Bootstrap", "BootstrapKind", "require_kind", "run_bootstrap"]

Array = NDArray[np.float64]
BootstrapKind = Literal["percentile", "normal", "bca"]

SMALLEST_DENOMINATOR = 0.1  # in the correction for acceleration
# In memory each batch is twice the last one, so that there soon is something to return; where many more refits are made
# at a time there is no need to begin with few.
FIRST_BATCH, LARGE_BATCH = 16, 256


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Refits of a model to resamples of its rows.

    Attributes
    ----------
    pi : array of shape (B,)
        The share of positives in each refit that was completed.
    alpha : array of shape (B,)
        The intercept of the log density ratio.
    coef : array of shape (B, p)
        The coefficients of all terms; `effect` makes curves of them.
    smoothing : array of shape (B, n_penalties)
    converged : bool array of shape (B,)
        Whether each refit ended at an optimum; those that did not are kept all the same.
    estimate : float
        The share of positives in the model itself.
    acceleration, limits : see the fields
    n_requested, n_failed : int
        Refits asked for, and refits that came to no result at all.
    interrupted : bool
        Whether the work was stopped before all refits were made.
    shares : array of shape (B, K)
        The shares of K unlabelled samples in each refit; K is 0 where samples are not told apart.
    samples : tuple of str
        Their names.
    """

    pi: Array
    alpha: Array
    coef: Array
    smoothing: Array
    converged: NDArray[np.bool_]
    estimate: float
    n_requested: int
    n_failed: int
    interrupted: bool
    acceleration: float
    limits: tuple[float, float]
    shares: Array
    samples: tuple[str, ...]
    _shares: Array | None
    _design: Design
    _coef: Array
    _added: tuple[str, ...]
    _centers: tuple[Center, ...]

    def __repr__(self) -> str:
        return (
            f"<Bootstrap of {len(self.pi)} refits ({self.n_requested} requested, {self.n_failed} failed, "
            f"{int(np.sum(~self.converged))} not converged{', interrupted' if self.interrupted else ''})>"
        )

    def interval(self, level: float = 0.95, kind: BootstrapKind = "normal", *, sample: Any = None) -> Interval:
        """Interval for pi: a normal one on the log scale, quantiles of the refits, or quantiles corrected (BCa).

        With ``sample``, the name of an unlabelled sample, for the share of that sample, by the first two of these.

        The normal one lies around the estimate and takes only the spread from the refits. Resamples repeat rows, which
        the likelihood takes for independent ones: refits by marginal likelihood lie below the estimate for that reason
        alone, and so do their quantiles. BCa takes this for a bias of the estimate, and corrects it too far.
        """
        require_kind(kind)
        tail = float(ndtr(-normal_quantile(level)))
        method = f"bootstrap, {kind}"
        refits, estimate = (self.pi, self.estimate) if sample is None else self._of_sample(sample, kind)
        if len(self.pi) < 2:
            raise InputError(f"An interval needs two refits at least; the bootstrap completed {len(self.pi)}.")
        self._warn_of_few(level, tail)
        if np.ptp(refits) < 1e-9:
            warn_user(
                f"All refits ended at pi = {refits[0]:.4g}, so the bootstrap says nothing about its error: pi is kept "
                "there by its bounds or by the prior. See ",
                See("diagnosis"),
                ".",
            )
        if kind == "normal":
            variance = float(np.var(np.log(refits), ddof=1))
            wald = wald_interval_log(estimate, variance, level, self.limits)
            return Interval(estimate, wald.lower, wald.upper, level, method)
        tails = (tail, 1.0 - tail)
        if kind == "bca":
            tails = _corrected_tails(self.pi, self.estimate, self.acceleration, tail)
        lower, upper = (self._at_limits(float(end)) for end in np.quantile(refits, tails))
        return _around(estimate, lower, upper, level, method)

    def _of_sample(self, sample: Any, kind: BootstrapKind) -> tuple[Array, float]:
        """Shares of a sample in each refit, and in the model itself."""
        number = find_sample(self.samples, sample)
        if self._shares is None:
            raise InputError("Refits do not pool shares; intervals for those of single samples are in shares().")
        if kind == "bca":
            raise InputError("BCa is for the share of all unlabelled rows; kind is 'normal' or 'percentile' here.")
        return self.shares[:, number], float(self._shares[number])

    def _warn_of_few(self, level: float, tail: float) -> None:
        """Warn where refits are too few for any of them to lie beyond the limits."""
        if len(self.pi) * tail < 1.0:
            warn_user(
                f"{len(self.pi)} refits are too few for a {100 * level:g}% interval: it takes {math.ceil(1.0 / tail)} "
                "for one of them to lie beyond each limit, and ten times as many for limits to rely on (",
                Argument("n_resamples", math.ceil(10.0 / tail)),
                ").",
            )

    def _at_limits(self, end: float) -> float:
        """Take the margin that keeps logits finite for the limit it stands for."""
        low, high = self.limits
        return low if end <= max(low, EDGE) else high if end >= min(high, 1.0 - EDGE) else end

    def effect(self, term: str, grid: Any, scale: Scale = "log") -> Array:
        """Curves of a term on a grid, one for each refit: shape (B, len(grid)), centred as those of `PUGAM.effect`."""
        number = self._design.index(getattr(term, "label", str(term)))
        require_scale(scale)
        basis, block = self._design.bases[number], self._design.blocks[number]
        curves = centered_curves(basis, grid, self.coef[:, block], self._centers[number])
        return np.exp(curves) if scale == "odds" else curves

    def belongs_to(self, design: Design, coef: Array) -> bool:
        """Whether these are resamples of the model with this design and these coefficients."""
        return self._design.labels == design.labels and np.array_equal(self._coef, coef)

    def contrast(self, a: Mapping[str, Any], b: Mapping[str, Any], level: float = 0.95) -> Interval:
        """Percentile interval for the log odds ratio between two sets of values, b against a."""
        weights, known = contrast_weights(self._design, a, b, self._added)
        tail = float(ndtr(-normal_quantile(level)))
        self._warn_of_few(level, tail)
        lower, upper = np.quantile(self.coef @ weights + known, (tail, 1.0 - tail))
        return _around(float(self._coef @ weights) + known, float(lower), float(upper), level, "bootstrap, percentile")

    def odds_ratio(self, term: str | Mapping[str, Any], a: Any, b: Any = None, level: float = 0.95) -> Interval:
        """Percentile interval for the odds ratio at b against a, of a term or between two sets of values."""
        if isinstance(term, Mapping):
            return self.contrast(term, a, level).exp()
        return self.contrast({term: a}, {term: b}, level).exp()


def _around(estimate: float, lower: float, upper: float, level: float, method: str) -> Interval:
    """Make an interval that holds its estimate, also where all refits, few or biased, lie on one side of it."""
    return Interval(estimate, min(lower, estimate), max(upper, estimate), level, method)


def require_kind(kind: str) -> None:
    """Refuse an unknown kind of interval."""
    if kind not in get_args(BootstrapKind):
        raise InputError(f"kind is 'percentile', 'normal' or 'bca'; got {kind!r}.")


def run_bootstrap(
    fitted: Fitted,
    resampling: Resampling,
    n_resamples: int,
    reselect: bool,
    n_threads: int,
    progress: Progress,
    store: Path | None = None,
) -> Bootstrap:
    """Refit to resamples in batches; stopped by Ctrl-C, return those that are complete.

    Parameters
    ----------
    reselect : bool
        Choose smoothing parameters anew for every resample.
    store : Path, optional
        A file that keeps finished batches; those in it already are not made again.
    """
    size = 1 if reselect else fitted.engine.most_resamples
    batches = _batches(n_resamples, size)

    def refit(numbers: range) -> Refits:
        return _refit(fitted, resampling.counts(numbers), reselect)

    conditions = conditions_of(fitted, resampling, n_resamples, reselect, size) if store is not None else {}
    with open_store(store, conditions, batches, fitted.fit) as finished:
        parts, interrupted = _collect(refit, batches, n_threads, progress, finished)
    return _gather(fitted, resampling, parts, n_resamples, interrupted)


def _batches(n_resamples: int, largest: int) -> list[range]:
    batches, first, size = [], 0, largest if largest > LARGE_BATCH else min(FIRST_BATCH, largest)
    while first < n_resamples:
        batches.append(range(first, min(first + size, n_resamples)))
        first, size = first + size, min(2 * size, largest)
    return batches


def _collect(
    refit: Callable[[range], Refits],
    batches: Sequence[range],
    n_threads: int,
    progress: Progress,
    finished: FinishedBatches,
) -> tuple[list[Refits], bool]:
    """Work through the batches not finished yet, in order or side by side; return the finished ones in order."""
    missing = {number: batch for number, batch in enumerate(batches) if number not in finished.parts}
    try:
        if finished.parts:
            progress.advance(sum(len(batches[number]) for number in finished.parts))
        for number, part in _in_order(refit, missing) if n_threads == 1 else _side_by_side(refit, missing, n_threads):
            finished.add(number, part)
            progress.advance(len(batches[number]))
    except KeyboardInterrupt:
        if not finished.parts:
            raise
    return [finished.parts[number] for number in sorted(finished.parts)], len(finished.parts) < len(batches)


def _in_order(refit: Callable[[range], Refits], batches: Mapping[int, range]) -> Iterator[tuple[int, Refits]]:
    for number, batch in batches.items():
        yield number, refit(batch)


def _side_by_side(
    refit: Callable[[range], Refits], batches: Mapping[int, range], n_threads: int
) -> Iterator[tuple[int, Refits]]:
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[tuple[int, Refits | BaseException]] = SimpleQueue()
    for number in batches:
        waiting.put(number)
    for _ in range(min(n_threads, len(batches))):
        # Not those of a pool, for which a program waits at its end: after Ctrl-C nobody needs the batches under way.
        Thread(target=_work_through, args=(refit, batches, waiting, done), daemon=True).start()
    try:
        for _ in batches:
            number, part = done.get()
            if isinstance(part, BaseException):
                raise part
            yield number, part
    finally:
        _empty(waiting)


def _work_through(
    refit: Callable[[range], Refits],
    batches: Mapping[int, range],
    waiting: SimpleQueue[int],
    done: SimpleQueue[tuple[int, Refits | BaseException]],
) -> None:
    try:
        while True:
            number = waiting.get_nowait()
            try:
                done.put((number, refit(batches[number])))
            except BaseException as error:
                done.put((number, error))
    except Empty:
        return


def _empty(waiting: SimpleQueue[int]) -> None:
    try:
        while True:
            waiting.get_nowait()
    except Empty:
        return


def _refit(fitted: Fitted, counts: Counts, reselect: bool) -> Refits:
    """Refit a batch; where one of its refits breaks down, the others are made one by one and it is marked by NaN."""
    maker = reselect_resamples if reselect else refit_resamples
    try:
        if _lack_a_label(fitted, counts):
            raise np.linalg.LinAlgError("There is nothing to fit to.")
        return maker(fitted, counts)
    except np.linalg.LinAlgError:
        if len(counts) == 1:
            nothing = np.full((1, len(fitted.fit.optimum.beta)), np.nan)
            shares = np.full((1, len(_names_of(fitted))), np.nan)
            return Refits(nothing, nothing, np.array([np.nan]), fitted.fit.kappas[None], np.array([False]), shares)
        return _join([_refit(fitted, row[None], reselect) for row in counts])


def _lack_a_label(fitted: Fitted, counts: Counts) -> bool:
    """Whether a resample has no labelled row, or no unlabelled one, as may be where groups are drawn."""
    positive = fitted.engine.positive
    drawn = counts[:, : len(positive)] > 0
    return not all(drawn[:, label].any(axis=1).all() for label in (positive, ~positive))


def _join(parts: Sequence[Refits]) -> Refits:
    return Refits(*(np.concatenate([getattr(part, name) for part in parts]) for name in Refits.__dataclass_fields__))


def _gather(
    fitted: Fitted, resampling: Resampling, parts: Sequence[Refits], n_requested: int, interrupted: bool
) -> Bootstrap:
    refits, layout, pi_range = _join(parts), fitted.design.layout, fitted.settings.pi_range
    kept = np.isfinite(refits.beta[:, layout.predictor]).all(axis=1)
    beta = refits.beta[kept]
    pi = pi_range.clip(expit(beta[:, layout.share]))
    return Bootstrap(
        pi=pi,
        alpha=refits.alpha[kept],
        coef=beta[:, layout.coefficients],
        smoothing=refits.kappas[kept],
        converged=refits.converged[kept],
        estimate=float(pi_range.clip(np.array(fitted.fit.optimum.pi))),
        n_requested=n_requested,
        n_failed=int(np.sum(~kept)),
        interrupted=interrupted,
        acceleration=_acceleration(fitted, resampling),
        limits=pi_range.limits,
        shares=pi_range.clip(expit(refits.shares[kept])),
        samples=_names_of(fitted),
        _shares=_shares_of(fitted),
        _design=fitted.design,
        _coef=fitted.fit.optimum.theta,
        _added=fitted.fit.added,
        _centers=tuple(term_center(fitted.fit, fitted.design, number) for number in range(len(fitted.design.bases))),
    )


def _names_of(fitted: Fitted) -> tuple[str, ...]:
    return () if fitted.fit.samples is None else fitted.fit.samples.names


def _shares_of(fitted: Fitted) -> Array | None:
    """Shares of the samples in the model itself; None where they are pooled, as those of refits are not."""
    found = fitted.fit.samples
    if found is None:
        return np.empty(0)
    return None if found.pooled is not None else fitted.settings.pi_range.clip(expit(found.logits))


def _acceleration(fitted: Fitted, resampling: Resampling) -> float:
    """How fast the standard error changes with the estimate: a sixth of the skewness of the units' influence."""
    units, n_rows = resampling.unit_of_row, fitted.engine.n_rows
    influence = np.bincount(units[:n_rows], weights=pi_influence(fitted), minlength=1 + int(units.max()))
    copies = np.ones(len(influence)) if resampling.per_unit is None else resampling.per_unit
    cubes, squares = float(np.sum(influence**3 / copies**2)), float(np.sum(influence**2 / copies))
    return cubes / (6.0 * squares**1.5) if squares > 0.0 else 0.0


def _corrected_tails(replicates: Array, estimate: float, acceleration: float, tail: float) -> tuple[float, float]:
    """Efron's corrections: for the bias of the median and for a standard error that changes with pi."""
    below = (np.sum(replicates < estimate) + 0.5 * np.sum(replicates == estimate)) / len(replicates)
    half_count = 0.5 / len(replicates)
    z0 = float(ndtri(np.clip(below, half_count, 1.0 - half_count)))

    def corrected(probability: float) -> float:
        z = z0 + float(ndtri(probability))
        return float(ndtr(z0 + z / max(1.0 - acceleration * z, SMALLEST_DENOMINATOR)))

    return corrected(tail), corrected(1.0 - tail)
