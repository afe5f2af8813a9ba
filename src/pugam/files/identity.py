"""Which file a name stands for, whatever links lead there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pugam.errors import InputError

__all__ = ["known_as", "require_once"]


def known_as(path: Path) -> set[object]:
    """What a file or a folder is known by: its name without links and, if it is there, what hard links share."""
    names: set[object] = {os.path.normcase(os.path.realpath(path))}
    try:
        found = path.stat()
    except OSError:
        return names
    return names | {(found.st_dev, found.st_ino)} if found.st_ino else names


def require_once(named: Iterable[tuple[str, Path]], remedy: str) -> None:
    """Refuse a file that is read twice, by the words that name it: its rows would count twice."""
    first: dict[object, tuple[int, str]] = {}
    for number, (name, path) in enumerate(named):
        for same in known_as(path):
            place, other = first.setdefault(same, (number, name))
            if place != number:
                raise InputError(f"{name} and {other} are the same file, whose rows would count twice; {remedy}.")
