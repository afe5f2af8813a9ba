"""The formula language: `parse_formula` reads such text as `s(age) + dose`, `format_formula` writes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Literal, NoReturn

from pugam.errors import FormulaError, InputError
from pugam.terms.specs import Factor, Linear, Smooth, TermSpec

__all__ = ["format_formula", "parse_formula"]

MAX_FORMULA_LENGTH = 100_000
# Digits beyond this could overflow a float, or the limit Python sets on reading integers.
MAX_NUMBER_LENGTH = 300
SHOWN_WIDTH = 100
SHOWN_BEFORE_CARET = 60
SHOWN_NAME_LENGTH = 40
SHOWN_SENTENCE_LENGTH = 300

TokenKind = Literal["name", "backticked", "quoted", "number", "symbol", "end"]
OptionValue = int | float | str | tuple[float, float]

_FUNCTIONS: dict[str, type[Smooth] | type[Linear] | type[Factor]] = {"s": Smooth, "l": Linear, "f": Factor}
_FUNCTION_NAMES = {kind: name for name, kind in _FUNCTIONS.items()}
_COLUMN_KINDS = ("name", "backticked", "quoted")
_OPTION_VALUES: dict[str, tuple[type, str]] = {
    "k": (int, "a whole number, as in k=12"),
    "bounds": (tuple, "two numbers, as in bounds=(0, 100)"),
    "knots": (str, "quoted text, as in knots='quantile'"),
    "missing": (str, "quoted text, as in missing='effect'"),
    "scale": (str, "quoted text, as in scale='log'"),
    "unseen": (str, "quoted text, as in unseen='zero'"),
}

_DELIMITERS = ("`", '"', "'")
_ESCAPED = (*_DELIMITERS, "\\")
_OPERATORS = ("-", "*", ":", "/", "^", "|", "&", "%")
_CLOSING = {"(": ")", "[": "]"}
_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHITESPACE = re.compile(r"\s+")

_UNCLOSED = "is never closed; write a closing ) after its column and options."
_EMPTY = "The formula is empty; write terms joined by +, as in s(age) + l(dose) + f(site)."
_LABEL_SIDE = "The label is given to fit, so only the right-hand side is written; leave out the ~ and what precedes it."
_ONLY_PLUS = (
    "Terms are added with + and interactions are not available; "
    "a column whose name contains {symbol} is written in backticks."
)
_UNEXPECTED = "{symbol} has no place here; join terms with +, and write names with special characters in backticks."


def parse_formula(text: str) -> list[TermSpec]:
    """Read the terms of a formula.

    Parameters
    ----------
    text : str
        Terms joined by `+`: `s(column)`, `l(column)` and `f(column)`, with options by name, or a column's
        name alone for a linear term. A name that is not a plain identifier is written in backticks or
        quotes, where a backslash escapes a backtick, a quote or a backslash.

    Raises
    ------
    FormulaError
        If the text cannot be read; the message shows the formula with a caret under the offending character.

    Examples
    --------
    >>> parse_formula("s(age, k=12) + `body mass`")  # doctest: +NORMALIZE_WHITESPACE
    [Smooth(column='age', k=12, bounds=None, knots='even', missing='error', scale='auto'),
     Linear(column='body mass', missing='error')]
    """
    if len(text) > MAX_FORMULA_LENGTH:
        raise _error_at(
            text,
            MAX_FORMULA_LENGTH,
            f"The formula has {len(text)} characters where {MAX_FORMULA_LENGTH} are allowed; "
            "give the terms as a list instead.",
        )
    return _Parser(text).terms()


def format_formula(terms: Sequence[TermSpec]) -> str:
    """Write terms as a formula that `parse_formula` reads back, leaving out options at their defaults.

    Examples
    --------
    >>> format_formula([Smooth("age", bounds=(0, 100)), Linear("body mass")])
    's(age, bounds=(0.0, 100.0)) + l(`body mass`)'
    """
    return " + ".join(_format_term(term) for term in terms)


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of a formula: the text it stands for (unescaped, without its quotes) and where it begins."""

    kind: TokenKind
    text: str
    position: int

    def is_symbol(self, *symbols: str) -> bool:
        return self.kind == "symbol" and self.text in symbols


def _tokenize(formula: str) -> list[_Token]:
    """Cut a formula into tokens; any other character becomes a symbol, for the parser to refuse."""
    tokens = []
    position = 0
    while position < len(formula):
        if formula[position].isspace():
            position += 1
            continue
        token, position = _read_token(formula, position)
        tokens.append(token)
    tokens.append(_Token("end", "", len(formula.rstrip())))
    return tokens


def _read_token(formula: str, start: int) -> tuple[_Token, int]:
    """Return the token that begins at `start` and the position behind it."""
    if formula[start] in _DELIMITERS:
        return _read_quoted(formula, start)
    if formula[start].isidentifier():
        end = _end_of_name(formula, start)
        return _Token("name", formula[start:end], start), end
    number = _NUMBER.match(formula, start)
    if number is None:
        return _Token("symbol", formula[start], start), start + 1
    if len(number.group()) > MAX_NUMBER_LENGTH:
        raise _error_at(formula, start, f"This number has more than {MAX_NUMBER_LENGTH} digits; shorten it.")
    return _Token("number", number.group(), start), number.end()


