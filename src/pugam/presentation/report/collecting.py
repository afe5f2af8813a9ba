"""Collects what a report says from a fitted model and the rows behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference import (
    Diagnosis,
    Interval,
    PiProfile,
    Sensitivity,
    check_audits,
    fix_pi,
    normal_quantile,
    profile_of,
    unlabelled_rows,
    values_around,
)
from pugam.messages import Words, all_of, in_python
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.candidates import collect_candidates, require_names
from pugam.presentation.report.content import Content, FixedPi, Sample, plain_numbers
from pugam.presentation.report.labelling import collect_bounds
from pugam.presentation.report.one_fit import collect_diagnostics, collect_terms
from pugam.presentation.report.samples import (
    along_slider,
    collect_samples,
    posteriors_along,
)
from pugam.presentation.report.wording import (
    chance_alone,
    citation,
    describe_model,
    on_page,
    plain_sentence,
    statistical_sentence,
)
from pugam.presentation.report.worklists import collect_yields
from pugam.progress import Progress
from pugam.solvers import Fitted

__all__ = ["collect"]

Array = NDArray[np.float64]

SLIDER_VALUES = ((1e6, 31), (1e7, 15), (np.inf, 9))  # up to so many model cells; fewer where a fit takes long
BEYOND = 1.5  # how far the slider goes beyond the interval of pi, on the logit scale


def collect(
    model: FittedModel,
    title: str,
    about: Mapping[str, str],
    repeat: Mapping[str, str],
    names: Sequence[Any] | None = None,
    n_candidates: int = 20,
    interval: Interval | None = None,
    diagnosis: Diagnosis | None = None,
    progress: bool | None = False,
    words: Words = in_python,
) -> Content:
    """Collect a report.

    Parameters
    ----------
    about, repeat : mappings from a name to a value
        Where the data come from; how to repeat the fit.
    names : sequence, optional
        A name for every row the model was given, to show with the most likely positives; row numbers by default.
    interval : Interval, optional
        For pi; Wald's by default. Its level is that of all intervals.
    words : Words
        Those of whoever makes the report; it has its own for what is on the page.
    """
    words = on_page(words)
    fitted = model._fitted("A report")
    places = _row_numbers(model)
    _, kept = model._rows
    n_rows = len(places) if kept is None else len(kept)
    require_names(names, n_rows)
    diagnosis = model.diagnose() if diagnosis is None else diagnosis
    interval = diagnosis.wald if interval is None else interval
    profile = profile_of(fitted)
    cells = fitted.engine.n_rows * fitted.design.n_columns
    count = next(values for most, values in SLIDER_VALUES if cells < most)
    values = values_around(diagnosis.profile_interval, model.pi_, count, BEYOND)
    sensitivity = _fix_elsewhere(profile, values, model.pi_, progress)
    posteriors = posteriors_along(fitted, sensitivity)
    estimate = int(np.argmin(np.abs(sensitivity.pi - model.pi_)))
    unlabelled, weights = places[unlabelled_rows(fitted)], _unlabelled_weights(fitted)
    behind = (sensitivity, estimate, posteriors, weights)
    samples = tuple(collect_samples(model, fitted, *behind, diagnosis.verdict, interval.level))
    terms = collect_terms(model, fitted, sensitivity.coef, interval.level)
    review = model.worklist(top=n_candidates, level=interval.level) if n_candidates else None
    return Content(
        title=title,
        asked=(*about.items(), *describe_model(model)),
        pi=interval,
        plain=_plain(model, interval, len(unlabelled), diagnosis, samples),
        statistical=statistical_sentence(model, interval, diagnosis),
        warnings=tuple(message.told(words) for message in diagnosis.messages),
        effects=terms.effects,
        folding=terms.folding,
        terms=terms.terms,
        ratios=terms.ratios,
        candidates=tuple(
            collect_candidates(model, fitted, posteriors, estimate, unlabelled, names, n_candidates, interval.level)
        ),
        n_unlabelled=model.n1_,
        fixed_pi=_fixed_pi(*behind, diagnosis),
        diagnostics=collect_diagnostics(diagnosis, interval, words),
        summary=model.summary(interval=interval).told(words),
        cite=citation(),
        repeat=tuple(repeat.items()),
        samples=samples,
        equal_shares=model.test_shares() if samples else None,
        pooled=None if model._fit.samples is None else model._fit.samples.pooled,
        negatives=0.0 if model._fit.samples is None else model._fit.samples.negatives,
        audits=check_audits(fitted, interval.level, model._chances, model._survey),
        bounds=collect_bounds(model, interval.level),
        yields=() if review is None else collect_yields(review),
        review=None if review is None else review.curve,
    )


def _together(samples: Sequence[Sample]) -> str:
    return all_of(len(samples), "sample") if samples else ""


def _plain(model: FittedModel, interval: Interval, n_rows: int, found: Diagnosis, samples: Sequence[Sample]) -> str:
    """What came out, for everyone."""
    chance = chance_alone(interval, found)
    return plain_sentence(interval, model.n1_, n_rows, found.verdict, _together(samples), chance)


def _row_numbers(model: FittedModel) -> NDArray[np.intp]:
    """Where the rows of the engine stand in the data: those of weight zero are not among them."""
    engine, kept = model._rows
    return np.arange(engine.n_rows) if kept is None else np.flatnonzero(kept)


def _fix_elsewhere(profile: PiProfile, values: Array, estimate: float, progress: bool | None) -> Sensitivity:
    """Fix pi at all values, one after another from the estimate outwards, so that progress can be shown."""
    with Progress("report: pi fixed elsewhere", len(values), progress) as bar:
        for pi in sorted(values, key=lambda value: abs(value - estimate)):
            profile.fixed_at(float(pi))
            bar.advance()
    return fix_pi(profile, values)


def _fixed_pi(
    found: Sensitivity, estimate: int, posteriors: Sequence[Array], weights: Array, diagnosis: Diagnosis
) -> FixedPi:
    interval = diagnosis.profile_interval
    deviance = () if interval is None else plain_numbers(found.deviance)
    limit = normal_quantile(0.95 if interval is None else interval.level) ** 2
    return along_slider(plain_numbers(found.pi), estimate, posteriors, weights, deviance, limit)


def _unlabelled_weights(fitted: Fitted) -> Array:
    unlabelled, weights = unlabelled_rows(fitted), fitted.engine.weights
    return np.ones(int(unlabelled.sum())) if weights is None else weights[unlabelled]
