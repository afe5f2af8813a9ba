"""JSON as text: written so that people can read it, parsed so that a hostile file can do no harm."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pugam.errors import InputError

__all__ = ["MOST_BYTES", "format_json", "memory_needed", "parse_json"]

# 256 MiB, room for a model of 2000 columns: four matrices, two of them as triangles, of some 20 characters a number.
MOST_BYTES = 2**28
# Text that is made for it takes a hundred times its size in memory once it is parsed and read. How much it may take at
# most is counted before: a model as large as can be, nearly all of it numbers, needs half of this.
MOST_MEMORY = 2**31
# Of a value, half a string, a pair, a list, an object.
BYTES_EACH = {b",": 48, b'"': 100, b":": 700, b"[": 300, b"{": 300}
MOST_DEPTH = 12  # the format itself needs 5
MOST_DIGITS = 400  # of a whole number: reading digits takes time that grows with their square
STEP = "  "

# Possessive, so that no text makes the search go back: it takes time in proportion to the length.
STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
SURROGATE = re.compile("[\ud800-\udfff]")
SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class _RefusedError(Exception):
    """What is wrong with a text that is JSON, as the end of a sentence."""


def parse_json(text: str | bytes, file: str) -> Any:
    """Parse JSON into plain values, refusing what no model needs: repeated keys, deep nesting, endless digits.

    NaN and Infinity, which are no JSON but common, become floats: whoever reads them can say where they stand.
    """
    if len(text) > MOST_BYTES:
        raise InputError(f"{file}: is larger than {MOST_BYTES // 2**20} MiB, the most a saved model may take.")
    if memory_needed(text) > MOST_MEMORY:
        most = f"{MOST_MEMORY / 2**30:g} GiB"
        raise InputError(f"{file}: would take more than {most} of memory; it is not a saved model.")
    with _faults_named(file):
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        _require_shallow(decoded)
        return json.loads(decoded, object_pairs_hook=_without_repeats, parse_int=_whole_number, parse_constant=float)


def memory_needed(text: str | bytes) -> int:
    """Count how many bytes a text takes at most while it is parsed and read; signs within strings count, too."""
    signs = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    widest = 1 if text.isascii() else 4  # bytes of a character, of the text and of what is taken from it
    return (1 + 2 * widest) * len(text) + sum(each * signs.count(sign) for sign, each in BYTES_EACH.items())


@contextmanager
def _faults_named(file: str) -> Iterator[None]:
    """Say of a file that cannot be parsed why it is not a saved model."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not a saved model: byte {error.start} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        told = f"is not a saved model, or was cut short: not JSON at {where} ({error.msg})."
        raise InputError(f"{file}: {told}") from None
    except _RefusedError as refused:
        raise InputError(f"{file}: is not a saved model: {refused}.") from None
    except RecursionError:
        raise InputError(f"{file}: is not a saved model: it is nested too deeply.") from None


def format_json(value: Any, indent: str = "") -> str:
    """Write plain values as JSON: objects and lists of lists over several lines, a list of numbers on one."""
    deeper = indent + STEP
    if isinstance(value, dict) and value:
        lines = [f"{_leaf(key)}: {format_json(item, deeper)}" for key, item in value.items()]
        opening, closing = "{", "}"
    elif isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        lines = [format_json(item, deeper) for item in value]
        opening, closing = "[", "]"
    else:
        return _leaf(value)
    return f"{opening}\n{deeper}" + f",\n{deeper}".join(lines) + f"\n{indent}{closing}"


def _leaf(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Half a pair, as file systems and broken exports make them, is no text in UTF-8; as an escape it comes back.
    # Two halves would come back as the character they stand for.
    if SURROGATE_PAIR.search(text):
        raise InputError(f"The model cannot be saved: the text {text[:60]!a} holds a broken character; rename it.")
    return SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", text)


def _require_shallow(text: str) -> None:
    """Count brackets before parsing: how deep a parser may go differs between versions of Python."""
    depth = 0
    for token in STRING_OR_BRACKET.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > MOST_DEPTH:
                raise _RefusedError(f"it is nested more than {MOST_DEPTH} levels deep")
        elif first in "]}":
            depth -= 1


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        repeated = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _RefusedError(f"the key {repeated[:60]!a} stands twice in one object")
    return unique


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _RefusedError(f"it holds a whole number of {len(digits)} digits")
    return int(digits)
