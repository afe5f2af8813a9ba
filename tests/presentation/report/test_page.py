"""The page of a report as text: its parts, its security policy, and names that try to break out of it."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import get_args

import numpy as np
import pytest

from pugam.inference import RatioInterval, Verdict
from pugam.inference.kind_shares import SEVERITY
from pugam.presentation.report import wording
from pugam.presentation.report.content import Map, TermLine
from pugam.presentation.report.page import render
from pugam.solvers import EvidenceCurve, PooledShares

WORDS = ("EXPLANATIONS", "CAUTIONS_AFTER_SHARE", "CAUTIONS_BESIDE_FIGURES", "OF_ONE_SAMPLE", "IN_SHORT")
LARGEST_PAGE = 3_000_000
VOID = {"meta", "link", "input", "rect", "path", "br", "wbr"}


class Page(HTMLParser):
    """A page taken apart: its elements, and the texts inside them."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.elements[self._open.pop()][0] == tag

    def handle_data(self, data):
        self.texts.append((list(self._open), data))

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    def text(self, tag=None, **wanted):
        """All text inside the elements of this kind and with these attributes, joined."""
        inside = {
            place
            for place, (name, attrs) in enumerate(self.elements)
            if tag in (None, name) and all(attrs.get(key) == value for key, value in wanted.items())
        }
        return "".join(data for path, data in self.texts if inside & set(path))

    @property
    def data(self):
        return json.loads(self.text("script", id="data"))


@pytest.fixture(scope="module")
def text(example):
    return render(example)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.fixture(scope="module")
def hostile_text(hostile):
    return render(hostile)


@pytest.fixture(scope="module")
def hostile_page(hostile_text):
    return Page(hostile_text)


def headings(page):
    return [page.text("h2", id=attrs["id"]) for attrs in page.all("h2")]


def test_parts_follow_one_another_from_the_answer_to_its_repetition(page):
    assert page.text("h1") == "Hidden malignant tumours among undiagnosed ones"
    assert headings(page) == [
        "pi is well determined",
        "The answer",
        "What was fitted",
        "Effects",
        "Odds ratios",
        "Tests",
        "Posteriors",
        "Most likely positives",
        "Diagnosis",
        "Summary",
        "How to cite",
        "How to repeat this",
    ]


def test_the_answer_is_pi_in_percent_with_its_interval(page):
    assert page.text("p", **{"class": "headline"}).split("\n")[0] == "24.4%"
    assert "95% interval 19.7% to 30.4%" in page.text("p", **{"class": "headline"})


def test_figures_in_tables_are_short(page):
    text = page.text("table")

    for shown in ("< 0.001", "0.042", "61.4", "3.90 to 10.6", "> 99.9%", "97.7%"):
        assert shown in text
    assert not re.search(r"\de[-+]\d", text)


def test_every_term_is_drawn_and_described_without_a_script(page, example):
    charts = {attrs["id"]: attrs for attrs in page.all("svg") if "id" in attrs}

    for place, effect in enumerate(example.effects):
        assert charts[f"effect-{place}"]["role"] == "img"
        assert charts[f"effect-{place}"]["aria-label"].startswith(f"{effect.label}: effect on the log odds from ")
    assert sum(attrs.get("class") == "line" and len(attrs["d"]) > 300 for attrs in page.all("path")) == 6


@pytest.fixture(scope="module")
def mapped_page(mapped):
    return Page(render(mapped))


def test_a_map_is_drawn_and_described_without_a_script(mapped_page):
    charts = {attrs["id"]: attrs for attrs in mapped_page.all("svg") if "id" in attrs}
    filled = [attrs["fill"] for attrs in mapped_page.all("path") if "fill" in attrs]

    label = charts["effect-1"]["aria-label"]
    assert label.startswith("te(age, bmi): effect on the log odds from ")
    assert "not distinguishable from zero in " in label
    assert charts["effect-2"]["aria-label"].startswith("te(age, bmi) along age: effect on the log odds from ")
    assert charts["colours-1"]["aria-hidden"] == "true"
    assert len(set(filled)) > 8
    assert [attrs["id"] for attrs in mapped_page.all("pattern")] == ["hatch"]
    assert len([attrs for attrs in mapped_page.all("text") if attrs["class"] == "contour-label"]) >= 4


