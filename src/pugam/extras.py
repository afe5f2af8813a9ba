"""Libraries that only some uses need, imported where they are needed: the extras of an installation."""

from __future__ import annotations

import importlib
from typing import Any

from pugam.errors import InputError
from pugam.messages import Piece

__all__ = ["MATPLOTLIB", "is_there", "load_extra", "remedy"]

MATPLOTLIB = "plot"
# By extra: the library as it is imported, as it is called, and what pip installs.
LIBRARIES = {
    MATPLOTLIB: ("matplotlib", "matplotlib", "matplotlib"),
    "fast": ("numba", "numba", "numba"),
    "dask": ("distributed", "Dask", "'dask[dataframe]' distributed"),
    "gpu": ("torch", "PyTorch", "torch"),
}


def load_extra(extra: str, *use: str | Piece) -> Any:
    """Import the library of an extra, or say what needs it and how to get it.

    Raises
    ------
    InputError
        It is not installed, or does not work with the libraries around it.
    """
    module, name, _ = LIBRARIES[extra]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(*use, f" {name}{_fault(error, module)}; {remedy(extra)}.") from None


def is_there(extra: str) -> bool:
    """Whether the library of an extra can be imported."""
    try:
        load_extra(extra)
    except InputError:
        return False
    return True


def remedy(extra: str) -> str:
    """Say how to get the library of an extra, wherever the package came from."""
    return f"install it with pip install {LIBRARIES[extra][-1]}"


def _fault(error: ImportError, module: str) -> str:
    """What else is wrong than that the library is not there."""
    return "" if getattr(error, "name", None) == module else f", which cannot be imported ({error})"
