"""What a report says of several kinds of positives: its numbers are those of the models of the kinds."""

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM, InputError
from pugam.messages import See, in_python
from pugam.presentation.report import collect_kinds
from pugam.presentation.report.wording import of_one_kind, on_page

PLACES = [(3.0, -2.0), (2.0, 3.0), (3.0, -2.0), (2.0, 3.0), (0.0, 0.0)]
NO_WEIGHT = 170  # the first unlabelled rows come from number 160 on


@pytest.fixture(scope="module")
def rows():
    """Two kinds, labelled 3 to 1 and hidden 1 to 1, and a factor that says nothing; z and the kind."""
    centres = np.repeat(PLACES, [120, 40, 40, 40, 180], axis=0)
    X = pd.DataFrame(centres + np.random.default_rng(0).normal(size=centres.shape), columns=["a", "b"])
    X["site"] = np.array(["north", "south", "west"])[np.arange(len(X)) % 3]
    return X, np.repeat([1, 0], [160, 260]), np.where(centres[:, 0] == 3.0, "right", "up")


@pytest.fixture(scope="module")
def model(rows):
    X, z, kind = rows
    weights = np.where(np.arange(len(z)) == NO_WEIGHT, 0.0, 1.0 + np.arange(len(z)) % 2)
    return PUGAM("s(a, k=5) + s(b, k=5) + f(site)", check=False).fit(X, z, weights, kind=kind)


@pytest.fixture(scope="module")
def content(model, rows):
    return collect(model, names=[f"patient {number}" for number in range(len(rows[0]))], n_candidates=10_000)


def collect(model, names=None, n_candidates=20, interval=None, words=in_python):
    return collect_kinds(model, "Two kinds", {"Data": "rows.csv"}, {}, names, n_candidates, interval, None, words)


def test_shares_are_those_of_the_model(model, content):
    *of_kinds, _ = model._kind_rows()

    assert content.pi == model.pi_interval()
    assert [(kind.name, kind.rows, kind.pi) for kind in content.kinds] == [row[:3] for row in of_kinds]
    assert [kind.verdict for kind in content.kinds] == [one.verdict for one in model.diagnose().diagnoses]
    assert content.diagnostics.verdict == model.diagnose().verdict
    assert content.n_unlabelled == model.n1_
    assert content.summary == str(model.summary())


def test_all_intervals_have_the_level_of_that_of_pi(model):
    interval = model.pi_interval(0.8)
    content = collect(model, interval=interval)

    assert content.pi == interval
    assert [kind.pi.level for kind in content.kinds] == [0.8, 0.8]
    assert content.kinds[0].ratios[0].ratio.level == 0.8
    assert "80% interval" in content.kinds[0].diagnostics.text


def test_effects_and_tests_are_those_of_each_kind(model, content):
    for kind in content.kinds:
        one = model.of_kind(kind.name)
        for line in kind.terms:
            assert line.pvalue == pytest.approx(one.test(line.label).pvalue)
        for effect in kind.effects:
            at = one.effect(effect.label, list(effect.x))
            np.testing.assert_allclose((effect.u, effect.lower, effect.upper), at[["u", "lower", "upper"]].T)
            assert effect.with_pi_fixed == (pytest.approx(effect.u),)
        for ratio in kind.ratios:
            assert ratio.ratio.estimate > 0.0
    assert {effect.label for effect in content.kinds[0].effects} == {"s(a)", "s(b)", "f(site)"}


def test_likely_positives_are_those_of_the_model_with_their_likeliest_kind(model, content, rows):
    X, z, _ = rows
    counted = [number for number in np.flatnonzero(z == 0) if number != NO_WEIGHT]
    posterior, kinds = model.predict_proba(X)[:, 1], model.predict_kinds(X)

    best = sorted(counted, key=lambda row: -posterior[row])
    assert [one.name for one in content.candidates] == [f"patient {row}" for row in best]
    assert [one.posterior for one in content.candidates] == pytest.approx(posterior[best].tolist())
    likeliest = kinds.iloc[best]
    assert [one.kind[0] for one in content.candidates] == likeliest.idxmax(axis=1).tolist()
    assert [one.kind[1] for one in content.candidates] == pytest.approx(likeliest.max(axis=1).tolist())
    assert collect(model).candidates[0].name == f"row {best[0] + 1}"
    assert collect(model, n_candidates=0).candidates == ()


def test_the_histogram_counts_unlabelled_rows_by_weight(model, content, rows):
    X, z, _ = rows
    posterior = model.predict_proba(X[z == 0])[:, 1]
    weights = np.where(np.flatnonzero(z == 0) == NO_WEIGHT, 0.0, 1.0 + np.flatnonzero(z == 0) % 2)
    (shares,), (called,) = content.fixed_pi.histogram, content.fixed_pi.called_positive

    expected = np.histogram(posterior, 20, (0.0, 1.0), weights=weights)[0] / weights.sum()
    assert shares == pytest.approx(expected.tolist())
    assert called == pytest.approx(np.average(posterior > 0.5, weights=weights))
    assert content.fixed_pi.pi == (model.pi_,)


def test_sentences_say_whose_share_it_is_and_how_kinds_were_fitted(content):
    asked = dict(content.asked)

    assert content.plain.endswith("This is the share of both kinds together; each has one of its own.")
    assert "the sum of the shares of 2 kinds of positives" in content.statistical
    assert asked["Data"] == "rows.csv"
    assert "of 2 kinds" in asked["Rows"]
    assert asked["Model"].startswith("for each kind log g(x)/h(x) = alpha + s(a, k=5)")
    assert asked["Fit"].startswith("all kinds fitted at once; pi by marginal likelihood")


@pytest.mark.long
def test_kinds_with_terms_of_their_own_have_each_an_equation(rows):
    X, z, kind = rows
    in_turn = PUGAM("s(a, k=5) + s(b, k=5)", estimate="mode", check=False).fit(X, z, kind=kind)
    in_turn.of_kind("up").terms_ = in_turn.of_kind("up").terms_[:1]
    content = collect(in_turn)
    asked = dict(content.asked)

    assert ("did not settle" in content.warnings[0]) is not in_turn.converged_
    assert [line.split(":")[0] for line in asked["Model"].splitlines()] == ["right", "up"]
    assert asked["Fit"].startswith("one fit for each kind, in turn until shares settled")


def test_warnings_name_their_kind_and_advice_points_to_the_page_of_one_kind(model):
    found, told = model.diagnose().warnings, collect(model).warnings

    assert [said.split(": ")[0] for said in told] == [said.split(": ")[0] for said in found]
    assert {said.split(": ")[0] for said in found} <= {"Kind 'right'", "Kind 'up'"}
    assert not any("plot(" in said for said in told)
    words = of_one_kind(on_page(in_python))
    assert words(See("sensitivity")) == "the slider in a report on this kind alone, which of_kind in Python gives"
    assert words(See("calibration")) == "the calibration on this page"


def test_too_few_names_are_refused(model):
    with pytest.raises(InputError, match="Each row needs a name: there are 2 for 420 rows"):
        collect(model, names=["one", "two"])


def test_the_page_is_written_and_says_how_to_repeat_it(model, tmp_path):
    model.report(tmp_path / "report.html", title="Two kinds of them")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")

    assert "<title>Two kinds of them</title>" in text
    assert ".fit(X, z, kind=kind)" in text


def test_a_model_without_its_rows_is_refused(model, tmp_path):
    model.save(tmp_path / "model.json")

    with pytest.raises(InputError, match="A report needs the rows the model was fitted to"):
        pugam.load(tmp_path / "model.json").report(tmp_path / "report.html")
