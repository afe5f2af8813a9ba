"""Flags and names are told apart from everything else, wherever a fitted model is asked with one."""

import inspect

import numpy as np
import pytest

from pugam import PUGAM, InputError
from pugam.datasets import simulate
from pugam.inference import LabellingBounds

WRONG = ["no", "False", None, [], 0, 1.0]
OF_SKLEARN = ("get_params", "set_")  # methods that are not ours
OTHER_TYPES = {("save", "data")}  # a mapping, whose values may be flags
NEEDED = {"effect": {"term": "x1"}, "test": {"term": "x1"}, "report": {"path": "no such folder/report.html"}}


def flags():
    """All arguments of public methods that are true or false, by their annotation."""
    for owner in (PUGAM, LabellingBounds):
        for method, function in inspect.getmembers(owner, inspect.isfunction):
            if method.startswith(("_", *OF_SKLEARN)):
                continue
            for name, parameter in inspect.signature(function).parameters.items():
                if "bool" in str(parameter.annotation) and (method, name) not in OTHER_TYPES:
                    yield pytest.param(owner, method, name, str(parameter.annotation), id=f"{method}-{name}")


@pytest.fixture(scope="module")
def asked():
    """A fitted model, and what else of its answers can be asked."""
    data = simulate(2, n0=300, n=900, random_state=1)
    model = PUGAM("s(x1) + x2 + x3", smoothing=0.1, check=False).fit(data.X, data.z)
    return {PUGAM: model, LabellingBounds: model.labelling_bounds()}


def test_there_are_as_many_flags_as_are_known():
    found = {parameter.id for parameter in flags()}

    assert found >= {"effect-simultaneous", "gamma_for-sampling", "kinds-model_error", "report-progress", "test-refit"}


@pytest.mark.parametrize(("owner", "method", "name", "annotation"), list(flags()))
def test_what_is_neither_true_nor_false_is_refused(asked, owner, method, name, annotation):
    others = {"gamma_for": {"value": 0.9}}.get(method, NEEDED.get(method, {}))
    wrong = [value for value in WRONG if not (value is None and "None" in annotation)]
    wrong = ["", *wrong[2:]] if "str" in annotation else wrong

    for value in wrong:
        with pytest.raises(InputError, match=f"{name} is True or False; got"):
            getattr(asked[owner], method)(**others, **{name: value})


@pytest.mark.parametrize("name", ["rug", "shared_scale", "simultaneous", "derivative"])
def test_flags_of_pictures_are_refused_too(asked, name):
    pytest.importorskip("matplotlib")

    with pytest.raises(InputError, match=f"{name} is True or False; got 1"):
        asked[PUGAM].plot(**{name: 1})


def test_flags_of_numpy_are_flags(asked):
    model = asked[PUGAM]

    assert model.pi_interval(model_error=np.False_) == model.pi_interval(model_error=False)


@pytest.mark.parametrize("wrong", [0, True, 1.5, [0], [None], [["x1"]], b"x1"], ids=repr)
def test_what_is_no_name_is_refused_wherever_names_are_taken(asked, wrong, tmp_path):
    model, query = asked[PUGAM], tmp_path / "query.sql"

    for name, ask in {
        "columns": lambda: model.test_labelling(wrong),
        "names": lambda: model.anova(model, names=wrong),
        "table": lambda: model.export(query, table=wrong),
        "keep": lambda: model.export(query, table="claims", keep=wrong),
    }.items():
        with pytest.raises(InputError, match=f"{name} takes names, each a text"):
            ask()
    for ask in (model.test, model.effect, lambda term: model.odds_ratio(term, 1, 2)):
        with pytest.raises(InputError, match="There is no term"):
            ask(wrong)
    with pytest.raises(InputError, match="There is no term"):
        model.plot(terms=wrong)
    if not hasattr(wrong, "__len__"):
        with pytest.raises(InputError, match="names holds a name for each row; got"):
            model.report(tmp_path / "report.html", names=wrong)


def test_no_term_to_draw_is_refused(asked):
    pytest.importorskip("matplotlib")

    with pytest.raises(InputError, match="terms names no term to draw"):
        asked[PUGAM].plot(terms=[])


@pytest.mark.parametrize("wrong", [0, True, None, [0], "x1"], ids=repr)
def test_what_is_no_set_of_values_is_refused(asked, wrong):
    model = asked[PUGAM]

    for ask in (model.contrast, model.bootstrap(2, progress=False).contrast):
        with pytest.raises(InputError, match="A contrast compares two sets of values"):
            ask({"x1": 1.0}, wrong)


def test_what_is_no_picture_is_refused(asked):
    pytest.importorskip("matplotlib")

    with pytest.raises(InputError, match=r"plot draws .*; got '\[0\]'"):
        asked[PUGAM].plot([0])
