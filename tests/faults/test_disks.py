"""Full disks and folders that may not be written: one line, exit code 2, earlier files as they were, no litter."""

import os
import shutil
import subprocess

import pytest

OLD = b"what was there before"
SMALL_DISK = 64 * 1024  # bytes: less than any of the files below takes
FIT = ("fit", "{inputs}/rows.csv", "--label", "z", "--quiet")
COMMANDS = {
    "fit --out": ((*FIT, "--out", "{place}/out.json"), "out.json"),
    "fit --report": ((*FIT, "--report", "{place}/out.html"), "out.html"),
    "report": (
        ("report", "{inputs}/model.json", "{inputs}/rows.csv", "--label", "z", "--out", "{place}/out.html"),
        "out.html",
    ),
    **{
        f"predict {end}": (
            ("predict", "{inputs}/model.json", "{inputs}/many.csv", "--out", f"{{place}}/out.{end}"),
            f"out.{end}",
        )
        for end in ("csv", "csv.gz", "parquet")
    },
    "simulate": (("simulate", "--n0", "1500", "--n", "3000", "--out", "{place}/out.csv"), "out.csv"),
}
STUDY = ("study", "small", "--out", "{place}/results", "--replicates", "40", "--quiet", "--jobs")

# Writes beyond this many bytes in a file fail as on a full disk, in a process that does not die of it.
FILE_SIZE_LIMIT = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({SMALL_DISK}, {SMALL_DISK}))
"""
# Root may write anywhere, unless it gives up its capabilities.
WITHOUT_CAPABILITIES = """
import ctypes, os
if os.getuid() == 0:
    version_and_process, no_capabilities = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset(version_and_process, no_capabilities) == 0
"""


def in_make_test(*names):
    """All commands, of which those that are not named here are left for the long run."""
    return [name if name in names else pytest.param(name, marks=pytest.mark.long) for name in COMMANDS]


def mounted(folder, *options):
    if os.getuid() != 0 or shutil.which("mount") is None:
        return False
    return subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted(folder, "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "none"):
        pytest.skip("needs the right to mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def read_only_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted(folder, "-t", "tmpfs", "-o", "size=1m", "none"):
        pytest.skip("needs the right to mount a disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def filled(command, inputs, place):
    return [part.format(inputs=inputs, place=place) for part in command]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def require_one_line(code, err, *said):
    assert code == 2, err
    assert err.startswith("pugam: ")
    assert err.count("\n") == 1
    assert any(words in err for words in said), err


NO_SPACE = ("No space left on device", "File too large")


@pytest.mark.parametrize("name", in_make_test("fit --out", "predict parquet"))
@pytest.mark.parametrize("existed", [True, pytest.param(False, marks=pytest.mark.long)], ids=["replacing", "new"])
def test_a_full_disk(name, existed, small_disk, inputs, run):
    command, out = COMMANDS[name]
    if existed:
        (small_disk / out).write_bytes(OLD)

    code, _, err = run(small_disk.parent, *filled(command, inputs, small_disk))

    require_one_line(code, err, *NO_SPACE)
    assert out in err
    assert names(small_disk) == ([out] if existed else [])
    assert not existed or (small_disk / out).read_bytes() == OLD


@pytest.mark.parametrize("name", in_make_test("predict csv"))
def test_a_file_that_may_not_grow(name, tmp_path, inputs, run):
    """The same everywhere, without a disk of its own."""
    command, out = COMMANDS[name]
    (tmp_path / out).write_bytes(OLD)

    code, _, err = run(tmp_path, *filled(command, inputs, tmp_path), before=FILE_SIZE_LIMIT)

    require_one_line(code, err, *NO_SPACE)
    assert names(tmp_path) == [out]
    assert (tmp_path / out).read_bytes() == OLD


@pytest.mark.long
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_study_on_a_full_disk_keeps_what_it_has_and_goes_on(jobs, small_disk, run, run_afresh, small_study):
    command = filled((*STUDY, jobs), "", small_disk)
    run = run if jobs == "1" else run_afresh
    results = small_disk / "results"

    code, _, err = run(small_disk.parent, *command, before=small_study)

    require_one_line(code, err, *NO_SPACE)
    records = (results / "records/small.jsonl").read_bytes()
    assert records.endswith(b"\n")
    assert 20 < records.count(b"\n") < 81
    assert "What was done before is kept" in err
    assert names(results) == ["records"]

    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    code, _, err = run(small_disk.parent, *command, before=small_study)

    assert (code, err) == (0, "")
    assert (results / "records/small.jsonl").read_bytes().startswith(records)
    assert names(results) == ["records", "runs.md", "small.csv", "small.md"]


@pytest.mark.long
def test_a_study_whose_records_may_not_grow_keeps_what_it_has_and_goes_on(tmp_path, run, small_study):
    command = filled((*STUDY, "1"), "", tmp_path)

    code, _, err = run(tmp_path, *command, before=small_study + FILE_SIZE_LIMIT)

    require_one_line(code, err, *NO_SPACE)
    records = (tmp_path / "results/records/small.jsonl").read_bytes()
    assert records.endswith(b"\n")
    code, _, err = run(tmp_path, *command, before=small_study)
    assert (code, err) == (0, "")
    assert (tmp_path / "results/records/small.jsonl").read_bytes().startswith(records)


@pytest.mark.parametrize("name", [*in_make_test("predict csv"), "study"])
def test_a_read_only_disk(name, read_only_disk, inputs, run, small_study):
    command, out = COMMANDS.get(name, ((*STUDY, "1"), "results"))
    if name != "study":
        (read_only_disk / out).write_bytes(OLD)
    subprocess.run(["mount", "-o", "remount,ro", str(read_only_disk)], check=True)

    code, _, err = run(read_only_disk.parent, *filled(command, inputs, read_only_disk), before=small_study)

    require_one_line(code, err, "may not be written", "Read-only file system")
    assert out in err
    assert names(read_only_disk) == ([] if name == "study" else [out])
    assert name == "study" or (read_only_disk / out).read_bytes() == OLD


@pytest.mark.parametrize("name", [*in_make_test("predict csv"), "study"])
@pytest.mark.parametrize("existed", [True, pytest.param(False, marks=pytest.mark.long)], ids=["replacing", "new"])
def test_a_folder_without_permission(name, existed, tmp_path, inputs, run, small_study):
    command, out = COMMANDS.get(name, ((*STUDY, "1"), "results"))
    place = tmp_path / "closed"
    place.mkdir()
    if existed and name != "study":
        (place / out).write_bytes(OLD)
        (place / out).chmod(0o666)
    place.chmod(0o555)

    code, _, err = run(tmp_path, *filled(command, inputs, place), before=small_study + WITHOUT_CAPABILITIES)

    place.chmod(0o755)
    require_one_line(code, err, "may not be written", "Permission denied")
    assert names(place) == ([out] if existed and name != "study" else [])
    assert not names(place) or (place / out).read_bytes() == OLD


@pytest.mark.long
def test_output_to_a_full_device_ends_in_one_line(inputs, start_afresh):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w") as full:
        started = start_afresh("fit", inputs / "rows.csv", "--label", "z", stdout=full)
        _, err = started.communicate(timeout=60)

    assert started.returncode == 2
    assert err == "pugam: The output cannot be written: No space left on device.\n"
