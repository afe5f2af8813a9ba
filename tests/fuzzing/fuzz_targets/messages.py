"""What a message to a user must be: one sentence on one line that does nothing to a terminal."""

from __future__ import annotations

import unicodedata

__all__ = ["require_sentence"]


def require_sentence(text: str, about: str = "") -> None:
    """Refuse a message that is empty, has several lines or control characters, or does not begin with its subject."""
    assert text.strip(), "an empty message"
    assert text.startswith(about), f"the message does not begin with {about}: {text!r}"
    assert len(text.splitlines()) == 1, f"a message of several lines: {text!r}"
    unfit = [sign for sign in text if unicodedata.category(sign) in ("Cc", "Cs")]
    assert not unfit, f"{unfit[0]!r} in the message {text!r}"
