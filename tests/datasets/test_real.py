"""Files of the right format are read as they are, and everything else is refused with a way out."""

import dataclasses
from http.client import IncompleteRead
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from pugam.datasets import load_spambase, load_wilt, real
from pugam.errors import InputError

LOADERS = {
    "wilt.csv": (load_wilt, real.WILT_FEATURES),
    "spambase.csv": (load_spambase, real.SPAMBASE_FEATURES),
}
WILT_HEADER = "GLCM_pan,Mean_Green,Mean_Red,Mean_NIR,SD_pan,y"
WILT_LINES = [WILT_HEADER, "120.25,205.5,119.4,416.6,20.7,0", "131,198,92.1,530.2,15.3,1", "126.5,221,104,610,24.8,1"]

N_POSITIVE, N_NEGATIVE = 5, 3


def made_up_table(features, n_rows=N_POSITIVE + N_NEGATIVE):
    """Every value differs from all others, so that a wrong column or row cannot go unseen."""
    values = np.random.default_rng(0).permutation(n_rows * len(features)).reshape(n_rows, -1) + 0.25
    return pd.DataFrame(values, columns=list(features))


def write_wilt(folder, lines):
    folder.mkdir(exist_ok=True)
    path = folder / "wilt.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def wilt_error(folder, lines):
    path = write_wilt(folder, lines)
    with pytest.raises(InputError) as caught:
        load_wilt(folder)
    assert str(path) in str(caught.value)
    return str(caught.value)


def assert_says_how_to_get_wilt(message):
    for part in ("https://doi.org/10.24432/C5KS4M", "wilt.csv", "load_wilt", "folder=", "PUGAM_DATA"):
        assert part in message


@pytest.fixture(autouse=True)
def no_folder_in_the_environment(monkeypatch):
    monkeypatch.delenv("PUGAM_DATA", raising=False)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(**arguments):
        raise AssertionError(f"fetch_openml was called with {arguments}.")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", refuse)


@pytest.fixture
def openml(monkeypatch):
    """Let OpenML deliver the given table, or fail, and return the list of requests."""

    def install(data=None, target=None, error=None):
        requests = []

        def fetch_openml(**arguments):
            requests.append(arguments)
            if error is not None:
                raise error
            return SimpleNamespace(data=data, target=target)

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
        return requests

    return install


@pytest.fixture
def expect(monkeypatch):
    """Make a table of eight rows the one that is expected from OpenML."""

    def install(constant, features, y):
        table = getattr(real, constant)
        checksum = real._checksum(features.to_numpy(), y, table.grid)
        small = dataclasses.replace(table, n_positive=N_POSITIVE, n_negative=N_NEGATIVE, sha256=checksum)
        monkeypatch.setattr(real, constant, small)

    return install


@pytest.fixture
def wilt_rows(expect):
    """Eight rows that count as the Wilt data, under OpenML's names, and the classes as OpenML writes them."""
    features, y = made_up_table(real.WILT_FEATURES), np.array([0, 1, 1, 0, 1, 1, 0, 1])
    expect("_WILT", features, y)
    data = features.set_axis([f"V{j}" for j in range(1, 6)], axis="columns")
    return data, pd.Series(np.where(y == 1, "1", "2"), dtype="category")


@pytest.mark.parametrize("file_name", LOADERS)
def test_a_file_is_read_with_columns_in_our_order(tmp_path, file_name):
    load, features = LOADERS[file_name]
    written = made_up_table(features).assign(y=[1, 0, 0, 1, 1, 1, 0, 1])
    written[written.columns[::-1]].assign(comment="not a feature").to_csv(tmp_path / file_name, index=False)

    data = load(tmp_path)

    pd.testing.assert_frame_equal(data.X, written[list(features)], check_exact=True)
    assert data.y.tolist() == [1, 0, 0, 1, 1, 1, 0, 1]
    assert data.y.dtype.kind == "i"
    assert "doi:10.24432/" in data.source
    assert "CC BY 4.0" in data.source
    assert "\n" not in data.source


def test_whole_numbers_become_floats(tmp_path):
    write_wilt(tmp_path, [WILT_HEADER, "1,2,3,4,5,1", "6,7,8,9,10,0"])

    data = load_wilt(tmp_path)

    assert data.X.to_numpy().tolist() == [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]
    assert set(data.X.dtypes) == {np.dtype("float64")}


