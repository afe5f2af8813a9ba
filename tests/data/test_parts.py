"""Labels, weights and features of one part, and the rows of the whole that its faults name."""

import numpy as np
import pandas as pd
import pytest

from pugam.data import digest, read_label_part, read_part, rows_renumbered
from pugam.errors import InputError, RowError


def test_rows_of_weight_zero_are_left_out():
    features = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})

    part = read_part(features, [1, 0, 0, 1], [0.5, 0.0, 2.0, 0.0])

    np.testing.assert_array_equal(part.table.column("x").values, [0.0, 2.0])
    np.testing.assert_array_equal(part.labels.positive, [True, False])
    np.testing.assert_array_equal(part.labels.weights, [0.5, 2.0])
    np.testing.assert_array_equal(part.labels.kept, [True, False, True, False])


def test_without_weights_all_rows_are_kept():
    part = read_part(pd.DataFrame({"x": [0.0, 1.0]}), [1, 0], None)

    assert part.labels.weights is None
    assert part.labels.kept is None
    assert part.table.n_rows == 2


def test_all_rows_of_a_part_may_be_of_weight_zero_or_of_one_label():
    nothing = read_label_part([1, 0], [0.0, 0.0], 2)
    alike = read_label_part([1, 1], None, 2)

    assert len(nothing.positive) == len(nothing.weights) == 0
    np.testing.assert_array_equal(alike.positive, [True, True])


@pytest.mark.parametrize(
    ("z", "classes"), [([0, 1], [0, 1]), ([-1, 1], [-1, 1]), ([False, True], [False, True]), ([1, 1], [1, 1])]
)
def test_the_codes_of_labels_are_told_as_far_as_they_occur(z, classes):
    np.testing.assert_array_equal(read_label_part(z, None, 2).classes, classes)


@pytest.mark.parametrize(
    ("z", "weights", "message"),
    [
        ([1, 0.5], None, r"z holds 0.5 at row 41"),
        ([1, None], None, r"the label of row 41 is missing"),
        ([1, 0], [1.0, -1.0], r"row 41 has -1.0"),
        ([1, 0], [1.0, np.nan], r"row 41 has nan"),
    ],
    ids=["fraction", "missing label", "negative weight", "missing weight"],
)
def test_faults_name_the_row_of_the_whole(z, weights, message):
    with pytest.raises(RowError, match=message), rows_renumbered(lambda row: 40 + row):
        read_label_part(z, weights, 2)


def test_other_faults_pass_as_they_are():
    with pytest.raises(InputError, match="z has 2 labels but X has 3 rows"), rows_renumbered(lambda row: 40 + row):
        read_label_part([1, 0], None, 3)


def test_a_fault_in_a_value_names_the_row_of_the_whole():
    part = read_part(pd.DataFrame({"x": [0.0, np.inf]}), [1, 0], None)

    with pytest.raises(RowError, match="row 41 holds inf"), rows_renumbered(lambda row: 40 + row):
        digest(part.table, 40, 1000, ["x"])
