"""Which models are special cases of others, and how a comparison reads."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.inference import ComparedModel, HypothesisTest, Interval, ModelComparison, NestedTest, what_is_left_out
from pugam.terms import Design, parse_formula

PI = Interval(0.4, 0.3, 0.5, 0.95, "wald")


@pytest.fixture(scope="module")
def design():
    rng = np.random.default_rng(0)
    table = read_table(
        pd.DataFrame({"a": rng.normal(size=99), "b": rng.normal(size=99), "site": np.resize(["n", "s", "w"], 99)})
    )
    return lambda formula: Design.resolve(parse_formula(formula), table)


@pytest.mark.parametrize(
    ("larger", "smaller", "left_out"),
    [
        ("s(a) + s(b)", "s(a)", ([1], "zero")),
        ("s(a) + b + f(site)", "b", ([0, 2], "zero")),
        ("s(a) + s(b)", "a + s(b)", ([0], "linear")),
        ("s(a) + s(b)", "a + b", ([0, 1], "linear")),
        ("s(a) + s(b) + ti(a, b)", "s(a) + s(b)", ([2], "zero")),
        ("s(a)", "s(a)", None),
        ("a + b", "s(a)", None),
        ("s(a) + f(site)", "s(b)", None),
        ("s(a) + s(b)", "a", None),
        ("s(a, k=12) + b", "s(a) + b", None),
    ],
)
def test_a_special_case_is_known_by_its_terms(design, larger, smaller, left_out):
    assert what_is_left_out(design(larger), design(smaller)) == left_out


def compared(name, **changes):
    settings = {"evidence": -120.0, "edf": 8.0, "aic": 216.0, "bic": 250.0, "pi": PI, "verdict": "well determined"}
    return ComparedModel(name, "s(a) + s(b)", -100.0, **{**settings, **changes})


def test_it_reads_as_a_table():
    test = HypothesisTest(("s(b)",), "zero", "wald", 9.0, 2.5, 0.02, "chi-square")
    found = ModelComparison((compared("small"), compared("large")), (NestedTest("small", "large", test),), "pandas")
    text = str(found).split("\n")

    assert (
        text[3]
        == "small     -100.00     -120.00     8.0      216.0      250.0  0.400 (0.300 to 0.500), well determined"
    )
    assert text[5] == "small in large: s(b) = 0: Wald statistic 9 on 2.5 df, p = 0.02"
    assert text[6].startswith("Wald tests in the larger model: ")
    assert found.tests["null"].tolist() == ["s(b) = 0"]


def test_what_is_not_known_is_left_empty():
    found = ModelComparison((compared("one", evidence=None, verdict=None, is_shrunken=True),), (), "pandas")

    assert "evidence" not in str(found)
    assert "not checked" in str(found)
    assert str(found).endswith("use cross-validation.")
    assert found.models["evidence"].isna().all()
    assert len(found.tests) == 0
