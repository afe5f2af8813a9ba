"""Curves of their own for each unlabelled sample, as a user asks for them: s(age, by=year) with sample="year"."""

import json
import pickle
import runpy

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM
from pugam.errors import InputError, NotIdentifiableError, RowError

TERMS = "s(age, by=year, k=5) + s(dose, k=5) + s(size, k=5)"
SHARES = {2020: 0.2, 2021: 0.5}


def simulate(seed, n_labelled=500, n_unlabelled=500, apart=1.5):
    """Positives are alike everywhere; negatives of 2021 are older than those of 2020."""
    rng = np.random.default_rng(seed)
    blocks = [(rng.normal(size=(n_labelled, 3)), None, 1)]
    for year, pi in SHARES.items():
        n_hidden = rng.binomial(n_unlabelled, pi)
        negatives = rng.normal(size=(n_unlabelled - n_hidden, 3)) - [1.0, 1.5, 1.0]
        negatives[:, 0] += apart * (year == 2021)
        blocks += [(rng.normal(size=(n_hidden, 3)), year, 1), (negatives, year, 0)]
    X = pd.DataFrame(np.vstack([values for values, *_ in blocks]), columns=["age", "dose", "size"])
    X["year"] = np.concatenate([np.full(len(values), np.nan if year is None else year) for values, year, _ in blocks])
    y = np.concatenate([np.full(len(values), kind) for values, _, kind in blocks])
    return X, (np.arange(len(X)) < n_labelled).astype(int), y


@pytest.fixture(scope="module")
def data():
    return simulate(1)


@pytest.fixture(scope="module")
def model(data):
    X, z, _ = data
    return PUGAM(TERMS, check=True).fit(X, z, sample="year")


def test_shares_are_right_where_common_curves_make_them_wrong(data, model):
    """Standard errors of about 0.03: within 0.08 with curves of their own, off by more than 0.15 with common ones."""
    X, z, _ = data
    common = PUGAM("s(age, k=5) + s(dose, k=5) + s(size, k=5)", check=False).fit(X, z, sample="year")
    wanted = list(SHARES.values())
    assert model.shares()["pi"][:2].tolist() == pytest.approx(wanted, abs=0.08)
    assert np.abs(common.shares()["pi"][:2] - wanted).max() > 0.15
    assert model.verdict_ == "well determined"


def test_each_sample_has_a_curve_of_its_own_and_others_are_common(model):
    assert model.formula_ == "s(age, k=5, by=year) + s(dose, k=5) + s(size, k=5) + f(year)"
    curves = model.effect("s(age, by=year)")
    slopes = {year: np.polyfit(own["x1"], own["u"], 1)[0] for year, own in curves.groupby("x2")}
    # Normal negatives that much below the positives make a log density ratio of just this slope.
    assert slopes == pytest.approx({2020: 1.0, 2021: -0.5}, abs=0.35)
    assert list(model.effect("dose").columns) == ["x", "u", "se", "lower", "upper"]


def test_posteriors_are_those_of_a_rows_own_sample(data, model):
    X, z, y = data
    unlabelled = z == 0
    posterior = model.predict_proba(X[unlabelled])[:, 1]
    for number, year in enumerate(SHARES):
        own = X["year"][unlabelled] == year
        assert posterior[own].mean() == pytest.approx(model.shares()["pi"][number], abs=0.02)
    assert np.mean((posterior > 0.5) == y[unlabelled]) > 0.85
    young = pd.DataFrame({"age": -2.0, "dose": 0.0, "size": 0.0, "year": [2020, 2021]})
    assert np.diff(model.predict_proba(young)[:, 1])[0] > 0.3  # negatives of 2020 are young, those of 2021 are old
    assert model.worklist(X[unlabelled], top=20).rows["p_positive"].iloc[0] == pytest.approx(posterior.max())


def test_a_model_with_own_curves_survives_storage(data, model, tmp_path):
    X, z, _ = data
    model.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")
    assert loaded.predict_proba(X[z == 0]) == pytest.approx(model.predict_proba(X[z == 0]), rel=1e-12)
    assert loaded.shares().equals(model.shares())
    assert loaded.attach(X, z, sample="year").diagnose().verdict == model.verdict_
    with pytest.raises(InputError, match="not the samples"):
        loaded.attach(X, z)
    others = {"rows": [0.0, 0.0]}, "positive number"
    levels = "have a curve along levels of {}".format
    for changed, said in (
        ({"column": "age"}, levels("'age'")),
        ({"names": ["early", "late"]}, levels("'year'")),
        ({"own_curves": False}, "own_curves, as terms read 'year'"),
        ({"column": None}, "false where no column tells samples apart"),
        ({"names": ["all", "2021"]}, "'all' is none"),
        others,
    ):
        document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
        document["marginal"]["samples"] |= changed
        (tmp_path / "changed.json").write_text(json.dumps(document), encoding="utf-8")
        with pytest.raises(InputError, match=said):
            pugam.load(tmp_path / "changed.json")


def test_an_exported_model_scores_rows_by_their_own_sample(data, model, tmp_path):
    X, z, _ = data
    model.export(tmp_path / "scorer.py")
    score, rows = runpy.run_path(str(tmp_path / "scorer.py"))["score"], X[z == 0].iloc[::97]
    found = [score(row) for row in rows.to_dict("records")]
    assert found == pytest.approx(model.predict_proba(rows)[:, 1], rel=1e-9)


