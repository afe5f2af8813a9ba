"""Terms of several columns in a model: whatever an effect of one column has, theirs has too."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, InputError, NotIdentifiableError, f, l, load, s, te, ti
from pugam.likelihood import alpha_shift, expit

N_LABELLED, N_UNLABELLED = 400, 500
ALMOST_ZERO = 1e-12  # of a share: the model is then an ordinary logistic one
FORMULAS = {
    "te": "te(x, y, k=4) + s(w, k=5)",
    "te of three": "te(x, y, dose, k=3) + s(w, k=5)",
    "ti": "s(x, k=5) + s(y, k=5) + ti(x, y, k=4) + s(w, k=5)",
    "ti with levels": "s(x, k=5) + f(site) + ti(x, f(site), k=4) + s(w, k=5)",
    "product": "dose + y + dose:y + s(w, k=5)",
    "lines by level": "dose + f(site) + dose:site + s(w, k=5)",
    "by level": "f(site) + s(x, k=5, by=site) + s(w, k=5)",
    "by number": "s(x, k=5, by=dose) + s(w, k=5)",
}
SURFACES = {
    "te": "te(x, y)",
    "te of three": "te(x, y, dose)",
    "ti": "ti(x, y)",
    "ti with levels": "ti(x, f(site))",
    "product": "dose:y",
    "lines by level": "dose:site",
    "by level": "s(x, by=site)",
    "by number": "s(x, by=dose)",
}
GIVEN = {"smoothing": 0.05, "pi": 0.4}


def make_rows(n, rng):
    return pd.DataFrame(
        {
            "x": rng.uniform(size=n),
            "y": rng.uniform(10.0, 30.0, n),
            "w": rng.normal(size=n),
            "dose": rng.uniform(-1.0, 2.0, n),
            "site": rng.choice(["east", "north", "west"], n),
        }
    )


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    pool = make_rows(20_000, rng)
    slope = pool["site"].map({"east": 1.0, "north": -1.0, "west": 0.0})
    eta = 3.0 * np.sin(4.0 * pool["x"]) * np.cos(pool["y"] / 5.0) + 1.5 * pool["w"] + slope * pool["dose"] - 0.5
    positive = rng.random(len(pool)) < expit(eta)
    hidden = round(0.4 * N_UNLABELLED)
    positives, negatives = pool[positive], pool[~positive]
    parts = [positives[: N_LABELLED + hidden], negatives[: N_UNLABELLED - hidden]]
    labels = np.arange(N_LABELLED + N_UNLABELLED) < N_LABELLED
    return pd.concat(parts, ignore_index=True).assign(z=labels.astype(int))


@pytest.fixture(scope="module")
def features(rows):
    return rows.drop(columns="z")


# These are made of what the others are made of.
RARE = {"te of three", "ti with levels", "lines by level"}


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.long] if name in RARE else []) for name in FORMULAS]
)
def named(request, rows, features):
    """The name of a formula, and the model fitted with smoothing chosen and pi free."""
    return request.param, PUGAM(FORMULAS[request.param], shrinkage="never").fit(features, rows["z"])


def test_effects_have_bands_over_all_columns(named):
    name, model = named
    label = SURFACES[name]
    columns = next(term for term in model.terms_ if term.label == label).columns

    frame, wide = model.effect(label), model.effect(label, simultaneous=True)

    places = [f"x{number + 1}" for number in range(len(columns))]
    assert list(frame.columns) == [*places, "u", "se", "lower", "upper"]
    assert (frame["lower"] <= frame["u"]).all()
    assert (frame["u"] <= frame["upper"]).all()
    assert (wide["upper"] >= frame["upper"] - 1e-12).all()
    assert np.isfinite(frame[["u", "se"]]).all(axis=None)


def test_effects_are_those_of_predictions(named, features):
    _, model = named
    some = features[:50]

    total = model.alpha_ + sum(
        model.effect(
            term, some[list(term.columns)] if len(term.columns) > 1 else some[term.columns[0]], center="range"
        )["u"]
        for term in model.terms_
    )

    np.testing.assert_allclose(total, model.log_density_ratio(some), rtol=1e-9, atol=1e-9)


def test_grids_come_in_several_forms(named, features):
    name, model = named
    label = SURFACES[name]
    term = next(term for term in model.terms_ if term.label == label)
    frame = features[list(term.columns)][:5]

    expected = model.effect(label, frame)

    for grid in (list(frame.itertuples(index=False)), frame.to_dict("list"), frame.to_numpy().tolist()):
        pd.testing.assert_frame_equal(model.effect(label, grid), expected)
    for grid in ([1.0, 2.0], {term.columns[0]: [0.5]}, frame.to_numpy()[:, :1].tolist()):
        with pytest.raises(InputError, match="a grid is a list of tuples"):
            model.effect(label, grid)


def test_derivatives_go_along_a_named_column(named):
    name, model = named
    label = SURFACES[name]
    term = next(term for term in model.terms_ if term.label == label)
    column = term.columns[0]
    inside = {"x": 0.41, "y": 17.3, "dose": 0.7, "site": "north"}
    low, high = ({**inside, column: inside[column] + step} for step in (-1e-6, 1e-6))
    points = [tuple(point[name] for name in term.columns) for point in (low, inside, high)]

    slope = model.effect(label, points[1:2], derivative=column)["u"][0]

    u = model.effect(label, points)["u"]
    assert slope == pytest.approx((u[2] - u[0]) / 2e-6, rel=1e-4, abs=1e-6)
    with pytest.raises(InputError, match="name the column of the derivative"):
        model.effect(label, derivative=True)


def test_odds_ratios_compare_two_points(named, features):
    _, model = named
    columns = [column for column in features if column != "w" and column in model._design.columns_used]
    a, b = features[columns].iloc[0].to_dict(), features[columns].iloc[1].to_dict()
    both = pd.DataFrame([{**a, "w": 0.0}, {**b, "w": 0.0}]).reindex(columns=features.columns)
    both = both.assign(**{column: features[column][0] for column in features if column not in (*columns, "w")})

    ratio = model.odds_ratio(a, b)

    assert np.log(ratio.estimate) == pytest.approx(np.diff(model.log_density_ratio(both))[0], abs=1e-9)
    assert ratio.lower < ratio.estimate < ratio.upper
    with pytest.raises(InputError, match="depends on"):
        model.odds_ratio({columns[0]: a[columns[0]]}, {columns[0]: b[columns[0]]})


def test_terms_are_tested_and_summarized(named):
    name, model = named
    label = SURFACES[name]

    test = model.test(label)

    assert 0.0 <= test.pvalue <= 1.0
    summary = model.summary()
    listed = {*summary.smooth["term"], *summary.linear["term"]}
    assert label in listed
    assert label in str(summary)
    if "product" in name or "lines" in name:
        with pytest.raises(InputError, match="cannot bend"):
            model.test(label, null="linear")
    else:
        assert 0.0 <= model.test(label, null="linear").pvalue <= 1.0


def test_saved_models_predict_the_same(named, features, tmp_path):
    _, model = named
    model.save(tmp_path / "model.json")

    again = load(tmp_path / "model.json")

    np.testing.assert_array_equal(again.predict_proba(features), model.predict_proba(features))
    assert again.formula_ == model.formula_
    assert str(again.summary()) == str(model.summary())
    pd.testing.assert_frame_equal(again.predict_interval(features[:20]), model.predict_interval(features[:20]))


def test_what_is_predicted_for_a_row_does_not_depend_on_others(named, features):
    _, model = named

    alone = [model.log_density_ratio(features[row : row + 1])[0] for row in range(0, 100, 7)]

    np.testing.assert_array_equal(alone, model.log_density_ratio(features)[:100:7])


@pytest.mark.parametrize(
    "formula",
    [
        "te(x, y, k=4, missing='effect') + s(w, k=5)",
        "s(x, k=5, missing='effect') + s(y, k=5) + ti(x, y, k=4, missing='zero') + s(w, k=5)",
        "s(x, k=5, missing='effect') + f(site, missing='effect') + ti(x, f(site), k=4, missing='zero') + s(w, k=5)",
        "l(dose, missing='effect') + f(site, missing='effect') + ti(l(dose), f(site), missing='zero') + s(w, k=5)",
        "f(site, missing='effect') + s(x, k=5, by=site, missing='zero') + s(w, k=5)",
        "s(x, k=5, by=dose, missing='effect') + s(w, k=5)",
    ],
)
def test_rows_that_lack_values(rows, features, formula, tmp_path):
    gaps = features.copy()
    for column, every in (("x", 11), ("dose", 13), ("site", 17)):
        gaps.loc[::every, column] = np.nan

    model = PUGAM(formula, **GIVEN).fit(gaps, rows["z"])

    term = next(term for term in model.terms_ if len(term.columns) > 1)
    lacking = gaps[list(term.columns)].isna().any(axis=1)
    u = model.effect(term, gaps[list(term.columns)], center="range")["u"]
    assert u.notna().all()
    assert u[lacking].nunique() == 1
    assert (u[lacking] == 0.0).all() == (term.missing == "zero")
    places = [f"x{number + 1}" for number in range(len(term.columns))]
    assert model.effect(term).iloc[-1][places].isna().all() == (term.missing == "effect")
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(gaps), model.predict_proba(gaps))


@pytest.mark.parametrize("engine", ["stream", "gpu"])
def test_other_engines_agree_with_memory(rows, features, engine, tmp_path, monkeypatch):
    formula = "te(x, y, k=4) + s(w, k=5) + f(site) + s(dose, k=5, by=site)"
    expected = PUGAM(formula, smoothing=0.05).fit(features, rows["z"])
    if engine == "gpu":
        torch = pytest.importorskip("torch")
        monkeypatch.setattr("pugam.engines.gpu.choose_device", lambda: torch.device("cpu"))
        model = PUGAM(formula, smoothing=0.05, engine="gpu").fit(features, rows["z"])
    else:
        rows.to_parquet(tmp_path / "rows.parquet")
        model = PUGAM(formula, smoothing=0.05, engine="stream").fit(tmp_path / "rows.parquet", "z")

    assert model.pi_ == pytest.approx(expected.pi_, abs=1e-6)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-4)


def test_bootstrap(rows, features):
    model = PUGAM("te(x, y, k=3) + s(w, k=4)", smoothing=0.1).fit(features, rows["z"])

    fixed = model.bootstrap(20, random_state=1)
    chosen = PUGAM("te(x, y, k=3) + s(w, k=4)", estimate="mode").fit(features, rows["z"])
    again = chosen.bootstrap(3, smoothing="reselect", random_state=1)

    assert fixed.coef.shape == (20, len(model.coef_))
    assert again.smoothing.shape == (3, 3)
    assert (again.smoothing != again.smoothing[0]).any()
    assert fixed.effect(te("x", "y"), [(0.2, 15.0), (0.8, 25.0)]).shape == (20, 2)
    points = {"x": 0.2, "y": 15.0}, {"x": 0.8, "y": 25.0}
    assert fixed.odds_ratio(*points).estimate == pytest.approx(model.odds_ratio(*points).estimate)


def test_shrunken_fits_have_them_too(rows, features, tmp_path):
    model = PUGAM(FORMULAS["te"], shrinkage="always").fit(features, rows["z"])

    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")

    assert model.shrinkage_ is not None
    np.testing.assert_array_equal(again.predict_proba(features), model.predict_proba(features))


@pytest.mark.parametrize(
    "terms",
    [
        "te(x, y)",
        "s(x) + s(y) + ti(x, y)",
        "te(x, y) + ti(y, w) + ti(w, f(site))",
        "f(site) + s(x, by=site)",
        "x + y + x:y",
    ],
)
def test_a_full_interaction_does_not_identify_pi(rows, features, terms):
    with pytest.raises(NotIdentifiableError, match="fix pi"):
        PUGAM(terms).fit(features, rows["z"])


def test_a_full_interaction_is_permitted_where_pi_is_known(rows, features):
    assert PUGAM("te(x, y)", **GIVEN).fit(features, rows["z"]).pi_ == 0.4


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ("te(x, y) + s(x) + w", r"Column 'x' stands in two terms, te\(x, y\) and s\(x\)"),
        ("te(x, y) + ti(x, y) + w", r"Columns 'x' and 'y' stand in two terms"),
        ([te("x", "y"), te("y", "w")], "Column 'y' stands in two terms"),
        ("ti(x, y) + ti(y, x) + w", "Columns 'x' and 'y'"),
        ("s(x) + s(x, by=site) + w", r"Column 'x' stands in two terms, s\(x\) and s\(x, by=site\)"),
        ("dose + s(x, by=dose) + w", r"Column 'dose' stands in two terms, l\(dose\) and s\(x, by=dose\)"),
        ([ti(l("dose"), f("site")), "dose:site", s("w")], "Columns 'dose' and 'site'"),
    ],
)
def test_terms_that_contain_the_same_are_refused(rows, features, terms, message):
    with pytest.raises(InputError, match=message):
        PUGAM(terms).fit(features, rows["z"])


def probabilities(model, X):
    """P(z = 1 | x)."""
    shift = alpha_shift(model.pi_, model.n0_, model.n1_)
    return model.label_frequency_ * expit(model.log_density_ratio(X) + shift)


def test_a_curve_for_each_level_is_a_fit_for_each_level(rows, features):
    options = {"pi": ALMOST_ZERO, "pi_prior": None, "debias": False, "shrinkage": "never", "tol": 1e-10}
    together = PUGAM("f(site) + s(x, k=6, by=site)", smoothing=0.01, **options).fit(features, rows["z"])

    ends = (features["x"].min(), features["x"].max())
    for level, own in rows.groupby("site"):
        alone = PUGAM([s("x", k=6, bounds=ends)], smoothing=0.01, **options).fit(own[["x"]], own["z"])
        at = features["site"] == level
        np.testing.assert_allclose(
            probabilities(together, features[at]), probabilities(alone, features.loc[at, ["x"]]), atol=1e-6
        )


def test_a_product_is_a_column_computed_by_hand(rows, features):
    options = {"pi": 0.4, "tol": 1e-10}
    product = PUGAM("dose + y + dose:y + s(w)", smoothing=0.1, **options).fit(features, rows["z"])
    scaled = (features[["dose", "y"]] - features[["dose", "y"]].min()) / np.ptp(features[["dose", "y"]], axis=0)
    by_hand = features.assign(both=(scaled["dose"] - 0.5) * (scaled["y"] - 0.5))

    column = PUGAM("dose + y + both + s(w)", smoothing=0.1, **options).fit(by_hand, rows["z"])

    np.testing.assert_allclose(product.log_density_ratio(features), column.log_density_ratio(by_hand), atol=1e-6)
    (line,) = (row for row in product.summary().linear.itertuples() if row.term == "dose:y")
    (other,) = (row for row in column.summary().linear.itertuples() if row.term == "l(both)")
    assert line.z == pytest.approx(other.z, abs=1e-4)
    ranges = np.ptp(features[["dose", "y"]], axis=0).prod()
    assert line.estimate == pytest.approx(other.estimate / ranges, rel=1e-5)
