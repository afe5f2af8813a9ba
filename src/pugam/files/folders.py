"""Folders of Parquet files: which files are read of them, and which folders are entered for that."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import NamedTuple

from pugam.errors import InputError
from pugam.files.faults import system_errors_named
from pugam.files.formats import format_of

__all__ = ["FolderFound", "look_into"]


class FolderFound(NamedTuple):
    """What is read where a folder is given: Parquet files, in the order of their names, and folders entered."""

    parts: list[Path]
    folders: list[Path]


def look_into(folder: Path) -> FolderFound:
    """Find the Parquet files in a folder and in those below it, also below links; what cannot be seen is refused.

    Files and folders whose names begin with a dot or an underscore are left out: they are other programs' notes.
    """
    found = FolderFound([], [])
    _enter(folder, (), found)
    found.parts.sort(key=lambda path: path.relative_to(folder).as_posix())
    return found


def _enter(folder: Path, above: tuple[Path, ...], found: FolderFound) -> None:
    own = folder.resolve()
    if own in above:
        raise InputError(f"{folder} is a link to a folder that it lies in; remove it.")
    found.folders.append(folder)
    with system_errors_named(folder):
        entries = [path for path in folder.iterdir() if not path.name.startswith((".", "_"))]
    for path in entries:
        mode = _mode_of(path)
        if stat.S_ISDIR(mode):
            _enter(path, (*above, own), found)
        elif (form := format_of(path)) is not None and form.name == "parquet":
            if not stat.S_ISREG(mode):
                raise InputError(f"{path} is not a file; remove it, or name it otherwise.")
            found.parts.append(path)


def _mode_of(path: Path) -> int:
    """What stands in a folder, where links lead."""
    with system_errors_named(path):
        try:
            return path.stat().st_mode
        except FileNotFoundError:
            if not path.is_symlink():
                raise
            to = path.readlink()
    raise InputError(f"{path} is a link to {to}, which is not there; mend it, or remove it.")
