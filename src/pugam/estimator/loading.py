"""Loads a saved model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from pugam.errors import InputError
from pugam.estimator.pugam import PUGAM
from pugam.storage import MOST_BYTES, from_json

__all__ = ["load"]

CHUNK_BYTES = 1 << 20


def load(path: str | os.PathLike[str]) -> PUGAM:
    """Load a model that `PUGAM.save` wrote; nothing in the file is executed, and everything is checked.

    Raises
    ------
    InputError
        There is no such file, it is no saved model, or a newer pugam wrote it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pugam
    >>> from pugam.datasets import simulate
    >>> data = simulate(1, n0=800, n=1000, random_state=0)
    >>> model = pugam.PUGAM("x1 + x2").fit(data.X, data.z)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(Path(folder, "model.json"))
    ...     again = pugam.load(Path(folder, "model.json"))
    >>> again.pi_ == model.pi_
    True
    """
    file = Path(path)
    try:
        with file.open("rb") as opened:
            content = _read(opened, MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{file} is not found; check the name and the folder.") from None
    except IsADirectoryError:
        raise InputError(f"{file} is a folder; give the file of a saved model.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    return PUGAM._restore(from_json(content, str(file)), str(file))


def _read(file: IO[bytes], most: int) -> bytes:
    """Read piece by piece: asked for all at once, Python makes room for `most` bytes, however few there are."""
    chunks = []
    while most > 0 and (chunk := file.read(min(most, CHUNK_BYTES))):
        chunks.append(chunk)
        most -= len(chunk)
    return b"".join(chunks)
