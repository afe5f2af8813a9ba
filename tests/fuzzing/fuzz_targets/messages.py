"""What a message to a user must be: a sentence on one line that does nothing to a terminal; formulas stand below."""

from __future__ import annotations

import unicodedata

__all__ = ["require_sentence"]


def require_sentence(text: str, about: str = "") -> None:
    """Refuse a message that is empty, has several lines or control characters, or does not begin with its subject."""
    assert text.strip(), "an empty message"
    assert text.startswith(about), f"the message does not begin with {about}: {text!r}"
    sentence, *drawing = text.split("\n")
    assert not drawing or (len(drawing) == 2 and drawing[1].strip() == "^"), f"a message of several lines: {text!r}"
    lines = [sentence, *drawing]
    assert all(len(line.splitlines()) == 1 for line in lines), f"a message of several lines: {text!r}"
    unfit = [sign for line in lines for sign in line if unicodedata.category(sign) in ("Cc", "Cs")]
    assert not unfit, f"{unfit[0]!r} in the message {text!r}"
