"""Kinds of positives: shares that add up, whatever mix was labelled; one kind is an ordinary fit."""

import json
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import pugam
from pugam import PUGAM
from pugam.errors import InputError, VerdictWarning

CENTRES = {"right": (3.0, -2.0), "up": (2.0, 3.0)}
LABELLED, HIDDEN, N_NEGATIVE = (200, 50), (60, 60), 280
SHARE = 60 / 400


def draw(seed=0, labelled=LABELLED, hidden=HIDDEN, n_negative=N_NEGATIVE):
    """Two kinds, labelled 4 to 1 and hidden 1 to 1, three tenths of the unlabelled rows."""
    rng = np.random.default_rng(seed)
    places = [*CENTRES.values(), *CENTRES.values(), (0.0, 0.0)]
    centres = np.repeat(places, [*labelled, *hidden, n_negative], axis=0)
    X = pd.DataFrame(centres + rng.normal(size=centres.shape), columns=["a", "b"])
    z = np.repeat([1, 0], [sum(labelled), sum(hidden) + n_negative])
    kind = np.array([*np.repeat(list(CENTRES), labelled), *[None] * (sum(hidden) + n_negative)], dtype=object)
    return X, z, kind


@pytest.fixture(scope="module")
def rows():
    return draw()


@pytest.fixture(scope="module")
def model(rows):
    X, z, kind = rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VerdictWarning)
        return PUGAM(check=True).fit(X, z, kind=kind)


def test_shares_are_those_of_hidden_rows_not_of_the_labelled_mix(model):
    """Three standard errors of counting 60 of 400 rows, and of telling them apart: 0.06."""
    table = model.kinds()

    assert table["kind"].tolist() == ["right", "up", "all"]
    assert table["rows"].tolist() == [200.0, 50.0, 250.0]
    assert table["pi"].to_numpy() == pytest.approx([SHARE, SHARE, 2 * SHARE], abs=0.06)
    assert table["pi"][:2].sum() == pytest.approx(model.pi_)
    assert (table["lower"] < [SHARE, SHARE, 2 * SHARE]).all()
    assert (table["upper"] > [SHARE, SHARE, 2 * SHARE]).all()
    assert model.n1_ == 400.0


def test_the_interval_is_that_of_the_table_and_wider_with_errors_of_the_model(model):
    interval, last = model.pi_interval(), model.kinds().iloc[-1]

    assert (interval.estimate, interval.lower, interval.upper) == (last["pi"], last["lower"], last["upper"])
    assert model.pi_interval(model_error=False).lower > interval.lower
    assert model.pi_interval(0.5).upper < interval.upper
    with pytest.raises(InputError, match="has no profile interval"):
        model.pi_interval(method="profile")


def test_posteriors_of_kinds_add_up(model, rows):
    X, z, _ = rows
    kinds, proba = model.predict_kinds(X), model.predict_proba(X)

    assert kinds.sum(axis=1).to_numpy() == pytest.approx(proba[:, 1])
    assert proba[:, 1].max() <= 1.0
    assert kinds[z == 0].mean().tolist() == pytest.approx(model.kinds()["pi"][:2].tolist(), abs=0.01)
    assert model.predict([[3.0, -3.0], [2.0, 4.0], [-1.0, -1.0]]).tolist() == [1, 1, 0]
    here, elsewhere = (model.predict_proba(X[z == 0], pi=pi)[:, 1].mean() for pi in (model.pi_, 0.05))
    assert here == pytest.approx(proba[z == 0, 1].mean())
    assert elsewhere < 0.7 * here


def test_kinds_are_fitted_in_turn_where_there_is_no_marginal_likelihood(model, rows):
    """Shares as by marginal likelihood, to a standard error of counting 60 of 400 rows: 0.02."""
    X, z, kind = rows
    in_turn = PUGAM("s(a, k=4) + s(b, k=4)", estimate="mode", check=False).fit(X, z, kind=kind)

    assert in_turn.n_iter_ > model.n_iter_ == 1
    assert in_turn.kinds()["pi"].tolist() == pytest.approx(model.kinds()["pi"].tolist(), abs=0.02)