def test_a_byte_order_mark_and_empty_lines_do_no_harm(tmp_path):
    write_wilt(tmp_path, ["\ufeff" + WILT_LINES[0], "", *WILT_LINES[1:], ""])

    assert load_wilt(tmp_path).X["GLCM_pan"].tolist() == [120.25, 131, 126.5]


def test_spambase_has_57_features_in_the_order_of_the_source():
    assert len(set(real.SPAMBASE_FEATURES)) == 57
    assert real.SPAMBASE_FEATURES[47:50] == ("word_freq_conference", "char_freq_;", "char_freq_(")


def test_the_variable_names_the_folder(tmp_path, monkeypatch):
    write_wilt(tmp_path, WILT_LINES)
    monkeypatch.setenv("PUGAM_DATA", str(tmp_path))

    assert load_wilt().X["SD_pan"].tolist() == [20.7, 15.3, 24.8]


def test_the_argument_wins_over_the_variable(tmp_path, monkeypatch):
    write_wilt(tmp_path / "argument", WILT_LINES)
    write_wilt(tmp_path / "variable", [WILT_HEADER, "1,2,3,4,5,1", "6,7,8,9,10,0"])
    monkeypatch.setenv("PUGAM_DATA", str(tmp_path / "variable"))

    assert load_wilt(str(tmp_path / "argument")).X["GLCM_pan"].tolist() == [120.25, 131, 126.5]


def test_a_missing_folder_is_refused_and_nothing_fetched(tmp_path):
    with pytest.raises(InputError, match=r"There is no folder '.*nowhere', which folder names"):
        load_wilt(tmp_path / "nowhere")


def test_a_missing_folder_in_the_variable_is_blamed_on_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PUGAM_DATA", str(tmp_path / "nowhere"))

    with pytest.raises(InputError, match=r"There is no folder '.*nowhere', which the environment variable PUGAM_DATA"):
        load_wilt()


def test_a_folder_that_is_no_path_is_refused():
    with pytest.raises(InputError, match=r"folder must be the path of a folder or None; got 3\."):
        load_wilt(3)


def test_a_folder_without_the_file_is_refused_and_nothing_fetched(tmp_path):
    (tmp_path / "spambase.csv").touch()

    with pytest.raises(InputError, match=r"There is no file wilt\.csv in the folder") as caught:
        load_wilt(tmp_path)

    assert str(tmp_path) in str(caught.value)
    assert_says_how_to_get_wilt(str(caught.value))


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("GLCM_pan,Mean_Green,Mean_Red,MeanNIR,SD_pan,y", "lacks the column 'Mean_NIR';"),
        ("GLCM_pan,Mean_Green,Mean_Red,Mean_NIR,SD_pan,class", "lacks the column 'y';"),
        ("GLCM_pan;Mean_Green;Mean_Red;Mean_NIR;SD_pan;y", "lacks the column 'GLCM_pan' and 5 more;"),
        ("", "lacks the column 'GLCM_pan' and 5 more;"),
    ],
)
def test_a_missing_column_is_named(tmp_path, header, expected):
    assert expected in wilt_error(tmp_path, [header, *WILT_LINES[1:]])


@pytest.mark.parametrize("text", ["high", "", "1,5", "nan", "inf"])
def test_a_value_that_is_no_number_is_named_with_column_and_line(tmp_path, text):
    # The empty line shifts the count of rows against that of lines.
    message = wilt_error(tmp_path, [*WILT_LINES, "", f'1,2,"{text}",4,5,1'])

    assert "Column 'Mean_Red'" in message
    assert "line 6 " in message
    assert repr(text) in message


def test_a_line_of_the_wrong_length_is_named(tmp_path):
    assert "Line 5 of" in wilt_error(tmp_path, [*WILT_LINES, "1,2,3,4,5"])
    assert "has 7 values but the header names 6" in wilt_error(tmp_path, [*WILT_LINES, "1,2,3,4,5,1,1"])


def test_a_label_other_than_0_and_1_is_named_with_its_line(tmp_path):
    message = wilt_error(tmp_path, [*WILT_LINES, "1,2,3,4,5,2"])

    assert "Column 'y' must be 1 (positive) or 0 (negative), but line 5 " in message
    assert "has 2;" in message


