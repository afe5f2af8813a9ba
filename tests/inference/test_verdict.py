"""Verdicts: each sign of trouble by itself, with its warning and its remedy, and what is harmless."""

from dataclasses import replace

import pytest

from pugam.command_line.wording import in_flags
from pugam.inference import BestBin, Interval, LabellingTest, Omnibus, PairTest
from pugam.inference.audit_findings import AuditedShare
from pugam.inference.beyond_one import BeyondOne
from pugam.inference.bound_findings import AboveBound
from pugam.inference.findings import (
    BoostingSeesMore,
    LabelsPrefer,
    PairsDoNotAddUp,
    PairsHidePreference,
)
from pugam.inference.open_effects import OpenEffects
from pugam.inference.verdict import judge
from pugam.inference.without_pairs import WithoutPairs
from pugam.presentation.report.wording import on_page
from pugam.solvers import Search


def with_pvalues(diagnosis, *pvalues):
    return tuple(replace(test, pvalue=pvalue) for test, pvalue in zip(diagnosis.terms, pvalues, strict=True))


def between(lower, upper):
    """The same limits by profile and Wald."""
    interval = Interval(0.4, lower, upper, 0.95, "profile")
    return {"profile_interval": interval, "sampling": replace(interval, method="wald")}


NO_MORE = BeyondOne(("x2",), 0.01)  # than one column says, at the level that counts here
ADDED = Search(0.4, n_pairs=10, added=("ti(x2, x3)", "ti(x3, x5)"))