def test_what_colours_and_lines_stand_for_is_said(mapped_page):
    said = mapped_page.text("p", **{"class": "keys"})

    for text in ("not distinguishable from zero", "no rows near", "bmi", "30", "23", "37"):
        assert text in said
    assert "Missing values: effect 0.2" in mapped_page.text("p", **{"class": "note"})
    assert "is a map: red where a row is more likely positive" in mapped_page.text(
        "section", **{"aria-labelledby": "effects"}
    )


def test_an_odds_ratio_says_at_which_values_of_others_it_holds(mapped_page):
    assert "age where bmi = 25.0" in mapped_page.text("table")


def test_a_page_without_maps_does_not_speak_of_them(page, text):
    assert "is a map" not in page.text("section", **{"aria-labelledby": "effects"})
    assert not page.all("pattern")


def test_the_profile_is_described_by_where_it_crosses_the_limit(page):
    label = next(attrs["aria-label"] for attrs in page.all("svg") if attrs.get("id") == "profile")

    # Limits of the logit of 0.244 plus or minus 1.96 times 0.137, to which the profile is made.
    assert label == "Profile of pi: below the limit from 19.8% to 29.7%"


def test_the_policy_allows_only_the_style_and_script_of_the_page(text, page):
    policy = next(attrs["content"] for attrs in page.all("meta") if attrs.get("http-equiv"))
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    hashes = {
        tag: "'sha256-" + base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() + "'"
        for tag, inside in re.findall(r"<(style|script)>(.*?)</\1>", text, re.DOTALL)
    }

    assert rules == {
        "default-src": "'none'",
        "style-src": hashes["style"],
        "script-src": hashes["script"],
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


@pytest.mark.parametrize("which", ["page", "hostile_page"])
def test_nothing_is_fetched_and_nothing_escapes_the_policy(which, request):
    page = request.getfixturevalue(which)

    tags = {tag for tag, _ in page.elements}
    attributes = {name for _, attrs in page.elements for name in attrs}
    links = [attrs["href"] for _, attrs in page.elements if "href" in attrs]
    assert tags.isdisjoint({"img", "iframe", "object", "embed", "form", "base", "a", "image", "use", "audio", "video"})
    assert "src" not in attributes
    assert "style" not in attributes
    assert not [name for name in attributes if name.startswith("on")]
    assert links == ["data:,"]
    assert len(page.all("script")) == 2
    assert "http://" not in page.text("style") + page.text("script", type=None)
    assert "https://" not in page.text("style") + page.text("script", type=None)
    assert "@import" not in page.text("style")
    assert "url(" not in page.text("style")


def test_hostile_names_are_shown_as_text(hostile_page, hostile):
    assert hostile_page.text("h1") == hostile.title
    captions = hostile_page.text("figcaption")
    for effect in hostile.effects:
        assert effect.label in captions
    for _, value in hostile.asked:
        assert value in hostile_page.text("dd")


def test_hostile_names_reach_the_script_unharmed(hostile_text, hostile_page, hostile):
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', hostile_text, re.DOTALL).group(1)

    names = [effect.get("columns", effect.get("column")) for effect in hostile_page.data["effects"]]
    assert names == [list(e.columns) if isinstance(e, Map) else e.column for e in hostile.effects]
    assert not set(inside) & set("<>&\u2028\u2029")


def test_names_that_are_no_text_can_be_written(example):
    page = render(replace(example, asked=(("Data", "odd\udce9name.csv"),)))

    assert "odd?name.csv" in page.encode("utf-8").decode("utf-8")


def test_many_terms_fit_into_three_megabytes(hostile_text, hostile):
    assert len(hostile.effects) == 64
    assert len(hostile.effects[0].u) == 60
    assert len(hostile.fixed_pi.pi) == 31
    assert len(hostile_text.encode("utf-8")) < LARGEST_PAGE


def test_ids_are_unique(hostile_page):
    ids = [attrs["id"] for _, attrs in hostile_page.elements if "id" in attrs]

    assert len(ids) == len(set(ids))


def test_the_script_gets_what_the_slider_moves(page, example):
    data, fixed_pi = page.data, example.fixed_pi
    (view,) = data["views"]

    assert view["pi"][fixed_pi.estimate] == "24.4%"
    inside = [example.pi.lower <= pi <= example.pi.upper for pi in fixed_pi.pi]
    assert view["standing"] == [f"{'in' if within else 'out'}side the 95% interval" for within in inside]
    assert inside[fixed_pi.estimate]
    assert not inside[0]
    assert data["effects"][0]["curves"][0]["fixed"][3] == pytest.approx(example.effects[0].with_pi_fixed[3], rel=1e-3)
    assert data["candidates"][19][fixed_pi.estimate] == "96.3%"
    assert view["histogram"][0] == pytest.approx(fixed_pi.histogram[0], rel=1e-3)


def test_warnings_stand_at_the_top_with_the_verdict(warned):
    page = Page(render(warned))

    assert headings(page)[0] == "pi is weakly determined"
    assert page.text("ul", **{"class": "warnings"}).split("\n")[1:-1] == list(warned.warnings)


def test_a_model_that_does_not_fit_is_told_in_red_before_any_number(warned):
    text = render(replace(warned, diagnostics=replace(warned.diagnostics, verdict="does not fit")))
    page = Page(text)

    assert headings(page)[0] == "The model does not fit these data"
    assert page.all("section")[0]["class"] == "verdict verdict-does-not-fit"
    assert ".verdict-does-not-fit { border-left-color: var(--wrong);" in text
    assert text.index("<h2") < text.index("The model does not fit these data") < text.index('class="headline"')


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("weakly determined", "These numbers depend on pi, which is weakly determined."),
        ("not determined", "These numbers depend on pi, which is not determined: move the slider to see how much."),
        ("does not fit", "These numbers rest on a model that does not fit these data."),
    ],
)
def test_figures_that_stand_alone_carry_the_caveat(example, verdict, said):
    doubtful = Page(render(replace(example, diagnostics=replace(example.diagnostics, verdict=verdict))))

    for part in ("ratios", "candidates"):
        assert said in doubtful.text("section", **{"aria-labelledby": part})


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_a_share_that_is_not_to_be_used_does_not_stand_out(example, verdict):
    page = Page(render(replace(example, diagnostics=replace(example.diagnostics, verdict=verdict))))
    (answer,) = [section for section in page.all("section") if section.get("aria-labelledby") == "answer"]

    assert ("doubtful" in answer["class"]) == (verdict in ("not determined", "does not fit"))


