"""Collects the most likely positives of a report, with limits and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.errors import InputError
from pugam.inference import (
    ShareKnown,
    excess_variances,
    intercept_covariance,
    posterior_errors,
    posterior_limits,
    samples_of,
    shares_of_rows,
    unlabelled_rows,
)
from pugam.messages import counted
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.content import Candidate
from pugam.presentation.report.reasons import KnownRows, collect_reasons
from pugam.presentation.report.samples import likely_rows
from pugam.solvers import Fitted

__all__ = ["collect_candidates", "require_names", "row_name"]

Array = NDArray[np.float64]


def require_names(names: Sequence[Any] | None, n_rows: int) -> None:
    """Refuse names that are not one for each row the model was given."""
    if names is not None and not hasattr(names, "__len__"):
        raise InputError(f"names holds a name for each row; got {names!r}.")
    if names is not None and len(names) != n_rows:
        raise InputError(f"Each row needs a name: there are {len(names):,} for {counted(n_rows, 'row')}.")


def row_name(names: Sequence[Any] | None, number: int) -> str:
    """Name a row the model was given: by its number, unless it has a name."""
    return f"row {number + 1}" if names is None else str(names[number])


def collect_candidates(
    model: FittedModel,
    fitted: Fitted,
    posteriors: Sequence[Array],
    estimate: int,
    unlabelled: NDArray[np.intp],
    names: Sequence[Any] | None,
    n_candidates: int,
    level: float,
) -> Iterator[Candidate]:
    """The unlabelled rows with the highest posteriors, with limits."""
    among_all, chosen = likely_rows(fitted, posteriors[estimate], n_candidates)
    rows = np.flatnonzero(unlabelled_rows(fitted))[chosen]
    known = _known_rows(model, fitted, rows)
    limits = _limits(model, fitted, known, level)
    reasons = list(collect_reasons(model, fitted, known, level))
    samples, first = _names_of_samples(fitted, rows), set(among_all.tolist())
    for place, row in enumerate(chosen):
        yield Candidate(
            name=row_name(names, int(unlabelled[row])),
            posterior=float(limits["p_positive"][place]),
            lower=float(limits["lower"][place]),
            upper=float(limits["upper"][place]),
            with_pi_fixed=tuple(float(values[row]) for values in posteriors),
            sample=samples[place],
            among_all=int(row) in first,
            reasons=reasons[place] if place < len(reasons) else None,
        )


def _known_rows(model: FittedModel, fitted: Fitted, rows: NDArray[np.intp]) -> KnownRows:
    """Values of some rows, and the shares that hold for them."""
    order = np.argsort(rows)
    encoded = [values[np.argsort(order)] for values in fitted.engine.encoded_at(rows[order])]
    layout, covariance = fitted.design.layout, model.covariance()
    share = shares_of_rows(fitted, model.pi_)
    share = share if isinstance(share, float) else share[rows]
    more = _excess(fitted, rows, float(covariance[layout.share, layout.share]))
    return KnownRows(encoded, ShareKnown(share, intercept_covariance(layout, covariance), more))


def _limits(model: FittedModel, fitted: Fitted, rows: KnownRows, level: float) -> dict[str, Array]:
    """Posteriors of some rows, each by the share of its sample, with limits."""
    design, known = fitted.design, rows.known
    errors = posterior_errors(design, rows.encoded, known.covariance)
    ratio = design.predict(rows.encoded, design.layout.join_predictor(model.alpha_, model.coef_))
    inference = model._inference
    logits, centre = inference.posterior_logits(ratio, known.share), inference.central_logits(ratio, known.share)
    return posterior_limits(logits, centre, np.sqrt(errors**2 + known.excess), level)


def _excess(fitted: Fitted, rows: NDArray[np.intp], variance: float) -> Array | float:
    """By how much the logit of the share that holds for a row varies more than that of pi."""
    found = fitted.fit.samples
    if found is None or len(found.names) == 1:
        return 0.0
    return np.asarray(excess_variances(found, fitted.settings.pi_range, variance)[samples_of(fitted)[rows] - 1])


def _names_of_samples(fitted: Fitted, rows: NDArray[np.intp]) -> list[str]:
    """Names of the samples of some unlabelled rows, empty where samples are not told apart."""
    found = fitted.fit.samples
    if found is None or len(found.names) == 1:
        return [""] * len(rows)
    return [found.names[number - 1] for number in samples_of(fitted)[rows]]
