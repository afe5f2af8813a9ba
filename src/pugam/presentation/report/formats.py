"""Numbers as a reader likes them: three significant figures, percentages, p-values; script.js does the first alike."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from markupsafe import Markup

__all__ = [
    "breakable",
    "fine",
    "number",
    "p_equals",
    "percent",
    "percent_range",
    "probability_value",
    "rounded",
    "signed",
    "unbroken",
    "whole",
]

UNKNOWN = "–"  # noqa: RUF001, a dash in a table
SMALLEST_PLAIN, LARGEST_PLAIN = -4, 5  # powers of ten between which a number is written without one
SMALLEST_ON_PAGE = 0.001
SMALLEST_SHARE = 0.0005  # shown as 0.1%; what is smaller, but not zero, is not to be shown as 0.0%
DIGITS = 4  # significant ones for the script: more cannot be seen, and make the page large
PARTS = re.compile(r"(?<=_)|(?<=[/>])(?=[^\W\d])")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float) -> str:
    """Write a number with three significant figures, and whole from 1000 on.

    >>> number(0.012345), number(1234.5), number(0), number(2e-7)
    ('0.0123', '1,234', '0', '2 × 10⁻⁷')
    """
    if not math.isfinite(value):
        return UNKNOWN if math.isnan(value) else _minus(f"{value}".replace("inf", "∞"))
    if value == 0.0:
        return "0"
    power = int(f"{value:.2e}".split("e")[1])
    if not SMALLEST_PLAIN <= power <= LARGEST_PLAIN:
        return _with_power(value)
    return _minus(f"{value:,.{max(0, 2 - power)}f}")


def whole(value: float) -> str:
    """Write a whole number as it is, whatever its size: a year has no comma.

    >>> whole(35.0), whole(2024.0), whole(-3.0)
    ('35', '2024', '−3')
    """
    return _minus(f"{value:.0f}")


def signed(value: float) -> str:
    """Write a number of log odds with two decimals and its sign.

    >>> signed(1.234), signed(-0.5), signed(-0.001)
    ('+1.23', '−0.50', '0.00')
    """
    text = f"{value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else _minus(text)


def _with_power(value: float) -> str:
    if value == 0.0:
        return "0"
    mantissa, power = f"{value:.2e}".split("e")
    return _minus(f"{float(mantissa):g}") + f" × 10{str(int(power)).translate(SUPERSCRIPTS)}"  # noqa: RUF001


def fine(value: float, step: float) -> str:
    """Write a number so that it can be told from others that lie a step away.

    >>> fine(12.3456, 0.1), fine(0.30000000000000004, 0.05), fine(-40.0, 20.0)
    ('12.3', '0.30', '−40')
    """
    power = math.floor(math.log10(step) + 1e-9) if step > 0.0 else 0
    size = math.floor(math.log10(abs(value))) if value else power
    # Powers of ten are shorter for very small and large steps, as long as three figures tell neighbours apart.
    if not SMALLEST_PLAIN <= power <= LARGEST_PLAIN and size - power <= 2:
        return _with_power(value)
    rounded = round(value, -power) + 0.0  # no negative zero
    return _minus(f"{rounded:,.{max(0, -power)}f}")


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal.

    >>> percent(0.2437), percent(0.99999), percent(0.0)
    ('24.4%', '> 99.9%', '0.0%')
    """
    if math.isnan(share):
        return UNKNOWN
    if 0.0 < share < SMALLEST_SHARE:
        return "< 0.1%"
    if 1.0 - SMALLEST_SHARE <= share < 1.0:
        return "> 99.9%"
    return f"{100.0 * share:.1f}%"


def percent_range(lower: float, upper: float) -> str:
    """Write an interval of shares, once where its ends look the same.

    >>> percent_range(0.197, 0.304), percent_range(0.9996, 0.9999)
    ('19.7% to 30.4%', '> 99.9%')
    """
    low, high = percent(lower), percent(upper)
    return low if low == high else f"{low} to {high}"


def probability_value(pvalue: float | None) -> str:
    """Write a p-value.

    >>> probability_value(0.0421), probability_value(1e-9), probability_value(None)
    ('0.042', '< 0.001', '–')
    """
    if pvalue is None or math.isnan(pvalue):
        return UNKNOWN
    return f"< {SMALLEST_ON_PAGE}" if pvalue < SMALLEST_ON_PAGE else f"{pvalue:.3f}"


def p_equals(pvalue: float) -> str:
    """Write a p-value inside a sentence.

    >>> p_equals(0.0421), p_equals(1e-9)
    ('p = 0.042', 'p < 0.001')
    """
    shown = probability_value(pvalue)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def unbroken(interval: str) -> str:
    """Keep both ends of an interval in one piece, so that a line breaks between them or not at all.

    >>> unbroken("< 0.1% to 2 × 10⁻⁷").split()
    ['<', '0.1%', 'to', '2', '×', '10⁻⁷']
    >>> unbroken("< 0.1% to 30.4%").split(" ")
    ['<\\xa00.1%', 'to', '30.4%']
    """
    return " to ".join(end.replace(" ", "\N{NO-BREAK SPACE}") for end in interval.split(" to "))


def breakable(name: object) -> Markup:
    """Let a line break between the parts of a name, and not inside its words and numbers.

    >>> breakable("days_since<admission/0.5")
    Markup('days_<wbr>since&lt;admission/0.5')
    """
    return Markup("<wbr>").join(PARTS.split(str(name)))  # nosec B704 # join escapes the parts


def rounded(values: Iterable[float], digits: int = DIGITS) -> list[float | None]:
    """Round to a few significant digits; what is no number becomes null, which JSON can say."""
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]


def _minus(text: str) -> str:
    return text.replace("-", "−")  # noqa: RUF001, the sign, as wide as a plus
