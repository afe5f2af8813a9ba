"""The summary of a fit with several kinds of positives: the share of each, and of all together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pugam.data import make_frame
from pugam.errors import InputError
from pugam.inference import Interval
from pugam.messages import Words, counted, in_python
from pugam.presentation.blocks import Block, TextTable, in_html, in_text
from pugam.presentation.latex import in_latex

__all__ = ["KindSummary", "how_fitted", "summarize_kinds"]


@dataclass(frozen=True, eq=False, repr=False)
class KindSummary:
    """A fit of several kinds of positives in numbers.

    Attributes
    ----------
    model : frame with columns quantity, value
        pi with its interval, and counts.
    kinds : frame with columns kind, rows, pi, lower, upper, verdict
    warnings : tuple of str
        What should worry.
    """

    model: Any
    kinds: Any
    warnings: tuple[str, ...]
    _blocks: tuple[Block, ...]

    def told(self, words: Words) -> str:
        """Return the summary in the words of one kind of reader."""
        return in_text(self._said())

    def to_html(self) -> str:
        """Return the summary as a piece of HTML; a notebook shows it so."""
        return in_html(self._said())

    def to_latex(self) -> str:
        r"""Return the summary as LaTeX, to be used with `\usepackage{booktabs, textcomp}`."""
        return in_latex(self._said())

    def _said(self) -> list[Block]:
        return [*self._blocks, *(f"! {said}" for said in self.warnings)]

    def __str__(self) -> str:
        return self.told(in_python)

    __repr__ = __str__
    _repr_html_ = to_html


def summarize_kinds(model: Any, level: float | None = None, interval: Interval | None = None) -> KindSummary:
    """Collect the summary of a fitted model of several kinds."""
    if level is None:
        level = 0.95 if interval is None else interval.level
    interval = model.pi_interval(level) if interval is None else interval
    if level != interval.level:
        raise InputError(f"The interval has the level {interval.level:g}, but level={level:g} was asked for; give one.")
    overall = {
        "pi": model.pi_,
        "pi_lower": interval.lower,
        "pi_upper": interval.upper,
        "level": level,
        "prevalence": model.prevalence_,
        "label_frequency": model.label_frequency_,
        "n0": model.n0_,
        "n1": model.n1_,
    }
    frame = make_frame(model._library, {"quantity": list(overall), "value": list(overall.values())})
    warnings = () if model.converged_ else ("Shares of kinds did not settle: kinds that look alike may be one.",)
    return KindSummary(frame, model.kinds(level), warnings, tuple(_lines(model, interval)))


def _lines(model: Any, interval: Interval) -> Iterator[Block]:
    yield f"Positive-unlabelled generalized additive model of {len(model.kinds_)} kinds of positives"
    for name, one in zip(model.kinds_, model._kinds.models, strict=True):
        yield f"log g(x)/h(x) of {name} = alpha + {one.formula_}"
    yield ""
    yield f"labelled positives n0 = {model.n0_:g}, unlabelled n1 = {model.n1_:g}"
    yield f"share of positives among the unlabelled: pi = {interval}"
    yield f"share among all rows {model.prevalence_:.3f}, share of positives labelled {model.label_frequency_:.3f}"
    columns = ("", "labelled", "pi", "lower", "upper", "")
    lines = tuple(map(_row, model._kind_rows(interval.level)))
    yield TextTable("Kinds of positives: their shares among the unlabelled rows", columns, lines)
    yield ""
    yield how_fitted(model)


def _row(row: Any) -> tuple[str, ...]:
    shares = (row.interval.estimate, row.interval.lower, row.interval.upper)
    return (row.kind, f"{row.rows:g}", *(f"{share:.3f}" for share in shares), row.verdict or "")


def how_fitted(model: Any) -> str:
    """Tell whether kinds were fitted together."""
    in_turn = f"one fit for each kind, in turn until shares settled: {counted(model.n_iter_, 'sweep')}"
    return "all kinds fitted at once" if model._kinds.at_once else in_turn
