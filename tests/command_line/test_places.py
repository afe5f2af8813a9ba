"""No verb writes over a file that it reads, by whatever route, nor two things to one file."""

import os
from pathlib import Path

import pytest

from pugam.command_line.places import require_apart
from pugam.errors import InputError


@pytest.fixture
def data(empty_folder):
    Path("rows.csv").write_text("x,z\n1,1\n")
    Path("parts/deeper").mkdir(parents=True)
    Path("linked").mkdir()
    for name in ("parts/part-0.parquet", "parts/deeper/part-1.parquet", "parts/_notes.parquet", "linked/p.parquet"):
        Path(name).write_text("rows")
    link("parts/more", "../linked")
    return Path("rows.csv")


def link(name, to):
    os.symlink(to, name)
    return Path(name)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("rows.csv", "--out rows.csv is the file to be read; give another name."),
        ("./parts/../rows.csv", "is the file to be read"),
        ("parts/part-0.parquet", "is the file to be read"),
        ("parts/deeper/part-1.parquet", "is the file to be read"),
        ("linked/p.parquet", "is the file to be read"),
        ("parts/more/p.parquet", "is the file to be read"),
        ("linked/new.parquet", "is in parts/more, a folder to be read; write it elsewhere."),
        ("parts/more/new.parquet", "is in parts/more, a folder to be read"),
        ("parts/_notes.parquet", "is in parts, a folder to be read"),
        ("parts/scored.parquet", "is in parts, a folder to be read; write it elsewhere."),
        ("linked.csv", "is the file to be read"),
        ("twice.csv", "is the file to be read"),
        ("hard.csv", "is the file to be read"),
        ("folder/part-0.parquet", "is the file to be read"),
        ("folder/new.parquet", "a folder to be read"),
    ],
)
def test_an_output_is_no_file_that_is_read(data, out, said):
    link("linked.csv", "rows.csv")
    link("twice.csv", "linked.csv")
    os.link("rows.csv", "hard.csv")
    link("folder", "parts")

    with pytest.raises(InputError, match=said):
        require_apart({"--out": Path(out)}, (Path("rows.csv"), None, Path("parts")))


def test_an_input_behind_a_link_is_known_by_its_file(data):
    with pytest.raises(InputError, match="is the file to be read"):
        require_apart({"--out": data}, (link("given.csv", "rows.csv"),))


@pytest.mark.parametrize("out", ["scored.csv", "parts/scored.csv", "parts/model.json", "elsewhere.parquet"])
def test_other_files_may_be_written(data, out):
    require_apart({"--out": Path(out), "--report": None}, (data, Path("parts"), Path("not_there.csv")))


@pytest.mark.parametrize("out", ["parts/scored.csv", "linked/scored.csv"])
def test_of_a_folder_only_parquet_files_are_read(data, out):
    Path(out).write_text("written the last time")
    require_apart({"--out": Path(out)}, (Path("parts"),))


def test_two_outputs_are_two_files(data):
    with pytest.raises(InputError, match=r"--out and --store are the same file, m\.json; give two names\."):
        require_apart({"--out": Path("m.json"), "--store": Path("m.json")}, ())
    with pytest.raises(InputError, match="the same file"):
        require_apart({"--out": Path("m.json"), "--report": link("page.html", "m.json")}, ())


VERBS = {
    "fit": ("fit", "rows.csv", "--label", "z", "--out", "same.json"),
    "fit's report": ("fit", "rows.csv", "--label", "z", "--report", "same.html"),
    "fit's store": ("fit", "rows.csv", "--label", "z", "--ci", "bootstrap", "--store", "same.csv"),
    "fit's files": (
        "fit", "--positive-file", "other.csv", "--unlabeled-file", "rows.csv", "--out", "same.json",
    ),
    "predict": ("predict", "model.json", "rows.csv", "--out", "same.csv"),
    "explain": ("explain", "model.json", "rows.csv", "--out", "same.csv"),
    "drift": ("drift", "model.json", "rows.csv", "--out", "same.csv"),
    "report": ("report", "model.json", "rows.csv", "--out", "same.html"),
    "refit": ("refit", "model.json", "rows.csv", "--out", "same.json"),
    "compare": ("compare", "rows.csv", "model.json", "--out", "same.csv"),
}  # fmt: skip


@pytest.mark.parametrize("command", VERBS.values(), ids=VERBS.keys())
def test_no_verb_writes_over_what_it_reads(pugam_says, data, command):
    before = data.read_bytes()
    for suffix in ("json", "html", "csv"):
        link(f"same.{suffix}", "rows.csv")

    code, out, err = pugam_says(*command)

    assert (code, out) == (2, "")
    assert "is the file to be read; give another name." in err
    assert data.read_bytes() == before


def test_a_model_is_not_replaced_by_the_one_that_is_fitted_again(pugam_says, data):
    Path("model.json").write_text("{}")

    code, _, err = pugam_says("refit", "model.json", "rows.csv", "--out", "model.json")

    assert code == 2
    assert "--out model.json is the file to be read" in err


def test_the_tables_of_a_study_go_elsewhere_than_its_data(pugam_says, data):
    code, _, err = pugam_says("study", "realdata", "--data", "parts", "--out", "./parts")

    assert code == 2
    assert "--out parts is the folder to be read" in err
