"""The order of levels that come without one: that of the calendar, or of the alphabet with numbers by their size."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["in_order"]

CALENDARS = (
    "january february march april may june july august september october november december",
    "monday tuesday wednesday thursday friday saturday sunday",
)
FEWEST_LETTERS = 3  # of an abbreviation
NUMBERS = re.compile(r"(\d{1,15})")


def in_order(levels: Sequence[object]) -> tuple[object, ...]:
    """Sort levels: names of months or of days of the week by the calendar, other text with its numbers by their size.

    Levels of different types, such as text and numbers, have no order of their own: types go one after another.

    Examples
    --------
    >>> in_order(["Apr", "Jan", "Sept."]), in_order(["sun", "fri"])
    (('Jan', 'Apr', 'Sept.'), ('fri', 'sun'))
    >>> in_order(["10-14", "5-9", "under 5"]), in_order(["b", 2, "a", 10])
    (('5-9', '10-14', 'under 5'), (2, 10, 'a', 'b'))
    """
    for names in map(str.split, CALENDARS):
        places = {level: _place(level, names) for level in levels}
        if None not in places.values():
            return tuple(sorted(levels, key=lambda level: (places[level], level)))
    return tuple(sorted(levels, key=_key))


def _place(level: object, names: Sequence[str]) -> int | None:
    """The place of the name that a level is, or abbreviates."""
    if not isinstance(level, str):
        return None
    short = level.lower().removesuffix(".")
    matching = (place for place, name in enumerate(names) if len(short) >= FEWEST_LETTERS and name.startswith(short))
    return next(matching, None)


def _key(level: object) -> tuple[object, ...]:
    if not isinstance(level, str):
        return type(level).__name__, level
    # Text and numbers take turns, text first, so that like is compared with like.
    parts = [int(part) if place % 2 else part for place, part in enumerate(NUMBERS.split(level))]
    return type(level).__name__, parts, level
