"""Files that stay what they are while they are read: rows of two passes over others would be taken for the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pugam.errors import InputError

__all__ = ["Stamps", "stamp_of"]

Stamp = tuple[int, int, int]


def stamp_of(path: Path) -> Stamp | None:
    """Size, time and number of a file, which change when it does; None where there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns, state.st_ino


@dataclass(frozen=True)
class Stamps:
    """What files were when they were opened."""

    seen: dict[Path, Stamp | None]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> Stamps:
        """Take them before anything is read."""
        return cls({path: stamp_of(path) for path in paths})

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Refuse what was read within if a file has changed since it was opened, whatever else is wrong with it."""
        try:
            yield
        except Exception:
            self._require(may_be_gone=True)  # which is what the error says
            raise
        self._require()

    def _require(self, may_be_gone: bool = False) -> None:
        for path, seen in self.seen.items():
            now = stamp_of(path)
            if now != seen and not (now is None and may_be_gone):
                raise InputError(f"{path} has changed since it was opened; try again when nothing writes to it.")