@pytest.mark.parametrize(
    ("lines", "absent"), [([0, 2, 3], "y = 0"), ([0, 1], "y = 1"), ([0], "y = 1")], ids=["ones", "zeros", "no rows"]
)
def test_a_table_without_both_classes_is_refused(tmp_path, lines, absent):
    message = wilt_error(tmp_path, [WILT_LINES[line] for line in lines])

    assert f"has {absent}; give a table with rows of both classes" in message


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "wilt.csv").write_bytes(b"\xff\xfe\x00\x01")

    with pytest.raises(InputError, match=r"wilt\.csv' cannot be read as a CSV file"):
        load_wilt(tmp_path)


def test_wilt_is_fetched_without_a_folder(openml, wilt_rows, monkeypatch):
    data, target = wilt_rows
    requests = openml(data, target)
    monkeypatch.setenv("PUGAM_DATA", "")  # set, but to nothing

    wilt = load_wilt()

    assert requests == [{"data_id": 40983, "as_frame": True, "parser": "auto"}]
    assert wilt.X.columns.tolist() == list(real.WILT_FEATURES)
    np.testing.assert_array_equal(wilt.X.to_numpy(), data.to_numpy())
    assert wilt.y.tolist() == [0, 1, 1, 0, 1, 1, 0, 1]
    assert wilt.y.dtype.kind == "i"


def test_spambase_is_fetched_with_its_label_turned_round(openml, expect):
    features, y = made_up_table(real.SPAMBASE_FEATURES), np.array([1, 1, 0, 0, 1, 0, 1, 1])
    expect("_SPAMBASE", features, y)
    is_spam = pd.Series(1 - y)
    requests = openml(features.rename(columns={"char_freq_;": "char_freq_%3B"}), is_spam)

    spambase = load_spambase()

    assert requests[0]["data_id"] == 44
    pd.testing.assert_frame_equal(spambase.X, features)
    assert spambase.y.tolist() == y.tolist()


def test_the_order_and_the_digits_of_fetched_rows_do_not_matter(openml, wilt_rows):
    data, target = wilt_rows
    order = np.random.default_rng(1).permutation(len(data))
    data, target = data.iloc[order] + 1e-4, target.iloc[order]
    openml(data, target)

    wilt = load_wilt()

    np.testing.assert_array_equal(wilt.X.to_numpy(), data.to_numpy())
    assert wilt.y.tolist() == (target == "1").astype(int).tolist()


def with_value(data, value):
    changed = data.astype(object)
    changed.iloc[3, 2] = value
    return changed


def with_columns_exchanged(data):
    return data[["V2", "V1", "V3", "V4", "V5"]]


@pytest.mark.parametrize(
    ("change_data", "change_target", "reason"),
    [
        (lambda data: with_value(data, 1000.0), lambda target: target, "its values are others"),
        (lambda data: with_value(data, np.nan), lambda target: target, "its values are others"),
        (with_columns_exchanged, lambda target: target, "its values are others"),
        (lambda data: data, lambda target: target.iloc[::-1], "its values are others"),
        (lambda data: with_value(data, "high"), lambda target: target, "it holds values that are not numbers"),
        (lambda data: data.iloc[:, :4], lambda target: target, "it does not have 5 features"),
        (lambda data: data, lambda target: ["1"] * len(target), "its classes do not have 5 and 3 rows"),
        (lambda data: data, lambda target: target.astype(object).where(target.index > 0), "its classes do not have"),
    ],
    ids=["value", "missing", "columns", "labels", "text", "too few columns", "one class", "label missing"],
)
def test_another_table_from_openml_is_refused(openml, wilt_rows, change_data, change_target, reason):
    data, target = wilt_rows
    openml(change_data(data), change_target(target))

    with pytest.raises(InputError, match=r"delivers as number 40983 is not the Wilt table") as caught:
        load_wilt()

    assert reason in str(caught.value)
    assert_says_how_to_get_wilt(str(caught.value))


@pytest.mark.parametrize(
    "error",
    [
        URLError("no route to host"),
        TimeoutError("timed out"),
        IncompleteRead(b""),
        ValueError("md5 checksum of local file does not match."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_failure_of_the_network_says_how_to_do_without(openml, error):
    openml(error=error)

    with pytest.raises(InputError, match=r"The Wilt data could not be fetched from OpenML \(") as caught:
        load_wilt()

    assert str(error).rstrip(".") in str(caught.value)
    assert_says_how_to_get_wilt(str(caught.value))
    assert caught.value.__cause__ is error
