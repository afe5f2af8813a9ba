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


IDENTIFIERS = np.random.default_rng(2).permutation(np.arange(100_000, 102_000))[:200]


def test_an_identifier_with_gaps_is_kept_with_a_question():
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 200), "claim_id": IDENTIFIERS})

    with pytest.warns(PugamWarning, match="Column 'claim_id' holds whole numbers.* leave it out of X") as warned:
        terms = choose_terms(read_table(frame))

    assert len(warned) == 1
    assert [term.column for term in terms] == ["x", "claim_id"]


def test_several_identifiers_are_named_in_one_warning():
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 200), "claim": IDENTIFIERS, "client": IDENTIFIERS[::-1] * 7})

    with pytest.warns(PugamWarning, match="Columns 'claim', 'client' hold whole numbers") as warned:
        choose_terms(read_table(frame))

    assert len(warned) == 1


@pytest.mark.parametrize(
    "values",
    [
        np.where(np.arange(200) == 150, IDENTIFIERS[0], IDENTIFIERS),
        IDENTIFIERS + 0.5,
        np.where(np.arange(200) == 150, np.nan, IDENTIFIERS),
    ],
    ids=["a repeat", "halves", "a missing value"],
)
def test_numbers_that_cannot_identify_rows_are_not_asked_about(values):
    table = read_table(pd.DataFrame({"x": np.linspace(0.0, 1.0, 200), "amount": values}))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose_terms(table)


def test_few_whole_numbers_are_not_asked_about():
    table = read_table(pd.DataFrame({"x": np.linspace(0.0, 1.0, 49), "amount": IDENTIFIERS[:49]}))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose_terms(table)


def test_all_columns_that_lack_values_are_named_at_once(table):
    gaps = np.where(np.arange(N_ROWS) == 4, np.nan, np.arange(N_ROWS) % 7)
    several = read_table(pd.DataFrame({"age": table.column("age").values, "one": gaps, "two": gaps, "three": gaps}))

    with pytest.raises(InputError, match=r"column 'one' has missing .* in row 4, and so have 'two', 'three'; fill"):
        Design.resolve([s("age"), s("one", k=5), l("two"), s("three", k=5)], several)
    with pytest.raises(InputError, match=r"column 'two' has missing .* in row 4; fill or drop"):
        Design.resolve([s("age"), s("one", k=5, missing="effect"), l("two")], several)


@pytest.mark.filterwarnings("ignore:Left out")
def test_a_table_of_constants_is_refused():
    with pytest.raises(InputError, match="Every column of X is constant"):
        choose_terms(read_table(pd.DataFrame({"one": [1.0, 1.0], "same": ["a", "a"]})))
