"""Curves held by a ridge: folds, scores of rows that curves do not know, the optimum, and what it is good for."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.inference import profile_of
from pugam.solvers import TUNING, FittedKind, Objective, PiPrior, PiRange, hold_out, make_folds, refit_shrunken
from pugam.solvers.fisher import maximize_fisher
from pugam.solvers.shrinkage import fit_shrunken
from pugam.terms import Design, l, s

PI = 0.3
COMPARING = TUNING.comparing_tol, TUNING.comparing_iterations


def drawn(n0, n1, n_columns, seed=0, shift=1.5):
    """Normal columns of which the first two tell positives from negatives; rows in random order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([True, False], [n0 + round(PI * n1), n1 - round(PI * n1)]))
    X = rng.normal(size=(n0 + n1, n_columns))
    X[:, :2] += shift * y[:, None]
    positive = np.isin(np.arange(n0 + n1), rng.choice(np.flatnonzero(y), n0, replace=False))
    return pd.DataFrame(X, columns=[f"x{number}" for number in range(n_columns)]), positive


def engine_of(frame, positive, make_term=l, weights=None):
    table = read_table(frame)
    design = Design.resolve([make_term(name) for name in table.names], table)
    return MemoryEngine(design, design.encode(table), positive, weights)


def folds_of(engine):
    """The folds of rows none of which is split, shape (n_dealings, n_rows)."""
    dealings = make_folds(engine)
    for dealing in dealings:
        np.testing.assert_array_equal(dealing.rows, np.arange(engine.n_rows))
        assert (dealing.parts == 1.0).all()
    return np.array([dealing.folds for dealing in dealings])


@pytest.fixture(scope="module")
def fitted():
    X, positive = drawn(50, 120, 6)
    model = PUGAM("s(x0) + s(x1) + x2 + x3 + x4 + x5", shrinkage="always").fit(X, positive)
    return model._fitted("A test")


@pytest.mark.parametrize(("n0", "n1"), [(23, 41), (3, 40), (1, 7)])
def test_folds_deal_out_rows_of_each_label_evenly_and_always_alike(n0, n1):
    X, positive = drawn(n0, n1, 3)

    folds = folds_of(engine_of(X, positive))

    assert folds.shape == (TUNING.n_dealings, n0 + n1)
    for dealing in folds:
        for label, count in ((True, n0), (False, n1)):
            sizes = np.bincount(dealing[positive == label], minlength=TUNING.n_folds)
            assert sizes.sum() == count
            assert np.ptp(sizes) <= 1
    np.testing.assert_array_equal(folds, folds_of(engine_of(X.copy(), positive.copy())))


@pytest.mark.parametrize("kinds", ["many", "few"])
def test_folds_do_not_depend_on_the_order_of_rows(kinds):
    X, positive = drawn(40, 80, 3)
    X, weights = X if kinds == "many" else (X > 0.0).astype(float), np.random.default_rng(1).uniform(1.0, 2.0, 120)
    order = np.random.default_rng(2).permutation(120)

    dealings = make_folds(engine_of(X, positive).reweighted(weights))
    shuffled = make_folds(engine_of(X.iloc[order], positive[order]).reweighted(weights[order]))

    for one, other in zip(dealings, shuffled, strict=True):
        for fold in range(TUNING.n_folds):
            expected = one.held_out(fold, 120)[order]
            np.testing.assert_allclose(other.held_out(fold, 120), expected, atol=1e-9)


def test_rows_that_are_alike_share_a_fold():
    X, positive = drawn(30, 60, 3)
    again = pd.concat([X, X.iloc[::-1], X], ignore_index=True)
    labels = np.concatenate([positive, positive[::-1], ~positive])  # of a row in both samples, too

    folds = folds_of(engine_of(again, labels))

    np.testing.assert_array_equal(folds[:, 90:180], folds[:, :90][:, ::-1])
    np.testing.assert_array_equal(folds[:, 180:], folds[:, :90])
    assert all(np.ptp(np.bincount(dealing[:90])) <= 1 for dealing in folds)


def test_a_few_kinds_of_rows_are_dealt_out_one_by_one():
    X, positive = drawn(40, 80, 2)

    folds = folds_of(engine_of((X > 0.0).astype(float), positive))

    for kind in range(4):
        alike = (X["x0"] > 0.0) + 2 * (X["x1"] > 0.0) == kind
        assert len(np.unique(folds[0, alike])) > 1


