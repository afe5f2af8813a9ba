"""What a report says: its numbers are those of the model's own methods, and its sentences fit the verdict."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logit

import pugam
from pugam import PUGAM, InputError, __version__
from pugam.datasets import simulate
from pugam.inference import Interval
from pugam.messages import in_python
from pugam.presentation.report import collect
from pugam.presentation.report.wording import chance_alone, on_page, plain_sentence

ROWS = 420
MODELS = ("plain", "shrunken", "weighted", "fixed", "bounded")


@pytest.fixture(scope="module")
def rows():
    """Two numbers, one of them with gaps, a straight line, and levels of text with gaps; and the label z."""
    data = simulate(2, n0=250, n=ROWS, random_state=6)
    numbers = np.arange(ROWS)
    return data.X[["x1", "x2", "x3"]].assign(
        x2=data.X["x2"].where(numbers % 11 != 3),
        site=np.where(numbers % 13 == 5, None, np.array(["north", "south", "west", "north"])[numbers % 4]),
        w=np.where(numbers % 10 == 9, 0.0, 1.0 + numbers % 3),
        z=data.z,
    )


class OnceAskedFor(dict):
    """Each is made where a test first asks for it, by name: not all of them are asked for in make test."""

    def __init__(self, make):
        self.make = make

    def __missing__(self, name):
        self[name] = self.make(name)
        return self[name]


@pytest.fixture(scope="module")
def models(rows):
    formula = "s(x1) + s(x2, missing='effect') + x3 + f(site, missing='effect')"
    settings = {
        "plain": {"shrinkage": "never"},
        "shrunken": {"shrinkage": "always"},
        "weighted": {"check": True},
        "fixed": {"pi": 0.35},
        "bounded": {"pi": (0.02, 0.9), "pi_prior": None},
    }
    return OnceAskedFor(
        lambda name: PUGAM(formula, **settings[name]).fit(rows, rows["z"], rows["w"] if name == "weighted" else None)
    )


@pytest.fixture(scope="module")
def contents(models):
    about, repeat = {"Data": "rows.csv"}, {"Command": "pugam fit"}
    return OnceAskedFor(lambda name: collect(models[name], f"The {name} one", about, repeat))


@pytest.fixture(params=[*MODELS[:-1], pytest.param(MODELS[-1], marks=pytest.mark.long)])
def both(request, models, contents):
    """A model and the content of its report."""
    return models[request.param], contents[request.param]


def unlabelled(model, rows):
    """Numbers of the unlabelled rows that count, and their weights."""
    weights = rows["w"].to_numpy() if model.n0_ + model.n1_ != ROWS else np.ones(ROWS)
    numbers = np.flatnonzero((rows["z"].to_numpy() == 0) & (weights > 0))
    return numbers, weights[numbers]


def test_pi_is_that_of_the_model(both, rows):
    model, content = both

    interval = model.diagnose().wald  # fits of these tests are not checked: that of the diagnosis knows more
    assert content.pi == interval
    assert content.n_unlabelled == model.n1_
    assert unlabelled(model, rows)[1].sum() == model.n1_
    assert content.summary == model.summary(interval=interval).told(on_page(in_python))


@pytest.mark.parametrize("method", ["wald", "profile"])
def test_a_report_has_the_interval_it_is_given_and_its_level(models, method):
    model = models["plain"]
    interval = model.pi_interval(0.8, method)
    content = collect(model, "At 80%", {}, {}, interval=interval)
    profile = model.pi_interval(method="profile")

    assert content.pi == interval
    assert f"{interval.lower:.1%} to {interval.upper:.1%}" in content.plain
    assert content.statistical.startswith(f"pi = {interval}, {'Wald' if method == 'wald' else 'profile'}")
    beside = f"profile of the likelihood at 95% {profile.lower:.3f} to "
    assert (beside in content.statistical) == (method == "wald")
    assert content.summary == str(model.summary(0.8, interval))
    assert content.diagnostics.text.split("\n")[0] == f"pi is {model.diagnose().verdict}: {interval}"
    (shown,) = (effect for effect in content.effects if effect.column == "x1")
    own = model.effect("x1", np.array(shown.x), 0.8)
    np.testing.assert_allclose(shown.lower, own["lower"], rtol=1e-12)
    assert {ratio.ratio.level for ratio in content.ratios} == {0.8}
    wider = collect(model, "At 95%", {}, {}, interval=model.pi_interval(method=method)).candidates[0]
    assert wider.lower < content.candidates[0].lower < content.candidates[0].upper < wider.upper


def test_effects_are_those_of_the_model(both):
    model, content = both

    assert {effect.label for effect in content.effects} == {term.label for term in model.terms_}
    for effect in content.effects:
        grid = [None if x == "missing" else x for x in effect.x]
        points = grid if not effect.is_curve else np.array(grid, dtype=float)
        own = model.effect(effect.column, points)
        for name in ("u", "lower", "upper"):
            np.testing.assert_allclose(getattr(effect, name), own[name], rtol=1e-12)


def test_only_terms_whose_column_has_gaps_show_missing_values(contents):
    effects = {effect.column: effect for effect in contents["plain"].effects}

    assert {column: effect.missing for column, effect in effects.items()} == {
        "x1": False,
        "x2": True,
        "x3": False,
        "site": True,
    }
    assert effects["x2"].x[-1] == "missing"
    assert effects["x2"].is_curve
    assert effects["site"].x == ("north", "south", "west", "missing")
    assert not effects["site"].is_curve
    assert effects["site"].rug == ()


def test_curves_run_over_the_range_of_their_column_and_rugs_lie_on_it(contents, rows):
    for effect in (effect for effect in contents["plain"].effects if effect.is_curve):
        x = np.array([value for value in effect.x if value != "missing"])
        values = rows[effect.column].dropna()
        np.testing.assert_allclose([x[0], x[-1]], [values.min(), values.max()])
        assert set(np.diff(effect.rug) >= 0.0) == {True}
        assert x[0] <= effect.rug[0] <= effect.rug[-1] <= x[-1]


def test_a_curve_is_drawn_over_the_middle_where_few_rows_lie_far_out():
    data = simulate(1, n0=250, n=400, random_state=6)
    far = data.X["x1"].where(np.arange(400) != 300, 30.0)
    model = PUGAM("x1 + x2 + x3").fit(data.X.assign(x1=far), data.z)

    content = collect(model, "", {}, {})

    (first,) = (effect for effect in content.effects if effect.column == "x1")
    assert max(first.x) < 1.1
    assert max(first.rug) <= max(first.x)


def test_terms_are_tested_as_by_the_model(both):
    model, content = both

    specs = {spec.label: spec for spec in model.terms_}
    assert [line.label for line in content.terms] == [effect.label for effect in content.effects]
    for line in content.terms:
        spec = specs[line.label]
        zero = model.test(spec.column)
        assert (line.statistic, line.pvalue) == (zero.statistic, zero.pvalue)
        if spec.label.startswith("s("):
            assert line.pvalue_linear == model.test(spec.column, null="linear").pvalue
        else:
            assert line.pvalue_linear is None
    smooth = model.summary().smooth
    degrees = {line.label: line.edf for line in content.terms}
    np.testing.assert_allclose([degrees[term] for term in smooth["term"]], smooth["edf"], rtol=1e-9)


def test_odds_ratios_of_numbers_compare_the_quartiles_of_the_unlabelled_rows(both, rows):
    model, content = both
    numbers, _ = unlabelled(model, rows)

    for ratio in content.ratios:
        if ratio.column == "site":
            continue
        a, b = np.nanquantile(rows[ratio.column].to_numpy()[numbers], [0.25, 0.75])
        assert ratio.ratio == model.odds_ratio(ratio.column, float(a), float(b))
        assert (float(ratio.a), float(ratio.b)) == pytest.approx((a, b), rel=0.01)


def test_odds_ratios_of_levels_compare_with_the_most_frequent_one(models, contents, rows):
    ratios = [ratio for ratio in contents["plain"].ratios if ratio.column == "site"]

    first, *others = rows.loc[rows["z"] == 0, "site"].value_counts().index
    assert [(ratio.a, ratio.b) for ratio in ratios] == [(first, other) for other in others]
    for ratio in ratios:
        assert ratio.ratio == models["plain"].odds_ratio("site", ratio.a, ratio.b)


def test_candidates_are_the_unlabelled_rows_with_the_highest_posteriors_in_order(both, rows):
    model, content = both
    numbers, _ = unlabelled(model, rows)
    posterior = model.predict_proba(rows)[:, 1]

    best = sorted(numbers, key=lambda row: -posterior[row])[:20]

    assert [candidate.name for candidate in content.candidates] == [f"row {row + 1}" for row in best]
    limits = model.predict_interval(rows.iloc[best])
    shown = np.array([(one.posterior, one.lower, one.upper) for one in content.candidates])
    np.testing.assert_allclose(shown, limits[["p_positive", "lower", "upper"]], rtol=1e-9)
    assert (np.diff(shown[:, 0]) <= 0.0).all()


@pytest.mark.parametrize("which", ["plain", "weighted"])
def test_names_are_those_of_their_rows_also_where_rows_of_no_weight_stand_between(models, rows, which):
    names = [f"patient {row}" for row in range(ROWS)]

    content = collect(models[which], "", {}, {}, names, n_candidates=1000)

    numbers, _ = unlabelled(models[which], rows)
    posterior = models[which].predict_proba(rows)[:, 1]
    assert [one.name for one in content.candidates] == [
        names[row] for row in sorted(numbers, key=lambda row: -posterior[row])
    ]


def test_names_need_not_be_text_and_there_may_be_no_candidates(models):
    named = collect(models["plain"], "", {}, {}, list(range(1000, 1000 + ROWS)), n_candidates=3)
    none = collect(models["plain"], "", {}, {}, n_candidates=0)

    assert [len(one.name) for one in named.candidates] == [4, 4, 4]
    assert none.candidates == ()


def test_too_few_names_are_refused(models):
    with pytest.raises(InputError, match="Each row needs a name: there are "):
        collect(models["plain"], "", {}, {}, ["one", "two"])


def test_too_few_names_are_refused_also_where_the_last_rows_have_no_weight(models):
    # The last row that counts is the last but one.
    with pytest.raises(InputError, match="Each row needs a name: there are "):
        collect(models["weighted"], "", {}, {}, [f"patient {row}" for row in range(ROWS - 1)])


def test_too_many_names_are_refused(models):
    with pytest.raises(InputError, match="Each row needs a name: there are "):
        collect(models["plain"], "", {}, {}, [f"patient {row}" for row in range(ROWS + 5)])


def test_a_model_without_its_rows_is_refused(models, tmp_path):
    models["plain"].save(tmp_path / "model.json")
    with pytest.raises(InputError, match="A report needs the rows"):
        collect(pugam.load(tmp_path / "model.json"), "", {}, {})


def test_the_slider_has_the_estimate_among_its_values(both):
    model, content = both
    fixed_pi = content.fixed_pi

    assert fixed_pi.pi[fixed_pi.estimate] == model.pi_
    assert (np.diff(fixed_pi.pi) > 0.0).all()
    assert min(fixed_pi.pi) < content.pi.lower or min(fixed_pi.pi) < model.pi_
    assert max(fixed_pi.pi) > model.pi_


def test_the_slider_shows_the_model_with_pi_fixed(both):
    model, content = both
    fixed_pi = content.fixed_pi
    own = model.sensitivity(list(fixed_pi.pi))

    np.testing.assert_allclose(fixed_pi.called_positive, own.share_positive, atol=1e-12)
    if fixed_pi.deviance:
        np.testing.assert_allclose(fixed_pi.deviance, own.deviance, atol=1e-6)
    blocks = dict(zip(model._design.labels, model._design.blocks, strict=True))
    for effect in content.effects:
        block = blocks[effect.label]
        assert len(effect.with_pi_fixed) == len(fixed_pi.pi)
        if effect.label.startswith("l("):
            rise = own.coef[:, block][:, 0]
            np.testing.assert_allclose([values[-1] - values[0] for values in effect.with_pi_fixed], rise, rtol=1e-6)
        np.testing.assert_allclose(effect.with_pi_fixed[fixed_pi.estimate], effect.u, atol=0.5)


def test_a_refit_with_pi_fixed_agrees_with_the_slider(models, contents, rows):
    model, fixed_pi = models["plain"], contents["plain"].fixed_pi
    place = fixed_pi.estimate - 8
    options = {"smoothing": model.smoothing_, "debias": False}
    refit = PUGAM(model.formula_, pi=fixed_pi.pi[place], **options).fit(rows, rows["z"])

    for effect in contents["plain"].effects:
        grid = [None if x == "missing" else x for x in effect.x]
        points = grid if not effect.is_curve else np.array(grid, dtype=float)
        own = refit.effect(effect.column, points)
        np.testing.assert_allclose(effect.with_pi_fixed[place], own["u"], atol=2e-2)


def test_candidates_follow_the_slider(both):
    _, content = both
    at = content.fixed_pi.estimate

    for candidate in content.candidates:
        assert candidate.with_pi_fixed[at] == pytest.approx(candidate.posterior, abs=2e-2)
        assert len(candidate.with_pi_fixed) == len(content.fixed_pi.pi)


def test_histograms_sum_to_one_and_count_the_posteriors(both, rows):
    model, content = both
    numbers, weights = unlabelled(model, rows)
    posterior = model.predict_proba(rows)[numbers, 1]

    for shares in content.fixed_pi.histogram:
        assert sum(shares) == pytest.approx(1.0, abs=1e-12)
        assert min(shares) >= 0.0
    own = np.histogram(posterior, 20, (0.0, 1.0), weights=weights)[0] / weights.sum()
    np.testing.assert_allclose(content.fixed_pi.histogram[content.fixed_pi.estimate], own, atol=0.03)


def test_beyond_the_limit_pi_lies_outside_its_interval(models, contents):
    fixed_pi, interval = contents["plain"].fixed_pi, models["plain"].pi_interval(method="profile")
    inside = (np.array(fixed_pi.pi) > interval.lower) & (np.array(fixed_pi.pi) < interval.upper)

    assert fixed_pi.limit == pytest.approx(3.841, abs=1e-3)
    assert ((np.array(fixed_pi.deviance) < fixed_pi.limit) == inside).all()
    assert not inside[0]
    assert not inside[-1]


def test_diagnostics_are_those_of_the_diagnosis(both):
    model, content = both
    own, shown = model.diagnose(), content.diagnostics

    words = on_page(in_python)
    assert (shown.verdict, shown.text) == (own.verdict, own.in_words(words=words))
    assert content.warnings == tuple(finding.message.told(words) for finding in own.findings)
    assert shown.pvalue == own.calibration.pvalue
    np.testing.assert_array_equal(shown.predicted, own.calibration.predicted)
    np.testing.assert_array_equal(shown.observed, own.calibration.observed)
    np.testing.assert_array_equal(shown.se, own.calibration.se)
    if own.profile_interval is not None:
        np.testing.assert_array_equal(shown.profile_pi, own.profile_pi)
        np.testing.assert_array_equal(shown.profile_deviance, own.profile_deviance)


def test_a_fixed_pi_has_no_profile_but_a_slider(contents):
    content = contents["fixed"]

    assert content.diagnostics.verdict == "fixed"
    assert content.diagnostics.profile_pi == content.diagnostics.profile_deviance == content.fixed_pi.deviance == ()
    assert (content.pi.lower, content.pi.upper) == (0.35, 0.35)
    logits = logit(np.array(content.fixed_pi.pi))
    assert logits[0] < logit(0.35) - 1.0
    assert logits[-1] > logit(0.35) + 1.0


def test_what_was_asked_is_told(models, contents):
    asked = dict(contents["weighted"].asked)
    model = models["weighted"]

    assert contents["weighted"].title == "The weighted one"
    assert list(asked) == ["Data", "Rows", "Model", "Fit"]
    assert asked["Data"] == "rows.csv"
    assert asked["Rows"] == f"{model.n0_:g} labelled positive, {model.n1_:g} unlabelled"
    assert asked["Model"] == f"log g(x)/h(x) = alpha + {model.formula_}"
    assert asked["Fit"] in str(model.summary())
    assert "prior on pi weak" in asked["Fit"]
    assert dict(contents["shrunken"].asked)["Fit"].startswith("curves shrunk (ridge ")
    assert dict(contents["fixed"].asked)["pi"] == "fixed at 0.35"
    assert dict(contents["bounded"].asked)["pi"] == "estimated within 0.02 and 0.9"
    assert "prior on pi none" in dict(contents["bounded"].asked)["Fit"]
    assert contents["weighted"].repeat == (("Command", "pugam fit"),)
    assert "Sang" in contents["weighted"].cite
    assert f"pugam {__version__}" in contents["weighted"].cite


def test_the_plain_sentence_counts_the_positives(models, contents):
    model, interval = models["plain"], models["plain"].diagnose().wald
    counts = [f"{share * model.n1_:.0f}" for share in (interval.estimate, interval.lower, interval.upper)]

    assert contents["plain"].plain.startswith(
        f"Of the 170 rows without a label, about {counts[0]} are estimated to be positive ({interval.estimate:.1%}). "
        f"The 95% interval is {counts[1]} to {counts[2]} ({interval.lower:.1%} to {interval.upper:.1%})"
    )


def test_the_statistical_sentence_has_the_better_interval(models, contents):
    model, said = models["plain"], contents["plain"].statistical
    profile = model.pi_interval(method="profile")

    assert said.startswith(f"pi = {profile}, profile of the likelihood; ")
    assert "n0 = 250 labelled and n1 = 170 unlabelled rows" in said
    assert f"{model.edf_:.1f} effective degrees of freedom" in said
    assert contents["fixed"].statistical.startswith("pi was fixed at 0.35; profile empirical likelihood")


WIDE = Interval(0.25, 0.125, 0.5, 0.95, "wald")
COUNTED = "Of the 12,000 rows without a label, about 3,000 are estimated to be positive (25.0%)."
LIMITS = " The 95% interval is 1,500 to 6,000 (12.5% to 50.0%)."


def test_the_plain_sentence_says_what_chance_alone_would_give():
    narrow = Interval(0.25, 0.2, 0.3, 0.95, "marginal")
    found = SimpleNamespace(allows_for_errors=True, sampling=narrow)
    wide = replace(WIDE, method="marginal")

    told = plain_sentence(wide, 12_000.0, 12_000, "well determined", chance=chance_alone(wide, found))
    assert told == f"{COUNTED}{LIMITS[:-1]}; chance alone gives 2,400 to 3,600 (20.0% to 30.0%)."
    weighted = plain_sentence(wide, 12_000.0, 300, "well determined", chance=narrow)
    assert weighted.endswith("The 95% interval is 12.5% to 50.0%; chance alone gives 20.0% to 30.0%.")
    assert chance_alone(replace(wide, level=0.9), found) is None
    assert chance_alone(WIDE, found) is None
    assert chance_alone(wide, SimpleNamespace(allows_for_errors=False, sampling=narrow)) is None


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        ("well determined", COUNTED + LIMITS),
        (
            "weakly determined",
            f"{COUNTED}{LIMITS} The data determine this share only weakly: read the warnings before using it.",
        ),
        (
            "not determined",
            f"{COUNTED} But the data do not determine this share: do not use it without reading the warnings.",
        ),
        (
            "does not fit",
            f"The model does not fit these data: do not use what it says without reading the warnings. {COUNTED}",
        ),
        (
            "fixed",
            "Of the 12,000 rows without a label, 25.0% were taken to be positive, about 3,000: the share was given, "
            "not estimated.",
        ),
    ],
)
def test_the_plain_sentence_fits_the_verdict(verdict, sentence):
    assert plain_sentence(WIDE, 12_000.0, 12_000, verdict) == sentence


def test_the_plain_sentence_does_not_take_weights_for_rows():
    assert plain_sentence(WIDE, 12_000.0, 300, "well determined").startswith(
        "Of the 300 rows without a label, which count for 12,000, 25.0% are estimated to be positive. The 95% interval "
        "is 12.5% to 50.0%."
    )
    assert "interval" not in plain_sentence(WIDE, 12_000.0, 300, "fixed")
    assert plain_sentence(WIDE, 12_000.0, 300, "does not fit").startswith("The model does not fit these data")
