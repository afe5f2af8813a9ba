"""Files out: a file appears under its name when it is complete, or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pugam.errors import InputError
from pugam.files.claims import claimed_beside, remove_abandoned

__all__ = ["replacing"]

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a file under a temporary name in the same folder, and move it into place at the end.

    Whatever goes wrong in between, Ctrl-C included, the temporary file is removed, and a file that had the name
    before is left as it was; what a killed process left is removed by the next that writes there. A new file gets the
    usual permissions, a replaced one keeps its own.

    Parameters
    ----------
    path : path-like
        Where the file shall be. A symbolic link stays one: the file it points to is replaced.

    Yields
    ------
    Path
        The file to write to: empty, and named so that the end of its name is that of `path`.

    Raises
    ------
    InputError
        The folder does not exist, `path` is a folder, or it may not be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pugam.files import replacing
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "note.txt")) as temporary:
    ...         _ = temporary.write_text("done")
    ...     Path(folder, "note.txt").read_text()
    'done'
    """
    shown = Path(path)
    with _refusal_named(shown):
        target = Path(os.path.realpath(shown))
        _require_place(shown, target)
    remove_abandoned(target)
    with ExitStack() as stack:
        with _refusal_named(shown):
            temporary = stack.enter_context(claimed_beside(target))
        try:
            yield temporary
            with _refusal_named(shown):
                _move(temporary, target)
        except OSError as error:
            if error.errno not in NO_SPACE:
                raise
            raise InputError(f"{shown} cannot be written: {os.strerror(error.errno)}.") from None


def _require_place(shown: Path, target: Path) -> None:
    if target.is_dir():
        raise InputError(f"{shown} is a folder; give the name of a file to write.")
    if not target.parent.is_dir():
        raise InputError(f"{shown} cannot be written: there is no folder {shown.parent}; make it first.")
    if target.exists() and not target.is_file():
        raise InputError(f"{shown} is not an ordinary file; give the name of a file to write.")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"{shown} may not be written: no permission to change this file.")


def _move(temporary: Path, target: Path) -> None:
    if target.exists():
        os.chmod(temporary, target.stat().st_mode & 0o7777)
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(temporary, target)


@contextmanager
def _refusal_named(shown: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError:
        raise InputError(f"{shown} may not be written: no permission in the folder {shown.parent}.") from None
    except OSError as error:
        raise InputError(f"{shown} cannot be written: {error.strerror or error}.") from None
