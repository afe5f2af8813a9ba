"""The page of a report: one HTML file that holds its style, script and data, and fetches nothing."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from pugam.inference import headline
from pugam.presentation.report import charts, formats, script_data
from pugam.presentation.report.cards import draw_card
from pugam.presentation.report.content import Candidate, Content
from pugam.presentation.report.drawing import Chart
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
        share_in_words=share_in_words,
        place="{:.1f}".format,
        breakable=formats.breakable,
        unbroken=formats.unbroken,
    )
    return environment


def render(content: Content) -> str:
    """Return the whole page."""
    environment = _environment()
    style, script = _read("style.css"), _read("script.js")
    cards = [draw_card(shown) for shown in content.effects]
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
        headline=headline(found.verdict),
        explained=EXPLANATIONS.get(found.verdict, ""),
        caution=CAUTIONS_BESIDE_FIGURES.get(found.verdict, ""),
        fixed=content.pi.method == "fixed",
        start=script_data.start_name(content.pi),
        standing=script_data.standing(content.pi, fixed_pi.pi[fixed_pi.estimate]),
        pi_chart=draw_pi(content.pi),
        folds=folds_of(content, cards),
        searched=len(cards) > MOST_OPEN,
        has_maps=any(card.colours for card in cards),
        has_keys=any(card.keys for card in cards),
        has_families=any(len(card.moving) > 1 for card in cards),
        ratios=list(zip(content.ratios, draw_ratios([line.ratio for line in content.ratios]), strict=True)),
        candidates=[(row, _reasons(row)) for row in content.candidates],
        averaged=any(step.term == AVERAGING for row in content.candidates[:1] for step in _steps(row)),
        histogram=charts.draw_histogram(fixed_pi, charts.histogram_scales(script_data.views_of(content))),
        shares=draw_shares(content.samples, content.pi) if content.samples else None,
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
