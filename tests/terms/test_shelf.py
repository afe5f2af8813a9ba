"""Spline bases in a saved model: each distinct one once, to the last bit."""

import json

import numpy as np
import pytest

from pugam.errors import InputError
from pugam.nodes import Node
from pugam.terms.shelf import Shelf, read_basis, take_from, write_basis
from pugam.terms.splines import CUBIC_ORDER, centred_basis, even_knots


def node(value):
    return Node("model.json", "bases[0]", json.loads(json.dumps(value)))


def test_equal_bases_stand_on_the_shelf_once():
    shelf = Shelf()
    first, second = (centred_basis(even_knots(n), CUBIC_ORDER) for n in (3, 4))
    copied = read_basis(node(write_basis(first)))

    assert [shelf.number(basis) for basis in (first, second, first, copied)] == [0, 1, 0, 0]
    assert shelf.bases == [first, second]


@pytest.mark.parametrize("order", [2, 3, 4])
def test_a_basis_comes_back_to_the_last_bit(order):
    basis = centred_basis(even_knots(2 if order == CUBIC_ORDER else 0), order)

    found = read_basis(node(write_basis(basis)))

    for name in ("breaks", "origins", "coefficients", "roughness"):
        np.testing.assert_array_equal(getattr(found, name), getattr(basis, name))


def test_a_term_takes_its_basis_by_number():
    bases = [centred_basis(even_knots(n), CUBIC_ORDER) for n in (1, 2)]

    assert take_from(bases, Node("model.json", "basis", 1)) is bases[1]
    with pytest.raises(InputError, match="basis: expected a whole number from 0 to 1; got 2"):
        take_from(bases, Node("model.json", "basis", 2))
    with pytest.raises(InputError, match="basis: expected a basis, of which the file has none; got 0"):
        take_from([], Node("model.json", "basis", 0))
