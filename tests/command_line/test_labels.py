"""Labels in a column of a file: how they may be coded, and what is said of those that are odd."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 320
# Files and labels are read alike however curves are smoothed; with smoothing given, a fit takes a fraction of the time.
GIVEN = ("--smoothing", "0.1")


@pytest.mark.parametrize(
    ("codes", "positive"),
    [
        (("healthy", "ill"), "ill"),
        *(
            pytest.param(codes, positive, marks=pytest.mark.long)
            for codes, positive in (
                (("", "ill"), "ill"),
                (("0", "2"), "2"),
                (("-1", "1"), None),
                (("false", "true"), None),
            )
        ),
        (("False", "True"), None),
    ],
    ids=str,
)
def test_labels_may_be_coded_otherwise(fitted, rows, features, plain_given, codes, positive):
    features.assign(z=np.array(codes)[rows["z"]]).to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", *([] if positive is None else ["--positive", positive]), *GIVEN)

    assert model.pi_ == plain_given.pi_


@pytest.mark.parametrize(
    "codes", [[False, True], *(pytest.param(codes, marks=pytest.mark.long) for codes in ([-1, 1], [0.0, 1.0]))], ids=str
)
def test_labels_of_parquet_files_have_types(fitted, rows, features, plain_given, codes):
    features.assign(z=np.array(codes)[rows["z"]]).to_parquet("data.parquet", index=False)

    assert fitted("data.parquet", "--label", "z", *GIVEN)[0].pi_ == plain_given.pi_


@pytest.mark.parametrize(
    ("codes", "positive"),
    [(["no", "yes"], "yes"), pytest.param([2, 3], "3", marks=pytest.mark.long), ([2.0, 3.0], "3")],
    ids=str,
)
def test_the_positive_value_of_a_parquet_file_is_given_as_it_is_written(
    fitted, rows, features, plain_given, codes, positive
):
    features.assign(z=np.array(codes)[rows["z"]]).to_parquet("data.parquet", index=False)

    assert fitted("data.parquet", "--label", "z", "--positive", positive, *GIVEN)[0].pi_ == plain_given.pi_


def test_values_taken_as_unlabelled_are_told_where_they_are_several(pugam_says, features, rows):
    words = np.where(rows["z"] == 1, "case", np.where(np.arange(ROWS) % 2, "unknown", "control"))
    features.assign(status=words).to_csv("data.csv", index=False)

    code, _, err = pugam_says("fit", "data.csv", "--label", "status", "--positive", "case", "--quiet", *GIVEN)

    assert code == 0
    assert "! Column 'status': 60 'control', 60 'unknown' are all taken as unlabelled." in err


@pytest.mark.parametrize("empty", [float("nan"), None])
def test_an_empty_label_is_unlabelled_where_positives_are_named(pugam_says, make_rows, empty):
    rows = make_rows(80, 200)
    labels = [1.0] * 80 + [empty] * 20 + [0.0] * 100
    pq.write_table(pa.table({**{f"x{k}": rows[f"x{k}"].to_numpy() for k in (1, 2, 3)}, "z": pa.array(labels)}), "a.pq")

    code, _, err = pugam_says("fit", "a.pq", "--label", "z", "--positive", "1", *GIVEN)

    assert code == 0
    assert "! Column 'z': 20 empty, 100 0.0 are all taken as unlabelled." in err


def test_other_codes_of_labels_are_asked_about(pugam_says, rows, features):
    rows.assign(z=rows["z"] + 1).to_csv("rows.csv", index=False)
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z")

    assert code == 2
    assert err.endswith("or say which value marks a labelled positive (--positive 2 or --positive 1).\n")


def test_codes_are_compared_as_numbers_where_both_are(pugam_says, fitted, features, rows, plain_given):
    features.assign(z=np.where(rows["z"] == 1, "1.0", "2.0")).to_csv("data.csv", index=False)

    assert fitted("data.csv", "--label", "z", "--positive", "1", *GIVEN)[0].pi_ == plain_given.pi_
    code, _, err = pugam_says("fit", "data.csv", "--label", "z", "--positive", "3", *GIVEN)
    assert (code, "holds '3'; the first values are '1.0', '2.0'" in err) == (2, True)


def test_empty_cells_are_told_as_such(pugam_says, features, rows):
    features.assign(z=np.where(rows["z"] == 1, "ill", "")).to_csv("data.csv", index=False)

    code, _, err = pugam_says("fit", "data.csv", "--label", "z", "--positive", "sick", *GIVEN)

    assert code == 2
    assert "the first values are 'ill', (empty)." in err or "the first values are (empty), 'ill'." in err


@pytest.fixture
def leaking(rows):
    """A file whose column batch tells labels, and whose labels are nearly all 1."""
    few = rows[(rows["z"] == 1) | (np.arange(len(rows)) >= len(rows) - 20)]
    few.assign(batch=np.where(few["z"] == 1, 5.0, 0.0) + np.arange(len(few)) % 7 / 7).to_csv("rows.csv", index=False)
    return "rows.csv"


def test_giveaways_and_swapped_labels_are_told_before_the_verdict(pugam_says, leaking, monkeypatch):
    code, _, err = pugam_says("fit", leaking, "--label", "z", "--terms", "x1 + x2 + batch", "--smoothing", "0.1", "-q")
    told = err.splitlines()

    assert code == 0
    assert told[0].startswith("! Column 'batch' has no value that labelled and unlabelled rows share.")
    assert "rows are labelled positives, and few are unlabelled. Are labels swapped?" in told[1]


@pytest.mark.parametrize("name", ["new.csv", "new.parquet"])
def test_a_label_is_the_same_number_in_later_files(fitted, pugam_says, rows, features, name):
    codes = (2 - rows["z"]).to_numpy()
    features.assign(z=codes).to_csv("data.csv", index=False)
    fitted("data.csv", "--label", "z", "--positive", "1", *GIVEN)
    decimals = pa.array(list(map(Decimal, codes.tolist())), pa.decimal128(5, 2))
    table = pa.Table.from_pandas(features, preserve_index=False).append_column("z", decimals)
    features.assign(z=codes.astype(float)).to_csv("new.csv", index=False)
    pq.write_table(table, "new.parquet")
    n_labelled = int(rows["z"].sum())

    code, out, _ = pugam_says("drift", "model.json", name)
    assert (code, out.splitlines()[0]) == (0, f"{len(rows) - n_labelled:,} unlabelled rows")
    code, out, _ = pugam_says("predict", "model.json", name, "--top", "500", "--out", "list.csv")
    assert code == 0
    assert f"{n_labelled} rows are labelled already" in out


def test_decimals_of_a_parquet_file_are_labels(fitted, rows, features, plain_given):
    decimals = pa.array(list(map(Decimal, rows["z"].tolist())), pa.decimal128(5, 2))
    pq.write_table(pa.Table.from_pandas(features, preserve_index=False).append_column("z", decimals), "data.parquet")

    assert fitted("data.parquet", "--label", "z", *GIVEN)[0].pi_ == plain_given.pi_
    assert fitted("data.parquet", "--label", "z", "--positive", "1", *GIVEN)[0].pi_ == plain_given.pi_
