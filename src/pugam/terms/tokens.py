"""Pieces of a formula: tokens, names and values as they are written, and errors that point at a character."""

from __future__ import annotations

import re
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

from pugam.errors import FormulaError
from pugam.messages import InFormula, Message

__all__ = ["COLUMN_KINDS", "Token", "error_at", "format_column", "format_value", "shorten", "tokenize"]

# Digits beyond this could overflow a float, or the limit Python sets on reading integers.
MAX_NUMBER_LENGTH = 300
SHOWN_WIDTH = 100
SHOWN_BEFORE_CARET = 60
SHOWN_NAME_LENGTH = 40

TokenKind = Literal["name", "backticked", "quoted", "number", "symbol", "end"]
COLUMN_KINDS = ("name", "backticked", "quoted")

_DELIMITERS = ("`", '"', "'")
_ESCAPED = (*_DELIMITERS, "\\")
_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHITESPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a formula: the text it stands for (unescaped, without its quotes) and where it begins."""

    kind: TokenKind
    text: str
    position: int

    def is_symbol(self, *symbols: str) -> bool:
        """Whether it is one of these symbols."""
        return self.kind == "symbol" and self.text in symbols


def tokenize(formula: str) -> list[Token]:
    """Cut a formula into tokens; any other character becomes a symbol, for the parser to refuse."""
    tokens = []
    position = 0
    while position < len(formula):
        if formula[position].isspace():
            position += 1
            continue
        token, position = _read_token(formula, position)
        tokens.append(token)
    tokens.append(Token("end", "", len(formula.rstrip())))
    return tokens


def _read_token(formula: str, start: int) -> tuple[Token, int]:
    """Return the token that begins at `start` and the position behind it."""
    if formula[start] in _DELIMITERS:
        return _read_quoted(formula, start)
    if formula[start].isidentifier():
        end = _end_of_name(formula, start)
        return Token("name", formula[start:end], start), end
    number = _NUMBER.match(formula, start)
    if number is None:
        return Token("symbol", formula[start], start), start + 1
    if len(number.group()) > MAX_NUMBER_LENGTH:
        raise error_at(formula, start, f"This number has more than {MAX_NUMBER_LENGTH} digits; shorten it.")
    return Token("number", number.group(), start), number.end()


def _read_quoted(formula: str, start: int) -> tuple[Token, int]:
    delimiter = formula[start]
    characters: list[str] = []
    position = start + 1
    while position < len(formula):
        if formula[position] == delimiter:
            kind: TokenKind = "backticked" if delimiter == "`" else "quoted"
            return Token(kind, "".join(characters), start), position + 1
        if formula[position] == "\\" and formula[position + 1 : position + 2] in _ESCAPED:
            position += 1
        characters.append(formula[position])
        position += 1
    raise error_at(formula, start, f"The text that begins with this {delimiter} needs a closing {delimiter}.")


def _end_of_name(formula: str, start: int) -> int:
    position = start + 1
    while position < len(formula) and _continues_name(formula[position]):
        position += 1
    return position


def _continues_name(character: str) -> bool:
    # A leading letter lets isidentifier accept digits and combining accents, which no name begins with.
    return character == "." or f"a{character}".isidentifier()


def format_column(column: str) -> str:
    """Write the name of a column, in quotes where it is no plain word."""
    if column[0].isidentifier() and _end_of_name(column, 0) == len(column):
        return column
    delimiter = next((mark for mark in _DELIMITERS if mark not in column), "`")
    escaped = column.replace("\\", "\\\\").replace(delimiter, f"\\{delimiter}")
    return f"{delimiter}{escaped}{delimiter}"


def format_value(value: Any) -> str:
    """Write the value of an option."""
    if isinstance(value, str):
        # Double quotes: on a command line, a formula stands inside single ones.
        return f'"{value}"' if '"' not in value and "\\" not in value else format_column(value)
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(format_value, value))})"
    # NumPy's numbers have a repr of their own, which is no number to the tokenizer.
    return repr(int(value)) if isinstance(value, Integral) else repr(float(value))


def error_at(formula: str, position: int, sentence: str | Message) -> FormulaError:
    """Make an error that points at the offending character of the formula."""
    shown = _on_one_line(formula).strip()
    column = min(len(_on_one_line(formula[:position]).lstrip()), len(shown))
    shown, column = _cut_around(shown, column)
    said = _on_one_line(sentence) if isinstance(sentence, str) else sentence
    return FormulaError(said, InFormula(shown, column))


def _on_one_line(text: str) -> str:
    """Collapse whitespace and mask control characters, so that each character takes one place on screen."""
    collapsed = _WHITESPACE.sub(" ", text)
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in collapsed)


def _cut_around(shown: str, column: int) -> tuple[str, int]:
    """Cut a long formula around the caret, because a line that wraps leaves the caret under other text."""
    start = max(0, min(column - SHOWN_BEFORE_CARET, len(shown) - SHOWN_WIDTH))
    piece = shown[start : start + SHOWN_WIDTH]
    if start > 0:
        piece = f"…{piece[1:]}"
    if start + SHOWN_WIDTH < len(shown):
        piece = f"{piece[:-1]}…"
    return piece, column - start


def shorten(text: str, most: int = SHOWN_NAME_LENGTH) -> str:
    """Cut a long text."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
