"""The numbers that tune a fit: in one place, and each of them used."""

import re
from pathlib import Path

import pytest

import pugam
from pugam.solvers import TUNING, Tuning

SOURCE = Path(pugam.__file__).parent
ELSEWHERE = {"EDGE", "LEVEL"}  # of the model, not of how it is fitted


def test_solvers_have_no_other_numbers():
    number = re.compile(r"^([A-Z][A-Z_]+(?:, [A-Z_]+)*) = \(?-?[0-9]", re.MULTILINE)
    found = {name for path in (SOURCE / "solvers").glob("*.py") for name in number.findall(path.read_text("utf-8"))}
    assert found == ELSEWHERE


@pytest.fixture(scope="module")
def used():
    """What is read of the numbers anywhere."""
    reading = re.compile(r"\b(?:TUNING|self)\.(\w+)")
    return {name for path in SOURCE.rglob("*.py") for name in reading.findall(path.read_text("utf-8"))}


@pytest.mark.parametrize("name", Tuning.__dataclass_fields__)
def test_each_number_is_used(used, name):
    assert name in used


def test_numbers_cannot_be_changed_by_accident():
    with pytest.raises(AttributeError):
        TUNING.ridge = 1.0


@pytest.mark.parametrize(("n_terms", "functions"), [(1, 6), (25, 6), (30, 5), (50, 3), (1000, 3)])
def test_many_terms_share_the_columns_of_a_coarser_basis(n_terms, functions):
    assert TUNING.functions_each(n_terms) == functions
