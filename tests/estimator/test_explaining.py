"""`explain`: contributions add up to the log odds for every kind of model, and say what they claim to say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pugam
from pugam import PUGAM, InputError
from pugam.likelihood import expit, logit

FORMULAS = {
    "curves, levels and a number": "s(x1) + s(x2) + f(site) + old",
    "an interaction": "s(x1) + s(x2) + ti(x1, x2) + x3",
    "a curve for each level": "f(site) + s(x1, by=site) + s(x2) + s(x3)",
    "a product": "x1 + x2 + x1:x2 + s(x3)",
    "random effects": "s(x1) + s(x2) + s(x3) + r(site)",
    "missing values": "s(x1) + s(x3) + s(dose, missing='effect')",
    "a shape": "s(x1, shape='increasing') + s(x2) + s(x3)",
}
BY_EVIDENCE = ("curves, levels and a number", "an interaction", "a product", "missing values")  # others are quicker
OTHERS = ("by the mode", "shrunken", "who is labelled", "pi fixed", "weights")
TOLERANCE = 1e-10


@pytest.fixture(scope="module")
def models(mixed, z):
    """Fit each kind of model when it is first asked for."""
    made = {}

    def fit(name):
        if name in FORMULAS:
            given = {} if name in BY_EVIDENCE else {"smoothing": 1.0}
            return PUGAM(FORMULAS[name], **given).fit(mixed, z)
        settings = {
            "by the mode": {"terms": "s(x1) + s(x2) + f(site)", "smoothing": 0.1},
            "shrunken": {"terms": "s(x1) + x2 + x3", "shrinkage": "always", "estimate": "mode"},
            "who is labelled": {"terms": "x1 + x2 + x3", "labelling": "l(old)"},
            "pi fixed": {"terms": "s(x1) + x2", "pi": 0.4},
            "weights": {"terms": "s(x1) + x2"},
        }
        weights = np.linspace(0.5, 1.5, len(z)) if name == "weights" else None
        return PUGAM(**settings[name], check=False).fit(mixed, z, weights)

    def get(name):
        if name not in made:
            made[name] = fit(name)
        return made[name]

    return get


@pytest.fixture(scope="module")
def sampled(X, z):
    return PUGAM("s(x1) + s(x2) + x3", check=False).fit(X, z, sample=np.where(np.arange(len(z)) % 3, "north", "south"))


def totals(frame):
    return frame.groupby("row", sort=False)["contribution"].sum().to_numpy()


def saved(model, folder):
    model.save(folder / "model.json")
    return pugam.load(folder / "model.json")


@pytest.mark.parametrize("name", [*FORMULAS, *OTHERS])
def test_lines_of_a_row_add_up_to_its_log_odds(models, mixed, tmp_path, name):
    model, rows = models(name), mixed.iloc[:40]
    loaded = saved(model, tmp_path)

    frame = model.explain(rows)

    np.testing.assert_allclose(totals(frame), logit(model.predict_proba(rows)[:, 1]), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(model.predict(rows, type="terms").sum(axis=1), totals(frame), rtol=0, atol=TOLERANCE)
    assert loaded.explain(rows).equals(frame)
    here = totals(model.explain(rows, pi=0.1))
    np.testing.assert_allclose(here, model.decision_function(rows, pi=0.1), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", [*FORMULAS, *OTHERS])
def test_contributions_average_to_zero_over_the_unlabelled_rows(models, mixed, z, name):
    model = models(name)
    terms = model.predict(mixed[z == 0], type="terms").drop(columns="averaging", errors="ignore")
    weights = np.linspace(0.5, 1.5, len(z))[z == 0] if name == "weights" else None

    means = np.average(terms.to_numpy(), axis=0, weights=weights)

    np.testing.assert_allclose(means[1:], 0.0, atol=1e-9)
    ratio = np.average(model.log_density_ratio(mixed[z == 0]), weights=weights)
    assert means[0] == pytest.approx(logit(model.pi_) + ratio)


def test_rows_of_samples_have_the_share_of_theirs_in_the_baseline(sampled, X, tmp_path):
    rows, names = X.iloc[:6], ["north", "south"] * 3

    frame = sampled.explain(rows, sample=names)

    logits = sampled.decision_function(rows, sample=names)
    np.testing.assert_allclose(totals(frame), logits, rtol=0, atol=TOLERANCE)
    assert saved(sampled, tmp_path).explain(rows, sample=names).equals(frame)
    baseline = frame[frame["term"] == "baseline"]
    shares = sampled.shares().set_index("sample")["pi"]
    apart = float(logit(shares["north"]) - logit(shares["south"]))
    assert baseline["contribution"].iloc[0] - baseline["contribution"].iloc[1] == pytest.approx(apart)
    assert (baseline["se"] >= sampled.explain(rows)["se"].iloc[0]).all()


def test_only_averaged_posteriors_have_a_line_for_it(models, mixed):
    lines = {name: models(name).explain(mixed[:1])["term"].tolist() for name in ("an interaction", *OTHERS)}

    assert lines["an interaction"] == ["baseline", "s(x1)", "s(x2)", "ti(x1, x2)", "l(x3)", "averaging"]
    assert lines["by the mode"] == ["baseline", "s(x1)", "s(x2)", "f(site)"]
    assert lines["shrunken"][-1] == "averaging"
    assert "labelling(l(old))" not in lines["who is labelled"]


def test_standard_errors_are_those_of_odds_ratios(models, mixed):
    """Two rows differ in one column: the average row takes part in both contributions, and in no odds ratio."""
    model = models("pi fixed")
    row = mixed.iloc[[0]]
    line = model.explain(row).set_index("term").loc["l(x2)"]
    mean = float(line["contribution"])

    # A straight effect is proportional to the distance from the average, and so is its standard error.
    ratio = model.contrast({"x2": 0.0}, {"x2": 1.0})
    assert line["se"] / abs(mean) == pytest.approx((ratio.upper - ratio.estimate) / 1.959964 / abs(ratio.estimate))
    assert line["upper"] - mean == pytest.approx(1.959964 * line["se"])


def test_limits_of_shapes_are_those_of_curves_that_keep_to_them(models, mixed):
    model = models("a shape")
    highest = mixed.loc[[mixed["x1"].idxmax()]]

    line = model.explain(highest).set_index("term").loc["s(x1)"]

    assert 0.0 <= line["lower"] < line["contribution"] < line["upper"]


def test_the_level_widens_limits(models, mixed):
    narrow, wide = (models("pi fixed").explain(mixed[:3], level=level) for level in (0.5, 0.99))

    assert (wide["upper"] > narrow["upper"]).all()
    assert narrow["se"].equals(wide["se"])


def test_values_are_shown_as_they_are_known(models, mixed):
    rows = mixed[["x1", "x2", "x3", "dose"]].iloc[:2].assign(x1=[12.0, 0.125], dose=[np.nan, 1 / 3])
    gaps = models("missing values").explain(rows).set_index(["row", "term"])["value"]
    pairs = models("an interaction").explain(rows).set_index(["row", "term"])["value"]

    assert gaps[:, "s(x1)"].tolist() == ["12", "0.125"]
    assert gaps[:, "s(dose)"].tolist() == ["missing", "0.333333"]
    assert pairs[1, "ti(x1, x2)"] == f"0.125, {rows['x2'].iloc[1]:.6g}"
    assert (gaps[:, "baseline"] == "").all()


def test_the_index_of_rows_is_kept(models, mixed):
    rows = mixed.iloc[:3].set_axis(["p7", "p1", "p3"], axis=0)
    model = models("by the mode")

    assert model.explain(rows)["row"].tolist() == [name for name in rows.index for _ in range(4)]
    assert model.predict(rows, type="terms").index.tolist() == ["p7", "p1", "p3"]


@pytest.mark.parametrize("names", [[(1, 2), (3, 4), (5, 6)], [("a", 1), ("a", 2), ("b", 1)]])
def test_rows_with_an_index_of_several_levels_are_named_by_tuples(models, mixed, names):
    rows = mixed.iloc[:3].set_axis(pd.MultiIndex.from_tuples(names), axis=0)

    assert models("by the mode").explain(rows)["row"].tolist() == [name for name in names for _ in range(4)]


def test_frames_come_in_the_library_of_the_rows(models, mixed):
    model = models("by the mode")

    polars, arrow = pl.DataFrame(mixed[:3]), pa.Table.from_pandas(mixed[:3])

    assert isinstance(model.explain(polars), pl.DataFrame)
    assert model.explain(polars)["row"].unique().sort().to_list() == [0, 1, 2]
    assert isinstance(model.explain(arrow), pa.Table)
    assert isinstance(model.predict(arrow, type="terms"), pa.Table)


def test_rows_of_an_array_are_known_by_their_places(X, z):
    model = PUGAM("x0 + x1", pi=0.4, check=False).fit(X.to_numpy(), z)

    assert model.explain(X.to_numpy()[5:7])["row"].tolist() == [0, 0, 0, 1, 1, 1]


def test_arrays_have_what_shap_asks_for(models, mixed):
    model, rows = models("missing values"), mixed.iloc[:4]

    found = model.explain(rows, form="arrays")

    logits = model.decision_function(rows)
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), logits, rtol=0, atol=TOLERANCE)
    assert found.feature_names == ["s(x1)", "s(x3)", "s(dose)", "averaging"]
    assert found.data.shape == found.values.shape == found.standard_errors.shape == (4, 4)
    assert found.data[:, 0].tolist() == rows["x1"].tolist()


def test_predictions_are_also_had_by_the_words_of_r(models, mixed):
    model = models("by the mode")

    np.testing.assert_array_equal(model.predict(mixed, type="link"), model.decision_function(mixed))
    np.testing.assert_array_equal(model.predict(mixed, type="response"), expit(model.decision_function(mixed)))
    with pytest.raises(InputError, match=r"type is 'class', 'response', 'link' or 'terms'; got 'term'\."):
        model.predict(mixed, type="term")


def test_what_cannot_be_explained_is_refused_in_a_sentence(models, mixed):
    model = models("by the mode")

    with pytest.raises(InputError, match=r"form is 'frame' or 'arrays'; got 'shap'\."):
        model.explain(mixed, form="shap")
    with pytest.raises(InputError, match="given twice"):
        model.explain(mixed, pi=0.3, sample="north")
    with pytest.raises(InputError, match="level"):
        model.explain(mixed, level=95)


def test_kinds_of_positives_are_explained_one_by_one(X, z):
    kind = np.where(X["x1"] > 1.0, "a", "b")
    model = PUGAM("s(x1) + x2", check=False).fit(X, z, kind=kind)

    with pytest.raises(InputError, match=r"model\.of_kind\('a'\)"):
        model.explain(X)
    with pytest.raises(InputError, match=r"model\.of_kind\('a'\)"):
        model.predict(X, type="terms")
    one = model.of_kind("a")
    np.testing.assert_allclose(totals(one.explain(X[:5])), one.decision_function(X[:5]), rtol=0, atol=TOLERANCE)


def test_a_model_saved_before_the_average_was_kept_asks_for_another_fit(models, mixed, z, tmp_path):
    model = saved(models("pi fixed"), tmp_path)
    frame = model.explain(mixed[:2])
    model._fit = replace(model._fit, average=None)

    with pytest.raises(InputError, match=r"saved by an earlier pugam.*; fit it again and save it\."):
        model.explain(mixed)
    pd.testing.assert_frame_equal(model.attach(mixed, z).explain(mixed[:2]), frame)