def test_interactions_that_kinds_need_are_kept():
    """Two columns go together in one kind. Three standard errors of counting 300 of 1000 rows, and of telling: 0.08."""
    rng = np.random.default_rng(4)
    turned = np.array([[1.0, 0.9, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 1.0]])
    places = np.repeat(
        [(1.0, 1.0, 1.5), (-1.0, 0.0, 3.0), (1.0, 1.0, 1.5), (-1.0, 0.0, 3.0)], [600, 80, 150, 150], axis=0
    )
    noise = rng.normal(size=places.shape)
    is_turned = places[:, 0] > 0.0
    noise[is_turned] = noise[is_turned] @ turned
    X = np.vstack([places + noise, rng.normal(size=(700, 3))])
    z = np.repeat([1, 0], [680, 1000])
    kind = np.array(["turned"] * 600 + ["other"] * 80 + [None] * 1000, dtype=object)
    found = PUGAM(check=False).fit(X, z, kind=kind)

    assert "ti(x0, x1" in found.of_kind("turned").formula_
    assert found.pi_ == pytest.approx(0.3, abs=0.08)
    assert found.of_kind("other").formula_ == found.of_kind("turned").formula_
    assert np.isfinite(found.predict_proba(X)).all()


def test_one_kind_is_an_ordinary_fit(rows):
    X, z, _ = rows
    plain, one = PUGAM(check=False).fit(X, z), PUGAM(check=False).fit(X, z, kind=np.full(len(z), "ill"))

    assert one.pi_ == plain.pi_
    assert one.pi_interval() == plain.pi_interval()
    assert one.kinds()["kind"].tolist() == ["all"]
    assert (one.coef_ == plain.coef_).all()
    with pytest.raises(InputError, match="one kind of positives only; tell kinds apart by kind in the fit"):
        one.of_kind("ill")


def test_a_column_may_tell_the_kind_and_is_no_feature(model, rows):
    X, z, kind = rows
    named = PUGAM(check=False).fit(X.assign(type=kind), z, kind="type")
    polars = PUGAM(check=False).fit(pl.from_pandas(X).with_columns(type=pl.Series(kind.tolist())), z, kind="type")

    assert named.feature_names_in_.tolist() == ["a", "b"]
    assert named.pi_ == polars.pi_ == model.pi_
    assert isinstance(polars.kinds(), pl.DataFrame)


def test_kinds_are_found(rows):
    X, z, _ = rows
    found = PUGAM(check=False).fit(X, z, kind="auto")

    assert found.kinds_ == ["cluster 1", "cluster 2"]
    assert found.kinds()["rows"].tolist()[:2] == pytest.approx([200, 50], abs=5)
    assert found.pi_ == pytest.approx(2 * SHARE, abs=0.06)


def test_kinds_that_were_found_are_weakly_determined_at_best(rows, tmp_path):
    X, z, kind = rows
    with pytest.warns(VerdictWarning, match=r"^pi is weakly determined\. Kinds were found by clustering"):
        found = PUGAM(check=True).fit(X, z, kind="auto")
    with warnings.catch_warnings():
        warnings.simplefilter("error", VerdictWarning)
        given = PUGAM(check=True).fit(X, z, kind=kind)

    assert given.verdict_ == "well determined"
    assert found.kinds()["verdict"].tolist() == ["well determined", "well determined", "weakly determined"]
    assert found.verdict_ == found.diagnose().verdict == "weakly determined"
    assert str(found.diagnose()).startswith("pi is weakly determined, since kinds were found by clustering.")
    assert "! Kinds were found by clustering" in str(found.diagnose())
    assert "Kinds were found by clustering" in found.diagnose().warnings[0]
    found.save(tmp_path / "found.json")
    assert pugam.load(tmp_path / "found.json").verdict_ == "weakly determined"


