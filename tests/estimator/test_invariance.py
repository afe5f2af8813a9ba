"""What must not matter to a fit: the library, dtype and coding of the data, weights or copies, order, threads."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_limits

from pugam import PUGAM, InputError
from pugam.datasets import simulate

FRAMES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}
SMOOTHINGS = ("reml", "aic", 0.1)
ONE_AND_OTHERS = [0.1, *(pytest.param(one, marks=pytest.mark.long) for one in ("reml", "aic"))]


# The same rows in other clothes


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_library_gives_the_same_fit_and_its_own_frames(mixed, z, make):
    terms = "s(x1) + s(x2) + f(site)"
    expected = PUGAM(terms, smoothing=0.1).fit(mixed, z)
    frame = make(mixed)
    model = PUGAM(terms, smoothing=0.1).fit(frame, z)

    assert model.pi_ == expected.pi_
    assert model.feature_names_in_.tolist() == list(mixed.columns)
    np.testing.assert_array_equal(model.predict_proba(frame), expected.predict_proba(mixed))
    np.testing.assert_array_equal(expected.predict_proba(frame), expected.predict_proba(mixed))
    for term in ("x1", "site"):
        effect = model.effect(term)
        assert type(effect) is type(frame)
        np.testing.assert_array_equal(np.asarray(effect["u"]), expected.effect(term)["u"])


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, lambda values: np.asarray(values).tolist()])
def test_arrays_and_lists_give_the_same_fit(X, z, model_given, make):
    rows = make(X.to_numpy())
    by_position = PUGAM(smoothing=0.1).fit(rows, z)

    assert by_position.pi_ == model_given.pi_
    assert [term.column for term in by_position.terms_] == ["x0", "x1", "x2"]
    assert by_position.n_features_in_ == 3
    np.testing.assert_array_equal(by_position.predict_proba(rows), model_given.predict_proba(X))
    np.testing.assert_array_equal(model_given.predict_proba(rows), model_given.predict_proba(X))
    assert isinstance(by_position.effect("x0"), pd.DataFrame)


@pytest.mark.parametrize("dtype", ["Float64", "float32", "object"])
def test_the_dtype_of_a_column_does_not_matter(X, z, model_given, dtype):
    # float32 keeps 24 bits of each value: about 1e-7.
    assert PUGAM(smoothing=0.1).fit(X.astype(dtype), z).pi_ == pytest.approx(model_given.pi_, abs=1e-6)


CODINGS = {
    "zero and one": (lambda z: z, [0, 1]),
    "minus one and one": (lambda z: 2 * z - 1, [-1, 1]),
    "booleans": (lambda z: z == 1, [False, True]),
    "floats": (lambda z: z.astype(float), [0.0, 1.0]),
    "list": (lambda z: z.tolist(), [0, 1]),
    "list of booleans": (lambda z: (z == 1).tolist(), [False, True]),
    "pandas": (lambda z: pd.Series(z, index=np.arange(len(z))[::-1]), [0, 1]),
    "pandas nullable": (lambda z: pd.Series(z, dtype="Int64"), [0, 1]),
    "polars": (pl.Series, [0, 1]),
    "arrow": (lambda z: pa.array(2 * z - 1), [-1, 1]),
}


@pytest.mark.parametrize(("code", "classes"), CODINGS.values(), ids=CODINGS)
def test_every_coding_of_the_labels_gives_the_same_fit(X, z, model_given, code, classes):
    coded = PUGAM(smoothing=0.1).fit(X, code(z))

    assert coded.pi_ == model_given.pi_
    assert coded.classes_.tolist() == classes
    assert isinstance(coded.classes_.tolist()[1], type(classes[1]))
    np.testing.assert_array_equal(coded.predict(X) == classes[1], model_given.predict(X) == 1)
    assert coded.score(X, code(z)) == model_given.score(X, z)


def test_order_and_surplus_of_columns_do_not_matter_at_prediction(model, X):
    other = X[["x3", "x2", "x1"]].assign(note="text", late=np.nan)

    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(X))


def test_a_column_lacking_at_prediction_is_named(model, X):
    with pytest.raises(InputError, match="no column 'x2'"):
        model.predict_proba(X[["x1", "x3"]])


def test_an_array_of_another_width_is_refused_at_prediction(model, X):
    with pytest.raises(InputError, match=r"2 features.*expecting 3"):
        model.predict_proba(X.to_numpy()[:, :2])


def test_one_row_can_be_predicted(model, X):
    np.testing.assert_allclose(model.predict_proba(X.iloc[[3]])[0], model.predict_proba(X)[3], rtol=0, atol=1e-14)


# Weights


@pytest.mark.parametrize(
    ("solver", "smoothing"),
    [
        *(("newton", smoothing) for smoothing in SMOOTHINGS),
        # EM takes thousands of steps; what smoothing does with weights, Newton's method shows.
        *(pytest.param("em", smoothing, marks=pytest.mark.long) for smoothing in SMOOTHINGS),
    ],
)
def test_a_weight_of_two_is_a_duplicated_row_and_zero_a_removed_one(X, z, smoothing, solver):
    weights = np.random.default_rng(0).integers(0, 3, len(z))
    rows = np.repeat(np.arange(len(z)), weights)
    options = {"smoothing": smoothing, "solver": solver, "kappas": [1.0, 0.01]}
    weighted = PUGAM(**options).fit(X, z, weights)
    repeated = PUGAM(**options).fit(X.iloc[rows], z[rows])

    assert weighted.pi_ == pytest.approx(repeated.pi_, abs=1e-6)
    assert weighted.loglik_ == pytest.approx(repeated.loglik_, abs=1e-6)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=0, atol=1e-6)
    for name in X:
        np.testing.assert_allclose(weighted.effect(name), repeated.effect(name), rtol=0, atol=1e-4)


def test_weights_of_one_change_nothing(X, z, model):
    assert PUGAM().fit(X, z, np.ones(len(z))).pi_ == pytest.approx(model.pi_, abs=1e-12)
    assert PUGAM().fit(X, z, [1] * len(z)).pi_ == pytest.approx(model.pi_, abs=1e-12)


def test_a_row_of_weight_zero_may_hold_anything(X, z, model):
    wild = pd.concat([X, pd.DataFrame({"x1": [99.0, np.nan], "x2": [-99.0, 0.5], "x3": [0.5, 0.5]})])

    weighted = PUGAM().fit(wild, np.append(z, [1, 0]), np.append(np.ones(len(z)), [0, 0]))

    assert weighted.pi_ == pytest.approx(model.pi_, abs=1e-12)


@pytest.mark.parametrize("label", [0, 1])
def test_weights_that_remove_a_whole_class_are_refused(X, z, label):
    with pytest.raises(InputError, match="only one class"):
        PUGAM().fit(X, z, (z == label).astype(float))


# What must not matter


@pytest.mark.parametrize("smoothing", ONE_AND_OTHERS)
def test_shifting_and_rescaling_features_changes_nothing(X, z, smoothing):
    moved = X.assign(x1=1000.0 + 37.0 * X["x1"], x2=-1e-3 * X["x2"], x3=1e6 * X["x3"] - 5.0)
    here, there = (PUGAM(smoothing=smoothing).fit(table, z) for table in (X, moved))

    assert there.pi_ == pytest.approx(here.pi_, abs=1e-7)
    assert there.alpha_ == pytest.approx(here.alpha_, abs=1e-6)
    assert there.smoothing_ == pytest.approx(here.smoothing_, rel=1e-5)
    np.testing.assert_allclose(there.predict_proba(moved), here.predict_proba(X), rtol=0, atol=1e-7)
    np.testing.assert_allclose(here.effect("x2")["u"], there.effect("x2")["u"][::-1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("smoothing", ONE_AND_OTHERS)
def test_the_order_of_the_rows_changes_nothing(X, z, smoothing):
    order = np.random.default_rng(1).permutation(len(z))
    sorted_, shuffled = PUGAM(smoothing=smoothing).fit(X, z), PUGAM(smoothing=smoothing).fit(X.iloc[order], z[order])

    assert shuffled.pi_ == pytest.approx(sorted_.pi_, abs=1e-7)
    np.testing.assert_allclose(shuffled.predict_proba(X), sorted_.predict_proba(X), rtol=0, atol=1e-7)


def test_the_order_of_the_rows_changes_nothing_where_curves_are_shrunken(X, z):
    wide = X.assign(**{f"noise{j}": np.random.default_rng(j).normal(size=len(z)) for j in range(3)})
    order = np.random.default_rng(1).permutation(len(z))
    here, there = (
        PUGAM(shrinkage="always", estimate="mode").fit(wide.iloc[rows], z[rows]) for rows in (np.arange(len(z)), order)
    )

    assert there.pi_ == pytest.approx(here.pi_, abs=1e-7)
    assert there.verdict_ == here.verdict_


def test_the_order_of_the_terms_changes_nothing(X, z, model):
    assert PUGAM("s(x3) + s(x1) + s(x2)").fit(X, z).pi_ == pytest.approx(model.pi_, abs=1e-6)


@pytest.fixture(scope="module")
def many_rows():
    """Enough rows for several groups, so that there is work for more than one thread."""
    return simulate(3, n0=4000, n=7000, random_state=0)


def results(model, X):
    return np.concatenate([[model.pi_, model.loglik_, model.edf_], model.coef_, model.predict_proba(X)[:, 1]])


@pytest.mark.parametrize("n_jobs", [2, pytest.param(3, marks=pytest.mark.long)])
def test_the_number_of_threads_changes_not_a_bit(many_rows, n_jobs):
    X, z = many_rows.X, many_rows.z
    one, several = PUGAM(n_jobs=1).fit(X, z), PUGAM(n_jobs=n_jobs).fit(X, z)

    np.testing.assert_array_equal(results(several, X), results(one, X))


def test_the_number_of_blas_threads_changes_not_a_bit(many_rows):
    X, z = many_rows.X, many_rows.z
    fits = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            fits.append(results(PUGAM().fit(X, z), X))

    np.testing.assert_array_equal(*fits)


def test_the_same_seed_gives_the_same_starts_and_another_one_others(X, z):
    def starts(random_state):
        model = PUGAM(smoothing=1.0, n_starts=16, random_state=random_state).fit(X, z)
        return [start["pi_start"] for start in model.starts_]

    assert starts(1) == starts(1) == starts(np.random.RandomState(1))
    assert starts(None) == starts(None)
    assert starts(1)[:12] == starts(2)[:12]
    assert all(one != other for one, other in zip(starts(1)[12:], starts(2)[12:], strict=True))
