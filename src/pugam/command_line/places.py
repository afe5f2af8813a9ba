"""Where verbs may write: never over a file that they read, nor twice to the same one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pugam.errors import InputError
from pugam.files import format_of, known_as, look_into

__all__ = ["require_apart"]


def require_apart(written: Mapping[str, Path | None], read: Iterable[Path | None]) -> None:
    """Refuse outputs, by their flags, that are a file to be read, or one another, whatever links lead there.

    Of a folder each Parquet file is read, and one that is new there, or in a folder below, would be read the next time.
    """
    taken: dict[object, str] = {}
    inputs = [path for path in read if path is not None]
    found = [look_into(path) for path in inputs if path.is_dir()]
    files = {same for path in (*inputs, *(part for one in found for part in one.parts)) for same in known_as(path)}
    folders = {same: folder for one in found for folder in one.folders for same in known_as(folder)}
    for flag, path in written.items():
        if path is None:
            continue
        if not files.isdisjoint(known_as(path)):
            raise InputError(f"{flag} {path} is the file to be read; give another name.")
        folder = _joined(path, folders)
        if folder is not None:
            raise InputError(f"{flag} {path} is in {folder}, a folder to be read; write it elsewhere.")
        for same in known_as(path):
            if taken.setdefault(same, flag) != flag:
                raise InputError(f"{taken[same]} and {flag} are the same file, {path}; give two names.")


def _joined(path: Path, folders: Mapping[object, Path]) -> Path | None:
    """The folder to be read whose table a new Parquet file would join, wherever below it."""
    form = format_of(path)
    if form is None or form.name != "parquet":
        return None
    above = Path(os.path.realpath(path)).parents
    return next((folders[same] for parent in above for same in known_as(parent) if same in folders), None)
