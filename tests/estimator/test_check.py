"""A fit ends with a verdict: it warns unless pi is well determined, and remembers what it needs for intervals."""

import pickle
import warnings

import numpy as np
import pytest

import pugam
from pugam import PUGAM, InputError, PugamWarning, VerdictWarning
from pugam.datasets import simulate


@pytest.fixture(scope="module")
def clear():
    return simulate(2, n0=1250, n=1500, random_state=0)


@pytest.fixture(scope="module")
def crossed():
    """Rows in which two effects do not add up at all."""
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.5
    X = rng.normal(size=(3000, 4))
    X[:, 0] = np.where(y, 2.0 * np.sign(X[:, 1]), 0.0) + 0.5 * X[:, 0]
    X[:, 2] += 2.0 * y
    return X, y & (rng.random(3000) < 0.5)


@pytest.fixture(scope="module")
def misfit(crossed):
    with pytest.warns(VerdictWarning):
        return PUGAM(interactions=None, check=True).fit(*crossed)


def test_a_fit_is_checked_by_default(checked, clear):
    assert PUGAM().check
    assert PUGAM().fit(clear.X, clear.z).verdict_ == "well determined"


def test_a_fit_that_is_well_determined_warns_of_nothing(clear):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PUGAM(check=True).fit(clear.X, clear.z)

    assert model.verdict_ == model.diagnose().verdict == "well determined"


def test_any_other_verdict_is_one_warning_with_its_reasons(crossed):
    with pytest.warns(PugamWarning) as said:
        model = PUGAM(interactions=None, check=True).fit(*crossed)

    (warning,) = said
    assert warning.category is VerdictWarning
    assert str(warning.message) == " ".join(["The model does not fit these data.", *model.diagnose().warnings])


def test_the_diagnosis_is_made_once(misfit):
    assert misfit.diagnose() is misfit.diagnose()


def test_where_the_model_does_not_fit_the_interval_holds_what_others_say(misfit):
    found, interval = misfit.diagnose(), misfit.pi_interval()

    assert found.verdict == "does not fit"
    assert found.neighbours == (found.best_bin.estimate, found.search.pi)
    assert interval == found.wald
    assert interval.lower < min(found.neighbours) <= max(found.neighbours) <= interval.upper


def test_a_fit_that_was_not_checked_has_no_verdict_and_no_wider_interval(crossed, misfit):
    model = PUGAM(interactions=None, check=False).fit(*crossed)

    assert model.verdict_ is None
    assert misfit.pi_interval().lower <= model.pi_interval().lower
    assert model.pi_interval().upper <= misfit.pi_interval().upper
    assert model.pi_interval(model_error=False) == misfit.pi_interval(model_error=False)
    # Its diagnosis comes to the same.
    assert model.diagnose().wald == misfit.pi_interval()


def test_verdict_and_interval_are_saved(misfit, tmp_path):
    misfit.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")

    assert (loaded.verdict_, loaded.pi_interval()) == (misfit.verdict_, misfit.pi_interval())


def test_a_copy_is_diagnosed_anew_and_alike(misfit, crossed):
    copy = pickle.loads(pickle.dumps(misfit)).attach(*crossed)

    assert copy.diagnose() is not misfit.diagnose()
    assert str(copy.diagnose()) == str(misfit.diagnose())


def test_a_verdict_on_an_earlier_fit_is_forgotten(clear, crossed):
    model = PUGAM(check=True).fit(clear.X, clear.z)
    model.set_params(check=False, interactions=None).fit(*crossed)

    assert model.verdict_ is None
    assert model.diagnose().verdict == "does not fit"


def test_with_pi_fixed_there_is_nothing_to_be_determined(clear):
    assert PUGAM(pi=0.4, check=True).fit(clear.X, clear.z).verdict_ == "fixed"


@pytest.mark.parametrize("check", ["yes", 1, None])
def test_a_check_is_asked_for_or_not(clear, check):
    with pytest.raises(InputError, match="check is True or False"):
        PUGAM(check=check, smoothing=0.1).fit(clear.X, clear.z)
