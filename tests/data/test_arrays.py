"""Array-likes: every value as the user wrote it."""

import polars as pl
import pyarrow as pa
import pytest

from pugam.data import as_array

LONG = 2**53


@pytest.mark.parametrize(
    "make", [pa.array, lambda values: pa.chunked_array([values]), pl.Series], ids=["array", "chunks", "polars"]
)
def test_long_integers_beside_gaps_stay_what_they_are(make):
    assert as_array(make([LONG, None, LONG + 1])).tolist() == [LONG, None, LONG + 1]
    assert as_array(make([1, None])).dtype == float
