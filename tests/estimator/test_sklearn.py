"""PUGAM among scikit-learn's tools: the common checks, pipelines, searches, copies."""

import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from sklearn.utils.fixes import parse_version

from pugam import PUGAM, InputError, f, l, s
from pugam.datasets import simulate

OWN_LABELS = "fits on labels other than 1/0, 1/-1 and booleans, which cannot say which of them is the unlabelled one"
FOREIGN_LABELS = {
    "check_estimators_dtypes": OWN_LABELS,
    "check_sample_weights_pandas_series": OWN_LABELS,
    "check_sample_weights_not_an_array": OWN_LABELS,
    "check_sample_weights_shape": OWN_LABELS,
    "check_sample_weights_not_overwritten": OWN_LABELS,
    "check_classifier_data_not_an_array": OWN_LABELS,
    "check_classifiers_classes": OWN_LABELS,
}
TOO_FEW_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": "fits 30 columns on 15 rows, fewer than there are parameters"
}
if parse_version(sklearn.__version__) < parse_version("1.7"):
    # Up to then these checks, too, turn the three labels of their data into two by counting on from the first one.
    FOREIGN_LABELS |= {
        "check_dont_overwrite_parameters": OWN_LABELS,
        "check_dtype_object": OWN_LABELS,
        "check_pipeline_consistency": OWN_LABELS,
        "check_estimators_pickle": OWN_LABELS,
        "check_f_contiguous_array_estimator": OWN_LABELS,
        "check_methods_sample_order_invariance": OWN_LABELS,
        "check_methods_subset_invariance": OWN_LABELS,
        "check_dict_unchanged": OWN_LABELS,
        "check_fit_check_is_fitted": OWN_LABELS,
        "check_fit2d_predict1d": OWN_LABELS,
        "check_estimators_overwrite_params": OWN_LABELS,
        "check_estimators_fit_returns_self": OWN_LABELS,
        "check_readonly_memmap_input": OWN_LABELS,
    }


class Recoded(PUGAM):
    """PUGAM behind the step a user takes: two foreign labels are recoded, the second one counts as positive."""

    def fit(self, X, y, sample_weight=None):
        """Fit on recoded labels."""
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        own = classes.dtype.kind in "biuf" and classes.tolist() in ([0, 1], [-1, 1])
        if own or len(classes) != 2 or np.asarray(y).ndim != 1:
            return super().fit(X, y, sample_weight)
        super().fit(X, codes, sample_weight)
        self.classes_ = classes
        return self

    def score(self, X, y, sample_weight=None):
        """Score recoded labels."""
        return super().score(X, np.asarray(y) == self.classes_[1], sample_weight)


def expected_failures(estimator):
    return TOO_FEW_ROWS | ({} if isinstance(estimator, Recoded) else FOREIGN_LABELS)


# Whatever the settings, a fit takes these tables in the same way; those of users are for the long tests.
QUICK = {"shrinkage": "never", "smoothing": 1.0, "n_starts": 1}


@parametrize_with_checks([PUGAM(**QUICK)], expected_failed_checks=expected_failures)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", FOREIGN_LABELS)
def test_scikit_learns_checks_of_foreign_labels_pass_where_these_are_recoded(name):
    found = [check for check in estimator_checks_generator(Recoded(**QUICK)) if check[1].func.__name__ == name]
    assert found
    for estimator, check in found:
        check(estimator)