def test_copies_of_all_rows_count_like_weights():
    X, positive = drawn(40, 80, 6)
    twice = pd.concat([X, X], ignore_index=True)
    formula = " + ".join(X.columns)

    copied = PUGAM(formula, shrinkage="always").fit(twice, np.concatenate([positive, positive]))
    weighted = PUGAM(formula, shrinkage="always").fit(X, positive, sample_weight=np.full(120, 2.0))

    assert copied.pi_ == pytest.approx(weighted.pi_, abs=1e-4)
    assert copied.shrinkage_ == weighted.shrinkage_


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_row_of_weight_two_is_two_rows_where_there_are_a_few_kinds_of_rows(seed):
    rng = np.random.default_rng(seed)
    y = np.append(np.ones(40), rng.random(80) < 0.4)
    a = np.array(list("uvw"))[np.clip(rng.integers(0, 3, 120) + y * (rng.random(120) < 0.5), 0, 2).astype(int)]
    X, z, w = pd.DataFrame({"a": a, "b": rng.integers(0, 3, 120) + y}), np.arange(120) < 40, rng.integers(1, 8, 120)
    copies = np.random.default_rng(seed).permutation(np.repeat(np.arange(120), w))

    weighted = PUGAM("f(a) + b", shrinkage="always").fit(X, z, sample_weight=w)
    copied = PUGAM("f(a) + b", shrinkage="always").fit(X.iloc[copies], z[copies])

    assert weighted.pi_ == pytest.approx(copied.pi_, abs=1e-9)
    assert weighted.verdict_ == copied.verdict_
    assert str(weighted.pi_interval()) == str(copied.pi_interval())
    assert str(weighted.diagnose()) == str(copied.diagnose())


