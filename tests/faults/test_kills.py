"""A process killed at any moment leaves no half-written file under a final name, and the next run succeeds."""

import json
import os
import signal
import time

import pytest

from pugam import load
from pugam.files import open_file, replacing

OLD = b"what was there before"
SLOW_DISK = """
import os, time
at_once = os.fsync
os.fsync = lambda file: (time.sleep(0.1), at_once(file))
"""

FIT_COMMAND = ("fit", "rows.csv", "--label", "z", "--out", "out.json", "--report", "out.html", "--quiet")
BOOTSTRAP_COMMAND = (*FIT_COMMAND[:6], "--ci", "bootstrap", "--resamples", "200", "--quiet")
PREDICT = {end: ("predict", "model.json", "many.csv", "--out", f"out.{end}") for end in ("csv", "csv.gz", "parquet")}
COMMANDS = {"fit": FIT_COMMAND, "bootstrap": BOOTSTRAP_COMMAND, **PREDICT}


@pytest.fixture
def folder(tmp_path, inputs):
    for path in inputs.iterdir():
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def outputs(command):
    return [name for name in command if name.startswith("out.")]


def require_whole(path):
    if path.suffix == ".json":
        assert load(path).n0_ == 1250
    elif path.suffix == ".html":
        assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    else:
        assert open_file(path).read().num_rows == 20_000


def require_old_or_whole(path, existed):
    """Either the earlier file byte for byte (or none), or a complete one."""
    if not path.exists():
        assert not existed
    elif not existed or path.read_bytes() != OLD:
        require_whole(path)


def left_over(folder):
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def kill_and_look(started, folder, names, existed):
    started.send(signal.SIGKILL)
    code = started.wait()
    for name in names:
        require_old_or_whole(folder / name, existed)
    return code


@pytest.mark.parametrize(
    ("name", "n_moments"),
    [*(pytest.param(name, 20, marks=pytest.mark.long) for name in COMMANDS)],
)
def test_a_kill_at_any_moment_leaves_the_earlier_file_or_a_whole_one(name, n_moments, folder, start, run):
    command = COMMANDS[name]
    names = outputs(command)
    began = time.monotonic()
    assert run(folder, *command)[0] == 0
    took = time.monotonic() - began
    for name in names:
        require_whole(folder / name)
    codes = []
    for number in range(n_moments):
        existed = number % 2 == 0
        for name in names:
            (folder / name).unlink(missing_ok=True)
            if existed:
                (folder / name).write_bytes(OLD)
        started = start(folder, *command)
        started.wait(took * (number + 0.5) / n_moments)
        codes.append(kill_and_look(started, folder, names, existed))

    assert -signal.SIGKILL in codes
    assert run(folder, *command)[0] == 0
    for name in names:
        require_whole(folder / name)


@pytest.mark.parametrize(
    ("name", "n_kills"),
    [("fit", 1), *(pytest.param(name, 10, marks=pytest.mark.long) for name in ("fit", *PREDICT))],
)
def test_a_kill_while_the_file_is_written_leaves_the_earlier_one(name, n_kills, folder, start, run, waiting):
    command = COMMANDS[name]
    names = outputs(command)
    n_caught = 0
    for number in range(n_kills):
        for path in left_over(folder):
            path.unlink()
        for name in names:
            (folder / name).write_bytes(OLD)
        started = start(folder, *command, before=SLOW_DISK)
        assert waiting(lambda: left_over(folder), started)
        time.sleep(0.003 * number)
        kill_and_look(started, folder, names, existed=True)
        n_caught += bool(left_over(folder))

    assert n_caught > 0
    assert run(folder, *command)[0] == 0
    for name in names:
        require_whole(folder / name)


def test_what_killed_runs_left_is_removed_by_a_later_one(folder, start, run, waiting):
    """Not at once: a file that is a minute old, and that nobody holds, belongs to nobody."""
    command = PREDICT["csv.gz"]
    for _ in range(2):
        started = start(folder, *command)
        assert waiting(lambda: left_over(folder), started)
        started.send(signal.SIGKILL)
        started.wait()
    assert left_over(folder)
    an_hour_ago = time.time() - 3600
    for path in left_over(folder):
        os.utime(path, (an_hour_ago, an_hour_ago))

    assert run(folder, *command)[0] == 0

    assert left_over(folder) == []


def test_what_another_process_is_writing_is_not_removed(tmp_path):
    target = tmp_path / "a.csv"
    with replacing(target) as one:
        one.write_text("one")
        os.utime(one, (0, 0))
        with replacing(target) as other:
            other.write_text("other")
        assert one.exists()
    assert target.read_text() == "one"
    assert left_over(tmp_path) == []


def test_files_that_only_look_alike_are_left_alone(tmp_path):
    others = [tmp_path / name for name in (".0123abcd.b.csv", ".0123abc.a.csv", "0123abcd.a.csv", ".0123abcd.a.csv.gz")]
    for path in others:
        path.touch()
        os.utime(path, (0, 0))

    with replacing(tmp_path / "a.csv") as temporary:
        temporary.write_text("x")

    assert all(path.exists() for path in others)