def test_figures_of_a_fit_without_doubts_carry_none(page):
    assert "They " not in page.text("section", **{"aria-labelledby": "candidates"})


def test_an_odds_ratio_about_which_nothing_is_known_is_no_number(example):
    first, *others = example.ratios
    wide = replace(first, ratio=RatioInterval(444.0, 0.3, 608_000.0, 0.95, "wald"))
    text = Page(render(replace(example, ratios=(wide, *others)))).text("section", **{"aria-labelledby": "ratios"})

    assert "not determined" in text
    assert "444" not in text
    assert "608" not in text


def test_empty_parts_are_left_out(example):
    page = Page(render(replace(example, terms=(), ratios=(), candidates=())))

    assert not page.all("table")
    assert not page.all("ul")
    assert {"Odds ratios", "Tests", "Most likely positives"}.isdisjoint(headings(page))


def test_with_pi_fixed_there_is_no_interval_and_no_profile(fixed):
    page = Page(render(fixed))

    assert headings(page)[0] == "pi is fixed"
    assert "interval" not in page.text("p", **{"class": "headline"})
    assert "pi = 24.4% (the value given)" in page.text("p", id="slider-text")
    assert "profile interval" not in page.text("p", id="slider-text")
    assert "profile" not in {attrs.get("id") for attrs in page.all("svg")}
    assert set(page.data["views"][0]["standing"]) == {""}


