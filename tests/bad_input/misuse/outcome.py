"""How a call may end, and what has to hold then: a fit with finite and right numbers, or a refusal in plain words."""

import re
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from misuse.optimum import check_adjustment, check_optimum
from misuse.twins import check_twin
from pugam import PUGAM, PugamError, PugamWarning, load

__all__ = ["Outcome", "check_call"]

MOST_SENTENCES, MOST_CHARACTERS = 3, 400
JARGON = (
    *("traceback", "nonetype", "object at 0x", "ndarray", "dtype", "unhashable", "keyerror", "typeerror", "ufunc"),
    *("lapack", "linalg", "broadcast", "buffer", "not supported between", "cannot convert", "could not convert"),
)
LARGEST_STORED = 1e50  # coefficient
NO_RATIO = 1e5  # standard error of a logarithm of odds
NO_NUMBER = re.compile(r"(?<![\w'])[-+]?(nan|inf|infinity)(?![\w'])", re.IGNORECASE)
OUR_WARNINGS = (PugamWarning, ConvergenceWarning, DataConversionWarning)
MAY_BE_INFINITE = ("leaning",)  # says so
VALIDATION_OF_SKLEARN = "sklearn/utils/validation.py"


@dataclass(frozen=True)
class Outcome:
    """How a call ended: "fit", "fit with a warning" or "refusal", and what was said."""

    kind: str
    said: tuple[str, ...] = ()


def check_call(call):
    """Make the call and check how it ends; an AssertionError is a fault of the package."""
    made = call.make()
    before = copies_of(made)
    model = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            model = PUGAM(**made.options).fit(made.X, made.z, made.weights)
        except (PugamError, ValueError, TypeError) as refusal:
            check_refusal(refusal)
            outcome = Outcome("refusal", (gist(str(refusal)),))
        if model is not None:
            said = check_warnings(caught)
            check_fit(call, made, model, said)
            outcome = Outcome("fit with a warning" if said else "fit", tuple(gist(message) for message in said))
    check_untouched(made, before)
    return outcome


def check_refusal(refusal):
    """Require words that help, from the package itself."""
    message = str(refusal)
    place = traceback.extract_tb(refusal.__traceback__)[-1].filename.replace("\\", "/")
    ours = "/pugam/" in place or place.endswith(VALIDATION_OF_SKLEARN)
    assert ours, f"{type(refusal).__name__} leaks from {place}: {message}"
    first = message.split("\n")[0]
    assert first.endswith((".", "?", ")")), f"no sentence: {message!r}"
    plain = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "", message)
    assert len(re.findall(r"[.!?](?=\s|$)", plain.split("\n")[0])) <= MOST_SENTENCES, f"too long: {message!r}"
    assert len(message) <= MOST_CHARACTERS + 250 * ("x" * 100 in message), f"too long: {message!r}"
    for word in JARGON:
        assert word not in plain.lower(), f"{word!r} in {message!r}"


def check_warnings(caught):
    """Require that all warnings are meant for the user; return what they say."""
    for warning in caught:
        assert issubclass(warning.category, OUR_WARNINGS), f"{warning.category.__name__}: {warning.message}"
        assert not NO_NUMBER.search(str(warning.message)), str(warning.message)
    return [str(warning.message) for warning in caught]


def check_fit(call, made, model, said):
    check_numbers(model)
    check_predictions(model, made)
    check_terms(model)
    if np.abs(model.coef_).max(initial=0.0) <= LARGEST_STORED:
        check_stored(model, made)
    else:
        assert said, "curves have grown without bound, and nothing was said"
        assert "cannot be saved" in str(refusal_of(model.save, Path(tempfile.gettempdir(), "runaway.json")))
    check_told(model, said)
    check_new_rows(model, made)
    check_optimum(model, said)
    if call.look == "diagnosis":
        found = model.diagnose()
        require_finite(found, "diagnose()")
        assert not NO_NUMBER.search(str(found)), str(found)
    elif call.look == "profile":
        check_interval(model.pi_interval(method="profile"), "the profile interval")
    elif call.look == "held out" and model.shrinkage_ is not None:
        check_adjustment(model)
    else:
        check_twin(call, made, model)


def require_finite(value, name):
    """Require every number in there to be finite, however deep."""
    if is_dataclass(value):
        for field in fields(value):
            if field.name not in MAY_BE_INFINITE:
                require_finite(getattr(value, field.name), f"{name}.{field.name}")
    elif isinstance(value, dict):
        for key, part in value.items():
            require_finite(part, f"{name}[{key!r}]")
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            require_finite(part, f"{name}[{number}]")
    elif isinstance(value, np.ndarray | float | int | np.generic) and np.asarray(value).dtype.kind == "f":
        assert np.isfinite(value).all(), f"{name} = {value}"


def check_numbers(model):
    names = ("pi_", "pi_penalized_", "prevalence_", "label_frequency_", "alpha_", "loglik_", "penalized_loglik_")
    for name in (*names, "edf_", "aic_", "shrinkage_", "smoothing_", "coef_", "n0_", "n1_", "starts_"):
        require_finite(getattr(model, name), name)
    assert 0.0 < model.pi_ < 1.0
    assert 0.0 < model.pi_penalized_ < 1.0
    assert model.loglik_ <= 0.0
    assert 0.0 <= model.edf_ <= 2 + len(model.coef_) + 1e-6, model.edf_
    for kind in ("curves", "bayesian", "frequentist"):
        covariance = model.covariance(kind)
        require_finite(covariance, f"covariance({kind!r})")
        assert covariance.diagonal().min() >= 0.0, f"negative variance in covariance({kind!r})"
    check_interval(model.pi_interval(), "pi_interval()")
    text = str(model.summary())
    assert not NO_NUMBER.search(text), text


