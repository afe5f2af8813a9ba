"""What columns of a file hold, for a model that was fitted to another."""

import pyarrow as pa

from pugam.command_line.columns import Features, match_levels


def test_numbers_are_matched_with_levels_of_text_and_gaps_stay_gaps():
    features = Features(("site",), levels={"site": ["007", "8.0", "true"]})
    table = pa.table({"site": [7.0, 8.0, float("nan"), None, 9.0]})

    assert match_levels(table, features)["site"].to_pylist() == ["007", "8.0", None, None, "9.0"]