def _read_quoted(formula: str, start: int) -> tuple[_Token, int]:
    delimiter = formula[start]
    characters: list[str] = []
    position = start + 1
    while position < len(formula):
        if formula[position] == delimiter:
            kind: TokenKind = "backticked" if delimiter == "`" else "quoted"
            return _Token(kind, "".join(characters), start), position + 1
        if formula[position] == "\\" and formula[position + 1 : position + 2] in _ESCAPED:
            position += 1
        characters.append(formula[position])
        position += 1
    raise _error_at(formula, start, f"The text that begins with this {delimiter} needs a closing {delimiter}.")


def _end_of_name(formula: str, start: int) -> int:
    position = start + 1
    while position < len(formula) and _continues_name(formula[position]):
        position += 1
    return position


def _continues_name(character: str) -> bool:
    # A leading letter lets isidentifier accept digits and combining accents, which no name begins with.
    return character == "." or f"a{character}".isidentifier()


class _Parser:
    """Recursive descent over the tokens; the grammar has no nesting, so neither has the recursion."""

    def __init__(self, formula: str) -> None:
        self._formula = formula
        self._tokens = _tokenize(formula)
        self._index = 0

    def terms(self) -> list[TermSpec]:
        found: dict[str, TermSpec] = {}
        while True:
            start = self._upcoming
            term = self._term()
            if term.column in found:
                name = _shorten(term.column)
                self._fail(start, f"The column {name!r} already has a term; keep one term for each column.")
            found[term.column] = term
            if self._upcoming.kind == "end":
                return list(found.values())
            self._plus()

    @property
    def _upcoming(self) -> _Token:
        return self._tokens[self._index]

    def _advance(self) -> _Token:
        token = self._upcoming
        # The end stays in place, so that whoever runs into it can point at it.
        self._index = min(self._index + 1, len(self._tokens) - 1)
        return token

    def _fail(self, token: _Token, sentence: str) -> NoReturn:
        raise _error_at(self._formula, token.position, sentence)

    def _plus(self) -> None:
        token = self._advance()
        if not token.is_symbol("+"):
            self._refuse_after_term(token)
        if self._upcoming.kind == "end":
            self._fail(token, "A term is missing after this +; write one or remove the +.")

    def _term(self) -> TermSpec:
        token = self._advance()
        if token.kind not in _COLUMN_KINDS:
            self._refuse_as_term(token)
        if token.kind == "name" and self._upcoming.is_symbol("("):
            return self._call(token)
        return self._build(Linear, token, token.text, {})

    def _call(self, function: _Token) -> TermSpec:
        spec = _FUNCTIONS.get(function.text)
        if spec is None:
            self._fail(
                function,
                f"{_shorten(function.text)}() is not a kind of term; use s(column) for a smooth, "
                "l(column) for a line or f(column) for a factor.",
            )
        self._advance()
        column = self._column(function)
        options = self._options(function, _option_names(spec))
        return self._build(spec, function, column, options)

    def _build(
        self, spec: Callable[..., TermSpec], start: _Token, column: str, options: dict[str, OptionValue]
    ) -> TermSpec:
        try:
            return spec(column, **options)
        except InputError as error:
            raise _error_at(self._formula, start.position, _shorten(str(error), SHOWN_SENTENCE_LENGTH)) from None

    def _column(self, function: _Token) -> str:
        token = self._advance()
        if token.kind == "end":
            self._fail(token, f"{function.text}( {_UNCLOSED}")
        if token.kind not in _COLUMN_KINDS or self._upcoming.is_symbol("="):
            self._fail(
                token,
                f"{function.text}() takes the name of a column first, as in {function.text}(age); "
                "a name that is not a plain word is written in backticks.",
            )
        if self._upcoming.is_symbol("("):
            self._fail(token, "Columns cannot be transformed in a formula; compute a new column and name it here.")
        return token.text

    def _options(self, function: _Token, allowed: Sequence[str]) -> dict[str, OptionValue]:
        options: dict[str, OptionValue] = {}
        while True:
            separator = self._advance()
            if separator.is_symbol(")"):
                return options
            if separator.kind == "end":
                self._fail(separator, f"{function.text}( {_UNCLOSED}")
            if not separator.is_symbol(","):
                self._fail(
                    separator,
                    f"{function.text}() holds one column and options separated by commas; "
                    "write a comma or a closing ) here.",
                )
            name = self._option_name(function, allowed, given=options)
            options[name] = self._option_value(name)

    def _option_name(self, function: _Token, allowed: Sequence[str], given: dict[str, OptionValue]) -> str:
        token = self._upcoming
        if "k" in allowed and not given and (token.kind == "number" or token.is_symbol("+", "-")):
            return "k"
        self._advance()
        if token.kind != "name" or not self._upcoming.is_symbol("="):
            self._refuse_as_option(token, function, allowed)
        self._advance()
        if token.text not in allowed:
            self._fail(
                token,
                f"{function.text}() has no option {_shorten(token.text)}; it has {', '.join(allowed)}.",
            )
        if token.text in given:
            self._fail(token, f"{token.text} is already given; keep one of the two.")
        return token.text

    def _option_value(self, name: str) -> OptionValue:
        wanted_type, wanted = _OPTION_VALUES[name]
        sentence = f"{name} takes {wanted}."
        start = self._upcoming
        value = self._value(sentence)
        if not isinstance(value, wanted_type):
            self._fail(start, sentence)
        return value

    def _value(self, sentence: str) -> OptionValue:
        if self._upcoming.kind == "quoted":
            return self._advance().text
        if self._upcoming.is_symbol(*_CLOSING):
            return self._pair(sentence)
        return self._number(sentence)

    def _pair(self, sentence: str) -> tuple[float, float]:
        closing = _CLOSING[self._advance().text]
        low = self._number(sentence)
        self._pair_symbol(",", sentence)
        high = self._number(sentence)
        self._pair_symbol(closing, sentence)
        return low, high

    def _pair_symbol(self, symbol: str, sentence: str) -> None:
        token = self._advance()
        if not token.is_symbol(symbol):
            self._fail(token, sentence)

    def _number(self, sentence: str) -> int | float:
        start = self._advance()
        digits = self._advance() if start.is_symbol("+", "-") else start
        if digits.kind != "number":
            self._fail(start, sentence)
        size = int(digits.text) if digits.text.isdigit() else float(digits.text)
        return -size if start.is_symbol("-") else size

    def _refuse_as_term(self, token: _Token) -> NoReturn:
        if token.kind == "end":
            self._fail(token, _EMPTY)
        if token.kind == "number":
            self._fail(
                token,
                "A number is not a term; name a column, in backticks where its name begins with a digit.",
            )
        if token.is_symbol("+"):
            self._fail(token, "A term is missing before this +; write one or remove the +.")
        self._refuse_symbol(token)

    def _refuse_after_term(self, token: _Token) -> NoReturn:
        if token.kind != "symbol":
            self._fail(token, "A + is missing before this; a column name with a space is written in backticks.")
        self._refuse_symbol(token)

    def _refuse_symbol(self, token: _Token) -> NoReturn:
        if token.is_symbol("~"):
            self._fail(token, _LABEL_SIDE)
        if token.is_symbol(*_OPERATORS):
            self._fail(token, _ONLY_PLUS.format(symbol=token.text))
        if token.is_symbol("("):
            self._fail(token, "A parenthesis only follows s, l or f; write the terms one after another, joined by +.")
        if token.is_symbol(")"):
            self._fail(token, "No parenthesis is open here; remove this ) or add the missing ( before it.")
        self._fail(token, _UNEXPECTED.format(symbol=repr(token.text)))

    def _refuse_as_option(self, token: _Token, function: _Token, allowed: Sequence[str]) -> NoReturn:
        if token.kind == "end":
            self._fail(token, f"{function.text}( {_UNCLOSED}")
        if token.kind in ("name", "backticked") and token.text not in allowed:
            self._fail(token, f"{function.text}() takes one column; give each column a term of its own.")
        self._fail(
            token,
            f"An option of {function.text}() is written as name=value; its options are {', '.join(allowed)}.",
        )


