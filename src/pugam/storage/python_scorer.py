"""A scorer as a Python module that needs nothing but `math`."""

from __future__ import annotations

from collections.abc import Sequence

from pugam.errors import InputError
from pugam.storage.scorer import Scorer
from pugam.terms.expressions import (
    AtLeast,
    Below,
    Call,
    Choice,
    Condition,
    Expression,
    Has,
    Is,
    Lacks,
    Number,
    Plus,
    Quotient,
    Result,
    Times,
    Value,
)

__all__ = ["write_python"]

FUNCTIONS = {"ln": "math.log", "sqrt": "math.sqrt", "floor": "math.floor"}
LEVEL_TYPES = (str, bool, int, float)

MODULE = '''\
{remarks}

import math

COLUMNS = {columns}
WITH_EMPTY_TEXT = {with_empty_text}  # where it is a level


def score(row):
    """Return the chance that an unlabelled row is positive.

    `row` is a mapping from the name of each column to its value; None, NaN and empty text are missing values. Raises
    ValueError for a row that the model cannot score.
    """
    row = {{name: _read(row, name) for name in COLUMNS}}
    ratio = {ratio}
    return {posterior}


def _read(row, name):
    if name not in row:
        raise ValueError("the row has no column " + repr(name))
    value = row[name]
    if value is None or value != value or (value == "" and name not in WITH_EMPTY_TEXT):
        return None
    return value


def _number(row, name):
    value = row[name]
    if value is None:
        raise ValueError(name + " is missing")
    if isinstance(value, (str, bytes)) or not math.isfinite(value):
        raise ValueError(name + " is not a finite number: " + repr(value))
    return float(value)


def _refuse(row, names):
    for name in names:
        if row[name] is None:
            raise ValueError(name + " is missing")
    raise ValueError(", ".join(name + " " + repr(row[name]) for name in names) + " was not seen in the fit")


def _level(row, name, effects, other):
    value = row[name]
    effect = None if value is None else effects.get(value, other)
    return _refuse(row, (name,)) if effect is None else effect


def _expit(logit):
    if logit < 0.0:
        return math.exp(logit) / (1.0 + math.exp(logit))
    return 1.0 / (1.0 + math.exp(-logit))
{functions}'''


def write_python(scorer: Scorer) -> str:
    """Write the text of a module that defines `score(row)`."""
    functions: list[str] = []
    ratio = _Writer(functions, "row").write(scorer.ratio)
    writer = _Writer(functions, "row, ratio")
    posterior = " + ".join(
        f"_expit({writer.write(logit)})" if weight == 1.0 else f"{weight!r} * _expit({writer.write(logit)})"
        for weight, logit in scorer.posterior
    )
    return MODULE.format(
        remarks="\n".join(f"# {remark}" for remark in scorer.remarks()),
        columns=_tuple(scorer.columns),
        with_empty_text=_tuple(scorer.columns_with_empty_text),
        ratio=ratio,
        posterior=posterior,
        functions="".join(functions),
    )


def _tuple(values: Sequence[str]) -> str:
    return f"({''.join(f'{value!a}, ' for value in values).rstrip()})"


class _Writer:
    """Writes expressions; choices become functions of their own, which no nesting is too deep for."""

    def __init__(self, functions: list[str], arguments: str) -> None:
        self.functions, self._arguments = functions, arguments

    def write(self, of: Expression) -> str:
        match of:
            case Number(value):
                return repr(value) if value >= 0.0 else f"({value!r})"
            case Value(column):
                return f"_number(row, {column!a})"
            case Result(name):
                return name
            case Plus(parts):
                return f"({' + '.join(map(self.write, parts))})"
            case Times(parts):
                return f"({' * '.join(map(self.write, parts))})"
            case Quotient(above, below):
                return f"({self.write(above)} / {self.write(below)})"
            case Call(function, inner):
                return f"{FUNCTIONS[function]}({self.write(inner)})"
            case Choice():
                return self._choose(of)

    def _choose(self, choice: Choice) -> str:
        table = _table(choice)
        if table is not None:
            return self._look_up(*table)
        lines = [f"    if {self._condition(when)}:\n        return {self.write(part)}\n" for when, part in choice.cases]
        name = f"_choice_{len(self.functions)}"
        refused = _tuple(_columns(choice))
        self.functions.append(
            f"\n\ndef {name}({self._arguments}):\n{''.join(lines)}    return _refuse(row, {refused})\n"
        )
        return f"{name}({self._arguments})"

    def _look_up(self, column: str, effects: dict[object, float], other: float | None) -> str:
        name = f"_LEVELS_{len(self.functions)}"
        lines = "".join(f"    {_level(level)}: {effect!r},\n" for level, effect in effects.items())
        self.functions.append(f"\n\n{name} = {{\n{lines}}}\n")
        return f"_level(row, {column!a}, {name}, {other!r})"

    def _condition(self, when: Condition) -> str:
        match when:
            case Below(of, bound):
                return f"{self.write(of)} < {bound!r}"
            case AtLeast(of, bound):
                return f"{self.write(of)} >= {bound!r}"
            case Is(column, level):
                return f"row[{column!a}] == {_level(level)}"
            case Lacks(columns):
                return " or ".join(f"row[{column!a}] is None" for column in columns)
            case Has(columns):
                return " and ".join(f"row[{column!a}] is not None" for column in columns)


def _table(choice: Choice) -> tuple[str, dict[object, float], float | None] | None:
    """The effects of levels of one column, and that of others, if that is all that is chosen."""
    effects: dict[object, float] = {}
    column, other = None, None
    for when, part in choice.cases:
        match when, part:
            case Is(name, level), Number(effect) if column in (None, name) and other is None:
                column, effects[level] = name, effect
            case Has((name,)), Number(effect) if name == column:
                other = effect
            case _:
                return None
    return None if column is None else (column, effects, other)


def _columns(choice: Choice) -> list[str]:
    """The columns whose levels or gaps are asked for."""
    found: dict[str, None] = {}
    for when, _ in choice.cases:
        match when:
            case Is(column, _):
                found[column] = None
            case Lacks(columns) | Has(columns):
                found.update(dict.fromkeys(columns))
    return list(found)


def _level(level: object) -> str:
    plain = level.item() if hasattr(level, "item") else level
    if not isinstance(plain, LEVEL_TYPES):
        raise InputError(f"The level {plain!r} cannot be exported: it is neither text nor a number.")
    return ascii(plain)
