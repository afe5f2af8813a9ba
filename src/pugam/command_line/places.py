"""Where verbs may write: never over a file that they read, nor twice to the same one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pugam.errors import InputError
from pugam.files import format_of

__all__ = ["require_apart"]


def require_apart(written: Mapping[str, Path | None], read: Iterable[Path | None]) -> None:
    """Refuse outputs, by their flags, that are a file to be read, or one another, whatever links lead there.

    Of a folder of Parquet files each is read, and one that is new there would be read the next time.
    """
    taken: dict[object, str] = {}
    inputs = [path for path in read if path is not None]
    of_inputs = {same for path in inputs for file in _files(path) for same in _known_as(file)}
    for flag, path in written.items():
        if path is None:
            continue
        if not of_inputs.isdisjoint(_known_as(path)):
            raise InputError(f"{flag} {path} is the file to be read; give another name.")
        folder = next((folder for folder in inputs if _would_join(path, folder)), None)
        if folder is not None:
            raise InputError(f"{flag} {path} is in {folder}, a folder to be read; write it elsewhere.")
        for same in _known_as(path):
            if taken.setdefault(same, flag) != flag:
                raise InputError(f"{taken[same]} and {flag} are the same file, {path}; give two names.")


def _files(path: Path) -> Iterator[Path]:
    """The file itself, or all that are in a folder."""
    yield path
    if path.is_dir():
        yield from (file for file in path.rglob("*") if file.is_file())


def _known_as(path: Path) -> set[object]:
    """What a file is known by: its name without links and, if it is there, what hard links share."""
    names: set[object] = {os.path.normcase(os.path.realpath(path))}
    try:
        found = path.stat()
    except OSError:
        return names
    return names | {(found.st_dev, found.st_ino)} if found.st_ino else names


def _would_join(path: Path, folder: Path) -> bool:
    form = format_of(path)
    is_part = form is not None and form.name == "parquet"
    return is_part and folder.is_dir() and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
