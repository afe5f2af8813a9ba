"""Reading to which unlabelled sample rows belong, and what audits found."""

from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pugam.data import SampleRoles, names_without_rows, read_negatives, read_table, sample_name, tell_samples
from pugam.data import read_samples as read_roles
from pugam.errors import InputError

N = 60
POSITIVE = np.arange(N) < 20
YEARS = np.where(np.arange(N) % 2 == 0, 2023, 2024)


def read_samples(sample, audit, positive, kept, **others):
    return read_roles(SampleRoles(sample, audit, **others), positive, kept)


def test_samples_are_numbered_in_order_and_labelled_rows_are_in_none():
    found = read_samples(YEARS[::-1], None, POSITIVE, None)
    assert found.names == ("2023", "2024")
    assert (found.codes[POSITIVE] == 0).all()
    assert (found.codes[~POSITIVE] == np.where(YEARS[::-1][~POSITIVE] == 2023, 1, 2)).all()


def test_what_is_said_of_labelled_rows_does_not_matter():
    names = pd.Series(YEARS).astype(object).where(~POSITIVE, None)
    assert (read_samples(names, None, POSITIVE, None).codes == read_samples(YEARS, None, POSITIVE, None).codes).all()


def test_samples_that_labelled_rows_name_are_remembered():
    """For a test alone; names of no sample, and of a single one, say nothing."""
    names = pd.Series(some(YEARS, r3=None, r4="register", r5=["a list"]), dtype=object)
    kept = np.arange(N) != 0

    found = read_samples(names, None, POSITIVE[kept], kept).origins
    assert found[:6].tolist() == [2, 1, 0, 0, 0, 1]
    assert not found[~POSITIVE[kept]].any()
    for placeholder in (None, "register", 2023):
        assert read_samples(np.where(POSITIVE, placeholder, YEARS.astype(object)), None, POSITIVE, None).origins is None


def test_labelled_rows_without_a_name_are_not_of_a_sample_without_letters():
    names = pd.Series(np.where(YEARS == 2023, "", "b"), dtype=object).mask(np.arange(N) < 10, None)

    found = read_samples(names, None, POSITIVE, None).origins
    assert found[:10].tolist() == [0] * 10
    assert found[10:14].tolist() == [1, 2, 1, 2]


def test_long_numbers_do_not_tell_curves_of_samples_apart():
    """Names of samples are exact, levels of a column of numbers are not: there would be fewer curves than samples."""
    table = read_table(pd.DataFrame({"clinic": 2**53 + np.arange(N) % 3}))

    with pytest.raises(InputError, match=r"sample: column 'clinic' holds numbers of 16 digits or more.* into text"):
        tell_samples(table, "clinic", POSITIVE)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_audited_rows_have_codes_of_their_own(missing):
    audit = pd.Series([missing] * N, dtype=object)
    audit[30], audit[31] = 1, 0
    found = read_samples(YEARS, audit, POSITIVE, None)
    plain = read_samples(YEARS, None, POSITIVE, None)
    assert (found.codes - plain.codes)[[30, 31, 32]].tolist() == [2, 4, 0]


def test_one_sample_without_an_audit_is_nothing_new():
    assert read_samples(None, None, POSITIVE, None) is None
    assert read_samples(np.full(N, "a"), None, POSITIVE, None) is None
    assert read_samples(None, np.full(N, np.nan), POSITIVE, None) is None


def test_an_audit_alone_is_of_one_sample():
    audit = np.where(np.arange(N) > 50, 1.0, np.nan)
    found = read_samples(None, audit, POSITIVE, None)
    assert found.names == ("all",)
    assert set(found.codes.tolist()) == {0, 1, 2}


def test_rows_that_are_not_kept_do_not_count():
    kept = np.arange(N) % 3 > 0
    found = read_samples(YEARS, None, POSITIVE[kept], kept)
    assert (found.codes == read_samples(YEARS, None, POSITIVE, None).codes[kept]).all()


def some(values, **changes):
    values = list(values)
    for row, value in changes.items():
        values[int(row[1:])] = value
    return values


NOTHING = [None] * N


@pytest.mark.parametrize(
    ("sample", "audit", "words"),
    [
        (YEARS[:10], None, ("sample", "one value per row", "60")),
        (some(YEARS, r30=None), None, ("sample", "missing", "row 30")),
        (some(YEARS, **{f"r{row}": 2025 for row in range(30, 35)}), None, ("'2025'", "5 unlabelled rows", "10")),
        (np.where(YEARS == 2023, "all", "north"), None, ("'all'", "all unlabelled rows together", "sample")),
        (
            pd.Series(some(YEARS, r30=["2023"]), dtype=object),
            None,
            ("sample is ['2023'] in row 30", "one text or number"),
        ),
        ([1, True] * 30, None, ("has 1 and True", "equal", "rename one of them")),
        (some(YEARS, r30="2023"), None, ("has 2023 and '2023'", "both be the sample '2023'", "rename one of them")),
        (None, some(NOTHING, r40=2), ("audit", "2", "row 40")),
        (None, some(NOTHING, r40="yes"), ("audit", "'yes'", "row 40")),
        (None, some(NOTHING, r3=0), ("audit", "labelled row is negative", "row 3")),
        (None, [1.0] * 5, ("audit", "one value per row")),
        (None, pd.to_timedelta([0, 1] * 30), ("audit", "holds dates or times")),
        (None, pd.to_datetime([0, 1] * 30), ("audit", "holds dates or times")),
    ],
)
def test_bad_samples_and_audits_get_a_sentence(sample, audit, words):
    with pytest.raises(InputError) as caught:
        read_samples(sample, audit, POSITIVE, None)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("chunks", [1, 3])
