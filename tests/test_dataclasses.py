"""Dataclasses of the package: those with arrays are equal to themselves alone, and have a hash."""

import dataclasses
import importlib
import pkgutil
import sys
from typing import get_args, get_origin

import numpy as np
import pytest

import pugam
from pugam import PUGAM
from pugam.datasets import simulate


def modules():
    for found in pkgutil.walk_packages(pugam.__path__, "pugam."):
        if found.name != "pugam.__main__":
            yield importlib.import_module(found.name)


def dataclasses_of(module):
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__
    ]


def holds_array(annotation):
    if annotation is np.ndarray or get_origin(annotation) is np.ndarray:
        return True
    return any(map(holds_array, get_args(annotation)))


def type_of(field, owner):
    """The type of a field, also where annotations are text; a name that type checkers alone import stands for none."""
    try:
        return eval(field.type, vars(sys.modules[owner.__module__])) if isinstance(field.type, str) else field.type
    except NameError:
        return None


WITH_ARRAYS = [
    kind
    for module in modules()
    for kind in dataclasses_of(module)
    if any(holds_array(type_of(field, kind)) for field in dataclasses.fields(kind))
]


@pytest.mark.parametrize("kind", WITH_ARRAYS, ids=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
def test_a_dataclass_with_arrays_is_equal_to_itself_alone(kind):
    # Fields are compared as tuples otherwise, and whether two arrays are equal is no single truth value.
    assert kind.__eq__ is object.__eq__
    assert kind.__hash__ is object.__hash__


def test_arrays_are_found_in_many_dataclasses():
    assert len(WITH_ARRAYS) > 40


def test_results_can_be_compared_and_kept_in_sets():
    data = simulate(1, n0=400, n=500, random_state=0)
    one, other = (PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z) for _ in range(2))

    for ask in ("diagnose", "summary"):
        result = getattr(one, ask)()
        assert result == result
        assert len({result, getattr(other, ask)()}) == 2
