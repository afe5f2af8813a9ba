"""The page of a report: one HTML file that holds its style, script and data, and fetches nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from itertools import chain
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from pugam.inference import WELL, headline
from pugam.messages import all_of
from pugam.presentation.report import charts, formats, script_data
from pugam.presentation.report.cards import draw_card
from pugam.presentation.report.content import Candidate, Content, Kind, Ratio
from pugam.presentation.report.drawing import Card, Chart
from pugam.presentation.report.folding import MOST_OPEN, folds_of
from pugam.presentation.report.interval_charts import draw_pi, draw_ratios, draw_shares
from pugam.presentation.report.labelling import draw_bounds
from pugam.presentation.report.reasons import draw_reasons
from pugam.presentation.report.wording import (
    CAUTIONS_BESIDE_FIGURES,
    EXPLANATIONS,
    audit_sentence,
    equality_sentence,
    negatives_sentence,
    pooling_sentence,
    share_in_short,
    share_in_words,
)
from pugam.presentation.report.worklists import draw_yields
from pugam.presentation.steps import AVERAGING, Step

__all__ = ["render"]


@lru_cache
def _environment() -> Environment:
    """Templates are compiled once."""
    environment = Environment(
        loader=FunctionLoader(_read), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        number=formats.number,
        signed=formats.signed,
        count="{:,.6g}".format,
        whole="{:,.0f}".format,
        percent=formats.percent,
        percent_range=formats.percent_range,
        pvalue=formats.probability_value,
        p_equals=formats.p_equals,
        level=_level,
        share_in_short=share_in_short,
        share_in_words=share_in_words,
        all_of=all_of,
        place="{:.1f}".format,
        breakable=formats.breakable,
        unbroken=formats.unbroken,
    )
    return environment


def render(content: Content) -> str:
    """Return the whole page."""
    environment = _environment()
    style, script = _read("style.css"), _read("script.js")
    cards = [draw_card(shown) for shown in chain(content.effects, *(kind.effects for kind in content.kinds))]
    found, fixed_pi = content.diagnostics, content.fixed_pi
    has_profile = bool(found.profile_pi) and bool(fixed_pi.deviance)
    text = environment.get_template(
        "page.html.jinja"
    ).render(
        content=content,
        policy=_policy(style, script),
        style=Markup(style),  # nosec B704 # ours
        script=Markup(script),  # nosec B704 # ours
        data=Markup(script_data.as_json(script_data.collect(content, cards))),  # nosec B704 # escaped
        headline=_headline(content),
        explained=EXPLANATIONS.get(found.verdict, ""),
        caution=_caution(found.verdict, "pi", ": move the slider to see how much" if len(fixed_pi.pi) > 1 else ""),
        fixed=content.pi.method == "fixed",
        start=script_data.start_name(content.pi),
        standing=script_data.standing(content.pi, fixed_pi.pi[fixed_pi.estimate]),
        pi_chart=draw_pi(content.pi),
        folds=folds_of(content.folding, cards),
        kinds=list(_draw_kinds(content.kinds, cards)),
        searched=len(cards) > MOST_OPEN,
        has_maps=any(card.colours for card in cards),
        has_keys=any(card.keys for card in cards),
        has_families=any(len(card.moving) > 1 for card in cards),
        ratios=_with_charts(content.ratios),
        candidates=[(row, _reasons(row)) for row in content.candidates],
        averaged=any(step.term == AVERAGING for row in content.candidates[:1] for step in _steps(row)),
        histogram=charts.draw_histogram(fixed_pi, charts.histogram_scales(script_data.views_of(content))),
        shares=_shares(content),
        equality=None if content.equal_shares is None else equality_sentence(content.equal_shares),
        pooling=None if content.pooled is None else pooling_sentence(content.pooled),
        negatives=negatives_sentence(content.negatives) if content.negatives else None,
        audit=audit_sentence(content.audits) if content.audits else None,
        profile=charts.draw_profile(found, content.pi, fixed_pi.limit) if has_profile else None,
        profile_level=script_data.level_of_limit(fixed_pi.limit) if has_profile else None,
        bounds_chart=None if content.bounds is None else draw_bounds(content.bounds, content.pi.estimate),
        review=None if content.review is None else draw_yields(content.review),
        calibration=charts.draw_calibration(found) if found.predicted else None,
    )
    # Names of files may hold bytes that are no text (as surrogates); the page must be one that can be written.
    return text.encode("utf-8", "replace").decode("utf-8")


def _headline(content: Content) -> str:
    """The verdict, and of which kind of positives it is, where that is worse than it might be."""
    verdict = content.diagnostics.verdict
    worst = [kind.name for kind in content.kinds if kind.verdict == verdict != WELL]
    return headline(verdict) + (f", by kind {worst[0]!r}" if worst else "")


def _caution(verdict: str, share: str, advice: str = "") -> str:
    return CAUTIONS_BESIDE_FIGURES.get(verdict, "").format(share=share, advice=advice)


def _draw_kinds(kinds: Sequence[Kind], cards: Sequence[Card]) -> Iterator[dict[str, Any]]:
    """Kinds of positives with their pictures; those of effects are numbered through."""
    first = 0
    for kind in kinds:
        end = first + len(kind.effects)
        yield {
            "kind": kind,
            "folds": folds_of(kind.folding, cards[first:end], first),
            "ratios": _with_charts(kind.ratios),
            "caution": _caution(kind.verdict, "the share of this kind"),
            "calibration": charts.draw_calibration(kind.diagnostics) if kind.diagnostics.predicted else None,
        }
        first = end


def _shares(content: Content) -> Chart | None:
    """Draw the shares of samples or kinds, if there are several."""
    if content.kinds:
        return draw_shares(content.kinds, content.pi, "kinds")
    return draw_shares(content.samples, content.pi, "samples") if content.samples else None


def _with_charts(ratios: Sequence[Ratio]) -> list[tuple[Ratio, Chart]]:
    return list(zip(ratios, draw_ratios([line.ratio for line in ratios]), strict=True))


def _steps(row: Candidate) -> tuple[Step, ...]:
    return () if row.reasons is None else row.reasons.steps


def _reasons(row: Candidate) -> list[tuple[Step, Chart]]:
    """Steps of a row, each with its picture."""
    return [] if row.reasons is None else list(zip(row.reasons.steps, draw_reasons(row.reasons), strict=True))


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the page's security policy: its own style and script, an empty icon, and nothing else at all."""
    allowed = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{kind} {sources}" for kind, sources in allowed.items())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _level(level: float) -> str:
    return f"{100.0 * level:.3g}%"
