"""What the text of a CSV cell means: a number, a boolean, text, or nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pugam.files.arrow import arrow
from pugam.files.formats import Kind

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "BOOLEAN_WORDS",
    "MISSING_WORDS",
    "convert",
    "first_misfit",
    "fits",
    "is_decimal_comma",
    "is_grouped",
    "looks_decimal_comma",
    "looks_grouped",
    "present",
    "with_points",
]

# In lower case. They mean a missing value among numbers and booleans only: in text, "NA" may be Namibia.
MISSING_WORDS = ("", ".", "?", "-", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none")
BOOLEAN_WORDS = ("true", "false")
NUMBER_PATTERN = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"
DECIMAL_COMMA_PATTERN = r"^[+-]?\d+,\d+$"
# Digits in groups of three, with decimals perhaps; a single comma may also stand before three decimals.
SPACES = " \u00a0\u2009\u202f'\u2019"
GROUPED_PATTERN = (
    rf"^[+-]?[1-9]\d{{0,2}}((,\d{{3}})+(\.\d*)?|(\.\d{{3}})+,\d*|(\.\d{{3}}){{2,}}|([{SPACES}]\d{{3}})+([.,]\d*)?)$"
)
NUMBER_WITH_POINT = r"^[+-]?\d*\.\d*$"


def convert(text: pa.Array, kind: Kind) -> pa.Array | None:
    """Turn cells into float64, booleans or text with null for missing; None where a cell does not fit."""
    if kind == "number":
        return _numbers(text)
    return _booleans(text) if kind == "boolean" else _text(text)


def first_misfit(text: pa.Array, kind: Kind) -> int | None:
    """Find the first cell that is neither missing nor of this kind."""
    position = arrow("compute").index(fits(present(text), kind), False).as_py()
    return None if position < 0 else int(position)


def present(text: pa.Array) -> pa.Array:
    """Strip spaces from the cells, and put null for those that mean a missing value."""
    pc = arrow("compute")
    stripped = pc.utf8_trim_whitespace(text)
    return pc.if_else(_is_one_of(pc.utf8_lower(stripped), MISSING_WORDS), None, stripped)


def fits(words: pa.Array, kind: Kind) -> pa.Array:
    """Say of each stripped cell whether it is of this kind; null for a missing one."""
    pc = arrow("compute")
    if kind == "number":
        return pc.match_substring_regex(words, NUMBER_PATTERN)
    if kind == "boolean":
        return _is_one_of(pc.utf8_lower(words), BOOLEAN_WORDS)
    return pc.is_valid(words)


def looks_decimal_comma(words: pa.Array) -> pa.Array:
    """Say of each stripped cell whether it would be a number if its comma were a point."""
    return arrow("compute").match_substring_regex(words, DECIMAL_COMMA_PATTERN)


def is_decimal_comma(cell: str) -> bool:
    """Whether one cell would be a number if its comma were a point."""
    return re.fullmatch(DECIMAL_COMMA_PATTERN, cell.strip()) is not None


def looks_grouped(words: pa.Array) -> pa.Array:
    """Say of each stripped cell whether it would be a number without signs between groups of three digits."""
    return arrow("compute").match_substring_regex(words, GROUPED_PATTERN)


def is_grouped(cell: str, decimal: str = ".") -> bool:
    """Whether one cell would be a number without signs between groups of digits; a point is one beside commas."""
    patterns = (GROUPED_PATTERN,) if decimal == "." else (GROUPED_PATTERN, NUMBER_WITH_POINT)
    return any(re.fullmatch(pattern, cell.strip()) for pattern in patterns)


def with_points(text: pa.Array, decimal: str) -> pa.Array:
    """Write decimals with a point; where they have a comma, a cell with a point is no number: 4.000 may be 4000."""
    if decimal == ".":
        return text
    pc = arrow("compute")
    alone = _is_one_of(pc.utf8_trim_whitespace(text), (".", decimal))  # a missing value, and a slip
    return pc.if_else(alone, text, pc.replace_substring(pc.replace_substring(text, ".", "_"), decimal, "."))


def _text(text: pa.Array) -> pa.Array:
    pc = arrow("compute")
    return pc.if_else(pc.equal(text, ""), None, text)


def _booleans(text: pa.Array) -> pa.Array | None:
    if first_misfit(text, "boolean") is not None:
        return None
    pc = arrow("compute")
    return pc.equal(pc.utf8_lower(present(text)), "true")


def _numbers(text: pa.Array) -> pa.Array | None:
    pa, pc = arrow(), arrow("compute")
    try:
        numbers = _text(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return _numbers_among_words(text)
    return pc.if_else(pc.is_nan(numbers), None, numbers)


def _numbers_among_words(text: pa.Array) -> pa.Array | None:
    """Parse numbers that stand among spaces and words for missing values: slower, hence not tried first."""
    pa = arrow()
    try:
        return present(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def _is_one_of(words: pa.Array, allowed: tuple[str, ...]) -> pa.Array:
    """Say of each cell whether it is one of these words; null stays null, where Arrow would say False."""
    pa, pc = arrow(), arrow("compute")
    return pc.if_else(pc.is_valid(words), pc.is_in(words, value_set=pa.array(allowed)), None)
