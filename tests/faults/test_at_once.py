"""Many commands at once give what they give one after another, also where they share folders and files."""

import json
import re

import pytest

from pugam import load
from pugam.files import append_line, read_lines, working_alone
from pugam.studies.records import RecordFile

FIT = ("fit", "rows.csv", "--label", "z", "--smoothing", "0.1", "--quiet")
STUDY = ("study", "small", "--replicates", "10", "--quiet")


@pytest.fixture
def folder(tmp_path, inputs):
    for path in inputs.iterdir():
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def without_times(path):
    """What is in a file, but for dates, times and the name of the file itself."""
    text = re.sub(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", b"", path.read_bytes())
    text = re.sub(rb'"seconds": [0-9.]+', b"", text)
    lines = re.sub(rb"(out|results)[0-9]+", b"out", text).splitlines()
    return sorted(lines) if path.suffix == ".jsonl" else lines


def commands(number, jobs):
    return [
        (*FIT, "--out", f"out{number}.json", "--report", f"out{number}.html"),
        (*STUDY, "--out", f"results{number}", "--jobs", jobs),
    ]


def files_of(folder, number):
    study = folder / f"results{number}"
    return [
        *(folder / f"out{number}{end}" for end in (".json", ".html")),
        *(study / name for name in ("small.md", "small.csv", "records/small.jsonl")),
    ]


@pytest.mark.long
@pytest.mark.parametrize(("pairs", "jobs"), [(5, 1), (5, 2)])
def test_many_at_once_give_what_one_gives(pairs, jobs, folder, start, run, small_study):
    for command in commands(0, 1):
        assert run(folder, *command, before=small_study)[0] == 0

    numbers = range(1, pairs + 1)
    started = [start(folder, *command, before=small_study) for number in numbers for command in commands(number, jobs)]

    assert [one.wait() for one in started] == [0] * 2 * pairs
    # A verdict, if there is one, is the same for all.
    assert len({one.stderr for one in started[::2]}) == 1
    assert [one.stderr for one in started[1::2]] == [""] * pairs
    for number in numbers:
        for alone, together in zip(files_of(folder, 0), files_of(folder, number), strict=True):
            assert without_times(together) == without_times(alone)


def test_several_that_write_the_same_file_leave_one_of_theirs(folder, start, run):
    assert run(folder, *FIT, "--out", "out0.json")[0] == 0

    started = [start(folder, *FIT, "--out", "out1.json") for _ in range(2)]

    assert [one.wait() for one in started] == [0] * 2
    assert without_times(folder / "out1.json") == without_times(folder / "out0.json")
    assert load(folder / "out1.json").n0_ == 1250
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_a_second_study_in_the_same_folder_is_refused(folder, start, run, waiting, small_study):
    command = (*STUDY, "--out", "results1", "--jobs", "1")
    first = start(folder, *command, before=small_study)
    records = folder / "results1/records/small.jsonl"
    assert waiting(lambda: records.exists() and records.read_bytes().count(b"\n") > 2, first)

    code, out, err = run(folder, *command, before=small_study)

    assert (code, out) == (2, "")
    assert err == (
        "pugam: Another process is at work on results1/records/small.jsonl; wait until it is done, or choose another "
        "place.\n"
    )
    assert first.wait() == 0
    assert len({json.dumps([line["cell"], line["replicate"]]) for line in read_lines(records)[1:]}) == 20
    assert records.read_bytes().count(b"\n") == 21
    assert run(folder, *command, before=small_study)[0] == 0


@pytest.mark.long
def test_studies_of_other_kinds_share_a_folder(folder, start, small_study):
    other = small_study.replace('"small"', '"other"')
    started = [
        start(folder, "study", name, *STUDY[2:], "--out", "results1", "--jobs", "1", before=before)
        for name, before in (("small", small_study), ("other", other))
    ]

    assert [one.wait() for one in started] == [0, 0]
    runs = (folder / "results1/runs.md").read_text(encoding="utf-8")
    assert "| small | 20 |" in runs
    assert "| other | 20 |" in runs
    assert {"small.md", "other.md"} <= {path.name for path in (folder / "results1").iterdir()}


# Lines


def test_a_claim_ends_with_the_work(tmp_path):
    path = tmp_path / "records" / "a.jsonl"
    with working_alone(path):
        with pytest.raises(ValueError, match="Another process is at work on"), working_alone(path):
            pass
        append_line(path, {"a": 1})
    with working_alone(path):
        append_line(path, {"b": 2})
    assert read_lines(path) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("length", [10, 70_000, 200_000])
def test_a_torn_line_of_any_length_is_dropped(tmp_path, length):
    path = tmp_path / "a.jsonl"
    append_line(path, "x" * length)
    whole = path.read_bytes()
    path.write_bytes(whole + b'"' + b"y" * length)

    assert read_lines(path) == ["x" * length]
    append_line(path, "z")

    assert path.read_bytes() == whole + b'"z"\n'


def test_a_damaged_record_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    RecordFile(path, {"seed": 1}).append((1,), 0, {"pi": 0.5})
    path.write_bytes(path.read_bytes() + b"\x00\x00\n")

    with pytest.raises(ValueError, match=r"a\.jsonl, line 3, is damaged; delete that line, and it will be made again"):
        RecordFile(path, {"seed": 1})
