"""Temporary files: claimed by the process that writes them, and removed by the next one where that was killed."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be moved: there are no claims, and nothing is removed
    fcntl = None  # type: ignore[assignment]

__all__ = ["claimed_beside", "remove_abandoned"]

YOUNG = 60.0  # seconds in which a file may not have been claimed yet


@contextmanager
def claimed_beside(target: Path) -> Iterator[Path]:
    """Make an empty file next to another, with the same end of its name, and hold a lock on it.

    Whatever goes wrong, it is removed, also where Ctrl-C comes just after it was made.
    """
    temporary = target.with_name(f".{secrets.token_hex(4)}.{target.name}")
    descriptor = None
    try:
        # Not the tempfile module: its files are readable by their owner alone.
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        if fcntl is None:
            os.close(descriptor)
            descriptor = None
        else:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield temporary
    except BaseException as error:
        if descriptor is not None or not isinstance(error, FileExistsError):  # else it is another's
            temporary.unlink(missing_ok=True)
        raise
    finally:
        if descriptor is not None:
            os.close(descriptor)


def remove_abandoned(target: Path) -> None:
    """Remove what runs that were killed left of this file: a kill leaves nobody to clean up."""
    name = re.compile(rf"\.[0-9a-f]{{8}}\.{re.escape(target.name)}")
    left: list[Path] = []
    with suppress(OSError):  # a folder that may be written to but not listed
        left += [path for path in target.parent.iterdir() if name.fullmatch(path.name)]
    for path in left:
        with suppress(OSError):
            if fcntl is not None and time.time() - path.stat().st_mtime > YOUNG:
                with path.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while anybody writes to it
                    path.unlink()