LEANING = Interval(0.4, 0.25, 0.5, 0.95, "marginal")
CASES = {
    "boundary": (lambda d: {"at_boundary": True}, "not determined", "ran to the boundary", "Fix pi or bound it"),
    "flat": (lambda d: between(0.0, 1.0), "not determined", "is flat: hardly any value from 0", "Fix pi or bound it"),
    "large error": (
        lambda d: between(0.25, 0.6) | {"sampling": Interval(0.4, 0.01, 0.99, 0.95, "wald")},
        "not determined",
        "Wald's interval excludes hardly any value from 0 to 1",
        "Fix pi or bound it",
    ),
    "open above": (
        lambda d: between(0.7, 1.0) | {"best_bin": None},
        "not determined",
        "does not fall off towards 1",
        "Fix pi or bound it",
    ),
    "open below": (lambda d: between(0.0, 0.3), "not determined", "does not fall off towards 0", "Fix pi or bound it"),
    "one term": (
        lambda d: {"terms": with_pvalues(d, 0.3, 0.001, 0.06, 0.5, 1.0), "beyond_one": NO_MORE},
        "not determined",
        r"Of 5 terms only s(x2) is distinguishable",
        "add features",
    ),
    "one term, and noise of which some looks like more": (
        lambda d: {"terms": with_pvalues(d, 0.04, 1e-9, 0.02, 0.5, 1.0), "beyond_one": None},
        "not determined",
        r"Of 5 terms only s(x2) is distinguishable",
        "add features",
    ),
    "one group": (
        lambda d: {
            "terms": with_pvalues(d, 0.3, 0.001, 0.01, 0.001, 1.0),
            "columns": (("x1",), ("x2",), ("x3",), ("x2", "x3"), ("x5",)),
            "beyond_one": NO_MORE,
        },
        "not determined",
        r"Interactions join the columns of all terms that are distinguishable from a constant (s(x2), s(x3), s(x4))",
        "add features",
    ),
    "an added pair that tells all": (
        lambda d: {
            "terms": with_pvalues(d, 0.3, 0.001, 0.001, 0.001, 1.0),
            "columns": (("x1",), ("x2",), ("x3",), ("x2", "x3"), ("x5",)),
            "search": ADDED,
            "distance": 12.0,
            "beyond_one": NO_MORE,
        },
        "not determined",
        r"Interactions join the columns of all terms that are distinguishable from a constant (s(x2), s(x3), s(x4))",
        "add features",
    ),
    "no term": (
        lambda d: {"terms": with_pvalues(d, 0.3, 0.2, 0.06, 0.5, 1.0), "beyond_one": NO_MORE},
        "not determined",
        "None of the 5 terms is distinguishable",
        "add features",
    ),
    "separation": (lambda d: {"separated": True}, "weakly determined", "(almost) perfectly", "Use fewer terms"),
    "wide": (lambda d: between(0.2, 0.65), "weakly determined", "wide, 0.20 to 0.65", "plot('sensitivity')"),
    "wide for its allowance for model error": (
        lambda d: {"wald": Interval(0.6, 0.2, 0.65, 0.95, "wald")},
        "weakly determined",
        "wide, 0.20 to 0.65",
        "plot('sensitivity')",
    ),
    "uneven": (
        lambda d: {**between(0.3, 0.5), "sampling": Interval(0.4, 0.35, 0.45, 0.95, "wald")},
        "weakly determined",
        "profile interval is 2.0 times as wide",
        "both ends of the interval",
    ),
    "uneven the other way": (
        lambda d: {**between(0.35, 0.45), "sampling": Interval(0.4, 0.3, 0.5, 0.95, "wald")},
        "weakly determined",
        "profile interval is 0.5 times as wide",
        "both ends of the interval",
    ),
    "smoothness": (lambda d: {"reliance": 1.62}, "weakly determined", "1.6 times as large", "fix pi"),
    "little apart": (
        lambda d: {"distance": 2.94},
        "weakly determined",
        "only weakly: they are 2.94 apart in mean log density ratio, less than 3 (",
        "stronger features",
    ),
    "perhaps little apart": (
        lambda d: {"distance": 3.6, "sampling": LEANING, "profile_interval": LEANING},
        "weakly determined",
        "3.6 apart in mean log density ratio if pi is as estimated, but only 2.9 if pi is 0.25",
        "stronger features",
    ),
    "starts": (
        lambda d: {"starts_near": 3, "starts_spread": 0.25},
        "weakly determined",
        "0.25 apart in pi",
        "n_starts=40",
    ),
    "pairs": (
        lambda d: {
            "pair_test": PairTest(43.2, 10.0, 0.0004, (("x1", "x4"), ("x2", "x3"), ("x1", "x2")), (1e-5, 0.002, 0.3))
        },
        "does not fit",
        "p = 0.0004): above all those of x1 and x4, x2 and x3. ",
        "Add interactions of these columns, as in ti(x, y)",
    ),
    "pairs, none by itself": (
        lambda d: {"pair_test": PairTest(43.2, 10.0, 0.0004, (("x1", "x4"), ("x2", "x3")), (0.02, 0.03))},
        "does not fit",
        "above all those of x1 and x4. ",
        "Add interactions of these columns",
    ),
    "labelling": (
        lambda d: {"labelling": LabellingTest(31.0, 10.0, 0.0006, ("x1", "x2"), (1e-6, 0.004), ("x1",), "s(x1)")},
        "does not fit",
        "p = 0.0006): whether a positive is labelled seems to depend on x1. ",
        "audit some unlabelled rows, or show how far off pi could be (plot('labelling'))",
    ),
    "labelling, none by itself": (
        lambda d: {"labelling": LabellingTest(31.0, 10.0, 0.0006, ("x1", "x2"), (0.02, 0.04), (), "s(x1)")},
        "does not fit",
        "seems to depend on x1. ",
        "audit some unlabelled rows",
    ),
    "boosting": (
        lambda d: {"omnibus": Omnibus(3.1, 0.00097, 1400)},
        "does not fit",
        "than the model says they can (p = 0.00097)",
        "ask how labels came about",
    ),
    "audit": (
        lambda d: {"audits": (AuditedShare("all", 80.0, 0.4, 0.231, 0.186, 0.277, 0.0004),)},
        "does not fit",
        "Audited rows contradict the model (test of posteriors, p = 0.0004)",
        "Report the share without the model, 0.231 (95% interval 0.186 to 0.277) by 80 audited rows",
    ),
    "audit of one sample": (
        lambda d: {
            "audits": tuple(
                AuditedShare(name, 40.0, 0.4, 0.4, 0.3, 0.5, pvalue)
                for name, pvalue in (("north", 0.004), ("south", 0.003), ("all", 0.2))
            )
        },
        "does not fit",
        "(south, p = 0.003)",
        "by 40 audited rows",
    ),
    "bound": (
        lambda d: {"best_bin": BestBin(0.31, d.sampling.lower - 0.001)},
        "does not fit",
        "or more, but if labelled rows are a random sample of the positives, it is at most",
        "bound pi (pi=(0, 0.373))",
    ),
    "calibration": (
        lambda d: {"calibration": replace(d.calibration, pvalue=0.0012)},
        "well determined",
        "disagree (p = 0.0012)",
        "plot('calibration')",
    ),
    "collinear": (
        lambda d: {"open_effects": OpenEffects(terms=("l(a)", "l(b)"))},
        "well determined",
        "do not determine some effects: l(a), l(b).",
        "Leave one out",
    ),
    "one-sided": (
        lambda d: {"open_effects": OpenEffects(levels=("site = 'east'",))},
        "well determined",
        "grow without bound: site = 'east'.",
        "Merge these levels",
    ),
}


