"""Every term is made of polynomials between breaks: they give its columns, and tables lead values to them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pugam.data import Column, read_table
from pugam.terms import POWERS, Design, f, l, s
from pugam.terms.missing import MissingBasis, resolve_term
from pugam.terms.support import CELLS, PRODUCTS, LocalSupport

RNG = np.random.default_rng(4)
NUMBERS = RNG.uniform(2.0, 7.0, 400)
LONG = np.exp(RNG.normal(size=400))
LEVELS = RNG.choice(list("abcde"), 400)

# id: (term, values it meets in the fit)
TERMS = {
    "even knots": (s("x"), NUMBERS),
    "many even knots": (s("x", k=40), NUMBERS),
    "quantile knots": (s("x", knots="quantile"), LONG),
    "three functions": (s("x", k=3), NUMBERS),
    "logarithms": (s("x", scale="log"), LONG),
    "mirrored logarithms": (s("x", scale="log", k=6), -LONG),
    "logarithms at quantiles": (s("x", scale="log", knots="quantile"), LONG),
    "values beyond bounds": (s("x", bounds=(3.0, 5.0)), NUMBERS),
    "values within bounds": (s("x", bounds=(0.0, 10.0)), NUMBERS),
    "a line": (l("x"), NUMBERS),
    "levels": (f("x"), LEVELS),
    "two levels": (f("x"), LEVELS[LEVELS < "c"]),
    "levels, others permitted": (f("x", unseen="zero"), LEVELS),
}


def column(values):
    return read_table(pd.DataFrame({"x": values})).column("x")


def with_gaps(values):
    """Every seventh value is missing."""
    found = column(values)
    holes = found.values.copy()
    holes[::7] = np.nan if found.kind == "numeric" else None
    return Column("x", found.kind, holes)


def new_values(term, values):
    """Values of the fit, both ends, and, where the term takes them, values beyond and levels that it never saw."""
    if values.dtype.kind == "f":
        reach = np.ptp(values)
        return np.concatenate([values, values.min() - reach * np.arange(5), values.max() + reach * np.arange(5)])
    return np.concatenate([values, ["never seen", "nor this"]]) if term.unseen == "zero" else values


def assert_pieces_are_columns(basis, encoded):
    columns = basis.columns(encoded)
    np.testing.assert_allclose(
        basis.pieces(basis.places(encoded)), columns, rtol=1e-14, atol=1e-14 * np.abs(columns).max()
    )


@pytest.fixture(params=TERMS)
def term_and_values(request):
    return TERMS[request.param]


def test_the_pieces_at_their_places_are_the_columns(term_and_values):
    term, values = term_and_values
    basis = resolve_term(term, [column(values)])

    assert_pieces_are_columns(basis, basis.encode([column(new_values(term, values))]))


def test_missing_values_have_a_piece_of_their_own(term_and_values):
    term, values = term_and_values
    term = replace(term, missing="effect")
    basis = resolve_term(term, [with_gaps(values)])
    encoded = basis.encode([with_gaps(new_values(term, values))])

    places = basis.places(encoded)

    assert isinstance(basis, MissingBasis)
    assert_pieces_are_columns(basis, encoded)
    np.testing.assert_array_equal(np.isnan(places), np.arange(len(places)) % 7 == 0)
    np.testing.assert_array_equal(basis.pieces(places)[:, -1], np.isnan(places))
    np.testing.assert_array_equal(basis.pieces(places)[np.isnan(places), :-1], 0.0)


def test_the_pieces_of_a_term_that_met_missing_values_serve_complete_columns_too(term_and_values):
    term, values = term_and_values
    basis = resolve_term(replace(term, missing="effect"), [with_gaps(values)])

    encoded = basis.encode([column(values)])

    assert_pieces_are_columns(basis, encoded)
    assert not np.isnan(basis.places(encoded)).any()


def test_a_column_of_nothing_but_missing_values_lies_nowhere(term_and_values):
    term, values = term_and_values
    basis = resolve_term(replace(term, missing="effect"), [with_gaps(values)])

    encoded = basis.encode([column([None, None, None])])

    assert np.isnan(basis.places(encoded)).all()
    assert_pieces_are_columns(basis, encoded)


def test_a_coarser_term_has_the_pieces_of_its_own_columns(term_and_values):
    term, values = term_and_values
    basis, _ = resolve_term(term, [column(values)]).coarse(3)

    assert basis.pieces.coefficients.shape[-1] == basis.size
    assert_pieces_are_columns(basis, basis.encode([column(values)]))


def test_every_level_lies_in_the_middle_of_its_interval_and_unseen_ones_before_the_first():
    basis = resolve_term(f("x", unseen="zero"), [column(LEVELS)])

    places = basis.places(basis.encode([column(["never seen", *"abcde"])]))

    np.testing.assert_allclose(places, [-0.1, 0.1, 0.3, 0.5, 0.7, 0.9], rtol=1e-15)
    np.testing.assert_array_equal(basis.pieces(places[:1]), 0.0)


def test_all_of_a_thousand_levels_find_their_own_piece():
    names = np.array([f"level {number:04d}" for number in range(1000)])
    basis = resolve_term(f("x"), [column(names)])

    assert_pieces_are_columns(basis, basis.encode([column(names)]))


def test_a_value_on_a_knot_belongs_to_the_piece_that_begins_there():
    basis = resolve_term(s("x", k=8), [column(np.linspace(0.0, 1.0, 50))])
    breaks = basis.pieces.breaks

    at = basis.pieces(breaks)

    np.testing.assert_array_equal(at, basis.pieces.coefficients[0, 1:])
    np.testing.assert_allclose(at, basis.pieces(np.nextafter(breaks, -np.inf)), atol=1e-12 * np.abs(at).max())


# The tables of all terms together


@pytest.fixture(scope="module")
def support():
    table = read_table(pd.DataFrame({"x": NUMBERS, "w": LONG, "site": LEVELS}))
    design = Design.resolve([s("x", k=12), l("w"), f("site", unseen="zero")], table)
    return LocalSupport(design.local_pieces), design.bases


def test_tables_are_padded_to_the_term_of_most_intervals(support):
    tables, bases = support
    counts = [basis.pieces.coefficients.shape[1] for basis in bases]

    assert counts == [11, 3, 7]
    assert tables.breaks.shape == tables.origins.shape == (3, 11)
    np.testing.assert_array_equal(tables.missing, [10, 2, 6])
    for row, basis in zip(tables.breaks, bases, strict=True):
        np.testing.assert_array_equal(row[: len(basis.pieces.breaks)], basis.pieces.breaks)
        assert np.isinf(row[len(basis.pieces.breaks) :]).all()


def test_every_cell_of_the_grid_leads_to_the_interval_at_its_left_end(support):
    tables, bases = support
    left = np.arange(CELLS) / CELLS

    for row, basis in zip(tables.cells, bases, strict=True):
        breaks = np.append(basis.pieces.breaks, np.inf)
        assert np.all(left < breaks[row])
        assert np.all(left >= breaks[row - 1])


def test_the_matrices_hold_the_coefficients_by_interval_and_power(support):
    tables, bases = support

    for matrix, basis in zip(tables.matrices, bases, strict=True):
        order, n_intervals, n_functions = basis.pieces.coefficients.shape
        by_interval = matrix.reshape(n_intervals, POWERS, n_functions)
        np.testing.assert_array_equal(by_interval[:, :order], basis.pieces.coefficients.transpose(1, 0, 2))
        np.testing.assert_array_equal(by_interval[:, order:], 0.0)


def test_the_matrices_of_all_terms_lie_one_after_another_in_one_array(support):
    tables, _ = support

    flat, places, columns = tables.flat_matrices

    np.testing.assert_array_equal(columns, [1, 12, 13, 17])
    np.testing.assert_array_equal(places, [0, 44 * 11, 44 * 11 + 12, 44 * 11 + 12 + 28 * 4])
    for number, matrix in enumerate(tables.matrices):
        np.testing.assert_array_equal(flat[places[number] : places[number + 1]].reshape(matrix.shape), matrix)


def test_the_moments_of_all_pairs_lie_one_after_another_without_gaps(support):
    tables, _ = support
    pairs = [(j, k) for j in range(3) for k in range(j, 3)]

    sizes = [PRODUCTS * size for size in (11, 11 * 3, 11 * 7, 3, 3 * 7, 7)]

    np.testing.assert_array_equal([tables.starts[pair] for pair in pairs], np.cumsum([0, *sizes[:-1]]))
    assert tables.n_moments == sum(sizes)
    assert [int(tables.strides[pair]) for pair in pairs] == [0, 3, 7, 0, 7, 0]
