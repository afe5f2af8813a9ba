"""`check_terms`: frames for every kind of model, and models that have lost their rows."""

import pickle

import polars as pl
import pytest

from pugam import PUGAM, InputError


@pytest.mark.parametrize(
    "settings",
    [
        {"terms": "s(x1) + s(x2) + f(site)"},
        {"terms": "s(x1) + x2 + x3", "shrinkage": "always", "estimate": "mode"},
        {"terms": "s(x1) + x2 + x3", "labelling": "l(old)"},
        {"terms": "s(x1) + s(dose, missing='effect')", "pi": 0.4},
        {"terms": "x1 + x2", "pi": 0.4},
    ],
    ids=["curves", "shrunken", "labelling", "gaps", "lines"],
)
def test_every_kind_of_model_is_checked(mixed, z, settings):
    model = PUGAM(check=False, **settings).fit(mixed, z)
    found = model.check_terms()

    terms = [term.label for term in model.terms_ if not term.is_labelling]
    assert list(found.smooth["term"]) == [term for term in terms if term.startswith("s(")]
    assert list(found.concurvity["term"]) == terms
    assert found.concurvity["worst"].between(0.0, 1.0).all()
    assert list(found.residuals.columns) == ["predicted", "observed", "se", "rows"]
    assert "Could other terms stand in for a term?" in str(found)


def test_the_labels_are_those_of_the_diagnosis(model):
    assert model.check_terms().calibration.pvalue == model.diagnose().calibration.pvalue


def test_frames_are_of_the_library_of_the_table(X, z):
    found = PUGAM("s(x1) + x2", pi=0.4, check=False).fit(pl.from_pandas(X), z).check_terms()

    assert isinstance(found.smooth, pl.DataFrame)
    assert isinstance(found.concurvity, pl.DataFrame)


def test_a_copied_model_needs_its_rows(model):
    with pytest.raises(InputError, match=r"A check of the terms needs the rows .* attach"):
        pickle.loads(pickle.dumps(model)).check_terms()
