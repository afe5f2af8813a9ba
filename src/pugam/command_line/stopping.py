"""The end of work that was interrupted, and can go on later."""

from __future__ import annotations

from pugam.errors import PugamError

__all__ = ["StoppedError"]


class StoppedError(PugamError):
    """The work was interrupted; the message says what is left of it, and how to go on."""