def test_gaps_among_levels_of_arrow_stay_gaps(chunks):
    names = [None if row == 31 else str(year) for row, year in enumerate(YEARS)]
    levels = pa.array(names).dictionary_encode()
    parts = pa.chunked_array([levels.slice(first, N // chunks) for first in range(0, N, N // chunks)])
    for values in (levels, parts):
        with pytest.raises(InputError, match="sample is missing in row 31"):
            read_samples(values, None, POSITIVE, None)


def test_names_that_cannot_be_sorted_stay_as_they_come():
    mixed = np.where(np.arange(N) % 2 == 0, "b", "a").astype(object)
    mixed[mixed == "a"] = 7
    assert read_samples(mixed, None, POSITIVE, None).names == ("b", "7")


@pytest.mark.parametrize("value", [2023, 2023.0, np.float32(2023), np.float64(2023), np.int16(2023), Decimal("2023.0")])
def test_a_number_names_a_sample_whatever_its_type(value):
    assert sample_name(value) == "2023"


def test_other_values_are_named_as_they_are_written():
    assert [sample_name(value) for value in (True, 0.5, np.float32(0.5), "1.0", np.inf)] == [
        "True",
        "0.5",
        "0.5",
        "1.0",
        "inf",
    ]


def test_known_negatives_are_told_by_ones_and_zeros_or_nothing():
    values = [1, 0, None, np.nan, True, False]
    assert read_negatives(values, 6).tolist() == [True, False, False, False, True, False]
    assert read_negatives([0, None, np.nan], 3) is None
    assert read_negatives(None, 3) is None


@pytest.mark.parametrize(("values", "words"), [([1, 0, 2], "negative is 2 in row 2"), ([1, 0], "one value per row, 3")])
def test_other_values_for_known_negatives_are_refused(values, words):
    with pytest.raises(InputError, match=words):
        read_negatives(values, 3)


def test_known_negatives_alone_make_one_sample():
    kept = np.arange(N) < 50
    found = read_samples(None, None, POSITIVE[kept], kept, negative=~kept)
    assert found.names == ("all",)
    assert len(found.codes) == 50


def test_an_audit_cannot_find_a_known_negative_to_be_positive():
    kept = np.arange(N) < 50
    agrees = read_samples(None, some(NOTHING, r40=1, r55=0), POSITIVE[kept], kept, negative=~kept)
    assert agrees.codes[40] == 2
    with pytest.raises(InputError, match="audit and negative are both 1 in row 55, but a row has one class; correct"):
        read_samples(None, some(NOTHING, r40=1, r55=1), POSITIVE[kept], kept, negative=~kept)


def test_chances_of_audits_are_read_for_unlabelled_rows():
    audit, chance = np.where(np.arange(N) > 50, 1.0, np.nan), np.where(POSITIVE, np.nan, 0.25)
    found = read_samples(None, audit, POSITIVE, None, audit_chance=chance)
    assert found.chances.tolist() == np.where(POSITIVE, 1.0, 0.25).tolist()
    for bad, words in (
        (np.where(np.arange(N) == 40, 0.0, chance), "audit_chance is 0 in row 40; give a number above 0"),
        (np.where(np.arange(N) == 41, np.nan, chance), "audit_chance is missing in row 41"),
        (np.full(N, np.datetime64("2020-01-01")), "audit_chance holds dates or times; give numbers"),
        (chance[:5], "one value per row"),
    ):
        with pytest.raises(InputError, match=words):
            read_samples(None, audit, POSITIVE, None, audit_chance=bad)
    with pytest.raises(InputError, match="audit_chance goes with audit"):
        read_samples(None, None, POSITIVE, None, audit_chance=chance)


def names_without_rows_of(sample, kept=None, **others):
    positive = POSITIVE if kept is None else POSITIVE[kept]
    roles = SampleRoles(sample, **others)
    return names_without_rows(roles, read_roles(roles, positive, kept), positive, kept)


def test_names_that_only_labelled_rows_have_are_told():
    labelled = np.flatnonzero(POSITIVE)
    assert names_without_rows_of(some(YEARS, **{f"r{labelled[0]}": 2030})) == ["2030"]
    placeholder = np.where(POSITIVE, "labelled", np.array(YEARS).astype(str))
    assert names_without_rows_of(placeholder) == []
    missing = some(YEARS, **{f"r{row}": None for row in labelled})
    assert names_without_rows_of(missing) == []


def test_names_of_rows_without_weight_are_told_unless_they_are_known_negatives():
    hidden = np.flatnonzero(~POSITIVE)[:3]
    named, aside = some(YEARS, **{f"r{row}": 2030 for row in hidden}), np.isin(np.arange(N), hidden)
    assert names_without_rows_of(named, kept=~aside) == ["2030"]
    assert names_without_rows_of(named, kept=~aside, negative=aside.astype(int)) == []


def test_a_column_of_samples_has_levels_and_labelled_rows_have_some_of_them():
    years = pd.Series(YEARS, dtype=float).where(~POSITIVE)
    told = tell_samples(read_table(pd.DataFrame({"x": np.arange(N), "year": years})), "year", POSITIVE)
    column = told.column("year")
    assert (column.kind, column.order) == ("category", (2023, 2024))
    assert column.values[~POSITIVE].tolist() == YEARS[~POSITIVE].tolist()
    assert Counter(column.values[POSITIVE]) == {2023: 10, 2024: 10}
    assert told.column("x").values.tolist() == list(range(N))
