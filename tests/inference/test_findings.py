"""Kinds of findings: values, each of them worded for Python, the command line and the report."""

import re
from pathlib import Path

import pytest

from pugam.command_line.wording import in_flags
from pugam.inference import Interval
from pugam.inference.audit_findings import AuditRefutes
from pugam.inference.bound_findings import AboveBound, AboveBoundWithAllPairs
from pugam.inference.findings import (
    BoostingSeesMore,
    CurvesDiffer,
    EmNotConverged,
    FewStartsNear,
    Finding,
    FlatProfile,
    IntervalsDiffer,
    LabelsDisagree,
    LabelsPrefer,
    LargeError,
    LeansOnPrior,
    LittleApart,
    NeedsSmoothness,
    NotConverged,
    NoTermVaries,
    OneGroupVaries,
    OneSidedLevels,
    OneTellsAll,
    OneTermVaries,
    OnGivenBound,
    OpenEnd,
    OpenTerms,
    PairsDoNotAddUp,
    PairsHidePreference,
    PerhapsLittleApart,
    RanToBoundary,
    RanToBoundaryWithoutPrior,
    RestsOnPairs,
    RunawayLevels,
    SaysLittle,
    Separated,
    StartsApart,
    UnevenProfile,
    WideInterval,
)
from pugam.inference.fixed_share import ShareContradicted
from pugam.inference.kind_diagnosis import FoundKinds
from pugam.inference.opinions import OthersDisagree
from pugam.inference.sample_findings import PositivesDiffer
from pugam.inference.term_checks import SaysTheSame, TooFewFunctions
from pugam.messages import Message, in_python
from pugam.presentation.report.wording import on_page

FINDINGS = [
    AboveBound(0.612, 0.487),
    AboveBoundWithAllPairs(0.612, 0.487),
    PositivesDiffer(0.0004, ("age", "{sex}")),
    AuditRefutes(("{north}", "all samples"), 0.0004, 120.0, 0.231, 0.186, 0.277),
    BoostingSeesMore(0.0021),
    CurvesDiffer(0.0004, ("s(x1) in {north}", "s(x2) in south"), "Leave out the columns concerned"),
    FewStartsNear(2, 12),
    FlatProfile(0.0, 1.0),
    LargeError(0.0, 1.0),
    IntervalsDiffer(Interval(0.4, 0.25, 0.45, 0.95, "wald")),
    LabelsDisagree(0.0012),
    LabelsPrefer(0.0004, ("age", "{sex}"), "s({age})"),
    PairsHidePreference(0.0004, ("age", "{sex}"), "s({age})", ("ti(age, {sex})",)),
    LeansOnPrior("next to nothing"),
    LeansOnPrior("little"),
    LittleApart(2.31, 0.859),
    NeedsSmoothness(1.62),
    OneSidedLevels(("site = 'north'",)),
    ShareContradicted(0.05, "larger", 0.0003),
    OthersDisagree(("0.412", "0.398"), "above", 0.062),
    SaysTheSame("s({age})", "s(height)", 0.93),
    TooFewFunctions(("s({age})", "s(height)"), 0.0004, 20),
    NoTermVaries(5),
    NotConverged(200),
    OnGivenBound(0.1, 0.4),
    OneGroupVaries(("s(x1)", "ti(x1, x2)")),
    OneTellsAll(("{age}",), 0.21),
    OneTermVaries(5, "s(x2)"),
    OpenEnd(1.0),
    OpenTerms(("l(a)", "l(b)", "l(c)", "l(d)", "l(e)")),
    PairsDoNotAddUp(0.0004, ("x1 and x2", "x1 and {x3}")),
    PerhapsLittleApart(3.52, 0.138, 2.78),
    RanToBoundary(0.0),
    FoundKinds(),
    RestsOnPairs(("ti(x1, x2)", "ti(x1, {x3})"), 0.318),
    RunawayLevels(("site = '{east}'",)),
    SaysLittle(),
    Separated("s(age)"),
    StartsApart(0.25),
    UnevenProfile(2.04),
    WideInterval(0.2, 0.65),
]
SAID_ELSEWHERE = (NotConverged, SaysLittle, SaysTheSame, TooFewFunctions)  # by a fit, and by a check of its terms
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "diagnosis.md"
IN_PYTHON_ONLY = [EmNotConverged(5000), RanToBoundaryWithoutPrior(1.0)]  # of arguments that have no flag
NAMES = [type(finding).__name__ for finding in FINDINGS]


