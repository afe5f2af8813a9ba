"""The formula language: `parse_formula` reads such text as `s(age) + dose`, `format_formula` writes it.

    formula   = term, {"+", term}
    term      = column, {":", column} | call
    call      = function, "(", argument, {",", argument}, ")"
    argument  = column | call | number | name, "=", value

Which functions there are, and what they take, is for the kinds of terms to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from pugam.errors import InputError
from pugam.messages import Message, ShellQuotes
from pugam.terms.dialects import explain_function, explain_group, explain_option
from pugam.terms.term import Argument, Term, find_function, functions
from pugam.terms.tokens import COLUMN_KINDS, Token, error_at, shorten, tokenize

__all__ = ["format_formula", "parse_formula"]

MAX_FORMULA_LENGTH = 100_000
MOST_NESTED = 3
SHOWN_SENTENCE_LENGTH = 300

OptionValue = int | float | str | bool | tuple[float, ...]

BARE = "l"  # what a column's name alone stands for
PRODUCT = ":"
_OPERATORS = ("-", "*", ":", "/", "^", "|", "&", "%")
_CLOSING = {"(": ")", "[": "]"}
_FLAGS = {"True": True, "False": False}

_UNCLOSED = "is never closed; write a closing ) after its column and options."
_EMPTY = "The formula is empty; write terms joined by +, as in s(age) + l(dose) + f(site)."
_LABEL_SIDE = "The label is given to fit, so only the right-hand side is written; leave out the ~ and what precedes it."
_ADDED = "Terms are added with +, and products of columns are written x:y"
_OPERATOR_RULES = dict.fromkeys(_OPERATORS, _ADDED) | {
    "-": "A model is the sum of its terms and always has an intercept: leave out the - and what follows",
    "*": "Write x + y + x:y for two columns and their product",
}
_NUMBER = "A number is not a term; name a column, in backticks where its name begins with a digit."
_INTERCEPT = (
    "A model always has an intercept: leave this number out. A column's name that begins with a digit is written in "
    "backticks."
)
_ALL_COLUMNS = "A dot does not stand for all columns; without a formula all of them are terms."
_IN_BACKTICKS = "{rule}; a column whose name contains {symbol} is written in backticks."
_UNEXPECTED = "{symbol} has no place here; join terms with +, and write names with special characters in backticks."


def parse_formula(text: str) -> list[Term]:
    """Read the terms of a formula.

    Parameters
    ----------
    text : str
        Terms joined by `+`: `s(column)`, `l(column)`, `f(column)` and other kinds, with options by name, or a column's
        name alone for a linear term. A name that is not a plain identifier is written in backticks or
        quotes, where a backslash escapes a backtick, a quote or a backslash.

    Raises
    ------
    FormulaError
        If the text cannot be read; the message shows the formula with a caret under the offending character.

    Examples
    --------
    >>> parse_formula("s(age, k=12) + `body mass`")  # doctest: +NORMALIZE_WHITESPACE
    [Smooth(column='age', k=12, bounds=None, knots='even', missing='error', scale='auto', by=None, unseen='error',
            cyclic=False, shape=None),
     Linear(column='body mass', missing='error')]
    """
    if len(text) > MAX_FORMULA_LENGTH:
        raise error_at(
            text,
            MAX_FORMULA_LENGTH,
            f"The formula has {len(text)} characters where {MAX_FORMULA_LENGTH} are allowed; "
            "give the terms as a list instead.",
        )
    return _Parser(text).terms()


def format_formula(terms: Sequence[Term]) -> str:
    """Write terms as a formula that `parse_formula` reads back, leaving out options at their defaults.

    Examples
    --------
    >>> from pugam import l, s
    >>> format_formula([s("age", bounds=(0, 100)), l("body mass")])
    's(age, bounds=(0.0, 100.0)) + l(`body mass`)'
    """
    return " + ".join(term.formula for term in terms)


class _Parser:
    """Recursive descent over the tokens; terms nest a few levels deep at most, and so does the recursion."""

    def __init__(self, formula: str) -> None:
        self._formula = formula
        self._tokens = tokenize(formula)
        self._index = 0

    def terms(self) -> list[Term]:
        found = [self._term()]
        while self._upcoming.kind != "end":
            self._plus()
            found.append(self._term())
        return found

    @property
    def _upcoming(self) -> Token:
        return self._tokens[self._index]

    def _advance(self) -> Token:
        token = self._upcoming
        # The end stays in place, so that whoever runs into it can point at it.
        self._index = min(self._index + 1, len(self._tokens) - 1)
        return token

    def _fail(self, token: Token, sentence: str | Message) -> NoReturn:
        raise error_at(self._formula, token.position, sentence)

    def _plus(self) -> None:
        token = self._advance()
        if not token.is_symbol("+"):
            self._refuse_after_term(token)
        if self._upcoming.kind == "end":
            self._fail(token, "A term is missing after this +; write one or remove the +.")

    def _term(self) -> Term:
        token = self._advance()
        if token.kind not in COLUMN_KINDS:
            self._refuse_as_term(token)
        if token.kind == "name" and self._upcoming.is_symbol("("):
            return self._call(token, 1)
        columns = [token.text]
        while self._upcoming.is_symbol(PRODUCT) and find_function(PRODUCT) is not None:
            columns.append(self._factor())
        return self._build(find_function(BARE if len(columns) == 1 else PRODUCT), token, columns, {})

    def _factor(self) -> str:
        """Read the column behind a colon."""
        colon, token = self._advance(), self._advance()
        if token.kind not in COLUMN_KINDS or self._upcoming.is_symbol("("):
            self._fail(
                colon,
                "Before and behind a colon stand names of columns, as in dose:sex; products of other terms are "
                "written with ti().",
            )
        return token.text

    def _call(self, function: Token, depth: int) -> Term:
        kind = find_function(function.text)
        if kind is None:
            self._refuse_function(function, depth)
        if depth > MOST_NESTED:
            self._fail(function, f"Terms stand inside others no more than {MOST_NESTED} deep.")
        self._advance()
        return self._build(kind, function, *self._arguments(function, kind, depth))

    def _arguments(
        self, function: Token, kind: type[Term], depth: int
    ) -> tuple[list[Argument], dict[str, OptionValue]]:
        """Read what stands between the brackets: columns or terms, then options."""
        arguments = [self._first_column(function, depth)]
        options: dict[str, OptionValue] = {}
        while not self._closes(function):
            if self._is_option():
                self._option(function, kind, options, arguments[0])
            elif options:
                self._refuse_as_option(self._upcoming, function, kind)
            else:
                arguments.append(self._argument(function, kind, depth))
        return arguments, options

    def _build(
        self, kind: type[Term] | None, start: Token, arguments: Sequence[Argument], options: Mapping[str, Any]
    ) -> Term:
        assert kind is not None
        try:
            return kind.of_arguments(arguments, options)
        except InputError as error:
            raise error_at(self._formula, start.position, shorten(str(error), SHOWN_SENTENCE_LENGTH)) from None

    def _first_column(self, function: Token, depth: int) -> Argument:
        token = self._advance()
        if token.kind == "end":
            self._fail(token, f"{function.text}( {_UNCLOSED}")
        if token.kind not in COLUMN_KINDS or self._upcoming.is_symbol("="):
            self._fail(
                token,
                f"{function.text}() takes the name of a column first, as in {function.text}(age); "
                "a name that is not a plain word is written in backticks.",
            )
        return self._column_or_call(token, depth)

    def _column_or_call(self, token: Token, depth: int) -> Argument:
        if token.kind == "name" and self._upcoming.is_symbol("("):
            return self._call(token, depth + 1)
        return token.text

    def _closes(self, function: Token) -> bool:
        """Read the comma before another argument, or the parenthesis that ends them."""
        separator = self._advance()
        if separator.is_symbol(")"):
            return True
        if separator.kind == "end":
            self._fail(separator, f"{function.text}( {_UNCLOSED}")
        if not separator.is_symbol(","):
            self._fail(
                separator,
                f"{function.text}() holds columns and options separated by commas; write a comma or a closing ) here.",
            )
        return False

    def _is_option(self) -> bool:
        following = self._tokens[min(self._index + 1, len(self._tokens) - 1)]
        return self._upcoming.kind == "name" and following.is_symbol("=")

    def _argument(self, function: Token, kind: type[Term], depth: int) -> Argument:
        token = self._upcoming
        if token.kind == "number" or token.is_symbol("+", "-"):
            return self._number(kind.options["k"].wanted if "k" in kind.options else "an option by name")
        self._advance()
        if token.kind not in COLUMN_KINDS:
            self._refuse_as_option(token, function, kind)
        return self._column_or_call(token, depth)

    def _option(self, function: Token, kind: type[Term], given: dict[str, OptionValue], first: Argument) -> None:
        name = self._advance()
        self._advance()
        if name.text not in kind.options:
            self._refuse_option(function, kind, name, first)
        if name.text in given:
            self._fail(name, f"{name.text} is already given; keep one of the two.")
        option, start = kind.options[name.text], self._upcoming
        is_bare = start.kind == "name" and str in option.accepts
        wanted = Message(f"{name.text} takes {option.wanted}", *([ShellQuotes()] if is_bare else []), ".")
        value = self._value(wanted, option.is_column)
        if not isinstance(value, option.accepts) or (isinstance(value, bool) and bool not in option.accepts):
            self._fail(start, wanted)
        given[name.text] = value

    def _value(self, sentence: Message, is_column: bool) -> OptionValue:
        token = self._upcoming
        if token.kind == "quoted" or (is_column and token.kind in COLUMN_KINDS):
            return self._advance().text
        if token.kind == "name" and token.text in _FLAGS:
            return _FLAGS[self._advance().text]
        if token.is_symbol(*_CLOSING):
            return self._numbers(sentence)
        return self._number(sentence)

    def _numbers(self, sentence: Message) -> tuple[float, ...]:
        closing = _CLOSING[self._advance().text]
        found = [self._number(sentence)]
        while self._upcoming.is_symbol(","):
            self._advance()
            found.append(self._number(sentence))
        token = self._advance()
        if not token.is_symbol(closing) or len(found) < 2:
            self._fail(token, sentence)
        return tuple(found)

    def _number(self, sentence: str | Message) -> int | float:
        start = self._advance()
        digits = self._advance() if start.is_symbol("+", "-") else start
        if digits.kind != "number":
            self._fail(start, sentence)
        size = int(digits.text) if digits.text.isdigit() else float(digits.text)
        return -size if start.is_symbol("-") else size

    def _refuse_option(self, function: Token, kind: type[Term], name: Token, first: Argument) -> NoReturn:
        column = first if isinstance(first, str) else "age"
        instead = explain_option(function.text, column, name.text, self._upcoming)
        known = ", ".join(kind.options)
        self._fail(name, instead or f"{function.text}() has no option {shorten(name.text)}; it has {known}.")

    def _refuse_function(self, function: Token, depth: int) -> NoReturn:
        within = self._tokens[max(self._index - 3, 0)].text if depth > 1 else None
        instead = explain_function(function.text, self._tokens[self._index + 1], within)
        if instead is not None:
            self._fail(function, instead)
        kinds = [f"{name}({kind.takes}) {kind.purpose}" for name, kind in functions().items() if name.isidentifier()]
        known = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        self._fail(function, f"{shorten(function.text)}() is not a kind of term; use {known}.")

    def _refuse_as_term(self, token: Token) -> NoReturn:
        if token.kind == "end":
            self._fail(token, _EMPTY)
        if token.kind == "number":
            self._fail(token, _INTERCEPT if token.text in ("0", "1") else _NUMBER)
        if token.is_symbol("+"):
            self._fail(token, "A term is missing before this +; write one or remove the +.")
        self._refuse_symbol(token)

    def _refuse_after_term(self, token: Token) -> NoReturn:
        if token.kind != "symbol":
            self._fail(token, "A + is missing before this; a column name with a space is written in backticks.")
        self._refuse_symbol(token)

    def _refuse_symbol(self, token: Token) -> NoReturn:
        refusals = {
            "~": _LABEL_SIDE,
            ".": _ALL_COLUMNS,
            "(": explain_group(self._tokens[self._index - 1 :]),
            ")": "No parenthesis is open here; remove this ) or add the missing ( before it.",
            **{symbol: _IN_BACKTICKS.format(rule=rule, symbol=symbol) for symbol, rule in _OPERATOR_RULES.items()},
        }
        self._fail(token, refusals.get(token.text, _UNEXPECTED.format(symbol=repr(token.text))))

    def _refuse_as_option(self, token: Token, function: Token, kind: type[Term]) -> NoReturn:
        if token.kind == "end":
            self._fail(token, f"{function.text}( {_UNCLOSED}")
        known = ", ".join(kind.options)
        self._fail(token, f"An option of {function.text}() is written as name=value; its options are {known}.")
