"""Labels that depend on columns: pi of all positives, who is labelled, and what goes with it."""

import pickle
import runpy

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import pugam
from pugam import PUGAM
from pugam.errors import InputError, NotIdentifiableError

PI, N = 0.4, 800
SHIFTS = np.array([1.0, -1.2, 1.2, 0.8])


def make_table(seed, steepness, n=N):
    """Four normal features; positives are labelled with a chance that rises with the first of them."""
    rng = np.random.default_rng(seed)
    chosen = np.empty((0, 4))
    while len(chosen) < n:
        drawn = rng.normal(size=(4 * n, 4)) + SHIFTS
        chosen = np.vstack([chosen, drawn[rng.random(len(drawn)) < expit(steepness * (drawn[:, 0] - 1.0))]])
    hidden = rng.random(n) < PI
    unlabelled = rng.normal(size=(n, 4)) + np.outer(hidden, SHIFTS)
    X = pd.DataFrame(np.vstack([chosen[:n], unlabelled]), columns=list("abcd"))
    return X, np.repeat([1, 0], n), hidden


@pytest.fixture(scope="module")
def table():
    return make_table(0, 2.0)


@pytest.fixture(scope="module")
def model(table):
    X, z, _ = table
    return PUGAM(labelling="s(a)", check=False).fit(X, z)


def test_pi_is_that_of_all_positives(table, model):
    X, z, _ = table
    random = PUGAM(check=False).fit(X, z)
    interval = model.pi_interval(model_error=False)

    assert random.pi_interval().upper < PI  # labels taken for random
    assert interval.lower < PI < interval.upper
    assert abs(model.pi_ - PI) < 0.05  # about one standard error


def test_who_is_labelled_is_an_effect_like_others(model):
    effect = model.effect("labelling(s(a))", grid=[-1.0, 1.0, 3.0], center="range")
    wanted = np.log(expit(2.0 * (np.array([-1.0, 1.0, 3.0]) - 1.0)))

    differences = np.diff(effect.u) - np.diff(wanted)
    assert np.all(np.abs(differences) < 3.0 * effect.se.to_numpy()[1:])
    assert model.test("labelling(s(a))").pvalue < 1e-6
    assert model.formula_ == "s(a) + s(b) + s(c) + s(d) + labelling(s(a))"
    assert "labelling(s(a))" in str(model.summary())


def test_the_name_of_a_column_stands_for_its_effect(model):
    assert model.effect("a").u.iloc[-1] == model.effect("s(a)").u.iloc[-1]
    assert model.odds_ratio({"a": 0.0}, {"a": 1.0}).estimate == model.odds_ratio("s(a)", 0.0, 1.0).estimate


def test_posteriors_do_not_depend_on_who_is_labelled(table, model):
    X, z, hidden = table
    posterior = model.predict_proba(X)[:, 1]

    ratio = model.alpha_ + sum(_effect_at(model, name, X[name]) for name in "abcd")
    np.testing.assert_allclose(model.log_density_ratio(X), ratio, atol=1e-10)
    assert posterior[z == 0].mean() == pytest.approx(model.pi_, abs=1e-8)
    assert posterior[z == 0][hidden].mean() > 0.6 > 0.4 > posterior[z == 0][~hidden].mean()


def _effect_at(model, name, values):
    return model.effect(name, grid=values, center="range").u.to_numpy()


def test_the_score_counts_who_is_labelled(table, model):
    X, z, _ = table
    assert model.score(X, z) == pytest.approx(model.loglik_ / len(X), rel=1e-12)


def test_labels_at_random_give_much_the_same_pi():
    X, z, _ = make_table(3, 0.0)
    ordinary = PUGAM(check=False).fit(X, z)
    selected = PUGAM(labelling="l(a)", check=False).fit(X, z)

    width = selected.pi_interval(model_error=False).upper - selected.pi_interval(model_error=False).lower
    assert abs(selected.pi_ - ordinary.pi_) < 0.5 * width
    assert selected.test("labelling(l(a))").pvalue > 0.01


def test_columns_of_labelling_need_not_be_features(table, tmp_path):
    X, z, _ = table
    outside = PUGAM("s(b) + s(c) + s(d)", labelling="l(a)", check=False).fit(X, z)
    assert outside.formula_ == "s(b) + s(c) + s(d) + labelling(l(a))"
    assert outside.log_density_ratio(X).shape == (len(X),)

    outside.report(tmp_path / "report.html", progress=False)
    assert "labelling(l(a))" in (tmp_path / "report.html").read_text()


def test_terms_may_say_who_is_labelled(table, model):
    X, z, _ = table
    written = PUGAM(model.formula_, check=False).fit(X, z)
    assert written.pi_ == model.pi_


def test_a_saved_model_is_the_same(table, model, tmp_path):
    X, z, _ = table
    model.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")

    assert loaded.pi_interval() == model.pi_interval()
    assert loaded.labelling == "s(a)"
    assert loaded.score(X, z) == model.score(X, z)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.attach(X, z).diagnose().verdict == model.diagnose().verdict


@pytest.mark.long
def test_the_bootstrap_varies_as_the_interval_says(model):
    interval = model.pi_interval(model_error=False)
    replicates = model.bootstrap(30, random_state=0)

    ratio = replicates.pi.std() / ((interval.upper - interval.lower) / 3.92)
    assert 0.6 < ratio < 1.6  # 30 resamples: a standard deviation is known to 13%


def test_weights_count_rows():
    X, z, _ = make_table(1, 2.0, 400)
    weights = np.where(np.arange(len(X)) % 4 == 0, 2.0, 1.0)
    repeated = np.repeat(np.arange(len(X)), weights.astype(int))

    weighted = PUGAM("a + b + c + d", labelling="a", check=False).fit(X, z, sample_weight=weights)
    longer = PUGAM("a + b + c + d", labelling="a", check=False).fit(X.iloc[repeated], z[repeated])
    assert weighted.pi_ == pytest.approx(longer.pi_, abs=1e-4)
    assert weighted._fit.labelling.factor == pytest.approx(longer._fit.labelling.factor, rel=1e-3)