def test_files_of_the_first_format_hold_kinds_that_were_given(model, tmp_path):
    model.save(tmp_path / "kinds.json")
    document = json.loads((tmp_path / "kinds.json").read_text(encoding="utf-8"))
    assert document.pop("found") is False
    (tmp_path / "first.json").write_text(json.dumps(document | {"format_version": 1}), encoding="utf-8")

    assert pugam.load(tmp_path / "first.json").verdict_ == model.verdict_


def test_where_no_kinds_are_found_the_fit_is_the_ordinary_one():
    X, z, _ = draw(labelled=(200, 0), hidden=(120, 0))

    assert PUGAM(check=False).fit(X, z, kind="auto").pi_ == PUGAM(check=False).fit(X, z).pi_


@pytest.mark.long
def test_weights_count_as_rows(rows):
    """Up to what shares may still move where they count as settled."""
    X, z, kind = rows
    n = len(z)
    twice = np.r_[np.arange(n), np.arange(0, n, 3)]
    weighted = PUGAM(check=False).fit(X, z, np.where(np.arange(n) % 3 == 0, 2.0, 1.0), kind=kind)
    repeated = PUGAM(check=False).fit(X.iloc[twice], z[twice], kind=kind[twice])

    assert weighted.kinds()["pi"].tolist() == pytest.approx(repeated.kinds()["pi"].tolist(), abs=0.004)
    assert weighted.n0_ == repeated.n0_
    assert weighted.n1_ == repeated.n1_


def test_rows_of_no_weight_do_not_count(model, rows):
    X, z, kind = rows
    more = pd.concat([X, X[:30] + 5.0], ignore_index=True)
    weights = np.r_[np.ones(len(z)), np.zeros(30)]
    found = PUGAM(check=False).fit(more, np.r_[z, np.zeros(30, int)], weights, kind=np.r_[kind, np.full(30, None)])

    assert found.pi_ == pytest.approx(model.pi_, abs=1e-6)


def test_the_model_of_a_kind_is_whole(model):
    right = model.of_kind("right")

    assert right.n0_ == 200.0
    assert right.n1_ == pytest.approx(340.0, abs=25.0)
    assert right.effect("a", [0.0, 3.0])["u"].is_monotonic_increasing
    with pytest.raises(InputError, match="There is no kind 'left'; the kinds are 'right', 'up'"):
        model.of_kind("left")


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, X: model.effect("a"),
        lambda model, X: model.coef_,
        lambda model, X: model.log_density_ratio(X),
        lambda model, X: model.shares(),
        lambda model, X: model.bootstrap(10),
        lambda model, X: model.test("a"),
        lambda model, X: model.covariance(),
        lambda model, X: model.covariance("bayesian"),
        lambda model, X: model.contrast({"a": 0.0}, {"a": 1.0}),
        lambda model, X: model.odds_ratio({"a": 0.0}, {"a": 1.0}),
    ],
)
def test_what_only_one_kind_has_is_refused_with_the_way_to_it(model, rows, ask):
    with pytest.raises(InputError, match=r"2 kinds of positives, .*model\.of_kind\('right'\)"):
        ask(model, rows[0])


def test_the_verdict_is_the_worst_and_names_its_kind(model):
    diagnosis = model.diagnose()
    verdicts = model.kinds()["verdict"].tolist()

    assert model.verdict_ == diagnosis.verdict == verdicts[-1]
    assert diagnosis.worst == model.kinds_[verdicts.index(model.verdict_)]
    assert "Kind 'up', among unlabelled rows of no other kind" in str(diagnosis)


@pytest.mark.long
def test_a_verdict_that_leaves_doubts_is_warned_of_with_its_kind():
    X, z, kind = draw(labelled=(100, 25), hidden=(30, 30), n_negative=140)
    X["b"] *= 0.01 * np.random.default_rng(1).normal(size=len(X))

    with pytest.warns(VerdictWarning, match=r"^Kind '(up|right)': "):
        PUGAM(check=True).fit(X, z, kind=kind)


