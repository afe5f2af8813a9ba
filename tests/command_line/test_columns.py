"""What columns of a file hold, for a model that was fitted to another."""

import pandas as pd
import pyarrow as pa
import pytest

from pugam.command_line.columns import Features, kinds_of_names, match_levels
from pugam.files import open_file


def test_numbers_are_matched_with_levels_of_text_and_gaps_stay_gaps():
    features = Features(("site",), levels={"site": ["007", "8.0", "true"]})
    table = pa.table({"site": [7.0, 8.0, float("nan"), None, 9.0]})

    assert match_levels(table, features)["site"].to_pylist() == ["007", "8.0", None, None, "9.0"]


LONG = 2**53


@pytest.mark.parametrize(
    ("cells", "held"),
    [
        ([LONG, LONG + 1], "text"),
        (["0.12345678901234567", "2"], "text"),
        ([2023, 2024], "number"),
        (["ward 1", 2, 3, 4], "text"),
        ([None, None], None),
        (["01", "1"], "text"),
        (["1e2", "100", None], "text"),
        (["1.10", "1.1"], "text"),
        (["01", "02", "na", " 02"], "number"),
        (["2023.0", "2024.0"], "number"),
    ],
)
def test_names_that_numbers_would_merge_are_text(tmp_path, cells, held):
    path = tmp_path / "rows.csv"
    pd.DataFrame({"clinic": pd.Series(cells, dtype=object), "x": 1}).to_csv(path, index=False)

    assert kinds_of_names([open_file(path)], ["clinic", None]) == ({} if held is None else {"clinic": held})


def test_names_are_text_in_all_files_where_they_are_in_one(tmp_path):
    for number, cells in enumerate(([1, 2], [LONG, 3], [None, None])):
        pd.DataFrame({"clinic": cells, "x": 1}).astype({"clinic": "Int64"}).to_csv(
            tmp_path / f"{number}.csv", index=False
        )

    files = [open_file(tmp_path / f"{number}.csv") for number in range(3)]
    assert kinds_of_names(files, ["clinic"]) == {"clinic": "text"}
    assert kinds_of_names(files[::2], ["clinic"]) == {"clinic": "number"}


@pytest.mark.parametrize(
    ("cells", "held"),
    [
        ((["01", "02"], ["1", "2"]), "text"),
        ((["2023", "2024"], ["2023.0", "2024.0"]), "number"),  # the same, beside gaps
    ],
)
def test_names_are_compared_over_all_files(tmp_path, cells, held):
    for number, column in enumerate(cells):
        pd.DataFrame({"clinic": column, "x": 1}).to_csv(tmp_path / f"{number}.csv", index=False)

    assert kinds_of_names([open_file(tmp_path / f"{number}.csv") for number in (0, 1)], ["clinic"]) == {"clinic": held}


def test_names_with_a_decimal_comma_are_compared_as_numbers(tmp_path):
    (tmp_path / "rows.csv").write_text("clinic;x\n1,5;2\n1,50;2\n2,5;2\n")

    assert kinds_of_names([open_file(tmp_path / "rows.csv", ";", ",")], ["clinic"]) == {"clinic": "text"}
