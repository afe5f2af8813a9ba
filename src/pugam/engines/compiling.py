"""Loops compiled by numba, and kept for the next process wherever that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import FunctionCache

__all__ = ["compiled"]

# Sums may be taken in any order and multiplications fused with additions; infinities and NaN keep their meaning.
FAST = {"contract", "nsz", "reassoc"}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called; where compiled code cannot be kept, every process compiles anew."""
    dispatcher: Any = numba.njit(nogil=True, fastmath=FAST, boundscheck=False)(function)
    try:
        dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
    except (RuntimeError, OSError):  # an installation that may not be written to, and no home
        return dispatcher
    return dispatcher


class _Cache(FunctionCache):
    """Compiled code in files: without them where the disk is full, or somebody else has written there."""

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return super().load_overload(*arguments)  # type: ignore[no-untyped-call]
        except Exception:
            return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            super().save_overload(*arguments)  # type: ignore[no-untyped-call]
        except Exception:
            self.disable()  # type: ignore[no-untyped-call]
