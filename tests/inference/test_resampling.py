"""Resamples: each label drawn as often as it is there, groups drawn whole, and every number always the same draw."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pugam.errors import InputError
from pugam.inference import make_resampling, read_groups

N_ROWS = 120
POSITIVE = np.random.default_rng(0).random(N_ROWS) < 0.4
SAMPLES = np.where(POSITIVE, 0, 1)
SIZES = np.array([POSITIVE.sum(), (~POSITIVE).sum()])


def totals(counts, weights=1.0):
    """What labelled and unlabelled rows count in each resample, shape (B, 2)."""
    weighted = counts * weights
    return np.column_stack([weighted[:, POSITIVE].sum(axis=1), weighted[:, ~POSITIVE].sum(axis=1)])


def make_groups(seed=1):
    """Groups of labelled rows (0 to 5), of unlabelled rows (6 to 15) and of both (16 to 19), of unequal sizes."""
    rng = np.random.default_rng(seed)
    groups = np.where(POSITIVE, rng.integers(0, 6, N_ROWS), rng.integers(6, 16, N_ROWS))
    mixed = rng.random(N_ROWS) < 0.3
    groups[mixed] = rng.integers(16, 20, mixed.sum())
    assert len(np.unique(groups)) == 20
    assert all(len(np.unique(POSITIVE[groups == group])) == (1 if group < 16 else 2) for group in range(20))
    return groups


FRACTIONS = np.random.default_rng(2).uniform(0.3, 3.0, N_ROWS)
FREQUENCIES = np.random.default_rng(3).integers(1, 6, N_ROWS).astype(float)
PLANS = {
    "rows": (None, None),
    "weighted rows": (FRACTIONS, None),
    "repeated rows": (FREQUENCIES, None),
    "groups": (None, make_groups()),
    "groups of repeated rows": (FREQUENCIES, make_groups()),
}


def plan_of(name, seed=5):
    weights, groups = PLANS[name]
    return make_resampling(SAMPLES, weights, groups, seed)


@pytest.mark.parametrize("weights", [None, FRACTIONS], ids=["unweighted", "weighted"])
def test_each_label_is_drawn_as_often_as_there_are_rows_of_it(weights):
    counts = make_resampling(SAMPLES, weights, None, 5).counts(range(50))

    assert counts.shape == (50, N_ROWS)
    np.testing.assert_array_equal(totals(counts), np.tile(SIZES, (50, 1)))
    np.testing.assert_array_equal(counts, np.rint(counts))
    assert counts.min() == 0
    assert counts.max() > 2


@pytest.mark.parametrize("name", PLANS)
def test_a_number_is_the_same_resample_whatever_else_is_drawn(name):
    plan = plan_of(name)
    counts = plan.counts(range(8))

    np.testing.assert_array_equal(plan.counts([5]), counts[[5]])
    np.testing.assert_array_equal(plan.counts([7, 2]), counts[[7, 2]])
    np.testing.assert_array_equal(plan_of(name).counts(range(3, 8)), counts[3:])
    assert len(np.unique(counts, axis=0)) == 8


@pytest.mark.parametrize("name", PLANS)
def test_another_seed_draws_other_resamples(name):
    same, other = plan_of(name).counts(range(4)), plan_of(name, seed=6).counts(range(4))

    assert (same != other).any(axis=1).all()


@pytest.mark.parametrize("name", PLANS)
def test_every_row_counts_once_on_average(name):
    # The variance of a row's count is at most one and 2000 are averaged: an error of 0.022, five times for 120 rows.
    counts = plan_of(name).counts(range(2000))

    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=0.11)


def test_counts_scatter_as_those_of_draws_with_replacement():
    counts = plan_of("rows").counts(range(5000))

    # Binomial, n draws with probability 1/n; the error of a variance near one is sqrt(3 / 5000) = 0.024 for each row
    # and smaller by sqrt(50) for their mean.
    for label, size in zip((POSITIVE, ~POSITIVE), SIZES, strict=True):
        assert counts[:, label].var(axis=0).mean() == pytest.approx(1.0 - 1.0 / size, abs=0.015)
        first, second = np.flatnonzero(label)[:2]
        # Drawn from the same lot, rows shut each other out: the correlation is -1/(n - 1), its error 0.014.
        correlation = np.corrcoef(counts[:, first], counts[:, second])[0, 1]
        assert correlation == pytest.approx(-1.0 / (size - 1.0), abs=0.05)


# Weights that are whole numbers


def test_repeated_rows_are_drawn_apart():
    counts = plan_of("repeated rows").counts(range(20))
    drawn = counts * FREQUENCIES

    np.testing.assert_allclose(drawn, np.rint(drawn), atol=1e-9)
    expected = [FREQUENCIES[POSITIVE].sum(), FREQUENCIES[~POSITIVE].sum()]
    np.testing.assert_allclose(totals(counts, FREQUENCIES), np.tile(expected, (20, 1)), rtol=1e-12)


def test_repeated_rows_scatter_as_the_rows_they_stand_for():
    # Drawn apart, a row of weight w is drawn with variance w, not w^2. 2000 resamples: the error of a variance is three
    # percent for each row, far less for the mean over the rows of a weight.
    counts = plan_of("repeated rows").counts(range(2000))
    variances = (counts * FREQUENCIES).var(axis=0)

    for weight in np.unique(FREQUENCIES):
        assert variances[weight == FREQUENCIES].mean() == pytest.approx(weight, rel=0.06)


def test_weights_of_one_draw_rows():
    np.testing.assert_array_equal(
        totals(make_resampling(SAMPLES, np.ones(N_ROWS), None, 5).counts(range(10))), np.tile(SIZES, (10, 1))
    )


# Groups


@pytest.mark.parametrize("name", ["groups", "groups of repeated rows"])
def test_rows_of_one_group_are_drawn_together(name):
    groups, counts = PLANS[name][1], plan_of(name).counts(range(20))

    for group in np.unique(groups):
        members = counts[:, groups == group]
        np.testing.assert_array_equal(members, np.tile(members[:, :1], (1, members.shape[1])))
    assert len(np.unique(counts)) > 2


@pytest.mark.parametrize("name", ["groups", "groups of repeated rows"])
def test_groups_of_each_kind_are_drawn_as_often_as_there_are(name):
    groups, counts = PLANS[name][1], plan_of(name).counts(range(20))
    firsts = [np.flatnonzero(groups == group)[0] for group in range(20)]
    per_group = counts[:, firsts]

    for kind in (slice(0, 6), slice(6, 16), slice(16, 20)):
        np.testing.assert_array_equal(per_group[:, kind].sum(axis=1), kind.stop - kind.start)
        assert per_group[:, kind].max() > 1


def test_groups_of_one_row_each_are_rows():
    counts = make_resampling(SAMPLES, None, np.arange(N_ROWS)[::-1].copy(), 5).counts(range(10))

    np.testing.assert_array_equal(totals(counts), np.tile(SIZES, (10, 1)))


# Reading groups


@pytest.mark.parametrize(
    "groups",
    [
        ["b", "a", "b", "c"],
        np.array([2, 1, 2, 3]),
        np.array([2.5, 1.5, 2.5, 3.5]),
        (True, False, True, "x"),
        pd.Series(["b", "a", "b", "c"], dtype="category"),
        pd.Series(["b", "a", "b", "c"], dtype="string", index=[9, 8, 7, 6]),
        pl.Series(["b", "a", "b", "c"]),
        np.array(["2001-01-02", "2001-01-01", "2001-01-02", "2001-01-03"], dtype="datetime64[D]"),
    ],
    ids=["text", "integers", "floats", "mixed", "categories", "strings", "polars", "dates"],
)
def test_groups_may_be_named_by_anything(groups):
    numbers = read_groups(groups, 4, None)

    assert numbers[0] == numbers[2]
    assert sorted(set(numbers.tolist())) == [0, 1, 2]


def test_no_groups_are_no_groups():
    assert read_groups(None, 4, None) is None


def test_rows_of_weight_zero_are_left_out():
    kept = np.array([True, False, True, True, False])

    numbers = read_groups(["a", "z", "b", "a", "y"], 3, kept)

    assert numbers.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("groups", "n_rows", "kept", "message"),
    [
        (["a", "b"], 3, None, r"one label per row, 3 in all; got shape \(2,\)"),
        (["a", "b", "c"], 3, np.array([True, True, False, True]), r"one label per row, 4 in all; got shape \(3,\)"),
        ([["a"], ["b"], ["c"]], 3, None, r"got shape \(3, 1\)"),
        ("site", 3, None, r"got shape \(\)"),
        (["a", None, "b"], 3, None, "no label in row 1"),
        ([1.0, 2.0, np.nan], 3, None, "no label in row 2"),
        (np.array(["2001-01-02", "NaT", "2001-01-03"], dtype="datetime64[D]"), 3, None, "no label in row 1"),
        (pd.Series([1, 2, None], dtype="Int64"), 3, None, "no label in row 2"),
        (pl.Series(["a", None, "b"]), 3, None, "no label in row 1"),
        (["a", "a", "a"], 3, None, "single group"),
        (["a", "b", "a"], 2, np.array([True, False, True]), "single group"),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups, n_rows, kept, message):
    with pytest.raises(InputError, match=message):
        read_groups(groups, n_rows, kept)


def test_a_gap_in_a_column_of_strings_is_refused():
    with pytest.raises(InputError, match="no label in row 1"):
        read_groups(pd.Series(["a", None, "b"], dtype="string"), 3, None)


def test_a_known_negative_is_no_group_that_would_be_drawn_every_time():
    samples, groups = np.append(SAMPLES, 2), np.append(make_groups(), 20)
    counts = make_resampling(samples, None, groups, 0, n_negatives=1).counts(range(5))
    assert (counts[:, -1] == 1).all()
    with pytest.raises(InputError, match="a single group has unlabelled rows only, so that every resample"):
        make_resampling(np.append(SAMPLES, [2, 3]), None, np.append(make_groups(), [20, 21]), 0, n_negatives=1)


def test_a_single_group_of_its_kind_is_drawn_with_the_others():
    samples, clinics = np.append(np.tile([0, 1], 12), [1, 1]), np.append(np.repeat(np.arange(12), 2), [12, 12])
    counts = make_resampling(samples, None, clinics, 0).counts(range(400))

    assert (counts[:, ::2] == counts[:, 1::2]).all()
    assert (counts[:, ::2].sum(axis=1) == 13).all()
    # Of 13 draws with probability 1/13 each: a variance of 12/13, over 400 resamples with an error of 0.08.
    assert counts[:, -1].var() == pytest.approx(12 / 13, abs=0.25)


def test_a_single_group_with_all_labelled_rows_is_refused():
    samples, clinics = np.append(np.ones(24, int), [0, 1]), np.append(np.repeat(np.arange(12), 2), [12, 12])
    with pytest.raises(InputError, match="a single group has labelled and unlabelled rows, so that every resample"):
        make_resampling(samples, None, clinics, 0)
