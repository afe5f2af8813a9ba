"""All terms side by side, and their penalties."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.errors import InputError
from pugam.terms import Design, f, l, s
from surface import ALONG_FIRST, ALONG_SECOND, Surface

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
    for term, (basis, block) in enumerate(zip(design.bases, design.blocks, strict=True)):
        alone = basis.columns(basis.encode([table.column(basis.spec.column)]))
        np.testing.assert_array_equal(matrix[:, 1:][:, block], alone)
        for number, penalty in zip(design.penalties_of(term), basis.penalties, strict=True):
            np.testing.assert_array_equal(design.roughness[number, block], penalty.diagonal)
            assert np.count_nonzero(design.roughness[number]) == np.count_nonzero(penalty.diagonal)


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
    assert [design.labels[penalty.term] for penalty in design.penalties] == ["s(age)", "s(gap)"]


def test_penalty_is_twice_kappa_times_roughness_term_by_term(design):
    penalty = design.penalty(np.array([3.0, 0.5]))

    np.testing.assert_allclose(penalty[design.blocks[0]], 6.0 * design.bases[0].penalties[0].diagonal)
    np.testing.assert_array_equal(penalty[design.blocks[1]], 0.0)
    np.testing.assert_array_equal(penalty[design.blocks[2]], 0.0)
    np.testing.assert_allclose(penalty[design.blocks[3]], design.bases[3].penalties[0].diagonal)


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
    np.testing.assert_array_equal(coarse.roughness, design.roughness[: len(coarse.penalties), kept])
    assert len(coarse.penalties) == (0 if n_functions == 1 else 2)
    assert coarse.labels == design.labels
    assert len(kept) == min(n_functions, 7) + 1 + 5 + min(n_functions, 5) + 1


def test_a_column_that_is_not_there_is_refused(table):
    with pytest.raises(InputError, match="no column 'aeg'; did you mean 'age'"):
        Design.resolve([s("aeg")], table)


# Terms of several columns, with several penalties


@pytest.fixture
def wide(table):
    return Design.resolve([s("age", k=5), Surface("age", "dose"), l("dose"), f("site")], table)


def test_a_term_may_have_several_penalties_that_share_columns(wide):
    start = wide.blocks[1].start

    assert [penalty.term for penalty in wide.penalties] == [0, 1, 1]
    assert [penalty.alone for penalty in wide.penalties] == [True, False, False]
    assert [wide.penalties_of(term) for term in range(4)] == [(0,), (1, 2), (), ()]
    assert wide.penalties[1].columns.tolist() == [start + 2, start + 3, start + 5]
    assert wide.penalties[2].columns.tolist() == [start + 2, start + 4, start + 5]
    np.testing.assert_array_equal(wide.penalties[1].diagonal, [1.0, 4.0, 3.0])
    assert wide.roughness.shape == (3, wide.n_columns)
    np.testing.assert_array_equal(wide.roughness[1:, wide.blocks[1]], [ALONG_FIRST, ALONG_SECOND])
    assert wide.is_penalized[wide.blocks[1]].tolist() == [False, False, True, True, True, True]


def test_penalties_that_share_columns_add_up(wide):
    kappas = np.array([3.0, 0.5, 7.0])

    penalty = wide.penalty(kappas)

    np.testing.assert_allclose(penalty[wide.blocks[0]], 6.0 * wide.bases[0].penalties[0].diagonal)
    np.testing.assert_allclose(penalty[wide.blocks[1]], ALONG_FIRST + 14.0 * ALONG_SECOND)
    np.testing.assert_array_equal(penalty[wide.blocks[2]], 0.0)
    assert wide.smoothing_by_term(kappas) == {"age": 3.0, "surface(age, dose)": (0.5, 7.0)}


def test_penalties_that_share_nothing_stand_alone(table, monkeypatch):
    monkeypatch.setattr("surface.ALONG_SECOND", np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0]))

    design = Design.resolve([Surface("age", "dose")], table)

    assert [penalty.alone for penalty in design.penalties] == [True, True]


def test_a_design_of_several_terms_of_a_column_is_the_terms_side_by_side(wide, table):
    encoded = wide.encode(table)

    assert [values.shape for values in encoded] == [(N_ROWS,), (N_ROWS, 2), (N_ROWS,), (N_ROWS,)]
    np.testing.assert_array_equal(wide.matrix(encoded)[:, 1:][:, wide.blocks[1]], wide.bases[1].columns(encoded[1]))
    assert wide.columns_used == ("age", "dose", "site")
    assert wide.names == ("age", "surface(age, dose)", "dose", "site")
    assert (wide.index("age"), wide.index("dose"), wide.index("surface(age, dose)")) == (0, 2, 1)


def test_columns_of_terms_without_pieces_are_told_from_the_others(wide):
    assert wide.local_terms == (0, 2, 3)
    assert wide.dense_terms == (1,)
    assert wide.local_part.labels == ("s(age)", "l(dose)", "f(site)")
    local, dense = wide.columns_of(wide.local_terms), wide.columns_of(wide.dense_terms)
    assert dense.tolist() == list(range(4, 10))
    assert sorted([*local, *dense]) == list(range(wide.n_columns))


def test_a_column_of_two_terms_is_named_by_the_terms(table):
    design = Design.resolve([s("age", k=5), l("age")], table)

    assert design.names == ("s(age)", "l(age)")
    with pytest.raises(InputError, match=r"There are several terms of 'age'; its terms are s\(age\), l\(age\)"):
        design.index("age")
