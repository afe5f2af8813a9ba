"""Records survive the run that made them: every value, every whole line, and the conditions behind them."""

import json
import math

import pytest

from pugam.command_line.wording import in_flags
from pugam.errors import InputError
from pugam.studies.records import RecordFile

CONDITIONS = {"seed": 7, "resamples": 50}
AWKWARD = {
    "pi": 0.1 + 0.2,
    "tiny": 5e-324,
    "count": 2**63,
    "interval": (0.25, 1 / 3),
    "nested": {"u": [1e300, -0.0]},
    "text": "two\nlines, a \u2028 separator, ζ",
    "missing": None,
    "flag": True,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records" / "experiment.jsonl"


def fill(path, n_records):
    records = RecordFile(path, CONDITIONS)
    for number in range(n_records):
        records.append((1, 1500), number, {"pi": number / 3})
    return records


def test_values_are_the_same_before_and_after_reading(path):
    cell = ("Wilt", 0.7, 3)
    written = RecordFile(path, CONDITIONS)
    written.append(cell, 4, AWKWARD)

    read = RecordFile(path, CONDITIONS)

    assert (cell, 4) in read
    assert read[cell, 4] == {**AWKWARD, "interval": [0.25, 1 / 3]}
    assert repr(read[cell, 4]) == repr(written[cell, 4])  # tells -0.0 from 0.0, and lists from tuples


def test_nan_and_infinity_come_back(path):
    RecordFile(path, CONDITIONS).append((1,), 0, {"nan": math.nan, "infinite": -math.inf})

    read = RecordFile(path, CONDITIONS)[(1,), 0]

    assert math.isnan(read["nan"])
    assert read["infinite"] == -math.inf


def test_cells_and_replicates_are_kept_apart(path):
    records = RecordFile(path, CONDITIONS)
    for cell, number in [((1, 1500), 0), ((1, 1500), 1), ((1, 3000), 0)]:
        records.append(cell, number, {"was": [*cell, number]})

    read = RecordFile(path, CONDITIONS)

    assert read[(1, 1500), 1] == {"was": [1, 1500, 1]}
    assert read[(1, 3000), 0] == {"was": [1, 3000, 0]}
    assert ((1, 3000), 1) not in read


def test_wherever_the_last_line_was_cut_the_file_goes_on_cleanly(path):
    fill(path, 3)
    whole = path.read_bytes()
    start_of_last = whole[:-1].rfind(b"\n") + 1

    for cut in range(start_of_last, len(whole)):
        path.write_bytes(whole[:cut])

        records = RecordFile(path, CONDITIONS)

        assert [((1, 1500), number) in records for number in range(3)] == [True, True, False]
        assert path.read_bytes() == whole[:start_of_last]
        records.append((1, 1500), 2, {"pi": 2 / 3})
        assert path.read_bytes() == whole


def test_a_file_cut_in_its_first_line_starts_afresh(path):
    fill(path, 0)
    first = path.read_bytes()
    path.write_bytes(first[:9])

    records = RecordFile(path, CONDITIONS)

    assert path.read_bytes() == first
    assert ((1, 1500), 0) not in records


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"seed": 8, "resamples": 50}, "seed = 7, not 8;"),
        ({"seed": 7, "resamples": 500}, "resamples = 50, not 500;"),
        ({"seed": 7}, "resamples = 50, not None;"),
        ({"seed": 7, "resamples": 50, "data": "tables"}, "data = None, not 'tables';"),
    ],
)
def test_records_made_under_other_conditions_are_refused_and_left_alone(path, others, said):
    fill(path, 2)
    before = path.read_bytes()

    with pytest.raises(InputError) as caught:
        RecordFile(path, others)

    assert f"{path} holds records made with {said}" in str(caught.value)
    assert "give another folder as out, or delete that file." in str(caught.value)
    assert "give another folder as --out, or delete that file." in caught.value.told(in_flags)
    assert path.read_bytes() == before


def test_a_record_that_cannot_be_written_leaves_no_half_line(path):
    records = fill(path, 1)
    before = path.read_bytes()

    with pytest.raises(TypeError):
        records.append((1, 1500), 1, {"fine": 1, "model": object()})

    assert path.read_bytes() == before
    assert ((1, 1500), 1) not in records


def test_every_line_can_be_read_by_other_programs(path):
    fill(path, 2)

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    assert lines == [
        {"conditions": CONDITIONS},
        {"cell": [1, 1500], "replicate": 0, "record": {"pi": 0.0}},
        {"cell": [1, 1500], "replicate": 1, "record": {"pi": 1 / 3}},
    ]
