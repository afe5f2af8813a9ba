"""All terms side by side, and the terms chosen for a user who names none."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.errors import InputError, PugamWarning
from pugam.terms import Design, Factor, Linear, Smooth, choose_terms, f, l, s

N_ROWS = 300


@pytest.fixture
def table():
    rng = np.random.default_rng(7)
    return read_table(
        pd.DataFrame(
            {
                "age": rng.uniform(20.0, 80.0, N_ROWS),
                "dose": rng.exponential(3.0, N_ROWS),
                "site": rng.choice(["A", "B", "C", "D", "E", "F"], N_ROWS),
                "gap": np.where(rng.random(N_ROWS) < 0.2, np.nan, rng.normal(size=N_ROWS)),
            }
        )
    )


@pytest.fixture
def design(table):
    return Design.resolve([s("age", k=8), l("dose"), f("site"), s("gap", k=6, missing="effect")], table)


def test_blocks_stand_one_after_another_behind_the_intercept(design, table):
    matrix = design.matrix(design.encode(table))

    assert design.sizes == (7, 1, 5, 6)
    assert design.n_columns == 19
    assert matrix.shape == (N_ROWS, 20)
    np.testing.assert_array_equal(matrix[:, 0], 1.0)
    for basis, block in zip(design.bases, design.blocks, strict=True):
        alone = basis.columns(basis.encode(table.column(basis.spec.column)))
        np.testing.assert_array_equal(matrix[:, 1:][:, block], alone)
        np.testing.assert_array_equal(design.roughness[block], basis.roughness)


def test_prediction_is_the_matrix_times_the_coefficients_however_many_rows(design, table, monkeypatch):
    b = np.random.default_rng(1).normal(size=1 + design.n_columns)
    encoded = design.encode(table)
    whole = design.matrix(encoded) @ b

    np.testing.assert_allclose(design.predict(encoded, b), whole, rtol=1e-12, atol=1e-12)
    monkeypatch.setattr("pugam.terms.design.PREDICTION_ROWS", 7)
    np.testing.assert_allclose(design.predict(encoded, b), whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("term", "number"), [("age", 0), ("s(age)", 0), ("l(dose)", 1), ("site", 2), ("gap", 3)])
def test_a_term_is_found_by_its_column_or_label(design, term, number):
    assert design.index(term) == number


@pytest.mark.parametrize("term", ["weight", "l(age)", ""])
def test_an_unknown_term_is_refused_with_the_list_of_terms(design, term):
    with pytest.raises(InputError, match=r"its terms are s\(age\), l\(dose\), f\(site\), s\(gap\)"):
        design.index(term)


def test_terms_with_a_smoothing_parameter_are_the_smooth_ones(design):
    assert [design.labels[number] for number in design.penalized] == ["s(age)", "s(gap)"]


def test_penalty_is_twice_kappa_times_roughness_term_by_term(design):
    penalty = design.penalty(np.array([3.0, 5.0, 7.0, 0.5]))

    np.testing.assert_allclose(penalty[design.blocks[0]], 6.0 * design.bases[0].roughness)
    np.testing.assert_array_equal(penalty[design.blocks[1]], 0.0)
    np.testing.assert_array_equal(penalty[design.blocks[2]], 0.0)
    np.testing.assert_allclose(penalty[design.blocks[3]], design.bases[3].roughness)


def test_penalty_is_the_hessian_of_kappa_times_the_integrated_squared_bend(table):
    design = Design.resolve([s("age", k=8)], table)
    theta = np.random.default_rng(3).normal(size=7)
    ages = table.column("age").values
    u = design.bases[0].columns(np.linspace(ages.min(), ages.max(), 6001)) @ theta
    bend = np.diff(u, n=2) * 6000.0**2

    # The mean over 6000 intervals leaves out half an interval at either end, where the bend is largest.
    assert 2.0 * np.mean(bend**2) == pytest.approx(0.5 * theta**2 @ design.penalty(np.array([2.0])), rel=3e-3)


@pytest.mark.parametrize("n_functions", [1, 3, 50])
def test_the_coarse_design_is_some_columns_of_the_whole_one(design, table, n_functions):
    encoded = design.encode(table)

    coarse, kept = design.coarse(n_functions)

    np.testing.assert_array_equal(coarse.matrix(encoded)[:, 1:], design.matrix(encoded)[:, 1:][:, kept])
    np.testing.assert_array_equal(coarse.roughness, design.roughness[kept])
    assert coarse.labels == design.labels
    assert len(kept) == min(n_functions, 7) + 1 + 5 + min(n_functions, 5) + 1


def test_a_column_that_is_not_there_is_refused(table):
    with pytest.raises(InputError, match="no column 'aeg'; did you mean 'age'"):
        Design.resolve([s("aeg")], table)


# Terms chosen automatically


def test_terms_are_chosen_by_the_values_of_each_column():
    frame = pd.DataFrame(
        {
            "number": np.linspace(0.0, 1.0, 60),
            "count": np.arange(60) % 5,
            "three": np.arange(60) % 3,
            "binary": np.arange(60) % 2,
            "text": ["a", "b", "c"] * 20,
            "flag": [True, False] * 30,
        }
    )

    assert choose_terms(read_table(frame)) == [
        Smooth("number", k=10),
        Smooth("count", k=5),
        Smooth("three", k=3),
        Linear("binary"),
        Factor("text"),
        Factor("flag"),
    ]


def test_chosen_terms_meet_their_columns_without_a_warning():
    values = {f"x{distinct}": np.arange(120) % distinct for distinct in (2, 3, 4, 5, 9, 10, 11)}
    table = read_table(pd.DataFrame(values))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        design = Design.resolve(choose_terms(table), table)

    assert design.sizes == (1, 2, 3, 4, 8, 9, 9)


def test_constant_columns_are_left_out_with_a_warning_that_names_them():
    frame = pd.DataFrame({"x": np.arange(20.0), "one": 1.0, "same": "a", "gaps": [np.nan, 2.0] * 10})

    with pytest.warns(PugamWarning, match="Left out 3 constant column.*: one, same, gaps"):
        terms = choose_terms(read_table(frame))

    assert [term.column for term in terms] == ["x"]


@pytest.mark.filterwarnings("ignore:Left out")
def test_a_table_of_constants_is_refused():
    with pytest.raises(InputError, match="Every column of X is constant"):
        choose_terms(read_table(pd.DataFrame({"one": [1.0, 1.0], "same": ["a", "a"]})))