@pytest.mark.parametrize(("change", "verdict", "seen", "remedy"), CASES.values(), ids=CASES)
def test_each_sign_has_its_verdict_its_warning_and_its_remedy(clear, change, verdict, seen, remedy):
    found = replace(clear, **change(clear))

    judged, findings = judge(found)
    remarks = [str(finding.message) for finding in findings]

    assert judged == verdict
    relevant = [remark for remark in remarks if seen in remark]
    assert len(relevant) == 1
    assert remedy in relevant[0]
    # A profile that is open on both sides is wide, too, or unlike Wald's interval; otherwise nothing else is said.
    assert len(remarks) == (2 if "hardly any value" in seen else 1)


HARMLESS = {
    "two terms": lambda d: {"terms": with_pvalues(d, 0.3, 0.009, 0.012, 0.5, 1.0)},
    "narrow": lambda d: between(0.25, 0.64),
    "a little uneven": lambda d: {**between(0.3, 0.5), "sampling": Interval(0.4, 0.33, 0.48, 0.95, "wald")},
    "apart enough": lambda d: {"distance": 3.6, "wald": Interval(0.4, 0.3, 0.5, 0.95, "marginal")},
    "a little smoothness": lambda d: {"reliance": 1.25},
    "starts close by": lambda d: {"starts_near": 3, "starts_spread": 0.015},
    "one start": lambda d: {"starts_near": 1, "starts_spread": 0.5},
    "calibration": lambda d: {"calibration": replace(d.calibration, pvalue=0.02)},
    "condition": lambda d: {"condition": 3e11},
    "pairs": lambda d: {"pair_test": replace(d.pair_test, pvalue=0.011)},
    "labelling": lambda d: {"labelling": replace(d.labelling, pvalue=0.011)},
    "boosting": lambda d: {"omnibus": replace(d.omnibus, pvalue=0.011)},
    "bound": lambda d: {"best_bin": BestBin(0.2, d.sampling.lower + 0.001)},
    "terms that could each be spared": lambda d: {
        "terms": with_pvalues(d, 0.3, 0.2, 0.06, 0.5, 1.0),
        "beyond_one": BeyondOne(("x2",), 0.009),
    },
    "one term, and an audit": lambda d: {
        "terms": with_pvalues(d, 0.3, 0.001, 0.06, 0.5, 1.0),
        "audits": (AuditedShare("all", 80.0, 0.4, 0.4, 0.3, 0.5, 0.5),),
    },
    "added pairs, none of which reads all": lambda d: {
        "terms": with_pvalues(d, 0.3, 0.001, 0.001, 0.001, 0.001),
        "columns": (("x1",), ("x2",), ("x2", "x3"), ("x3", "x5"), ("x5",)),
        "search": ADDED,
        "distance": 12.0,
    },
    "not tested": lambda d: {"pair_test": None, "labelling": None, "omnibus": None, "best_bin": None},
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_is_harmless_is_not_warned_of(clear, change):
    assert judge(replace(clear, **change(clear))) == ("well determined", ())


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, "well determined"),
        ({"beyond_one": BeyondOne(("x1",), 0.06)}, "weakly determined"),
        ({"beyond_one": BeyondOne(("x1",), 0.06), "distance": 12.0}, "well determined"),
        ({"distance": 3.9}, "weakly determined"),
    ],
    ids=["two matter", "one tells all", "one tells all, far apart", "little apart"],
)
def test_columns_of_a_shrunken_fit_say_more_than_one_of_them(clear, change, verdict):
    terms = tuple(replace(test, pvalue=0.5) for test in clear.terms)  # none is needed by itself
    shrunken = replace(clear, ridge=3.0, distance=8.0, wald=replace(clear.wald, lower=0.35), terms=terms)
    found = replace(shrunken, needs_terms=False, beyond_one=BeyondOne(("x1",), 0.04))

    assert judge(replace(found, **change))[0] == verdict