def test_with_a_single_value_of_pi_there_is_no_slider(fixed):
    def only(values):
        return (values[fixed.fixed_pi.estimate],)

    fixed_pi = fixed.fixed_pi
    one = replace(
        fixed_pi,
        pi=only(fixed_pi.pi),
        estimate=0,
        called_positive=only(fixed_pi.called_positive),
        histogram=only(fixed_pi.histogram),
    )
    effects = tuple(replace(effect, with_pi_fixed=only(effect.with_pi_fixed)) for effect in fixed.effects)

    page = Page(render(replace(fixed, fixed_pi=one, effects=effects)))

    assert not page.all("input")


def test_numbers_that_are_none_do_not_break_a_chart(example):
    nan, infinite = float("nan"), float("inf")
    effect = example.effects[0]
    broken = replace(effect, lower=(nan, *effect.lower[1:]), upper=(infinite, *effect.upper[1:]))
    flat = replace(effect, u=(0.0,) * 60, lower=(0.0,) * 60, upper=(0.0,) * 60, with_pi_fixed=((0.0,) * 60,) * 31)
    unknown = replace(effect, u=(nan,) * 60, lower=(nan,) * 60, upper=(nan,) * 60, with_pi_fixed=((nan,) * 60,) * 31)
    terms = (TermLine("s(x)", nan, infinite, nan, None),)
    ratio = replace(example.ratios[0], ratio=RatioInterval(nan, 0.0, infinite, 0.95, "wald"))

    page = Page(render(replace(example, effects=(broken, flat, unknown), terms=terms, ratios=(ratio,))))

    outlines = " ".join(attrs["d"] for attrs in page.all("path"))
    assert "nan" not in outlines
    assert "inf" not in outlines
    assert page.data["effects"][0]["curves"][0]["lower"][0] is None


def test_shares_of_samples_stand_in_a_table_and_a_forest(sampled):
    page = Page(render(sampled))

    table = page.text("table", **{"class": "shares"})
    for words in ("north", "310", "18.0%", "11.0% to 25.0%", "the data determine it", "known only roughly", "24.4%"):
        assert words in table
    assert "Audited" in table
    assert "of both samples together, 95% interval" in page.text("p", **{"class": "headline"})
    assert "The shares differ" in page.text("section", **{"aria-labelledby": "shares"})
    (forest,) = [attrs for attrs in page.all("svg") if attrs.get("id") == "forest"]
    label = f"Shares of the samples: north 18.0%, {sampled.samples[1].name} 37.0%; all together 24.4%"
    assert forest["aria-label"] == label


@pytest.fixture(scope="module")
def page_of_kinds(of_kinds):
    return Page(render(of_kinds))


def test_kinds_have_shares_and_each_a_part_of_its_own(page_of_kinds, of_kinds):
    page, (common, rare) = page_of_kinds, of_kinds.kinds

    assert headings(page) == [
        f"pi is weakly determined, by kind {rare.name!r}",
        "The answer",
        "Shares of the kinds",
        "What was fitted",
        "Effects, kind by kind",
        "Posteriors",
        "Most likely positives",
        "Summary",
        "How to cite",
        "How to repeat this",
    ]
    assert [page.text("h3", id=attrs["id"]) for attrs in page.all("h3")] == [common.name, rare.name]
    shares = page.text("table", **{"class": "shares"})
    for shown in (common.name, rare.name, "80", "16.4%", "8.0%", "1.0% to 19.0%", "103", "24.4%", "known only roughly"):
        assert shown in shares
    label = next(attrs["aria-label"] for attrs in page.all("svg") if attrs.get("id") == "forest")
    assert label == f"Shares of the kinds: common 16.4%, {rare.name} 8.0%; all together 24.4%"