def test_the_derivative_is_along_the_number(model):
    with pytest.raises(InputError, match="name the column of the derivative, age"):
        model.effect("s(age, by=year)", derivative=True)
    with pytest.raises(InputError, match="name the column of the derivative, age"):
        model.effect("s(age, by=year)", derivative="year")


def test_audits_narrow_intervals_and_agree(data, model):
    X, z, y = data
    audit = np.where((z == 0) & (np.arange(len(z)) % 4 == 0), y, np.nan)
    audited = PUGAM(TERMS, check=False).fit(X, z, sample="year", audit=audit)
    widths = [
        one["upper"] - one["lower"] for one in (audited.shares(model_error=False), model.shares(model_error=False))
    ]
    assert (widths[0] < widths[1]).all()
    assert (audited.check_audit()["pvalue"] > 0.01).all()


def test_resamples_are_refitted(data, model):
    X, z, _ = data
    drawn = PUGAM(TERMS, check=False).fit(X, z, sample="year").bootstrap(4, random_state=0)
    assert drawn.pi == pytest.approx(model.pi_, abs=0.15)
    assert len(set(np.round(drawn.pi, 6))) == 4


def test_curves_that_differ_are_named_with_what_to_type(data):
    X, z, _ = data
    with pytest.warns(match=r"Give each sample curves of its own, by s\(age, k=5, by=year\), or fit"):
        model = PUGAM("s(age, k=5) + s(dose, k=5) + s(size, k=5)", check=True).fit(X, z, sample="year")
    assert model.verdict_ == "does not fit"
    with pytest.warns(match=r"To model that, write s\(age, k=5, by=year\) among the terms"):
        model.test_curves()


def test_files_in_memory_and_text_give_the_same(data, model, tmp_path):
    X, z, _ = data
    X.assign(z=z).to_csv(tmp_path / "rows.csv", index=False)
    fitted = PUGAM(TERMS, check=False).fit(str(tmp_path / "rows.csv"), "z", sample="year")
    assert fitted.pi_ == pytest.approx(model.pi_, rel=1e-6)
    named = X.assign(year=X["year"].map({2020.0: "early", 2021.0: "late"}))
    assert PUGAM(TERMS, check=False).fit(named, z, sample="year").pi_ == pytest.approx(model.pi_, rel=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"negative": np.eye(1, 1500, 600)[0]}, "negative cannot be used where curves vary with 'year'"),
        ({"groups": np.arange(1500) // 3}, "groups cannot be used where curves vary with 'year'"),
        ({"strata": np.arange(1500) // 500}, "strata cannot be used where curves vary with 'year'"),
        ({"kind": np.array(["a", "b", "c"] * 500)}, "kind and sample cannot be used together"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(data, given, message):
    X, z, _ = data
    with pytest.raises(InputError, match=message):
        PUGAM(TERMS).fit(X, z, sample="year", **given)


def test_terms_that_cannot_be_had_are_refused(data, tmp_path):
    X, z, _ = data
    with pytest.raises(InputError, match="labelling cannot be used where curves vary"):
        PUGAM(TERMS, labelling="s(dose)").fit(X, z, sample="year")
    with pytest.raises(InputError, match=r"s\(year\) cannot be had, as 'year' is given as sample"):
        PUGAM(f"{TERMS} + s(year)").fit(X, z, sample="year")
    with pytest.raises(NotIdentifiableError, match="single term"):
        PUGAM("s(age, by=year)").fit(X, z, sample="year")
    with pytest.raises(InputError, match="Give sample='year' in place of its values: curves vary with 'year'"):
        PUGAM(TERMS).fit(X, z, sample=X["year"])
    X.assign(z=z).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(InputError, match="are for rows in memory: use engine='memory' if they"):
        PUGAM(TERMS, engine="stream").fit(str(tmp_path / "rows.csv"), "z", sample="year")


def test_rows_without_a_sample_are_refused_or_left_out(data, model):
    X, z, _ = data
    rows = X[z == 0].head(4).assign(year=[2020, 2021, 1999, np.nan])
    with pytest.raises(RowError, match="level 1999"):
        model.predict_proba(rows[:3])
    scores = model.predict_interval(rows, unscorable="nan")["p_positive"]
    assert np.isnan(scores).tolist() == [False, False, True, True]
    with pytest.raises(InputError, match="Leave out sample"):
        model.predict_proba(rows[:2], sample="2020")
    with pytest.raises(InputError, match="no column 'year'"):
        model.predict_proba(rows[:2].drop(columns="year"))
    with pytest.raises(InputError, match="labelled rows are in no sample"):
        model.score(X, z)
    for one in (model, pickle.loads(pickle.dumps(model))):  # to fetch the rows would lead nowhere
        with pytest.raises(InputError, match="fit without by"):
            one.test_curves()


def test_a_new_level_written_like_a_sample_has_neither_its_curve_nor_its_share(data):
    X, z, _ = data
    model = PUGAM(TERMS, unseen="zero", check=False).fit(X, z, sample="year")
    rows = X[z == 0].head(6)
    as_text, elsewhere = (rows.assign(year=[name] * 6) for name in ("2020", "nowhere"))

    np.testing.assert_array_equal(model.predict_proba(as_text), model.predict_proba(elsewhere))
    as_numbers = [rows.assign(year=2020), rows.assign(year=2020.0)]
    np.testing.assert_array_equal(*map(model.predict_proba, as_numbers))
    assert (model.predict_proba(as_text) != model.predict_proba(as_numbers[0])).all()
