"""Arguments of methods, read: flags, and names of columns or terms."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from pugam.errors import InputError
from pugam.messages import Argument

__all__ = ["read_flag", "read_names"]


def read_flag(name: str, value: Any) -> bool:
    """Read true or false; other values that Python would take for one of them, such as "no", mean neither."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} is True or False; got {reprlib.repr(value)}.")
    return bool(value)


def read_names(name: str, value: Any) -> list[str]:
    """Read one name, or several: each is text, also that of a column that is numbered."""
    try:
        listed = [value] if isinstance(value, str) else list(value)
    except TypeError:
        listed = [value]
    if not all(isinstance(one, str) for one in listed):
        told = f" takes names, each a text, such as '0' for a column numbered 0; got {reprlib.repr(value)}."
        raise InputError(Argument(name), told)
    return listed
