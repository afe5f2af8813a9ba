"""`pugam explain`: what it prints for single rows, what it writes for many, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM

ROWS = 600


@pytest.fixture(scope="module")
def rows(make_rows):
    table, numbers = make_rows(250, ROWS), np.arange(ROWS)
    return table.assign(site=np.array(["north", "south"])[numbers % 2], who=[f"A{place:04}" for place in numbers])


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("s(x1) + x2 + x3 + f(site)", check=False).fit(rows, rows["z"])


@pytest.fixture(autouse=True)
def _files(empty_folder, rows, model):
    model.save("model.json")
    rows.to_csv("rows.csv", index=False)


def test_a_row_is_printed_with_the_terms_that_matter_most(pugam_says, model, rows):
    code, out, err = pugam_says("explain", "model.json", "rows.csv", "--row", "17", "--top", "2")

    row = rows.iloc[[16]]
    terms = model.predict(row, type="terms").iloc[0].drop(["baseline", "averaging"])
    first = terms.abs().idxmax()
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == (
        f"row 17: p_positive {model.predict_proba(row)[0, 1]:.4f}, log odds {model.decision_function(row)[0]:+.2f}"
    )
    assert lines[1].split()[:3] == ["average", "unlabelled", "row"]
    assert lines[2].split()[0] == first
    assert f"{terms[first]:+.2f}" in lines[2]
    assert lines[4].split()[:2] == ["2", "others"]
    assert lines[5].split()[0] == "averaging"
    assert lines[6].endswith('The line "averaging" allows for the uncertainty of pi and of the effects.')


def test_rows_are_named_by_identifiers(pugam_says):
    code, out, _ = pugam_says("explain", "model.json", "rows.csv", "--id", "who", "--row", "A0003", "--row", "A0001")

    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines() if line.startswith("row")] == ["row A0001", "row A0003"]


def test_rows_are_named_by_the_identifiers_of_the_fit(pugam_says, model):
    model.save("model.json", data={"id": "who"})
    for row, said in (("A0003", "row A0003: p_positive"), ("4", "row 4: p_positive")):
        code, out, _ = pugam_says("explain", "model.json", "rows.csv", "--row", row)
        assert code == 0
        assert out.startswith(said)
    assert "column 'who' holds no 'B1'" in pugam_says("explain", "model.json", "rows.csv", "--row", "B1")[2]


def test_identifiers_that_are_numbers_come_before_numbers_of_rows(pugam_says, model, rows):
    rows.assign(patient=np.arange(ROWS) + 101).to_csv("rows.csv", index=False)
    model.save("model.json", data={"id": "patient"})

    code, by_patient, _ = pugam_says("explain", "model.json", "rows.csv", "--row", "150")
    assert code == 0
    assert f"p_positive {model.predict_proba(rows.iloc[[49]])[0, 1]:.4f}" in by_patient
    assert (
        f"p_positive {model.predict_proba(rows.iloc[[2]])[0, 1]:.4f}"
        in pugam_says("explain", "model.json", "rows.csv", "--row", "3")[1]
    )  # nobody has that number


def test_rows_of_a_folder_are_counted_before_any_is_shown(pugam_says, empty_folder, rows):
    (empty_folder / "parts").mkdir()
    for part in range(3):
        rows[8 * part : 8 * part + 8].to_parquet(empty_folder / "parts" / f"{part}.parquet", index=False)

    code, out, err = pugam_says("explain", "model.json", "parts")

    assert (code, out) == (2, "")
    assert "parts has more than 10 rows" in err


@pytest.mark.parametrize("name", ["explained.csv", "explained.parquet"])
def test_a_table_has_a_line_for_each_row_and_term(pugam_says, model, rows, name):
    code, out, err = pugam_says("explain", "model.json", "rows.csv", "--id", "who", "--out", name)

    table = pd.read_csv(name) if name.endswith("csv") else pd.read_parquet(name)
    expected = model.explain(rows)
    assert (code, out, err) == (0, f"600 rows: {name}\n", "")
    assert list(table.columns) == ["who", "term", "value", "contribution", "se", "lower", "upper"]
    assert table["who"].tolist() == rows["who"].repeat(6).tolist()
    assert table["term"].tolist() == expected["term"].tolist()
    np.testing.assert_allclose(table["contribution"], expected["contribution"], rtol=1e-12)
    np.testing.assert_allclose(table["se"], expected["se"], rtol=1e-9)


def test_lines_add_up_where_terms_are_folded_and_pi_is_given(pugam_says, model, rows):
    pugam_says("explain", "model.json", "rows.csv", "--pi", "0.1", "--top", "1", "--out", "few.csv", "--quiet")

    table = pd.read_csv("few.csv")
    totals = table.groupby("row")["contribution"].sum()
    np.testing.assert_allclose(totals, model.decision_function(rows, pi=0.1), rtol=0, atol=1e-10)
    assert set(table["term"]) >= {"baseline", "3 others", "averaging"}


def test_samples_of_a_column_count(pugam_says, rows):
    model = PUGAM("s(x1) + x2 + x3", check=False).fit(rows, rows["z"], sample=rows["site"])
    model.save("sampled.json")

    pugam_says("explain", "sampled.json", "rows.csv", "--sample", "site", "--row", "5", "--out", "one.csv")

    total = pd.read_csv("one.csv")["contribution"].sum()
    assert total == pytest.approx(model.decision_function(rows.iloc[[4]], sample="north")[0], abs=1e-10)


@pytest.mark.long
def test_a_kind_of_positives_is_chosen(pugam_says, rows):
    model = PUGAM("s(x1) + x2", check=False).fit(rows, rows["z"], kind=rows["site"])
    model.save("kinds.json")

    refused = pugam_says("explain", "kinds.json", "rows.csv", "--row", "1")
    code, out, _ = pugam_says("explain", "kinds.json", "rows.csv", "--row", "1", "--kind", "north")

    assert refused[0] == 2
    assert "has several kinds of positives (north, south)" in refused[2]
    assert "choose one with --kind." in refused[2]
    assert code == 0
    assert f"{model.of_kind('north').predict_proba(rows[:1])[0, 1]:.4f}" in out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "rows.csv has more than 10 rows; say which to explain, as in --row 17, or write all of them to a table"),
        (["--row", "0"], "--row is the number of a row, 1 for the first; got '0'."),
        (["--row", "A0001"], "Give --id with the column of identifiers"),
        (["--row", "601"], "rows.csv has 600 rows, and no row 601."),
        (["--id", "who", "--row", "B7"], "rows.csv: column 'who' holds no 'B7'; check --row and --id."),
        (["--id", "whom", "--row", "B7"], "'whom'"),
        (["--row", "1", "--top", "0"], "--top is a whole number of at least 1; got 0."),
        (["--row", "1", "--kind", "north"], "--kind is for models of several kinds of positives"),
        (["--row", "1", "--level", "95"], "--level is a probability"),
        (["--row", "1", "--sample", "west"], "sample"),
        (["--out", "rows.csv"], "--out rows.csv is the file to be read; give another name."),
        (["--out", "rows.txt"], "the file will be a table"),
    ],
)
def test_mistakes_are_told_in_one_line(pugam_says, flags, said):
    code, out, err = pugam_says("explain", "model.json", "rows.csv", *flags)

    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_row_that_cannot_be_read_is_named_by_its_line(pugam_says, rows):
    rows.assign(site=rows["site"].where(rows.index != 4, "west")).to_csv("new.csv", index=False)

    code, _, err = pugam_says("explain", "model.json", "new.csv", "--row", "2", "--row", "5")

    assert code == 2
    assert "new.csv, line 6" in err
    assert pugam_says("explain", "model.json", "new.csv", "--row", "2")[0] == 0


def test_the_files_in_the_wrong_order_are_told_so(pugam_says):
    assert "The model comes first" in pugam_says("explain", "rows.csv", "model.json")[2]


def test_a_single_row_needs_no_number(pugam_says, rows):
    rows[:1].to_csv("one.csv", index=False)

    code, out, _ = pugam_says("explain", "model.json", "one.csv")

    assert code == 0
    assert out.startswith("row 1: p_positive")


def test_a_number_of_a_row_may_be_longer_than_any(pugam_says, rows):
    code, _, err = pugam_says("explain", "model.json", "rows.csv", "--row", "1" * 5000)
    assert code == 2
    assert f"rows.csv has 600 rows, and no row {'1' * 19}…{'1' * 19}." in err
    code, out, _ = pugam_says("explain", "model.json", "rows.csv", "--row", "0" * 5000 + "7")
    assert code == 0
    assert out.startswith("row 7: ")
    assert "--row is the number of a row" in pugam_says("explain", "model.json", "rows.csv", "--row", "0")[2]