@pytest.mark.long
def test_files_give_what_memory_gives(tmp_path):
    X, z, _ = make_table(1, 2.0, 400)
    X.assign(z=z).to_parquet(tmp_path / "rows.parquet")
    terms = {"terms": "a + b + c + d", "labelling": "a", "check": False}

    inside = PUGAM(**terms).fit(X, z)
    streamed = PUGAM(**terms, engine="stream").fit(tmp_path / "rows.parquet", "z")
    assert streamed.pi_ == pytest.approx(inside.pi_, rel=1e-8)


@pytest.mark.parametrize(
    ("labelling", "fault"),
    [
        ("s(a) + s(b) + s(c)", "Labels depend on a, b, c. To tell who is labelled from who is positive takes two"),
        ("s(e)", "X has no column 'e'"),
        ("labelling(labelling(a))", r"labelling\(\) takes one term"),
        ("s(a, shape='increasing')", "have no shape"),
        ("s(a) + l(a)", "stand"),
    ],
)
def test_what_cannot_be_is_refused(table, labelling, fault):
    X, z, _ = table
    with pytest.raises(InputError, match=fault):
        PUGAM(labelling=labelling).fit(X, z)


def test_a_preference_along_all_features_is_not_identified(table):
    X, z, _ = table
    with pytest.raises(NotIdentifiableError, match="or give the classes of some unlabelled rows, as audit"):
        PUGAM("s(a) + s(b)", labelling="s(a)").fit(X, z)


@pytest.mark.parametrize("other", [{"pi": 0.3}, {"smoothing": 1.0}, {"estimate": "mode"}])
def test_other_estimates_are_refused(table, other):
    X, z, _ = table
    with pytest.raises(InputError, match="labelling is for pi by marginal likelihood"):
        PUGAM(labelling="s(a)", **other).fit(X, z)


@pytest.fixture(scope="module")
def sampled():
    """Two unlabelled samples, with shares of 0.4 and 0.15."""
    rng = np.random.default_rng(1)
    X, z, _ = make_table(1, 2.0, 700)
    hidden = rng.random(700) < 0.15
    other = pd.DataFrame(rng.normal(size=(700, 4)) + np.outer(hidden, SHIFTS), columns=list("abcd"))
    samples = np.repeat(["labelled", "one", "two"], 700)
    return pd.concat([X, other], ignore_index=True), np.append(z, np.zeros(700, int)), samples


def test_each_sample_has_its_share(sampled):
    X, z, samples = sampled
    model = PUGAM("a + b + c + d", labelling="s(a)", check=False).fit(X, z, sample=samples)
    random = PUGAM("a + b + c + d", check=False, interactions=None).fit(X, z, sample=samples)

    shares = model.shares().set_index("sample")
    assert np.all(shares.lower[["one", "two"]] < [0.4, 0.15])
    assert np.all(shares.upper[["one", "two"]] > [0.4, 0.15])
    assert random.shares().set_index("sample").upper["one"] < 0.4
    assert model.share_difference("one", "two").lower > 0.0
    for one in (model, pickle.loads(pickle.dumps(model))):  # to fetch the rows would lead nowhere
        with pytest.raises(InputError, match="who is labelled"):
            one.test_curves()


def test_an_audit_identifies_what_labels_alone_do_not():
    X, z, hidden = make_table(4, 2.0, 600)
    rng = np.random.default_rng(4)
    audit = np.full(len(X), np.nan)
    picked = rng.choice(600, 150, replace=False)
    audit[600 + picked] = hidden[picked]

    model = PUGAM("a + b", labelling="s(a)", check=False).fit(X, z, audit=audit)
    interval = model.pi_interval(model_error=False)
    assert interval.lower < PI < interval.upper
    assert interval.upper - interval.lower < 0.2  # of 150 rows alone: 0.157
    assert model.check_audit().audited.iloc[0] == 150.0


@pytest.mark.parametrize("labelling", ["s(d)", "f(site)"])
def test_predictions_do_not_read_what_only_the_labelling_reads(labelling, tmp_path):
    X, z, _ = make_table(3, 1.0)
    X = X.assign(site=[("north", "south", "west")[number % 3] for number in range(len(X))])
    model = PUGAM("s(a) + s(b) + c", labelling=labelling, check=False).fit(X, z)
    rows, column = X.iloc[N : N + 20], labelling[2:-1]
    expected = model.predict_proba(rows)
    gap = rows.assign(**{column: [None] * 20}) if column == "site" else rows.assign(d=np.nan)
    unseen = rows.assign(**{column: ["nowhere"] * 20}) if column == "site" else rows.assign(d=1e9)

    for others in (rows.drop(columns=column), gap, unseen):
        np.testing.assert_array_equal(model.predict_proba(others), expected)
        assert len(model.unscorable(others)) == 0
        assert model.predict_interval(others).equals(model.predict_interval(rows))
        assert model.explain(others).equals(model.explain(rows))
        assert str(model.worklist(others, top=5)) == str(model.worklist(rows, top=5))
        assert model.drift(others).pvalue == model.drift(rows).pvalue
    model.export(tmp_path / "scorer.py")
    score = runpy.run_path(str(tmp_path / "scorer.py"))["score"]
    assert score(rows.drop(columns=column).iloc[0].to_dict()) == pytest.approx(expected[0, 1])
    with pytest.raises(InputError, match=column):
        model.score(rows.drop(columns=column), z[N : N + 20])
