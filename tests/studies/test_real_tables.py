"""Tables of any folder: which files count, what is refused, and maskings that keep their sizes and shares."""

import numpy as np
import pandas as pd
import pytest

from pugam.errors import InputError
from pugam.studies.real_tables import RealTable, fingerprint, load_real_tables, mask

BUNDLED = ["breast_cancer", "digits"]
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


@pytest.fixture(autouse=True)
def no_folder_from_elsewhere(monkeypatch):
    monkeypatch.delenv("PUGAM_DATA", raising=False)


def write_table(path, n_positive=20, n_negative=15, **columns):
    y = np.random.default_rng(0).permutation(np.repeat([1, 0], [n_positive, n_negative]))
    frame = pd.DataFrame({"a": np.arange(len(y)) + 0.5, "b": 1, **columns, "y": y})
    frame.to_csv(path, index=False)
    return frame


def table_of(n_positive, n_negative):
    """A table whose one feature numbers the rows."""
    y = np.random.default_rng(1).permutation(np.repeat([1, 0], [n_positive, n_negative]))
    return RealTable("rows", pd.DataFrame({"row": np.arange(len(y), dtype=float)}), y)


def test_every_table_of_the_folder_and_the_bundled_ones_come_by_name(tmp_path):
    written = {name: write_table(tmp_path / f"{name}.csv") for name in ("zebras", "apples")}
    write_table(tmp_path / "bradypus.csv")  # its 0 are no negatives
    write_table(tmp_path / "abalone.csv", sex="M")  # other methods need numbers
    pd.DataFrame({"y": [0, 1], "x": [1, 2]}).to_csv(tmp_path / "label_first.csv", index=False)
    (tmp_path / "only_labels.csv").write_text("y\n0\n1\n", encoding="utf-8")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "README.md").write_text("a,y\n", encoding="utf-8")

    tables = load_real_tables(tmp_path)

    assert list(tables) == ["apples", *BUNDLED, "zebras"]
    for name, frame in written.items():
        pd.testing.assert_frame_equal(tables[name].X, frame[["a", "b"]].astype(float))
        assert tables[name].y.tolist() == frame["y"].tolist()
    assert all(set(table.X.dtypes) == {np.dtype(float)} for table in tables.values())


def test_bundled_tables_have_malignant_tumours_and_threes_for_positives(tmp_path):
    write_table(tmp_path / "some.csv")

    tables = load_real_tables(tmp_path)

    cancer, digits = (tables[name] for name in BUNDLED)
    assert (int(cancer.y.sum()), len(cancer.y), cancer.X.shape[1]) == (212, 569, 30)
    radius = cancer.X["mean radius"]
    assert radius[cancer.y == 1].mean() > radius[cancer.y == 0].mean()
    assert (int(digits.y.sum()), len(digits.y), digits.X.shape[1]) == (183, 357, 64)
    left = digits.X["pixel_4_1"] + digits.X["pixel_4_2"]  # an 8 is closed on the left, a 3 is open
    assert left[digits.y == 0].mean() > left[digits.y == 1].mean()


def test_the_folder_may_be_named_by_the_environment(tmp_path, monkeypatch):
    write_table(tmp_path / "some.csv")
    monkeypatch.setenv("PUGAM_DATA", str(tmp_path))

    assert list(load_real_tables()) == [*BUNDLED, "some"]


def test_without_a_folder_or_a_table_it_is_said_what_is_needed(tmp_path):
    write_table(tmp_path / "bradypus.csv")

    with pytest.raises(InputError, match=r"No folder of tables is given; give one as data, or .*PUGAM_DATA\. A table"):
        load_real_tables()
    with pytest.raises(InputError, match=r"There is no folder '.*nowhere', which folder names"):
        load_real_tables(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"There is no table in the folder '.*': no CSV file with a header row, .* y "):
        load_real_tables(tmp_path)


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("digits.csv", {}, r"digits\.csv' has the name of a table that is always there; rename the file\."),
        ("few.csv", {"n_negative": 9}, r"few\.csv' has 9 rows of one class; at least 10 are needed"),
        ("text.csv", {"c": "blue"}, r"Column 'c' must hold finite numbers, but line 2 of '.*text\.csv' has 'blue'"),
    ],
)
def test_a_table_that_cannot_be_used_is_named(tmp_path, name, changes, said):
    write_table(tmp_path / name, **changes)

    with pytest.raises(InputError, match=said):
        load_real_tables(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,y\n1,2\n3,1\n", r"Column 'y' must be 1 \(positive\) or 0 \(negative\), but line 2"),
        ("a,a,y\n1,2,0\n3,1,1\n", r"has several columns 'a'"),
        ("y,a,y\n1,2,0\n3,1,1\n", r"has several columns 'y'"),
    ],
)
def test_labels_and_names_have_to_be_clear(tmp_path, text, said):
    (tmp_path / "odd.csv").write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=said):
        load_real_tables(tmp_path)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("counts", [(10, 10), (212, 357), (4578, 261), (1639, 16259), (90, 2001)])
def test_maskings_are_as_large_as_the_table_allows_and_have_the_share(counts, share):
    table = table_of(*counts)

    _, labelled, y = mask(table, share, np.random.default_rng(2))

    n0, n1 = int(labelled.sum()), int((~labelled).sum())
    assert n0 == min(1000, counts[0] // 2)
    left, negatives = counts[0] - n0, counts[1]
    largest = min(2000, left / share, negatives / (1 - share))
    assert largest - 1 < n1 <= largest + 1e-9
    hidden = int(y[~labelled].sum())
    assert 0 < hidden < n1
    assert abs(hidden - n1 * share) <= 0.5
    assert y[labelled].all()


def test_no_row_is_drawn_twice_and_each_keeps_its_label():
    table = table_of(80, 120)

    X, labelled, y = mask(table, 0.3, np.random.default_rng(3))

    rows = X["row"].astype(int)
    assert rows.is_unique
    assert y.tolist() == table.y[rows].tolist()
    assert X.index.tolist() == list(range(len(y)))
    assert labelled.dtype == bool
    # In random order: neither the labels nor the rows of the table come first.
    assert 0.3 < labelled[: len(y) // 2].sum() / labelled.sum() < 0.7
    assert not rows.is_monotonic_increasing


def test_the_generator_decides_what_is_drawn():
    table = table_of(80, 120)

    one, same, other = (mask(table, 0.3, np.random.default_rng(seed))[0]["row"].tolist() for seed in (4, 4, 5))

    assert one == same
    assert one != other


def test_fingerprints_tell_tables_apart():
    table = table_of(30, 30)

    assert fingerprint(table.X, table.y) == fingerprint(table.X.copy(), table.y.copy())
    assert fingerprint(table.X + 1.0, table.y) != fingerprint(table.X, table.y)
    assert fingerprint(table.X, 1 - table.y) != fingerprint(table.X, table.y)
