"""Refits to resampled rows: all at once, they are the fits one would make to each resample alone."""

from dataclasses import replace

import numpy as np
import pytest

from pugam.engines import MemoryEngine
from pugam.engines.memory import MemoryResampledRows
from pugam.likelihood import expit
from pugam.solvers import (
    Fitted,
    PiPrior,
    PiRange,
    Settings,
    finish_fit,
    fit_smoothed,
    refit_resamples,
    reselect_resamples,
)
from pugam.solvers.strategy import warm_smoothing

WEAK = PiPrior(1.0, 1.0)
KAPPAS = np.array([1e-2, 3e-2, 1e-2, 1e-1, 1e-2])
TIGHT = {"smoothing": KAPPAS, "tol": 1e-9, "n_starts": 3}
SETTINGS = {
    "debiased": {"prior": WEAK},
    "penalised": {"prior": WEAK, "debias": False},
    "no prior": {},
    "known pi": {"pi_range": PiRange(0.35, 0.35)},
    "bound in the way of some": {"prior": WEAK, "pi_range": PiRange(0.02, 0.3)},
    "bound in the way of all": {"prior": WEAK, "pi_range": PiRange(0.6, 0.9)},
}


@pytest.fixture(scope="module")
def problem(make_problem):
    return make_problem(2, n0=450, n=700, seed=3)


def draw(engine, number, seed=0, stratified=True):
    """Counts of resamples, drawn here by repeating rows."""
    rng = np.random.default_rng(seed)
    strata = [np.flatnonzero(engine.positive), np.flatnonzero(~engine.positive)]
    strata = strata if stratified else [np.arange(engine.n_rows)]
    rows = [np.concatenate([rng.choice(stratum, len(stratum)) for stratum in strata]) for _ in range(number)]
    return np.array([np.bincount(drawn, minlength=engine.n_rows) for drawn in rows])


def fit(problem, engine=None, **options):
    engine = engine or problem.engine
    settings = Settings(**{**TIGHT, **options})
    return Fitted(
        engine, problem.design, settings, fit_smoothed(engine, problem.design, settings, np.random.default_rng(0))
    )


def fit_alone(fitted, counts):
    """A fit to the resample as to any other weighted rows, from where the original fit ended."""
    engine = fitted.engine
    weights = counts.astype(float) if engine.weights is None else counts * engine.weights
    fresh = MemoryEngine(fitted.design, engine.encoded, engine.positive, weights)
    return finish_fit(fresh, fitted.design, fitted.settings, fitted.fit.penalized.beta, fitted.fit.kappas)


def assert_same_as_alone(fitted, counts, refits):
    for number, row in enumerate(counts):
        alone = fit_alone(fitted, row)
        assert alone.converged
        for beta, optimum in ((refits.beta, alone.optimum), (refits.penalized, alone.penalized)):
            assert expit(beta[number, 0]) == pytest.approx(optimum.pi, abs=1e-6)
            np.testing.assert_allclose(beta[number, 1:], optimum.beta[1:], atol=1e-5)
    assert refits.converged.all()
    np.testing.assert_array_equal(refits.kappas, np.tile(fitted.fit.kappas, (len(counts), 1)))


@pytest.mark.parametrize("options", SETTINGS)
def test_refits_at_once_are_the_weighted_fits_one_by_one(problem, options):
    fitted = fit(problem, **SETTINGS[options])
    counts = draw(problem.engine, 8)

    refits = refit_resamples(fitted, counts)

    assert_same_as_alone(fitted, counts, refits)
    if options != "known pi" and options != "bound in the way of all":
        assert np.ptp(expit(refits.penalized[:, 0])) > 0.01


def test_refits_of_linear_effects_are_the_weighted_fits_one_by_one(make_problem):
    linear = make_problem(1, n0=300, n=600, terms="linear", seed=1)
    fitted = fit(linear, prior=WEAK, smoothing=np.zeros(0))
    counts = draw(linear.engine, 8)
    assert not fitted.fit.debiased

    assert_same_as_alone(fitted, counts, refit_resamples(fitted, counts))


def test_refits_are_the_fits_found_from_many_starts(problem):
    fitted = fit(problem, prior=WEAK)
    counts = draw(problem.engine, 4)

    refits = refit_resamples(fitted, counts)

    for number, row in enumerate(counts):
        fresh = MemoryEngine(problem.design, problem.engine.encoded, problem.engine.positive, row.astype(float))
        cold = fit(problem, fresh, prior=WEAK, n_starts=12).fit
        assert expit(refits.beta[number, 0]) == pytest.approx(cold.optimum.pi, abs=1e-6)
        np.testing.assert_allclose(refits.beta[number, 1:], cold.optimum.beta[1:], atol=1e-5)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_numbers_of_labels_may_vary_from_resample_to_resample(problem, weighted):
    engine = problem.engine
    weights = np.random.default_rng(4).uniform(0.5, 2.0, engine.n_rows) if weighted else None
    engine = MemoryEngine(problem.design, engine.encoded, engine.positive, weights)
    fitted = fit(problem, engine, prior=WEAK)
    counts = draw(engine, 5, stratified=False)
    assert np.ptp(counts[:, engine.positive].sum(axis=1)) > 0

    assert_same_as_alone(fitted, counts, refit_resamples(fitted, counts))


def test_resamples_inside_the_range_are_corrected_though_the_original_fit_lies_on_its_end(problem):
    fitted = fit(problem, prior=WEAK, pi_range=PiRange(0.02, 0.28))
    counts = draw(problem.engine, 8)
    assert fitted.fit.penalized.pi == pytest.approx(0.28, rel=1e-9)
    assert any(fit_alone(fitted, row).debiased for row in counts)

    assert_same_as_alone(fitted, counts, refit_resamples(fitted, counts))


