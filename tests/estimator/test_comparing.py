"""`anova`: models of the same rows side by side, and models that cannot be compared."""

import pickle

import numpy as np
import pytest

from pugam import PUGAM, InputError


@pytest.fixture(scope="module")
def models(X, z):
    formulas = {"large": "s(x1) + s(x2) + s(x3)", "lines": "x1 + x2 + x3", "two": "s(x1) + s(x2)"}
    return {name: PUGAM(formula, check=False, interactions=None).fit(X, z) for name, formula in formulas.items()}


def test_figures_are_those_of_the_models(models):
    large, lines = models["large"], models["lines"]
    found = lines.anova(large, names=["lines", "curves"]).models

    assert found["model"].tolist() == ["lines", "curves"]
    assert found["loglik"].tolist() == [lines.loglik_, large.loglik_]
    assert found["aic"].tolist() == [lines.aic_, large.aic_]
    assert found["bic"][1] == pytest.approx(-2 * large.loglik_ + np.log(600) * large.edf_)
    assert found["pi"].tolist() == [lines.pi_, large.pi_]
    assert found["lower"][1] == large.pi_interval().lower
    assert found["evidence"].notna().all()


def test_tests_are_those_of_the_larger_model_whatever_the_order(models):
    large, lines, two = (models[name] for name in ("large", "lines", "two"))
    joint, alone = large.test(["x1", "x2", "x3"], null="linear"), large.test("x3")

    for found in (lines.anova(large, two), two.anova(large, lines)):
        assert sorted(found.tests["pvalue"]) == sorted([joint.pvalue, alone.pvalue])
        assert set(found.tests["larger"]) == {"model 2"}
    assert len(lines.anova(two).tests) == 0


def test_models_with_pi_treated_differently_are_not_tested(models, X, z):
    fixed = PUGAM("s(x1) + s(x2)", pi=0.4, check=False).fit(X, z)

    found = fixed.anova(models["large"])

    assert len(found.tests) == 0
    assert np.isnan(found.models["evidence"][0])


def test_a_copied_model_can_be_compared(models):
    copied = pickle.loads(pickle.dumps(models["two"]))

    assert copied.anova(models["large"]).models.equals(models["two"].anova(models["large"]).models)


def test_other_rows_are_refused(models, X, z):
    fewer = PUGAM("x1 + x2", pi=0.4, check=False).fit(X[:-9], z[:-9])
    backwards = PUGAM("x1 + x2", pi=0.4, check=False).fit(X[::-1], z[::-1])
    shuffled = PUGAM("s(x1) + s(x2)", pi=0.4, check=False).fit(X.assign(x1=np.sort(X["x1"])), z)

    with pytest.raises(InputError, match="compared: one to 300 labelled and 300 unlabelled ones, the other to"):
        models["large"].anova(fewer)
    for other in (backwards, shuffled):
        with pytest.raises(InputError, match="different rows, though to as many"):
            models["large"].anova(other)


def test_other_likelihoods_are_refused(models, X, z):
    sampled = PUGAM("x1 + x2", check=False).fit(X, z, sample=np.where(X["x3"] > 0, "north", "south"))
    known = PUGAM("x1 + x2", labelling="l(x3)", check=False).fit(X, z)

    stored = [pickle.loads(pickle.dumps(model)) for model in (sampled, known)]
    for other in (sampled, known, *stored):
        with pytest.raises(InputError, match="knows of samples, audits, known negatives or a labelling"):
            models["large"].anova(other)


def test_other_samples_are_refused_also_where_rows_are_lost(X, z):
    halves = [np.where(X[column] > 0.5, "high", "low") for column in ("x2", "x3")]
    one, other = (pickle.loads(pickle.dumps(PUGAM("x1 + x2", check=False).fit(X, z, sample=half))) for half in halves)

    assert one.anova(one).models["loglik"].tolist() == [one.loglik_] * 2
    with pytest.raises(InputError, match="know of different samples, audits or known negatives"):
        one.anova(other)


def test_bad_arguments_are_refused(models):
    with pytest.raises(InputError, match="give them"):
        models["large"].anova()
    with pytest.raises(InputError, match="fitted PUGAM models"):
        models["large"].anova("two")
    with pytest.raises(InputError, match="a name of its own for each of 2 models"):
        models["large"].anova(models["two"], names=["same", "same"])
