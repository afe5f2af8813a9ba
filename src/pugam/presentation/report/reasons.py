"""Why rows are likely positive: what a report says of each of them, and how it is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pugam.inference import Contributions, ShareKnown, explain_rows
from pugam.presentation.protocol import FittedModel
from pugam.presentation.report.content import Reasons
from pugam.presentation.report.drawing import DOT, Box, Chart, Path, Scale, circles
from pugam.presentation.rows import rows_of
from pugam.presentation.steps import AVERAGING, Step, fold_steps
from pugam.solvers import Fitted
from pugam.terms import Basis, Encoded

__all__ = ["KnownRows", "collect_reasons", "draw_reasons"]

MOST_EXPLAINED = 100  # rows: what a page can hold
MOST_STEPS = 7
WIDTH, HEIGHT = 110.0, 16.0
FARTHEST = 20.0  # log odds: what lies beyond is drawn at the edge


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Some rows: their values, as terms encode them, and which share of positives holds for them."""

    encoded: Sequence[Encoded]
    known: ShareKnown

    def first(self, count: int) -> KnownRows:
        """Return the first of them."""
        return KnownRows([values[:count] for values in self.encoded], self.known.first(count))


def collect_reasons(model: FittedModel, fitted: Fitted, rows: KnownRows, level: float) -> Iterator[Reasons]:
    """Yield why the first of some rows have their posteriors."""
    if not len(rows.encoded[0]):
        return
    some = rows.first(MOST_EXPLAINED)
    found = explain_rows(model._inference, some.encoded, model.alpha_, model.coef_, some.known, level, model._draws)
    bases = fitted.design.bases[: fitted.design.n_effects]
    shown = [_shown(basis, values) for basis, values in zip(bases, some.encoded, strict=False)]
    for row, logit in enumerate(found.logits.tolist()):
        steps = fold_steps(list(_steps(found, row, shown)), MOST_STEPS)
        yield Reasons(float(found.baseline[row]), logit, tuple(steps))


def _shown(basis: Basis, encoded: Encoded) -> list[str]:
    """Values of rows as their reader knows them."""
    columns = zip(basis.axes, rows_of(basis, encoded).T, strict=True)
    texts = [[axis.show(value) for value in axis.decoded(values).tolist()] for axis, values in columns]
    return [", ".join(parts) for parts in zip(*texts, strict=True)]


def _steps(found: Contributions, row: int, shown: Sequence[Sequence[str]]) -> Iterator[Step]:
    for number, term in enumerate(found.terms):
        numbers = (float(part[row, number]) for part in (found.values, found.se, found.lower, found.upper))
        yield Step(term, shown[number][row], *numbers)
    if found.averaging is not None:
        yield Step(AVERAGING, "", float(found.averaging[row]), np.nan, np.nan, np.nan)


def draw_reasons(reasons: Reasons) -> list[Chart]:
    """Draw the steps of a row on one scale, each as a point with its interval."""
    ends = [[_inside(end) for end in (step.lower, step.contribution, step.upper)] for step in reasons.steps]
    along = Scale.over([0.0, *(end for three in ends for end in three)], 4.0, WIDTH - 4.0)
    return [_draw_step(along, *three) for three in ends]


def _draw_step(along: Scale, lower: float, middle: float, upper: float) -> Chart:
    """Draw a contribution; without limits there is only its point."""
    bar = "" if np.isnan(lower) else f"M{along(lower):.1f} {HEIGHT / 2}H{along(upper):.1f}"
    marks = (
        Path("zero", f"M{along(0.0):.1f} 0V{HEIGHT}"),
        *([Path("bar", bar)] if bar else []),
        Path("dot", circles([(along(middle), HEIGHT / 2)], DOT)),
    )
    return Chart("", WIDTH, HEIGHT, Box(0.0, 0.0, WIDTH, HEIGHT), (), (), marks)


def _inside(value: float) -> float:
    return float(np.clip(value, -FARTHEST, FARTHEST))