@pytest.mark.parametrize(
    ("settings", "given", "said"),
    [
        ({}, {"sample": np.zeros(650)}, "kind and sample cannot be used together"),
        ({}, {"audit": np.full(650, np.nan)}, "kind and audit cannot be used together"),
        ({}, {"groups": np.arange(650)}, "kind and groups cannot be used together"),
        ({"pi": 0.3}, {}, "pi cannot be fixed or bounded where there are several kinds"),
        ({"labelling": "a"}, {}, "kind and labelling cannot be used together"),
        ({"engine": "gpu"}, {}, "kind is for tables in memory, not for engine='gpu'"),
    ],
)
def test_what_does_not_go_with_kinds_is_refused_by_name(rows, settings, given, said):
    X, z, kind = rows

    with pytest.raises(InputError, match=said):
        PUGAM(**settings).fit(X, z, kind=kind, **given)


def test_a_fault_names_its_row_of_the_whole_table(rows):
    X, z, kind = rows
    X = X.copy()
    X.loc[230, "a"] = np.nan

    with pytest.raises(InputError, match="row 230"):
        PUGAM().fit(X, z, kind=kind)


def test_files_are_refused(tmp_path):
    with pytest.raises(InputError, match="kind is for tables in memory: read the file first"):
        PUGAM().fit(str(tmp_path / "rows.csv"), "z", kind="type")


def test_a_model_comes_back_from_its_file(model, rows, tmp_path):
    X, _, _ = rows
    model.save(tmp_path / "model.json")
    again = pugam.load(tmp_path / "model.json")

    pd.testing.assert_frame_equal(again.kinds(), model.kinds())
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.verdict_ == model.verdict_
    assert again.get_params() == model.get_params()
    assert again.provenance_["pugam"] == pugam.__version__
    pd.testing.assert_frame_equal(again.of_kind("up").effect("a"), model.of_kind("up").effect("a"))


def test_a_copy_leaves_rows_behind(model, rows):
    again = pickle.loads(pickle.dumps(model))

    assert again.pi_interval() == model.pi_interval()
    assert not hasattr(again.of_kind("up"), "_rows")