def _option_names(spec: type[TermSpec]) -> list[str]:
    return [field.name for field in fields(spec) if field.name != "column"]


def _format_term(term: TermSpec) -> str:
    arguments = [_format_column(term.column)]
    for field in fields(term):
        value = getattr(term, field.name)
        if field.name != "column" and value != field.default:
            arguments.append(f"{field.name}={_format_value(value)}")
    return f"{_FUNCTION_NAMES[type(term)]}({', '.join(arguments)})"


def _format_column(column: str) -> str:
    if column[0].isidentifier() and _end_of_name(column, 0) == len(column):
        return column
    delimiter = next((mark for mark in _DELIMITERS if mark not in column), "`")
    escaped = column.replace("\\", "\\\\").replace(delimiter, f"\\{delimiter}")
    return f"{delimiter}{escaped}{delimiter}"


def _format_value(value: OptionValue) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        low, high = value
        return f"({_format_value(low)}, {_format_value(high)})"
    # NumPy's numbers have a repr of their own, which is no number to the tokenizer.
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


def _error_at(formula: str, position: int, sentence: str) -> FormulaError:
    shown = _on_one_line(formula).strip()
    column = min(len(_on_one_line(formula[:position]).lstrip()), len(shown))
    shown, column = _cut_around(shown, column)
    return FormulaError(f"{_on_one_line(sentence)}\n{shown}\n{' ' * column}^")


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


def _shorten(text: str, most: int = SHOWN_NAME_LENGTH) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