def test_a_resample_of_every_row_once_is_the_fit_itself(problem):
    fitted = fit(problem, prior=WEAK)

    refits = refit_resamples(fitted, np.ones((2, problem.engine.n_rows), dtype=int))

    np.testing.assert_allclose(refits.beta, np.tile(fitted.fit.optimum.beta, (2, 1)), atol=1e-6)
    np.testing.assert_allclose(refits.penalized, np.tile(fitted.fit.penalized.beta, (2, 1)), atol=1e-6)


@pytest.mark.parametrize("options", ["debiased", "penalised", "bound in the way of some"])
@pytest.mark.parametrize(
    "sizes",
    [(1, 29), pytest.param((29, 1), marks=pytest.mark.long), pytest.param((10, 10, 10), marks=pytest.mark.long)],
    ids=str,
)
def test_how_resamples_are_batched_makes_no_difference(problem, options, sizes):
    # Thirty at once take the path of one big product, few at once that of a loop.
    fitted = fit(problem, **SETTINGS[options])
    counts = draw(problem.engine, 30, seed=1)

    at_once = refit_resamples(fitted, counts)
    parts = [refit_resamples(fitted, part) for part in np.split(counts, np.cumsum(sizes)[:-1])]

    for name in ("beta", "penalized"):
        in_parts = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_allclose(in_parts, getattr(at_once, name), atol=1e-7)
    assert at_once.converged.all()


def test_a_limit_on_the_iterations_is_reported_for_each_refit(problem):
    fitted = fit(problem, prior=WEAK, debias=False)
    hasty = replace(fitted, settings=replace(fitted.settings, max_iter=1))
    counts = draw(problem.engine, 3)
    counts[1] = 1  # every row once: there is nothing to climb

    np.testing.assert_array_equal(refit_resamples(hasty, counts).converged, [False, True, False])


# Smoothing parameters chosen anew


@pytest.mark.parametrize(
    "options",
    [{"smoothing": "reml"}, {"smoothing": "aic", "grid": (1e-3, 1e-2, 1e-1), "debias": False}],
    ids=["reml", "aic"],
)
def test_reselected_refits_choose_smoothing_by_themselves(problem, options):
    fitted = fit(problem, prior=WEAK, tol=1e-6, **options)
    counts = draw(problem.engine, 3)

    refits = reselect_resamples(fitted, counts)

    for number, row in enumerate(counts):
        fresh = MemoryEngine(problem.design, problem.engine.encoded, problem.engine.positive, row.astype(float))
        start, kappas = warm_smoothing(
            fresh, problem.design, fitted.settings, fitted.fit.penalized.beta, fitted.fit.kappas
        )
        alone = finish_fit(fresh, problem.design, fitted.settings, start, kappas)
        np.testing.assert_allclose(refits.kappas[number], kappas, rtol=1e-9)
        np.testing.assert_allclose(refits.beta[number], alone.optimum.beta, atol=1e-7)
        np.testing.assert_allclose(refits.penalized[number], alone.penalized.beta, atol=1e-7)
        assert refits.converged[number]
    if options["smoothing"] == "reml":
        assert (np.ptp(np.log(refits.kappas), axis=0) > 0.01).any()


def test_aic_chooses_for_each_resample_what_it_would_choose_from_scratch(problem):
    grid = (1e-1, 1e-2, 1e-3)
    fitted = fit(problem, prior=WEAK, smoothing="aic", grid=grid, debias=False, tol=1e-6)
    counts = draw(problem.engine, 3)

    refits = reselect_resamples(fitted, counts)

    for number, row in enumerate(counts):
        fresh = MemoryEngine(problem.design, problem.engine.encoded, problem.engine.positive, row.astype(float))
        cold = fit(problem, fresh, prior=WEAK, smoothing="aic", grid=grid, debias=False, tol=1e-6).fit
        np.testing.assert_array_equal(refits.kappas[number], cold.kappas)
        assert expit(refits.beta[number, 0]) == pytest.approx(cold.optimum.pi, abs=1e-4)


def test_given_smoothing_parameters_are_not_chosen_anew(problem):
    fitted = fit(problem, prior=WEAK)
    counts = draw(problem.engine, 3)

    anew, kept = reselect_resamples(fitted, counts), refit_resamples(fitted, counts)

    np.testing.assert_array_equal(anew.kappas, np.tile(KAPPAS, (3, 1)))
    np.testing.assert_allclose(anew.beta, kept.beta, atol=1e-6)


def test_an_ordinary_tolerance_is_fine_enough_for_six_digits(problem):
    fitted = fit(problem, tol=1e-4)
    counts = draw(problem.engine, 20)

    refits = refit_resamples(fitted, counts)

    tight = replace(fitted, settings=replace(fitted.settings, tol=1e-10))
    exact = [fit_alone(tight, row).optimum.pi for row in counts]
    np.testing.assert_allclose(expit(refits.beta[:, 0]), exact, atol=1e-6)


def test_the_last_steps_of_all_resamples_cost_only_gradients(problem, monkeypatch):
    fitted = fit(problem, tol=1e-4, debias=False)
    calls = {"sums": 0, "scores": 0}
    for name in calls:
        original = getattr(MemoryResampledRows, name)

        def counted(self, *args, _name=name, _original=original, **options):
            calls[_name] += 1
            return _original(self, *args, **options)

        monkeypatch.setattr(MemoryResampledRows, name, counted)

    assert refit_resamples(fitted, draw(problem.engine, 8)).converged.all()
    assert 1 <= calls["scores"] <= 10
    assert calls["sums"] <= 5
