"""Files of lines, one JSON value each, that survive a run which was killed while it wrote, or met a full disk."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pugam.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["append_line", "drop_torn_line", "read_lines", "working_alone"]

TAIL_BYTES = 1 << 16


def read_lines(path: Path) -> list[Any]:
    """Read the whole lines of a file; there are none where there is no file."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return [_value(path, number, line) for number, line in enumerate(text.split("\n")[:-1], start=1)]


def drop_torn_line(path: Path) -> None:
    """Cut off a last line that was not written to its end."""
    if path.exists() and path.stat().st_size > (end := _end_of_lines(path)):
        os.truncate(path, end)


def append_line(path: Path, value: Any) -> None:
    """Add a line, in place of one that was cut off; where it does not fit, the file stays as it was."""
    drop_torn_line(path)
    try:
        with path.open("ab") as file:
            file.write(json.dumps(value).encode() + b"\n")
    except OSError as error:
        drop_torn_line(path)
        raise InputError(
            f"{path} cannot be written: {error.strerror}. What was done before is kept; the same command goes on from "
            "there."
        ) from None


@contextmanager
def working_alone(path: Path) -> Iterator[None]:
    """Refuse to add to a file to which another process is adding; that one's claim ends when it does, in any way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"Another process is at work on {path}; wait until it is done, or choose another place."
            ) from None
        except OSError:
            pass  # a file system without locks
        yield


def _end_of_lines(path: Path) -> int:
    """Where the last whole line ends, in bytes."""
    with path.open("rb") as file:
        stop = file.seek(0, os.SEEK_END)
        while stop:
            start = max(0, stop - TAIL_BYTES)
            file.seek(start)
            found = file.read(stop - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            stop = start
    return 0


def _value(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise InputError(f"{path}, line {number}, is damaged; delete that line, and it will be made again.") from None
