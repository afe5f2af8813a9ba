"""pyarrow, imported when the first file is opened, so that the package can be imported without it."""

from __future__ import annotations

import importlib
from typing import Any

from pugam.errors import InputError

__all__ = ["arrow"]


def arrow(part: str | None = None) -> Any:
    """Import pyarrow, or a part of it such as "compute".

    Raises
    ------
    InputError
        pyarrow is not installed.
    """
    try:
        return importlib.import_module(f"pyarrow.{part}" if part else "pyarrow")
    except ImportError:
        raise InputError("CSV and Parquet files are read and written by pyarrow: pip install pyarrow.") from None