@pytest.mark.parametrize("weighted", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_stored_model_takes_its_rows_back(rows, tmp_path, weighted):
    X, z, kind = rows
    weights = np.where(np.arange(len(z)) % 7, 1.5, 0.0) if weighted else None
    model = PUGAM("a + b", check=False).fit(X, z, weights, kind=kind)
    model.save(tmp_path / "model.json")
    again = pugam.load(tmp_path / "model.json")
    with pytest.raises(InputError, match=r"give them back with attach\(X, z, kind=\.\.\.\)"):
        again.diagnose()

    again.attach(X.assign(type=kind), z, weights, kind="type")

    assert str(again.diagnose()) == str(model.diagnose())
    assert again.of_kind("up").diagnose().verdict == model.of_kind("up").diagnose().verdict


@pytest.mark.parametrize(
    ("of_kind", "said"),
    [
        (
            lambda kind: None,
            "These are not the kinds of positives the model was fitted to, 'right', 'up': give the same",
        ),
        (lambda kind: np.where(kind == "up", "down", kind), "These are not the kinds of positives"),
        (lambda kind: np.roll(kind[:250], 3).tolist() + [None] * 400, "These are not the rows the model was fitted to"),
    ],
)
def test_other_kinds_than_those_of_the_fit_are_refused(model, rows, of_kind, said):
    X, z, kind = rows

    with pytest.raises(InputError, match=said):
        pickle.loads(pickle.dumps(model)).attach(X, z, kind=of_kind(kind))


def test_kinds_fitted_in_turn_do_not_take_rows_back(model, rows):
    X, z, kind = rows
    in_turn = pickle.loads(pickle.dumps(model))
    in_turn._kinds = replace(in_turn._kinds, n_sweeps=3)

    with pytest.raises(
        InputError, match="Fit the model again: kinds that were fitted in turn cannot take their rows back"
    ):
        in_turn.attach(X, z, kind=kind)
    with pytest.raises(
        InputError, match="fit it again, since kinds that were fitted in turn cannot take their rows back"
    ):
        in_turn.diagnose()


def test_a_model_of_one_kind_takes_no_kinds(rows):
    X, z, kind = rows
    plain = PUGAM("a + b", check=False).fit(X, z)

    with pytest.raises(InputError, match="The model has a single kind of positives; leave kind out"):
        plain.attach(X, z, kind=kind)


@pytest.mark.long
def test_an_estimator_forgets_kinds_when_it_is_fitted_again(rows):
    X, z, kind = rows
    again = PUGAM("a + b", check=False).fit(X, z, kind=kind).fit(X, z)

    assert again.pi_ == PUGAM("a + b", check=False).fit(X, z).pi_
    assert not hasattr(again, "kinds_")
    assert not hasattr(again.fit(X, z, kind=kind), "coef_")


def _with_samples(document):
    document["kinds"][0]["model"] = document["with samples"]


def _with_another_estimate(document):
    document["kinds"][1]["model"]["parameters"]["estimate"] = "mode"


def _with_a_known_share(document):
    document["parameters"]["pi"] = 0.01


def _with_bounds(document):
    for one in (document, *(kind["model"] for kind in document["kinds"])):
        one["parameters"]["pi"] = [0.0, 0.99]


def _with_the_name_of_all(document):
    document["kinds"][0]["name"] = "all"


def _with_a_kind_that_is_no_model(document):
    del document["kinds"][1]["model"]["format"]


def _with_a_kind_of_the_future(document):
    document["kinds"][1]["model"]["format_version"] = 99


def _with_a_parameter_that_its_terms_do_not_know(document):
    for one in (document, *(kind["model"] for kind in document["kinds"])):
        one["parameters"]["smoothing"] = {"s(other)": 1.0}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_with_a_kind_that_is_no_model, r"json: kinds\[1\]\.model: is not a saved model"),
        (_with_a_kind_of_the_future, r"json: kinds\[1\]\.model: was written by a newer pugam"),
        (_with_a_parameter_that_its_terms_do_not_know, r"json: kinds\[0\]\.model\.parameters: "),
        (_with_samples, "models with the parameters of all kinds, of one sample"),
        (_with_another_estimate, "models with the parameters of all kinds, of one sample"),
        (_with_a_known_share, "models with the parameters of all kinds, of one sample"),
        (_with_bounds, "parameters: pi cannot be fixed or bounded where there are several kinds"),
        (_with_the_name_of_all, "none called 'all'"),
    ],
)
def test_files_that_no_fit_of_several_kinds_writes_are_refused(model, rows, tmp_path, change, said):
    X, z, _ = rows
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    sampled = clone(model).set_params(check=False).fit(X, z, sample=np.arange(len(z)) % 2)
    sampled.save(tmp_path / "sampled.json")
    document["with samples"] = json.loads((tmp_path / "sampled.json").read_text())

    change(document)

    del document["with samples"]
    (tmp_path / "changed.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=said):
        pugam.load(tmp_path / "changed.json")


def test_every_kind_of_fit_of_kinds_comes_back(rows, tmp_path):
    X, z, kind = rows
    for options in ({"estimate": "mode"}, {"shrinkage": "always"}, {"pi_prior": None}, {"smoothing": 0.1}):
        fitted = PUGAM("a + b", check=False, **options).fit(X, z, kind=kind)
        fitted.save(tmp_path / "model.json")
        pd.testing.assert_frame_equal(pugam.load(tmp_path / "model.json").kinds(), fitted.kinds())
