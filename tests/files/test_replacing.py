"""Files out: complete or not at all."""

import errno
import os
import stat

import pytest

from pugam.errors import InputError
from pugam.files import replacing


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_complete(tmp_path):
    target = tmp_path / "a.csv"
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        assert not target.exists()
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("existed", [True, False])
def test_an_interruption_leaves_everything_as_it_was(tmp_path, error, existed):
    target = tmp_path / "a.csv"
    if existed:
        target.write_text("old")

    def fail():
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == (["a.csv"] if existed else [])
    assert not existed or target.read_text() == "old"


def test_a_new_file_gets_the_usual_permissions_and_a_replaced_one_keeps_its_own(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch()
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        for target in (new, old):
            with replacing(target) as temporary:
                temporary.write_text("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    old.chmod(0o604)
    with replacing(old) as temporary:
        temporary.write_text("y")
    assert stat.S_IMODE(old.stat().st_mode) == 0o604


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "real")
    with replacing(tmp_path / "link") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "real").read_text() == "x"


def test_a_name_alone_is_a_file_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with replacing("a.txt") as temporary:
        temporary.write_text("x")
    assert names(tmp_path) == ["a.txt"]


def refusal(target):
    with pytest.raises(InputError) as caught, replacing(target) as temporary:
        temporary.write_text("x")
    return str(caught.value).replace(str(target), target.name).replace(str(target.parent), "FOLDER")


def test_places_that_cannot_be_written_to(tmp_path, monkeypatch):
    assert refusal(tmp_path) == f"{tmp_path.name} is a folder; give the name of a file to write."
    assert refusal(tmp_path / "no" / "a") == "a cannot be written: there is no folder FOLDER; make it first."
    (tmp_path / "old").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert refusal(tmp_path / "old") == "old may not be written: no permission to change this file."
    assert (tmp_path / "old").read_text() == "old"


def test_a_folder_without_permission(tmp_path, monkeypatch):
    def refuse(*args):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        assert refusal(tmp_path / "a") == "a may not be written: no permission in the folder FOLDER."
    monkeypatch.setattr(os, "replace", refuse)
    assert refusal(tmp_path / "a") == "a may not be written: no permission in the folder FOLDER."
    assert names(tmp_path) == []


def test_a_full_disk_is_said_plainly(tmp_path):
    full = pytest.raises(InputError, match=r"a\.csv cannot be written: No space left on device\.")
    with full, replacing(tmp_path / "a.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert names(tmp_path) == []


def test_a_name_that_the_system_refuses_is_told(tmp_path):
    with pytest.raises(InputError, match="x cannot be written: File name too long"), replacing(tmp_path / ("x" * 300)):
        pass