def kinds(of):
    return {of, *(below for kind in of.__subclasses__() for below in kinds(kind))}


def test_all_kinds_of_findings_are_tested():
    assert {type(finding) for finding in (*FINDINGS, *IN_PYTHON_ONLY)} == kinds(Finding) - {Finding}


@pytest.mark.parametrize("finding", [*FINDINGS, *IN_PYTHON_ONLY], ids=lambda finding: type(finding).__name__)
def test_in_python_there_are_no_flags(finding):
    text = str(finding.message)

    assert text.endswith(".")
    assert "--" not in text


@pytest.mark.parametrize("words", [in_flags, on_page(in_flags)], ids=["terminal", "report"])
@pytest.mark.parametrize("finding", FINDINGS, ids=NAMES)
def test_on_the_command_line_there_is_no_python(finding, words):
    text = finding.message.told(words)

    assert text.endswith(".")
    assert re.search(r"\w=\S|\w\(\)|plot\(|of X|PUGAM|max_iter|n_starts", text) is None


@pytest.mark.parametrize("finding", [*FINDINGS, *IN_PYTHON_ONLY], ids=lambda finding: type(finding).__name__)
def test_a_report_points_to_what_is_on_its_page(finding):
    assert re.search(r"plot\(|diagnose|--report", finding.message.told(on_page(in_python))) is None


@pytest.mark.parametrize(
    ("finding", "python", "terminal", "page"),
    [
        (WideInterval(0.2, 0.65), "(plot('sensitivity')).", "(the slider of --report).", "(the slider on this page)."),
        (
            LabelsPrefer(4e-4, ("sex",), "f(sex)"),
            "(labelling='f(sex)')",
            "(--labelling 'f(sex)')",
            "bounds on this page)",
        ),
        (FewStartsNear(2, 12), "Only 2 of 12 starts", "(--starts 40)", "(--starts 40)"),
        (
            FlatProfile(0.0, 1.0),
            "(pi=0.2, pi=(0.1, 0.4))",
            "(--pi 0.2, --pi 0.1,0.4)",
            "(pi = 0.2, pi from 0.1 to 0.4)",
        ),
        (NotConverged(200), "within 200 iterations. Try a larger max_iter,", "larger --max-iter,", "--max-iter,"),
        (SaysLittle(), "; diagnose() says more.", "; --report says more.", "; the diagnosis on this page says more."),
        (
            OpenTerms(("l(a)", "l(b)", "l(c)", "l(d)")),
            "effects: l(a), l(b), l(c) and 1 more.",
            "l(c) and 1 more",
            "l(a)",
        ),
        (RunawayLevels(("site = '{east}'",)), "without bound: site = '{east}'.", "{east}", "{east}"),
    ],
)
def test_each_reader_has_words_of_their_own(finding, python, terminal, page):
    assert python in str(finding.message)
    assert terminal in finding.message.told(in_flags)
    assert page in finding.message.told(on_page(in_flags))


def test_the_page_on_the_diagnosis_knows_every_warning():
    page = PAGE.read_text(encoding="utf-8").split("## Every warning")[1].split("### Warnings of the fit itself")[0]
    quoted = re.findall(r"\*([^*]+)\*", " ".join(line.split("|")[1] for line in page.splitlines() if "| *" in line))
    begins = {text: re.compile(re.escape(text).replace(re.escape("..."), ".*")) for text in quoted}
    said = [str(one.message) for one in FINDINGS if not isinstance(one, SAID_ELSEWHERE)]

    unknown = [text for text in said if not any(begin.search(text) for begin in begins.values())]
    stale = [quote for quote, begin in begins.items() if not any(map(begin.search, said))]
    assert len(quoted) > 20
    assert unknown == stale == []


def test_findings_are_values():
    assert WideInterval(0.2, 0.65) == WideInterval(0.2, 0.65) != WideInterval(0.2, 0.66)
    assert isinstance(WideInterval(0.2, 0.65).message, Message)