def check_interval(interval, name):
    require_finite(interval, name)
    assert 0.0 <= interval.lower <= interval.estimate <= interval.upper <= 1.0, f"{name}: {interval!r}"


def check_predictions(model, made):
    refusal = refusal_of(model.predict, made.X)
    if refusal is not None:
        # Rows of weight zero may hold what the fit has not seen.
        unseen = ("was not seen", "the fit saw none", "has missing values")
        assert any(words in str(refusal) for words in unseen), str(refusal)
        assert (np.asarray(made.weights, dtype=float) == 0.0).any(), f"the fit's own rows are refused: {refusal}"
        return
    proba = model.predict_proba(made.X)
    require_finite(proba, "predict_proba")
    assert proba.min() >= 0.0
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    logits = model.decision_function(made.X)
    require_finite(logits, "decision_function")
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(np.clip(-logits, -700, 700))), proba[:, 1], rtol=1e-9, atol=1e-12)
    assert (model.predict(made.X) == model.classes_[(logits > 0).astype(int)]).all()
    check_limits(model.predict_interval(made.X), proba[:, 1])
    require_finite(model.score(made.X, made.z, made.weights), "score")


def check_limits(table, posterior):
    columns = {name: np.asarray(table[name]) for name in ("p_positive", "se", "lower", "upper")}
    require_finite(columns, "predict_interval")
    np.testing.assert_allclose(columns["p_positive"], posterior, rtol=1e-9, atol=1e-12)
    assert (columns["lower"] <= columns["p_positive"] + 1e-12).all()
    assert (columns["p_positive"] <= columns["upper"] + 1e-12).all()


def check_terms(model):
    for term in model.terms_:
        for options in ({}, {"scale": "odds"}, {"center": "range"}):
            effect = model.effect(term, **options)
            columns = {name: np.asarray(effect[name], dtype=float) for name in ("u", "se", "lower", "upper")}
            require_finite(columns, f"effect({term.label})")
            assert (columns["se"] >= 0.0).all()
        test = model.test(term)
        require_finite(test, f"test({term.label})")
        assert 0.0 <= test.pvalue <= 1.0


def check_stored(model, made):
    """A model that was saved and loaded is the same, to the last bit."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "model.json"))
        loaded = load(Path(folder, "model.json"))
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert (loaded.pi_, loaded.alpha_) == (model.pi_, model.alpha_)
    if refusal_of(model.predict, made.X) is None:  # see check_predictions
        np.testing.assert_array_equal(loaded.predict_proba(made.X), model.predict_proba(made.X))
    assert loaded.pi_interval() == model.pi_interval()
    assert loaded.formula_ == model.formula_


def check_told(model, said):
    """No fit that ended on a boundary or nowhere goes without a word."""
    assert model.converged_ or any("did not converge" in message for message in said), "not converged, no warning"
    assert not model.at_boundary_ or any("boundary" in message for message in said), "on the boundary, no warning"
    if model.shrinkage_ is None:
        unit = min(1.0, np.sqrt((model.n0_ + model.n1_) / model._rows[0].n_rows))  # rows may weigh next to nothing
        vague = [term.label for term in model.terms_ if unit * np.asarray(model.effect(term)["se"]).min() > NO_RATIO]
        assert said or not vague, f"next to nothing is known of {vague}, no warning"


def check_new_rows(model, made):
    """Rows that the fit has not seen are predicted by finite numbers, or refused in plain words."""
    if refusal_of(model.predict_proba, made.new_rows) is None:
        posterior = model.predict_proba(made.new_rows)
        require_finite(posterior, "predict_proba of new rows")
        check_limits(model.predict_interval(made.new_rows), posterior[:, 1])


def refusal_of(method, rows):
    """How a method refuses rows, in words that help; None where it does not."""
    try:
        method(rows)
    except (PugamError, ValueError, TypeError) as refusal:
        check_refusal(refusal)
        return refusal
    return None


def copies_of(made):
    return [_copied(value) for value in (made.X, made.z, made.weights)]


def _copied(value):
    if isinstance(value, pl.LazyFrame | Iterator):
        return None
    return deepcopy(value)


def check_untouched(made, before):
    for name, now, then in zip(("X", "z", "sample_weight"), (made.X, made.z, made.weights), before, strict=True):
        assert then is None or _same(now, then), f"fit changed {name}"


def _same(now, then):
    if isinstance(now, pd.DataFrame):
        return (
            list(map(str, now.columns)) == list(map(str, then.columns))
            and now.index.equals(then.index)
            and all(_same(now.iloc[:, j], then.iloc[:, j]) for j in range(now.shape[1]))
        )
    if isinstance(now, pd.Series):
        return now.dtype == then.dtype and _shown(now.tolist()) == _shown(then.tolist())
    if isinstance(now, np.ndarray):
        return now.dtype == then.dtype and _shown(now.tolist()) == _shown(then.tolist())
    return _shown(now) == _shown(then)


def _shown(value):
    """How a value prints, less the addresses of objects."""
    return re.sub(r"0x[0-9a-f]+", "", repr(value))


def gist(message):
    """What a message is about: without names and numbers, so that alike ones can be counted."""
    first = message.split("\n")[0]
    first = re.sub(r"[slf]\((?:[^()]|\([^()]*\))*\)", "TERM", first)
    first = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "NAME", first)
    first = re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "N", first)
    first = re.sub(r"(grow without bound|determine some effects): .*", r"\1", first)  # lists of names follow
    return first[:90]