@pytest.mark.long  # the same checks again
@parametrize_with_checks(
    [PUGAM(), PUGAM(shrinkage="never"), Recoded(), Recoded(shrinkage="never")], expected_failed_checks=expected_failures
)
def test_scikit_learns_checks_with_shrunken_curves_and_recoded_labels(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def model(X, z):
    return PUGAM().fit(X, z)


def test_labels_may_be_passed_by_either_name(model, X, z):
    by_y, by_z = PUGAM().fit(X=X, y=z), PUGAM().fit(X, z=z)

    assert by_y.pi_ == by_z.pi_ == model.pi_
    assert by_y.score(X=X, y=z) == by_z.score(X, z=z) == model.score(X, z)
    with pytest.raises(InputError, match="given twice"):
        PUGAM().fit(X, z, z=z)


@pytest.mark.parametrize("smoothing", ["reml", 1.0])
def test_weights_are_equivalent_to_repeated_rows_in_an_array(X, z, smoothing):
    # What check_sample_weight_equivalence_on_dense_data asks, on a table taller than wide.
    X = X.iloc[:, :2]
    weights = np.random.default_rng(1).integers(0, 5, len(z))
    rows = np.repeat(np.arange(len(z)), weights)
    weighted = PUGAM(smoothing=smoothing).fit(X.to_numpy(), z, sample_weight=weights)
    repeated = PUGAM(smoothing=smoothing).fit(X.to_numpy()[rows], z[rows])

    np.testing.assert_allclose(weighted.predict_proba(X.to_numpy()), repeated.predict_proba(X.to_numpy()), atol=1e-7)
    np.testing.assert_array_equal(weighted.predict(X.to_numpy()), repeated.predict(X.to_numpy()))


def test_a_clone_is_unfitted_and_fits_alike(model, X, z):
    terms = [s("x1", k=6), l("x2")]
    original = PUGAM(terms, smoothing={"x1": 2.0}, pi=(0.1, 0.9), n_starts=3).fit(X, z)
    copy = clone(original)

    assert not hasattr(copy, "pi_")
    assert copy.get_params() == original.get_params()
    assert copy.fit(X, z).pi_ == original.pi_


def test_the_papers_settings_survive_a_clone():
    assert clone(PUGAM.paper(kappas="smooth")).get_params() == PUGAM.paper(kappas="smooth").get_params()


def test_a_pickle_predicts_alike(X, z):
    table = X.assign(site=np.array(["a", "b", "c"])[np.arange(len(z)) % 3])
    model = PUGAM([s("x1", missing="effect"), f("site"), l("x2")]).fit(table, z)
    copy = pickle.loads(pickle.dumps(model))

    np.testing.assert_array_equal(copy.predict_proba(table), model.predict_proba(table))
    pd.testing.assert_frame_equal(copy.effect("site"), model.effect("site"))
    assert copy.pi_interval() == model.pi_interval()


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_a_scaler_before_it_changes_nothing(model, X, z, output):
    pipeline = make_pipeline(StandardScaler(), PUGAM()).set_output(transform=output).fit(X, z)
    fitted = pipeline[-1]

    assert fitted.pi_ == pytest.approx(model.pi_, abs=1e-7)
    np.testing.assert_allclose(pipeline.predict_proba(X), model.predict_proba(X), rtol=0, atol=1e-7)
    assert pipeline.score(X, z) == pytest.approx(model.score(X, z), abs=1e-9)
    frame = fitted.effect("x0" if output == "default" else "x1")
    assert isinstance(frame, pl.DataFrame if output == "polars" else pd.DataFrame)


def test_terms_may_name_the_columns_a_pipeline_hands_on(model, X, z):
    pipeline = make_pipeline(StandardScaler(), PUGAM("s(x2) + s(x1) + s(x3)")).set_output(transform="pandas")

    assert pipeline.fit(X, z)[-1].pi_ == pytest.approx(model.pi_, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("smoothing", ["reml", 1e-3, 1e3]),
        pytest.param("n_starts", [1, 2], marks=pytest.mark.long),
        pytest.param("terms", [None, "x1 + x2 + x3"], marks=pytest.mark.long),
    ],
)
def test_a_grid_search_needs_no_other_score(X, z, name, values):
    model = PUGAM(n_starts=2, shrinkage="never")
    search = GridSearchCV(model, {name: values}, cv=3).fit(X, z)
    scores = search.cv_results_["mean_test_score"]

    assert np.isfinite(scores).all()
    assert search.best_params_[name] == values[int(np.argmax(scores))]
    assert search.best_estimator_.pi_ == clone(model).set_params(**search.best_params_).fit(X, z).pi_


@pytest.mark.long
def test_a_search_over_smoothing_tells_rough_from_smooth(X, z):
    # Both effects are smooth curves, so that a spline with hardly any penalty predicts new rows worse.
    search = GridSearchCV(PUGAM(shrinkage="never"), {"smoothing": [1e-8, "reml"]}, cv=3).fit(X, z)

    assert search.best_params_ == {"smoothing": "reml"}


def test_the_cross_validated_score_is_the_score_of_the_folds(X, z):
    folds = StratifiedKFold(2)
    model = PUGAM(smoothing=0.1)
    by_hand = [model.fit(X.iloc[train], z[train]).score(X.iloc[test], z[test]) for train, test in folds.split(X, z)]

    np.testing.assert_array_equal(cross_val_score(model, X, z, cv=folds), by_hand)


def test_cross_validated_posteriors_tell_the_classes_apart(X, z, y):
    proba = cross_val_predict(PUGAM(), X, z, cv=3, method="predict_proba")
    hidden, negative = proba[(z == 0) & (y == 1), 1], proba[y == 0, 1]

    assert proba.shape == (len(z), 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    # The means of the true posteriors differ by about 0.7, with a standard error of 0.03.
    assert hidden.mean() > negative.mean() + 0.5


def test_a_search_may_run_in_parallel(X, z):
    search = GridSearchCV(PUGAM(n_starts=2), {"smoothing": [0.1, 10.0]}, cv=3)
    alone = clone(search).fit(X, z)
    with parallel_config("threading", n_jobs=2):
        together = clone(search).fit(X, z)

    np.testing.assert_array_equal(alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"])


@pytest.mark.parametrize("fitted", [False, True], ids=["unfitted", "fitted"])
def test_a_model_can_be_looked_through_and_shown_in_a_pipeline(fitted):
    data = simulate(1, n0=80, n=200, random_state=0)
    pipeline = make_pipeline(StandardScaler(), PUGAM(check=False))
    if fitted:
        pipeline.fit(data.X, data.z)

    assert "predict_proba" in dir(pipeline[-1])
    assert inspect.getmembers(pipeline[-1])
    assert "PUGAM" in str(pipeline._repr_mimebundle_())
