"""Why a file cannot be read, said in one sentence that names the file."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pugam.errors import InputError

__all__ = ["first_line", "require_content", "system_errors_named"]


@contextmanager
def system_errors_named(path: Path) -> Iterator[None]:
    """Turn the system's and gzip's complaints about a file into an InputError that names it."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path} is not found; check the name and the folder.") from None
    except PermissionError:
        raise InputError(f"{path} may not be read: no permission.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(_complaint(path, error)) from None


def require_content(path: Path) -> None:
    """Refuse a file that is not there, may not be read, is a pipe, or is empty."""
    with system_errors_named(path):
        state = path.stat()
        if stat.S_ISFIFO(state.st_mode) or stat.S_ISCHR(state.st_mode) or stat.S_ISSOCK(state.st_mode):
            raise InputError(f"{path} is a pipe, which can be read only once; write its rows to a file, and give that.")
        if not state.st_size and stat.S_ISREG(state.st_mode):
            raise InputError(f"{path} is empty; it needs a header and rows.")
        path.open("rb").close()


def first_line(error: BaseException) -> str:
    """Give the first line of an error's message, without its full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _complaint(path: Path, error: Exception) -> str:
    if isinstance(error, EOFError) or "Truncated compressed stream" in str(error):
        return f"{path} is cut off: its gzip stream ends too early; copy or download the file again."
    if isinstance(error, gzip.BadGzipFile | zlib.error) or "zlib" in str(error):
        why = first_line(error)
        return f"{path} is not a valid gzip file ({why}); copy it again, or drop .gz from the name of a plain file."
    return f"{path} cannot be read: {getattr(error, 'strerror', None) or first_line(error)}."