def test_effects_of_kinds_are_numbered_through_for_the_script(page_of_kinds, of_kinds):
    effects = [effect for kind in of_kinds.kinds for effect in kind.effects]
    charts = {attrs["id"]: attrs for attrs in page_of_kinds.all("svg") if "id" in attrs}
    ids = [attrs["id"] for _, attrs in page_of_kinds.elements if "id" in attrs]

    assert [effect["column"] for effect in page_of_kinds.data["effects"]] == [effect.column for effect in effects]
    for place, effect in enumerate(effects):
        assert charts[f"effect-{place}"]["aria-label"].startswith(f"{effect.label}: effect on the log odds")
    assert f"effect-{len(effects)}" not in charts
    assert len(ids) == len(set(ids))


def test_tables_of_kinds_carry_the_caveat_of_their_kind(page_of_kinds):
    common, rare = (page_of_kinds.text("section", **{"aria-labelledby": f"kind-{number}"}) for number in (1, 2))

    assert "By what factor the odds of being of this kind" in common
    assert "These numbers depend on" not in common
    assert "These numbers depend on the share of this kind, which is weakly determined." in rare
    assert "pi is the share of this kind among the unlabelled rows that are of no other kind" in rare


def test_likely_positives_have_their_likeliest_kind_and_nothing_speaks_of_a_slider(page_of_kinds, of_kinds):
    table = page_of_kinds.text("section", **{"aria-labelledby": "candidates"})

    assert "Likeliest kind" in table
    assert f"{0.9 * of_kinds.candidates[5].posterior:.1%}" in table
    assert "interval" not in table
    assert not [attrs for attrs in page_of_kinds.all("input") if attrs.get("id") == "slider"]
    assert "slider" not in page_of_kinds.text("main")


def test_the_audit_is_told_with_what_follows_from_it(sampled):
    audit = Page(render(sampled)).text("section", **{"aria-labelledby": "audit"})
    assert "The audit agrees with the model (p = 0.400)." in audit
    assert "30.0%" in audit

    wrong = replace(sampled.audits[0], pvalue=0.0001)
    audit = Page(render(replace(sampled, audits=(wrong, *sampled.audits[1:])))).text(
        "section", **{"aria-labelledby": "audit"}
    )
    assert "The audit contradicts the model (north: p < 0.001)" in audit


def test_pooled_shares_and_known_negatives_are_told_in_a_sentence(sampled):
    plain = render(sampled)
    assert "Shares are pooled" not in plain
    assert "known to be negative" not in plain
    curve = EvidenceCurve(np.zeros(1), np.zeros(1), np.zeros(1))
    pooled = PooledShares(np.log(0.25 / 0.75), np.log(3.0), np.zeros(2), np.eye(2), (curve, curve))
    page = render(replace(sampled, pooled=pooled, negatives=1300.0))
    # Odds of 1/3, divided and multiplied by three: shares of 10% and of 50%.
    assert "Their log odds have mean -1.10 and standard deviation 1.10" in page
    assert "shares from 10.0% to 50.0%." in page
    assert "In addition, 1,300 rows are known to be negative; no share counts them." in page


def test_samples_to_choose_are_there_with_samples_only(sampled, example):
    page = Page(render(sampled))
    assert [attrs["value"] for attrs in page.all("option")] == ["0", "1", "2"]
    assert [len(view["pi"]) for view in page.data["views"]] == [len(sampled.fixed_pi.pi)] * 3
    assert page.data["listed"][:3] == [[0, 1], [0, 2], [1]]

    plain = Page(render(example))
    assert not list(plain.all("select"))
    assert "Shares of the samples" not in headings(plain)
    assert "Audit" not in headings(plain)


@pytest.mark.parametrize("words", WORDS)
def test_there_are_words_for_every_verdict(words):
    assert getattr(wording, words).keys() == set(get_args(Verdict)) == set(SEVERITY)