def test_a_fixed_pi_is_warned_of_the_model_only(clear):
    troubled = replace(
        clear,
        profile_interval=None,
        at_boundary=True,
        reliance=5.0,
        open_effects=OpenEffects(terms=("l(a)", "l(b)")),
        calibration=replace(clear.calibration, pvalue=1e-5),
    )

    verdict, findings = judge(troubled)
    remarks = [str(finding.message) for finding in findings]

    assert verdict == "fixed"
    assert len(remarks) == 2
    assert "labels disagree" in remarks[0]
    assert "some effects" in remarks[1]


def test_a_fixed_pi_stays_fixed_where_the_model_does_not_fit(clear):
    fixed = Interval(0.7, 0.7, 0.7, 0.95, "fixed")
    misfits = {"omnibus": Omnibus(4.0, 3e-5, 1400), "best_bin": BestBin(0.5, 0.6)}

    verdict, findings = judge(replace(clear, profile_interval=None, wald=fixed, sampling=fixed, **misfits))

    assert verdict == "fixed"
    assert [type(finding) for finding in findings] == [BoostingSeesMore, AboveBound]


def test_above_the_bound_the_remedy_is_none_that_was_taken(clear):
    columns = [(f"x{one}", f"x{other}") for one in range(1, 6) for other in range(1, one)]
    above = replace(clear, best_bin=BestBin(0.1, 0.2))

    (some,), (every,) = (judge(replace(above, columns=tuple(columns[:most])))[1][:1] for most in (4, 10))
    assert "Add interactions of features, as in ti(x, y), or bound pi (pi=(0, 0.2))." in str(some.message)
    assert "All pairs of columns are in the model already" in str(every.message)
    assert "ti(x, y)" not in str(every.message)
    assert "(--pi 0,0.2)" in every.message.told(in_flags)
    assert "bound pi (pi from 0 to 0.2)" in every.message.told(on_page(in_flags))


@pytest.mark.parametrize(("pvalue", "said"), [(1e-5, [PairsDoNotAddUp]), (1e-3, [LabelsPrefer, PairsDoNotAddUp])])
def test_where_pairs_reject_more_clearly_nothing_is_said_of_labels(clear, pvalue, said):
    tests = {
        "labelling": LabellingTest(40.0, 10.0, 1e-4, ("x1",), (1e-6,), ("x1",), "s(x1)"),
        "pair_test": PairTest(43.2, 10.0, pvalue, (("x1", "x4"),), (1e-5,)),
    }

    verdict, findings = judge(replace(clear, **tests))

    assert verdict == "does not fit"
    assert [type(finding) for finding in findings] == said


@pytest.mark.parametrize(
    ("labelling", "pairs", "said"),
    [(1e-6, 1e-3, [PairsHidePreference]), (1e-6, 1e-9, []), (0.02, 0.5, [])],
    ids=["labels alone", "pairs more clearly", "neither"],
)
def test_interactions_may_stand_in_for_a_preference_of_labels(clear, labelling, pairs, said):
    tests = WithoutPairs(
        LabellingTest(40.0, 10.0, labelling, ("x1",), (1e-6,), ("x1",), "s(x1)"),
        PairTest(43.2, 10.0, pairs, (("x1", "x4"),), (1e-5,)),
    )

    verdict, findings = judge(replace(clear, without_pairs=tests))

    assert verdict == ("does not fit" if said else "well determined")
    assert [type(finding) for finding in findings] == said


def test_a_misfit_outranks_all_else_and_is_said_before_any_number(clear):
    troubled = replace(clear, at_boundary=True, reliance=2.0, omnibus=Omnibus(4.0, 3e-5, 1400))

    verdict, findings = judge(troubled)
    first, *_ = str(replace(troubled, verdict=verdict, findings=findings)).split("\n")

    assert verdict == "does not fit"
    assert isinstance(findings[0], BoostingSeesMore)
    assert len(findings) == 3
    assert first == f"The model does not fit these data. pi: {clear.wald}"


def test_the_worst_comes_first(clear):
    calibration = replace(clear.calibration, pvalue=1e-3)
    troubled = replace(clear, reliance=2.0, at_boundary=True, calibration=calibration)

    verdict, findings = judge(troubled)
    remarks = [str(finding.message) for finding in findings]

    assert verdict == "not determined"
    assert [word in remark for word, remark in zip(("boundary", "smooth", "disagree"), remarks, strict=True)] == [
        True
    ] * 3


def test_labels_that_disagree_beyond_doubt_are_a_misfit(clear):
    verdict, findings = judge(replace(clear, calibration=replace(clear.calibration, pvalue=1e-5)))

    assert verdict == "does not fit"
    assert ["disagree" in str(finding.message) for finding in findings] == [True]
