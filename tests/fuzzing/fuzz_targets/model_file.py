"""Model files: loaded as a model whose every number is one, or refused in a sentence that names the file."""

from __future__ import annotations

import copy
import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import astuple
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import narwhals as nw
import narwhals.selectors
import numpy as np
import pandas as pd

import pugam
from fuzz_targets.change import spliced
from fuzz_targets.messages import require_sentence
from pugam import PUGAM, f, l, s
from pugam.errors import PugamError
from pugam.storage import FORMAT_VERSION
from pugam.terms import Axis, Term

__all__ = ["check", "mutated", "seeds"]

RELEASED = sorted((Path(__file__).parents[2] / "storage" / "released").glob("*.model.json"))
WORDS = (
    b'{ } [ ] , : " \\ null true false NaN Infinity -Infinity 0 -0 1e400 1e-400 -1 0.5 "" "x" [] {} \xff \xed\xa0\x80 '
    b'\\ud800 \\u0000 \0 \xef\xbb\xbf "terms" "bases"'
)
PIECES = (*WORDS.split(b" "), b"1" * 500, b"[" * 20, b" ")
NUMBERS = (0, -1, 1, 2, 3, 10**12, 2**31, 2**53, 2**53 + 1, 10**390, 0.0, -0.0, 0.5, 1e-320, 1e-9, 1e9, 1e100, 1e150)
OTHERS = (
    *(None, True, False, "", "x1", "text", "\ud800", "\0", [], {}, [[]], [None], 1e300),
    *("smooth", "linear", "factor", "log", "effect", "zero", "polars", "pyarrow", "bool", "uint8", "float16", "always"),
)
FACTORS = (-1, 0.5, 2, 1e3, 1e10, 1e-10, 1e50, 1e100, 1e-100, 1e-300)
FREE = ("summary", "provenance", "parameters")
NAMES = ("nan", "inf", "-inf")
SCRATCH = tempfile.TemporaryDirectory(prefix="pugam-fuzz-")
FOLDER = Path(SCRATCH.name)
N_POSITIVE, N_NEGATIVE = 40, 40
N_ASKED = 4
MOST_FEATURES = 50


def seeds() -> list[bytes]:
    """Small saved models of all kinds of terms, one of them shrunken, and one of each earlier format."""
    empty = [b'{"format": "pugam model", "format_version": %d}' % version for version in (1, FORMAT_VERSION)]
    return [*_saved(), *(file.read_bytes() for file in RELEASED), b"{}", *empty]


@cache
def _rows() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    positive = np.repeat([True, False], [N_POSITIVE, N_NEGATIVE])
    n = len(positive)
    x = np.where(positive, rng.normal(0.8, 0.8, n), rng.normal(-0.5, 1.0, n))
    dose = np.where(rng.random(n) < 0.2, np.nan, np.exp(x + rng.normal(0.0, 0.5, n)))
    site = np.where(rng.random(n) < 0.3 + 0.4 * positive, "north", rng.choice(["east", "süd"], n))
    return pd.DataFrame({"x1": x, "dose": dose, "site": site}), np.arange(n) < N_POSITIVE // 2