# A bootstrap with a store

STORE = (
    "fit",
    "rows.csv",
    "--label",
    "z",
    "--ci",
    "bootstrap",
    "--resamples",
    "200",
    "--store",
    "refits.jsonl",
    "--quiet",
)
SLOW_REFITS = """
import time
from pugam.inference import bootstrap
at_once = bootstrap._refit
bootstrap._refit = lambda *given: (time.sleep(0.3), at_once(*given))[1]
"""


@pytest.mark.long
def test_a_bootstrap_killed_in_the_middle_goes_on_to_the_same_interval(folder, start, run, waiting):
    store = folder / "refits.jsonl"
    undisturbed = run(folder, *STORE)
    whole = store.read_bytes()
    store.unlink()
    started = start(folder, *STORE, before=SLOW_REFITS)
    assert waiting(lambda: store.exists() and store.read_bytes().count(b"\n") > 1, started)
    started.send(signal.SIGKILL)
    assert started.wait() == -signal.SIGKILL
    kept = store.read_bytes()

    assert run(folder, *STORE) == undisturbed

    assert undisturbed[0] == 0
    assert 1 < kept.count(b"\n") < whole.count(b"\n")
    assert store.read_bytes().startswith(kept)
    assert sorted(store.read_bytes().splitlines()) == sorted(whole.splitlines())


# Studies


def study(jobs, replicates=20):
    return ("study", "small", "--out", "results", "--replicates", replicates, "--jobs", jobs, "--quiet")


TABLES = ("small.md", "small.csv")


def records_without_times(folder):
    lines = [json.loads(line) for line in (folder / "results/records/small.jsonl").read_text().splitlines()]
    for line in lines[1:]:
        line["record"].pop("seconds")
    return sorted(map(json.dumps, lines))


@pytest.fixture
def undisturbed(tmp_path_factory, run, small_study):
    """What the study gives that is left alone."""
    folder = tmp_path_factory.mktemp("undisturbed")
    code, _, err = run(folder, *study(1), before=small_study)
    assert (code, err) == (0, "")
    return folder


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("n_kills", [4, 20], ids=["few kills", "many kills"])
def test_a_study_killed_again_and_again_ends_in_the_same_results(
    jobs, n_kills, tmp_path, start, run, undisturbed, small_study
):
    records = tmp_path / "results/records/small.jsonl"
    codes = []
    for number in range(n_kills):
        started = start(tmp_path, *study(jobs), before=small_study)
        started.wait((0.15 + 0.1 * (number % 5)) * (1 if jobs == 1 else 5))
        started.send(signal.SIGKILL)
        codes.append(started.wait())
        if number % 2 and records.exists():  # as if the kill had come in the middle of a line
            records.write_bytes(records.read_bytes()[: -7 * number])
        for name in TABLES:
            table = tmp_path / "results" / name
            assert not table.exists() or table.read_bytes() == (undisturbed / "results" / name).read_bytes()

    for path in left_over(tmp_path / "results"):
        os.utime(path, (0, 0))  # as if a minute had passed since the kill
    code, _, err = run(tmp_path, *study(jobs), before=small_study)

    assert -signal.SIGKILL in codes
    assert (code, err) == (0, "")
    for name in TABLES:
        assert (tmp_path / "results" / name).read_bytes() == (undisturbed / "results" / name).read_bytes()
    assert records_without_times(tmp_path) == records_without_times(undisturbed)
    assert left_over(tmp_path / "results") == left_over(tmp_path / "results/records") == []


@pytest.mark.long
def test_no_worker_outlives_a_killed_study(tmp_path, start, waiting, small_study):
    started = start(tmp_path, *study(2, replicates=2000), before=small_study)
    records = tmp_path / "results/records/small.jsonl"
    assert waiting(lambda: records.exists() and records.read_bytes().count(b"\n") > 3, started)
    started.send(signal.SIGKILL)
    started.wait()

    until = time.monotonic() + 30
    while started.relatives() and time.monotonic() < until:
        time.sleep(0.1)

    assert started.relatives() == []


@pytest.mark.parametrize(
    "torn", ['{"began": "2026-0', pytest.param("\n\n{", marks=pytest.mark.long)], ids=["a cut line", "and empty ones"]
)
def test_a_log_of_runs_that_was_cut_off_goes_on(tmp_path, run, small_study, torn):
    (tmp_path / "results/records").mkdir(parents=True)
    log = tmp_path / "results/records/small.runs.jsonl"
    log.write_text(torn)

    code, _, err = run(tmp_path, *study(1, replicates=2), before=small_study)

    if torn.startswith("\n"):
        assert code == 2
        assert "small.runs.jsonl, line 1, is damaged; delete that line" in err
        assert err.count("\n") == 1
    else:
        assert (code, err) == (0, "")
        assert json.loads(log.read_text())["replicates"] == 4