def test_scores_of_a_fold_are_those_of_a_fit_to_all_other_rows(fitted):
    engine, penalized = fitted.engine, fitted.fit.penalized
    objective = Objective(engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)
    folds = folds_of(engine)

    found = hold_out(objective, penalized, make_folds(engine))

    held = PiRange(penalized.pi, penalized.pi)
    scores = found.scores.reshape(folds.shape)
    for dealing, fold in np.ndindex(TUNING.n_dealings, TUNING.n_folds):
        inside = folds[dealing] != fold
        others = MemoryEngine(fitted.design, [part[inside] for part in engine.encoded], engine.positive[inside])
        (direct,) = maximize_fisher(
            replace(objective, engine=others),
            penalized.beta[None],
            held,
            TUNING.comparing_tol,
            TUNING.comparing_iterations,
        )
        expected = engine.linear_predictor(direct.beta[1:])[~inside]
        np.testing.assert_allclose(scores[dealing, ~inside], expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(found.positive, np.tile(engine.positive, TUNING.n_dealings))
    assert found.weights.sum() == pytest.approx(engine.n_rows, rel=1e-12)


def test_scores_are_remembered_for_the_same_curves_penalty_and_folds_only(fitted):
    engine, penalized = fitted.engine, fitted.fit.penalized
    objective = Objective(engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)
    folds = make_folds(engine)
    found = hold_out(objective, penalized, folds)

    assert hold_out(objective, replace(penalized, value=0.0), make_folds(engine)) is found
    stiffer = replace(objective, penalty=2.0 * objective.penalty)
    elsewhere = [replace(dealing, folds=np.roll(dealing.folds, 1)) for dealing in folds]
    for other in (hold_out(stiffer, penalized, folds), hold_out(objective, penalized, elsewhere)):
        assert not np.array_equal(other.scores, found.scores)


def test_rows_of_weight_zero_are_not_held_out(fitted):
    weights = np.ones(fitted.engine.n_rows)
    weights[::4] = 0.0
    engine = fitted.engine.reweighted(weights)
    objective = Objective(engine, fitted.design.penalty(fitted.fit.kappas), fitted.settings.prior)

    found = hold_out(objective, fitted.fit.penalized, make_folds(engine))

    assert len(found.scores) == TUNING.n_dealings * np.count_nonzero(weights)
    np.testing.assert_array_equal(found.positive, np.tile(engine.positive[weights > 0.0], TUNING.n_dealings))


@pytest.mark.parametrize("n_left", [1, 2], ids=["one labelled row", "two labelled rows"])
def test_a_fold_with_all_labelled_rows_gets_scores_without_curves(n_left):
    X, positive = drawn(20, 60, 4)
    engine = engine_of(X, positive)
    folds = make_folds(engine)[:1]
    kept = np.flatnonzero(positive & (folds[0].folds == 0))[:n_left]
    engine = engine.reweighted(np.where(positive, np.isin(np.arange(80), kept), 1.0))
    objective = Objective(engine, np.full(4, 3.0), PiPrior(1.0, 1.0))
    (penalized,) = maximize_fisher(
        objective, np.zeros((1, 6)), PiRange(0.5, 0.5), TUNING.comparing_tol, TUNING.comparing_iterations
    )

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = hold_out(objective, penalized, folds)
        adjustment = found.adjust(PiRange())

    assert np.ptp(found.scores[found.positive]) == 0.0
    assert np.isfinite(found.scores).all()
    assert 0.0 < adjustment.pi < 1.0


def test_the_ridge_holds_every_column_and_takes_the_place_of_smoothing(fitted):
    design, ridge = fitted.design, fitted.fit.ridge

    assert (design.ridge > 0.0).all()
    assert design.smoothing_by_term(np.zeros(len(design.penalties))) == {}
    assert ridge == TUNING.ridge
    np.testing.assert_array_equal(design.penalty(np.full(6, 7.0)), design.ridge)
    columns = design.matrix(fitted.engine.encoded)[:, 1:]
    bends = np.concatenate([np.arange(size) for size in design.sizes])
    np.testing.assert_allclose(design.ridge, 2.0 * ridge * columns.var(axis=0) * 3.0**bends, rtol=1e-9)


def test_the_curves_are_an_optimum_of_the_penalised_likelihood_with_pi_fixed(fitted):
    penalized = fitted.fit.penalized
    objective = Objective(fitted.engine, fitted.design.ridge, fitted.settings.prior)

    (here,) = objective.stand([penalized.beta])

    # A Newton step would gain less than a hundredth of the tolerance.
    gradient = here.gradient[1:]
    assert gradient @ np.linalg.solve(here.hessian[1:, 1:], gradient) < 2e-2 * fitted.settings.tol
    assert penalized.converged
    assert here.value == pytest.approx(penalized.value, abs=1e-9)


def test_reported_parameters_are_the_curves_adjusted_to_rows_held_out(fitted):
    fit = fitted.fit

    moved = fit.adjustment.moved(fit.penalized.layout, fit.penalized.beta)
    np.testing.assert_array_equal(fit.optimum.beta, moved)
    assert fit.optimum.pi == pytest.approx(fit.adjustment.pi, abs=1e-12)
    profile = profile_of(fitted)
    assert profile.rows.adjust(PiRange()).logit_pi == pytest.approx(fit.optimum.beta[0], abs=1e-9)


def test_a_refit_to_the_same_rows_hardly_moves(fitted):
    again = refit_shrunken(fitted, fitted.engine)

    # Curves and share are renewed in turn twice more: what is left of the first rounds shows.
    assert again.fit.optimum.beta[0] == pytest.approx(fitted.fit.optimum.beta[0], abs=0.05)
    assert again.fit.ridge == fitted.fit.ridge


def test_the_design_that_predicts_rows_held_out_better_is_kept():
    X, positive = drawn(60, 150, 4)
    X = np.exp(1.5 * X)
    engine = engine_of(X, positive, s)
    logged = engine.design.with_logarithms(read_table(X))
    settings = PUGAM("s(x0) + s(x1) + s(x2) + s(x3)").fit(X, positive)._settings

    found = [
        fit_shrunken(engine, designs, settings, np.random.default_rng(0))
        for designs in ([engine.design], [logged], [engine.design, logged])
    ]

    alone = [one.fit.adjustment.value for one in found]
    assert isinstance(found[2], FittedKind)
    assert alone[1] > alone[0]
    assert alone[2] == pytest.approx(alone[1], abs=1e-9)


@pytest.mark.parametrize("n_samples", [2, pytest.param(6, marks=pytest.mark.long)])
def test_with_many_columns_of_noise_pi_is_far_less_biased_than_without_shrinkage(n_samples):
    # Samples of 100 labelled and 300 unlabelled rows, 2 of 40 columns of use. Without shrinkage columns of noise tell
    # labelled rows from hidden positives, and pi comes out too low. Over twelve samples the mean absolute errors are
    # 0.035 and 0.151, each with a standard deviation of about 0.04 in one sample, 0.016 in the mean of six, 0.028 in
    # that of two.
    errors = {"auto": [], "never": []}
    formula = " + ".join(f"x{number}" for number in range(40))
    for seed in range(n_samples):
        X, positive = drawn(100, 300, 40, seed, shift=3.0)
        for shrinkage, found in errors.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(abs(PUGAM(formula, shrinkage=shrinkage).fit(X, positive).pi_ - PI))

    assert np.mean(errors["auto"]) < 0.08
    assert np.mean(errors["never"]) > 2.0 * np.mean(errors["auto"])


# Speed that must not change the result


def fit_skewed(weight=1.0, n_jobs=1):
    X, positive = drawn(80, 200, 12, seed=3)
    return PUGAM(shrinkage="always", n_jobs=n_jobs).fit(np.exp(X), positive, sample_weight=np.full(len(X), weight))


def test_any_number_of_threads_gives_the_same_to_the_last_bit():
    alone, together = fit_skewed(), fit_skewed(n_jobs=4)

    assert alone.pi_ == together.pi_
    np.testing.assert_array_equal(alone.coef_, together.coef_)