@cache
def _saved() -> tuple[bytes, ...]:
    X, z = _rows()
    smooths = [s("x1", k=4), s("dose", k=4, missing="effect", scale="log")]
    models = [
        PUGAM([smooths[0], f("site", unseen="zero")], n_starts=2, shrinkage="never"),
        PUGAM([*smooths, f("site")], n_starts=2, shrinkage="always"),
        PUGAM([l("x1"), smooths[1]], n_starts=2, pi=0.3, smoothing=1.0, debias=False),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, model in enumerate(models):
            model.fit(X, z).save(FOLDER / f"{number}.json")
    return tuple((FOLDER / f"{number}.json").read_bytes() for number in range(len(models)))


def mutated(data: bytes, rng: Random) -> bytes:
    """Change a few values of a document, mostly; sometimes its bytes, whatever they mean."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or rng.random() < 0.15:
        return spliced(data, PIECES, rng)
    change = rng.choice([_change, _change_number])
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        change(document, rng)
    return json.dumps(document).encode()


def _change_number(document: dict[str, Any], rng: Random) -> None:
    """Change a number with decimals into another, mostly of another size: such files are often loaded."""
    place: Any = {key: part for key, part in document.items() if key not in FREE}
    while True:
        steps = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not steps:
            return
        step = rng.choice(steps)
        if not isinstance(place[step], dict | list):
            break
        place = place[step]
    if type(place[step]) is float:
        place[step] = rng.choice([place[step] * rng.choice(FACTORS), rng.choice(NUMBERS)])


def _change(document: dict[str, Any], rng: Random) -> None:
    """Change one value in place, chosen by walking down from the top, so that small parts are met as often."""
    container: Any = document
    while True:
        steps = list(container) if isinstance(container, dict) else list(range(len(container)))
        if not steps:
            return
        step = rng.choice(steps)
        inner = container[step]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.15:
            break
        container = inner
    container[step] = copy.deepcopy(_replacement(inner, container[rng.choice(steps)], rng))
    match rng.randrange(8):
        case 0:
            del container[step]
        case 1 if isinstance(container, list):
            container.insert(step, copy.deepcopy(inner))
        case 1 if isinstance(container, dict):
            container[rng.choice(["surplus", "", "\ud800"])] = copy.deepcopy(inner)


def _replacement(value: Any, neighbour: Any, rng: Random) -> Any:
    """Another value for a place: one like it, one of its neighbours, or any."""
    match rng.randrange(8):
        case 0:
            return [value]
        case 1 if isinstance(value, list):
            return value * 2
        case 1 | 2 if type(value) is float:
            return value * rng.choice(FACTORS)
        case 3:
            return float(rng.choice(NAMES))
        case 4:
            return rng.choice(OTHERS)
        case 5:
            return neighbour
        case 6 if isinstance(value, str):
            return value + rng.choice(["\0", "\ud800", "é", "\x1b[2J", "\n", "x" * 1000])
        case _:
            return rng.choice(NUMBERS)


def check(data: bytes) -> None:
    """Load bytes as a model, and ask it all that it can answer without rows of its own."""
    file = FOLDER / "model.json"
    file.write_bytes(data)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = pugam.load(file)
        except PugamError as error:
            require_sentence(str(error), about=str(file))
            return
        _require_answers(model)


def _require_answers(model: PUGAM) -> None:
    """A model answers with numbers, or says why it cannot; saved and loaded again, it answers the same."""
    told = (model.pi_, model.alpha_, model.prevalence_, model.label_frequency_, model.edf_, model.aic_, model.loglik_)
    _require_numbers(told, "attributes")
    answers = _answers(model)
    for question, answer in answers.items():
        _require_numbers(answer, question)
    if "predict_proba" in answers:
        assert ((answers["predict_proba"] >= 0.0) & (answers["predict_proba"] <= 1.0)).all()
    second = FOLDER / "second.json"
    try:
        model.save(second)
    except PugamError as error:
        require_sentence(str(error))
        return
    again = _answers(pugam.load(second))
    assert list(again) == list(answers)
    for question, answer in answers.items():
        assert np.array_equal(again[question], answer, equal_nan=True), f"{question} differs once the model is saved"


def _answers(model: PUGAM) -> dict[str, np.ndarray]:
    """What a model tells of rows that suit it, of its terms and itself; questions that it refuses are left out."""
    rows = _rows_for(model)
    questions: dict[str, Callable[[], Any]] = {
        "pi_interval": lambda: astuple(model.pi_interval())[:3],
        "covariance": model.covariance,
        "summary": lambda: _tables(model),
    }
    if rows is not None:
        asked = (model.predict_proba, model.log_density_ratio, model.predict, model.predict_interval)
        questions |= {method.__name__: partial(method, rows) for method in asked}
    for number, spec in enumerate(model.terms_):
        questions[f"effect of term {number}"] = partial(_effect, model, spec)
        questions[f"test of term {number}"] = partial(_tested, model, spec)
    answers = {}
    for question, ask in questions.items():
        try:
            answers[question] = _numbers(ask())
        except PugamError as error:
            require_sentence(str(error))
    return answers


def _tables(model: PUGAM) -> np.ndarray:
    """The numbers of a summary, but for smoothing that a shrunken model has not, and tests of what has no error."""
    summary = model.summary()
    assert str(summary)
    smooth = nw.from_native(summary.smooth, eager_only=True).drop("smoothing").to_native()
    linear = nw.from_native(summary.linear, eager_only=True)
    tested = linear.filter(nw.col("se") > 0.0).to_native()
    frames = (summary.model, smooth, linear.drop("z", "pvalue").to_native(), tested, summary.factors)
    return np.concatenate([_numbers(frame).ravel() for frame in frames])


def _effect(model: PUGAM, spec: Term) -> np.ndarray:
    frame = nw.from_native(model.effect(spec), eager_only=True)
    # Values of columns are NaN where the effect is that of missing values.
    return _numbers(frame.select("u", "se", "lower", "upper").to_native())


def _tested(model: PUGAM, spec: Term) -> tuple[float, ...]:
    test = model.test(spec)
    return test.statistic, test.df, test.pvalue


def _rows_for(model: PUGAM) -> Any:
    """Rows with what each term expects, at the ends of its range and outside; None where they would be too wide."""
    if model.n_features_in_ > MOST_FEATURES:
        return None
    columns = {axis.column: _column_for(axis) for basis in model._design.bases for axis in basis.axes}
    named = hasattr(model, "feature_names_in_")
    names = list(model.feature_names_in_) if named else [f"x{number}" for number in range(model.n_features_in_)]
    series = [columns.get(name, pd.Series(np.zeros(N_ASKED))) for name in names]
    # As objects, since other types of text refuse half a character.
    frame = pd.concat(series, axis=1).set_axis(pd.Index(names, dtype=object), axis=1)
    return frame if named else frame.to_numpy()


def _column_for(axis: Axis) -> pd.Series:
    if not axis.is_numeric:
        return pd.Series(list(islice(cycle(axis.levels), N_ASKED)), dtype=object)
    width = axis.upper - axis.lower
    return pd.Series([axis.lower, axis.upper, axis.lower + 0.3 * width, axis.lower - 0.1 * width])


def _numbers(answer: Any) -> np.ndarray:
    """The numbers of a frame of any library, or of anything that is like an array."""
    frame = nw.from_native(answer, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame.select(nw.selectors.numeric()).to_numpy().astype(float)
    return np.asarray(answer, dtype=float)


def _require_numbers(answer: Any, what: str) -> None:
    assert not np.isnan(answer).any(), f"NaN in {what}"
