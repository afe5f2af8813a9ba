"""What the script needs to move the page with the slider: texts made here, and numbers where it draws."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from pugam.inference import Interval
from pugam.presentation.report.charts import histogram_label, histogram_scales, profile_scales
from pugam.presentation.report.content import Content, FixedPi
from pugam.presentation.report.drawing import Card
from pugam.presentation.report.formats import percent, rounded

__all__ = ["as_json", "collect", "level_of_limit", "standing", "start_name", "views_of"]

SHARE_DIGITS = 6  # of rows, which are shown as counts as well
# A text inside a script element may hold none of these, lest it end the element or the line.
ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def collect(content: Content, cards: Iterable[Card]) -> dict[str, Any]:
    """Return everything that depends on where the slider stands, and on which sample was chosen.

    View 0 is that of all unlabelled rows, each other one that of a sample; `listed` says in which of them a row is.
    """
    numbers = {sample.name: 1 + place for place, sample in enumerate(content.samples)}
    return {
        "estimate": content.fixed_pi.estimate,
        "start": start_name(content.pi),
        "effects": [card.data for card in cards],
        "histogram": _histogram(content),
        "profile": _profile(content),
        "candidates": [[percent(posterior) for posterior in row.with_pi_fixed] for row in content.candidates],
        "listed": [[0] * row.among_all + [numbers.get(row.sample, 0)] for row in content.candidates],
        "views": [
            _view(content.fixed_pi, content.pi, content.n_unlabelled, "the unlabelled rows"),
            *(_view(one.fixed_pi, one.pi, one.rows, f"the rows of sample {one.name}") for one in content.samples),
        ],
    }


def _view(fixed_pi: FixedPi, pi: Interval, rows: float, named: str) -> dict[str, Any]:
    """Return what is shown of all unlabelled rows, or of those of a sample, where the slider stands."""
    return {
        "pi": [percent(share) for share in fixed_pi.pi],
        "standing": [standing(pi, share) for share in fixed_pi.pi],
        "called": [percent(share) for share in fixed_pi.called_positive],
        "of": named,
        "rows": rows,
        "label": histogram_label(fixed_pi, named),
        "histogram": [rounded(shares, SHARE_DIGITS) for shares in fixed_pi.histogram],
    }


def start_name(pi: Interval) -> str:
    """Say what the slider starts from."""
    return "value given" if pi.method == "fixed" else "estimate"


def level_of_limit(limit: float) -> float:
    """Return the level of the interval that a limit on the deviance, chi-square on 1 df, stands for."""
    return math.erf(math.sqrt(limit / 2.0))


def standing(interval: Interval, pi: float) -> str:
    """Say whether a value of pi is in its interval; nothing where pi was fixed."""
    if interval.method == "fixed":
        return ""
    side = "inside" if interval.lower <= pi <= interval.upper else "outside"
    return f"{side} the {100.0 * interval.level:.3g}% interval"


def _histogram(content: Content) -> dict[str, Any]:
    along, up = histogram_scales(views_of(content))
    bins = len(content.fixed_pi.histogram[0])
    return {
        "scale": up.as_list(),
        "edges": [round(along(place / bins), 1) for place in range(bins + 1)],
        "names": [f"{percent(place / bins)} to {percent((place + 1) / bins)}" for place in range(bins)],
    }


def views_of(content: Content) -> list[FixedPi]:
    """Return what becomes of all unlabelled rows, and of those of each sample, where the slider stands."""
    return [content.fixed_pi, *(sample.fixed_pi for sample in content.samples)]


def _profile(content: Content) -> dict[str, Any] | None:
    if not content.diagnostics.profile_pi or not content.fixed_pi.deviance:
        return None
    along, up = profile_scales(content.diagnostics, content.fixed_pi.limit)
    places = [round(along(pi), 1) if along.low <= pi <= along.high else None for pi in content.fixed_pi.pi]
    return {"places": places, "bottom": up.start, "top": up.end}


def as_json(values: Any) -> str:
    """Return values as JSON that can stand inside a script element."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(ESCAPES)
