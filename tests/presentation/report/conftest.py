"""Contents of reports, made by hand: an ordinary one, one with a map, one with pi fixed, a large and hostile one."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

from pugam.inference import AuditedShare, EqualShares, Interval, RatioInterval
from pugam.presentation.report.content import (
    Candidate,
    Content,
    Curves,
    Diagnostics,
    Effect,
    FixedPi,
    Folding,
    Kind,
    Map,
    Ratio,
    Reasons,
    Sample,
    TermLine,
)
from pugam.presentation.steps import Step
from pugam.presentation.surfaces import Surface

PI = 0.244
LIMIT = 3.841
SHIFT = 0.8  # how much the effects swing with the log odds of pi
HOSTILE = [
    "<script>window.hacked = 1; alert(1)</script>",
    '"><img src=x onerror="window.hacked=1;alert(1)">',
    "</script><script>window.hacked = 1</script>",
    "<!-- <script> ' \" ` {{ 7 * 7 }} {% raw %} ${window.hacked=1}",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "emoji \U0001f9ec\U0001f600 and line \u2028 separators \u2029 end",
    "</style><style>*{display:none}</style>",
    "a very long name " * 6,
]


def tuples(values):
    return tuple(float(value) for value in values)


def swing(pi):
    """How much larger effects are with pi fixed there."""
    return float(np.exp(SHIFT * 0.3 * (logit(PI) - logit(pi))))


def make_fixed_pi(pi, estimate, fixed=False):
    deviance = () if fixed else tuples(((logit(pi) - logit(PI)) / 0.137) ** 2)
    histogram = [_histogram(value) for value in pi]
    return FixedPi(tuples(pi), estimate, deviance, LIMIT, tuples(pi * 0.97), tuple(histogram))


def _histogram(pi):
    middles = (np.arange(20) + 0.5) / 20
    shares = (1 - pi) * np.exp(-middles / 0.06) + 0.012 + pi * np.exp((middles - 1) / 0.05)
    return tuples(shares / shares.sum())


def make_curve(label, shape, low, high, pi, places=60, width=0.25, missing=False, seed=0):
    x = np.linspace(low, high, places)
    t = (x - low) / (high - low)
    u = shape(t)
    half = width * (1.0 + 2.5 * (2 * t - 1) ** 4)
    grid = tuple(float(value) for value in x)
    if missing:
        grid, u, half = (*grid, "missing"), np.append(u, 0.4), np.append(half, 0.5)
    rug = np.quantile(low + (high - low) * np.random.default_rng(seed).beta(2, 3, 300), np.linspace(0, 1, 101))
    column = label[2:-1]
    fixed = tuple(tuples(u * swing(value)) for value in pi)
    return Effect(label, column, grid, tuples(u), tuples(u - half), tuples(u + half), fixed, tuples(rug), missing)


def make_levels(label, names, pi, seed=0):
    generator = np.random.default_rng(seed)
    u = np.append(0.0, generator.normal(size=len(names) - 1))
    half = np.append(0.0, generator.uniform(0.2, 0.9, size=len(names) - 1))
    fixed = tuple(tuples(u * swing(value)) for value in pi)
    return Effect(label, label[2:-1], tuple(names), tuples(u), tuples(u - half), tuples(u + half), fixed)


def make_map(columns, pi, seed=0):
    """A map and its slices."""
    x, y = np.linspace(20.0, 90.0, 31), np.linspace(15.0, 45.0, 31)
    a, b = (x - 55.0) / 35.0, (y[:, None] - 30.0) / 15.0
    u = 2.0 * a * b
    half = 0.3 + 0.5 * np.hypot(a, b)
    rows = np.random.default_rng(seed).multivariate_normal([55.0, 30.0], [[150.0, 20.0], [20.0, 30.0]], 400)
    distance = np.hypot(a, b) / 0.9
    label = f"te({', '.join(columns)})"
    surface = Surface(x, y, u, u - half, u + half, distance, rows)
    lines = [15, 8, 22]
    curves = [
        Effect(
            f"{label} along {columns[0]}",
            columns[0],
            tuples(x),
            *(tuples(values[line]) for values in (surface.u, surface.lower, surface.upper)),
            tuple(tuples(u[line] * swing(value)) for value in pi),
            tuples(np.sort(rows[::8, 0])),
        )
        for line in lines
    ]
    far = tuple(tuple((distance[line] > 1.0).tolist()) for line in lines)
    names = tuple(f"{y[line]:.0f}" for line in lines)
    slices = Curves(curves[0].label, columns[0], columns[1], names, tuple(curves), far)
    return Map(label, tuple(columns), surface, surface.largest, ("Missing values: effect 0.2 (−0.1 to 0.5).",)), slices  # noqa: RUF001


def make_reasons(total, text="Aachen"):
    """Terms of every size, others taken together, and averaging."""
    parts = {"s(mean radius)": 3.2, "s(mean texture)": 1.4, f"f({text})": -0.6, "s(age)": 0.2, "2 others": 0.1}
    nothing = (float("nan"),) * 3
    *alone, others = parts
    steps = [Step(term, text, parts[term], 0.3, parts[term] - 0.6, parts[term] + 0.6) for term in alone]
    steps.append(Step(others, "", parts[others], *nothing))
    averaging = total + 1.2 - sum(parts.values())
    return Reasons(-1.2, total, (*steps, Step("averaging", "", averaging, *nothing)))


def make_candidates(names, pi, texts=("12.4",)):
    posteriors = [expit(8.0 - 0.25 * place) for place in range(len(names))]
    return tuple(
        Candidate(
            name,
            float(posterior),
            float(expit(logit(posterior) - 1.1)),
            float(expit(logit(posterior) + 1.1)),
            tuples(expit(logit(posterior) + logit(pi) - logit(PI))),
            reasons=make_reasons(float(logit(posterior)), texts[place % len(texts)]),
        )
        for place, (name, posterior) in enumerate(zip(names, posteriors, strict=True))
    )


def make_diagnostics(verdict="well determined", fixed=False):
    profile = np.linspace(0.15, 0.38, 41)
    predicted = np.array([0.02, 0.03, 0.05, 0.08, 0.11, 0.16, 0.24, 0.33, 0.41, 0.44])
    observed = predicted + np.array([0.01, -0.012, 0.006, 0.015, -0.02, 0.01, -0.03, 0.04, -0.015, 0.008])
    text = (
        f"pi is {verdict}: 0.244 (95% interval 0.197 to 0.304)\n"
        "  profile      95% interval 0.198 to 0.297\n"
        "  terms        5 of 6 distinguishable from a constant (two are needed)\n"
        "  starts       12 of 12 near the best, within 0.000 in pi\n"
        "  information  condition number 4.1e+03; not knowing the curves inflates the variance of pi 1.6 times\n"
        "  calibration  chi-square 6.21 on 8 df, p = 0.62"
    )
    return Diagnostics(
        verdict,
        text,
        () if fixed else tuples(profile),
        () if fixed else tuples(((logit(profile) - logit(PI)) / 0.137) ** 2),
        tuples(predicted),
        tuples(observed),
        tuples(np.sqrt(predicted * (1 - predicted) / 57)),
        0.62,
    )


def make_example():
    pi = np.sort(np.append(np.linspace(0.1, 0.5, 30), PI))
    fixed_pi = make_fixed_pi(pi, int(np.flatnonzero(pi == PI)[0]))
    effects = (
        make_curve("s(mean radius)", lambda t: 4.2 * (expit(9 * (t - 0.5)) - 0.5), 6.98, 28.1, pi),
        make_curve("s(mean texture)", lambda t: 2.1 * np.sin(2.2 * t - 0.9), 9.71, 39.3, pi, width=0.35, seed=1),
        make_curve("s(mean area)", lambda t: 3.0 * np.sqrt(t) - 1.6, 143.5, 2501.0, pi, width=0.4, seed=2),
        make_curve("s(age)", lambda t: 1.4 * (t - 0.4) ** 2 - 0.2, 20.0, 90.0, pi, missing=True, seed=3),
        make_curve("s(smoothness)", lambda t: 0.1 * t, 0.0526, 0.1634, pi, width=0.5, seed=4),
        make_levels("f(clinic)", ["Aachen", "Bremen", "Coburg", "Dresden", "not recorded at the time"], pi),
    )
    ratios = (
        Ratio("mean radius", "12.0", "15.8", RatioInterval(6.42, 3.9, 10.6, 0.95, "wald")),
        Ratio("mean texture", "16.2", "21.8", RatioInterval(2.11, 1.32, 3.38, 0.95, "wald")),
        Ratio("mean area", "420", "783", RatioInterval(3.05, 1.6, 5.83, 0.95, "wald")),
        Ratio("age", "41", "63", RatioInterval(0.93, 0.71, 1.22, 0.95, "wald")),
        Ratio("clinic", "Aachen", "Dresden", RatioInterval(1.48, 0.82, 2.67, 0.95, "wald")),
    )
    terms = (
        TermLine("s(mean radius)", 3.82, 61.4, 1e-12, 0.0004),
        TermLine("s(mean texture)", 2.9, 18.3, 0.0002, 0.013),
        TermLine("s(mean area)", 2.41, 12.8, 0.0031, 0.21),
        TermLine("s(age)", 1.97, 3.1, 0.213, 0.38),
        TermLine("s(smoothness)", 1.02, 0.04, 0.852, 0.93),
        TermLine("f(clinic)", 4.0, 9.9, 0.0421, None),
    )
    return Content(
        title="Hidden malignant tumours among undiagnosed ones",
        asked=(
            ("Data", "tumours.csv, 569 rows and 6 features"),
            ("Labelled positive", "103 rows, diagnosed = 1"),
            ("Unlabelled", "466 rows"),
            ("Model", "s(mean radius) + s(mean texture) + s(mean area) + s(age) + s(smoothness) + f(clinic)"),
            ("Settings", "smoothing by REML, solver Fisher scoring, prior on pi (2, 2)"),
        ),
        pi=Interval(PI, 0.197, 0.304, 0.95, "wald"),
        plain="About 114 of the 466 undiagnosed tumours are malignant: one in four. "
        "Anything from 92 to 142 would not surprise.",
        statistical="The share pi of positives among the unlabelled rows is 0.244 (95% interval 0.197 to 0.304, Wald "
        "on the log scale), estimated together with 5 smooth terms and a factor by profile empirical likelihood.",
        warnings=(),
        effects=effects,
        terms=terms,
        ratios=ratios,
        candidates=make_candidates([f"row {3 * place + 17}" for place in range(20)], pi),
        n_unlabelled=466.0,
        fixed_pi=fixed_pi,
        diagnostics=make_diagnostics(),
        summary="Generalized additive model for positive-unlabelled data\n"
        "  log-likelihood -163.21 on 17.1 effective degrees of freedom, AIC 360.62\n"
        "  " + "a long line of the summary " * 5,
        cite="P. Sang, Y. Sun, Q. Tian, D. Zeng and P. Li. Model positive and unlabeled data with a generalized "
        "additive density ratio model.\nThe pugam developers. pugam 1.0.",
        repeat=(
            (
                "Command",
                "pugam report tumours.csv --label diagnosed --terms 's(mean radius) + f(clinic)' --out report.html",
            ),
            ("Version", "pugam 1.0.0, Python 3.12"),
            ("Date", "2025-01-31"),
        ),
    )


def make_mapped(example):
    """The example with a map, its slices, and an odds ratio at values of another feature."""
    pi = np.array(example.fixed_pi.pi)
    ratio = Ratio("age", "40", "60", RatioInterval(2.1, 1.2, 3.7, 0.95, "wald"), "bmi = 25.0")
    return replace(
        example,
        effects=(example.effects[0], *make_map(("age", "bmi"), pi), example.effects[5]),
        ratios=(ratio, *example.ratios),
    )


def make_sample(name, rows, audited, limits, verdict, fixed_pi):
    along = expit(logit(np.array(fixed_pi.pi)) + logit(limits[0]) - logit(PI))
    interval = Interval(*limits, 0.95, "marginal")
    return Sample(name, rows, audited, interval, verdict, make_fixed_pi(along, fixed_pi.estimate, fixed=True))


def make_sampled(example):
    """The example with two samples, the second of a hostile name, and audits; rows are of one and the other in turn."""
    names = ("north", HOSTILE[0])
    samples = (
        make_sample(names[0], 310.0, 20.0, (0.18, 0.11, 0.25), "well determined", example.fixed_pi),
        make_sample(names[1], 156.0, 0.0, (0.37, 0.08, 0.62), "weakly determined", example.fixed_pi),
    )
    candidates = tuple(
        replace(row, sample=names[place % 2], among_all=place < 2) for place, row in enumerate(example.candidates)
    )
    audits = (
        AuditedShare("north", 20, 0.18, 0.2, 0.1, 0.3, 0.3),
        AuditedShare("all", 20, 0.18, 0.3, 0.2, 0.4, 0.4),
    )
    test = EqualShares(21.3, 1, 4e-6)
    return replace(example, samples=samples, candidates=candidates, equal_shares=test, audits=audits)


def make_kinds(example):
    """The example with two kinds of positives, the second of a hostile name and in doubt, and nothing to be moved."""
    estimate = slice(example.fixed_pi.estimate, example.fixed_pi.estimate + 1)
    fixed_pi = replace(
        example.fixed_pi,
        **{name: getattr(example.fixed_pi, name)[estimate] for name in ("pi", "called_positive", "histogram")},
        estimate=0,
        deviance=(),
    )
    effects = tuple(replace(effect, with_pi_fixed=(effect.u,)) for effect in example.effects)
    common = Kind(
        name="common",
        rows=80.0,
        pi=Interval(0.164, 0.11, 0.2, 0.95, "kinds"),
        verdict="well determined",
        effects=effects[:4],
        terms=example.terms[:4],
        ratios=example.ratios[:4],
        folding=Folding(3, 1, (effects[3].label,)),
        diagnostics=make_diagnostics(),
    )
    rare = replace(
        common,
        name=HOSTILE[0],
        rows=23.0,
        pi=Interval(0.08, 0.01, 0.19, 0.95, "kinds"),
        verdict="weakly determined",
        effects=effects[4:],
        folding=Folding(2),
        diagnostics=make_diagnostics("weakly determined"),
    )
    candidates = tuple(
        replace(row, with_pi_fixed=(row.posterior,), reasons=None, kind=(rare.name, 0.9 * row.posterior))
        for row in example.candidates
    )
    return replace(
        example,
        effects=(),
        terms=(),
        ratios=(),
        candidates=candidates,
        fixed_pi=fixed_pi,
        diagnostics=Diagnostics("weakly determined", "", (), (), (), (), (), 1.0),
        kinds=(common, rare),
    )


def make_warned(example):
    return replace(
        example,
        warnings=(
            "The interval for pi is wide, 0.12 to 0.58. More unlabelled rows or stronger features narrow it; until "
            "then show results for pi fixed at several values (plot('sensitivity')).",
            "Only 2 of 12 starts ended near the best optimum: a better one may have been missed. Use more "
            "starts (n_starts=40), fewer "
            "terms, or factors with fewer levels.",
        ),
        diagnostics=make_diagnostics("weakly determined"),
    )


def make_fixed(example):
    fixed_pi = make_fixed_pi(np.array(example.fixed_pi.pi), example.fixed_pi.estimate, fixed=True)
    return replace(
        example,
        pi=Interval(PI, PI, PI, 0.95, "fixed"),
        fixed_pi=fixed_pi,
        diagnostics=make_diagnostics("fixed", fixed=True),
        candidates=(),
        ratios=(),
    )


def make_hostile():
    """60 terms of 60 places, 31 values of the slider, long and hostile names, factors of 40 and 400 letters, maps."""
    example = make_example()
    pi = np.array(example.fixed_pi.pi)
    names = [HOSTILE[place % len(HOSTILE)] + f" {place}" for place in range(60)]
    curves = [
        make_curve(f"s({name})", lambda t, b=place: np.sin(b + 3 * t), 0.0, 10.0 ** (place % 12 - 4), pi, seed=place)
        for place, name in enumerate(names[:58])
    ]
    levels = [
        make_levels("f(forty levels)", [f"{HOSTILE[place % 8]} {place}" for place in range(40)], pi),
        make_levels(f"f({'x' * 400})", [f"level {place}" for place in range(9)], pi),
    ]
    return replace(
        example,
        title=f"Report on {HOSTILE[0]}",
        asked=tuple((name, name) for name in HOSTILE),
        plain=HOSTILE[1],
        statistical=HOSTILE[2],
        warnings=tuple(HOSTILE),
        effects=(curves[0], levels[0], *curves[1:], levels[1], *make_map(HOSTILE[:2], pi), *make_map(HOSTILE[6:], pi)),
        terms=tuple(TermLine(f"s({name})", 2.0, 3.0, 0.04, 0.5) for name in names),
        ratios=tuple(
            Ratio(name, name, name, RatioInterval(10.0 ** (place - 4), 1e-300, float("inf"), 0.95, "wald"), name)
            for place, name in enumerate(HOSTILE)
        ),
        candidates=make_candidates(HOSTILE, pi, HOSTILE),
        diagnostics=replace(make_diagnostics(), text="\n".join(HOSTILE)),
        summary="\n".join(HOSTILE),
        cite=HOSTILE[2],
        repeat=tuple((name, name) for name in HOSTILE),
    )


@pytest.fixture(scope="session")
def example():
    return make_example()


@pytest.fixture(scope="session")
def mapped(example):
    return make_mapped(example)


@pytest.fixture(scope="session")
def sampled(example):
    return make_sampled(example)


@pytest.fixture(scope="session")
def of_kinds(example):
    return make_kinds(example)


@pytest.fixture(scope="session")
def warned(example):
    return make_warned(example)


@pytest.fixture(scope="session")
def fixed(example):
    return make_fixed(example)


@pytest.fixture(scope="session")
def hostile():
    return make_hostile()
