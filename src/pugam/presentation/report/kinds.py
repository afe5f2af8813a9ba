"""Collects what a report says of several kinds of positives: their shares, each with its effects, and all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.inference import Interval, KindDiagnoses, kind_posteriors, logits_of_rows, unlabelled_rows
from pugam.messages import Words, all_of
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.candidates import require_names, row_name
from pugam.presentation.report.content import Candidate, Content, Diagnostics, Kind
from pugam.presentation.report.one_fit import collect_diagnostics, collect_terms
from pugam.presentation.report.samples import along_slider
from pugam.presentation.report.wording import (
    citation,
    describe_kinds,
    kinds_sentence,
    of_one_kind,
    on_page,
    plain_sentence,
)

__all__ = ["collect_kinds"]

Array = NDArray[np.float64]


def collect_kinds(
    model: Any,
    title: str,
    about: Mapping[str, str],
    repeat: Mapping[str, str],
    names: Sequence[Any] | None,
    n_candidates: int,
    interval: Interval | None,
    diagnosis: KindDiagnoses | None,
    words: Words,
) -> Content:
    """Collect a report; arguments are those of `collect`. There is no slider: shares of kinds do not move together."""
    model._kinds.require_rows("A report")
    diagnosis = model.diagnose() if diagnosis is None else diagnosis
    interval = diagnosis.interval if interval is None else interval
    words = of_one_kind(on_page(words))
    weights = model._kinds.hidden
    require_names(names, len(weights))
    numbers = np.flatnonzero(weights)
    posteriors = _posteriors(model._kinds.models)
    called = posteriors.sum(axis=1)
    kinds = tuple(_kinds(model, diagnosis, interval.level, words))
    summary = model.summary(interval=interval)
    return Content(
        title=title,
        asked=(*about.items(), *describe_kinds(model)),
        pi=interval,
        plain=plain_sentence(interval, model.n1_, len(numbers), diagnosis.verdict, all_of(len(kinds), "kind")),
        statistical=kinds_sentence(model, interval),
        warnings=(*summary.warnings, *(message.told(words) for message in diagnosis.messages)),
        effects=(),
        terms=(),
        ratios=(),
        candidates=tuple(_candidates(posteriors, model.kinds_, numbers, names, n_candidates)),
        n_unlabelled=model.n1_,
        fixed_pi=along_slider((model.pi_,), 0, (called,), weights[numbers]),
        diagnostics=Diagnostics(diagnosis.verdict, "", (), (), (), (), (), 1.0),
        summary=summary.told(words),
        cite=citation(),
        repeat=tuple(repeat.items()),
        kinds=kinds,
    )


def _posteriors(models: Sequence[FittedModel]) -> Array:
    """P(kind | x) of the unlabelled rows, shape (n, K)."""
    fits = [(one, one._fitted("A report")) for one in models]
    logits = [logits_of_rows(fitted, one.pi_, one.alpha_, one.coef_)[unlabelled_rows(fitted)] for one, fitted in fits]
    return kind_posteriors(np.column_stack(logits))


def _kinds(model: Any, diagnosis: KindDiagnoses, level: float, words: Words) -> Iterator[Kind]:
    *rows, _ = model._kind_rows(level)
    for row, one, found in zip(rows, model._kinds.models, diagnosis.diagnoses, strict=True):
        terms = collect_terms(one, one._fitted("A report"), one.coef_[None], level)
        shown = collect_diagnostics(found, one.pi_interval(level), words)
        yield Kind(row.kind, row.rows, row.interval, found.verdict, diagnostics=shown, **terms._asdict())


def _candidates(
    posteriors: Array, kinds: Sequence[str], numbers: NDArray[np.intp], names: Sequence[Any] | None, count: int
) -> Iterator[Candidate]:
    """The unlabelled rows that are most likely positive, each with its likeliest kind."""
    total = posteriors.sum(axis=1)
    for row in np.argsort(-total, kind="stable")[:count]:
        posterior, likeliest = float(total[row]), int(posteriors[row].argmax())
        yield Candidate(
            name=row_name(names, int(numbers[row])),
            posterior=posterior,
            lower=np.nan,
            upper=np.nan,
            with_pi_fixed=(posterior,),
            kind=(kinds[likeliest], float(posteriors[row, likeliest])),
        )
