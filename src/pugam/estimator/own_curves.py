"""Terms that vary with the column of the samples: what they ask of a fit, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pugam.data import SampleRoles
from pugam.errors import InputError
from pugam.estimator.training import TableRows, TrainingRows
from pugam.messages import Argument
from pugam.solvers import Fitted
from pugam.terms import Factor, Term, parse_formula

__all__ = ["common_terms", "naming_samples", "own_column", "rows_telling", "with_effects_of_samples"]


def own_column(terms: Any, roles: SampleRoles) -> str | None:
    """The column that is given as samples, where a term varies with it; None where curves are common."""
    by_values = not isinstance(roles.sample, str)
    column = getattr(roles.sample, "name", None) if by_values else roles.sample
    if not isinstance(column, str) or not any(spec.common(column) for spec in _listed(terms)):
        return None
    if by_values:
        told = f": curves vary with {column!r}, and only by the name of that column are they those of samples."
        raise InputError("Give ", Argument("sample", column), " in place of its values", told)
    return column


def _listed(terms: Any) -> Iterator[Term]:
    """Terms that were asked for; what is no term is refused when they are read."""
    for term in [terms] if isinstance(terms, str | Term) else terms or ():
        if isinstance(term, str):
            yield from parse_formula(term)
        elif isinstance(term, Term):
            yield term


def rows_telling(rows: TrainingRows, column: str | None, labelling: Any = None) -> TrainingRows:
    """The rows of a fit in whose table a column names samples; refuse what cannot be had with curves of their own."""
    if column is None:
        return rows
    if not isinstance(rows, TableRows):
        raise InputError(
            f"Curves of their own for each {column} are for rows in memory: use ",
            Argument("engine", "memory"),
            " if they fit into it.",
        )
    others = {"labelling": labelling, **rows.roles._asdict()}
    for role in ("labelling", "negative", "groups", "strata"):
        if others[role] is not None:
            raise InputError(
                Argument(role),
                f" cannot be used where curves vary with {column!r}, the column of the samples: leave one of them out.",
            )
    return rows.telling_samples(column)


def with_effects_of_samples(specs: Sequence[Term], column: str | None) -> list[Term]:
    """Put the effects of samples, where curves vary with their column, behind all terms; refuse other terms of it."""
    if column is None:
        return list(specs)
    effects = [spec for spec in specs if spec.tells_levels_apart and spec.columns == (column,)]
    others = [spec for spec in specs if spec not in effects]
    for spec in others:
        if column in spec.columns and spec.common(column) is None:
            raise InputError(
                f"{spec.label} cannot be had, as {column!r} is given as ",
                Argument("sample"),
                f": it may stand behind by alone, as in s(age, by={column}).",
            )
    return [*others, *(effects or [Factor(column)])]


def common_terms(specs: Sequence[Term], column: str | None) -> list[Term]:
    """The terms as they would be if all samples had the same curves."""
    if column is None:
        return list(specs)
    return [spec.common(column) or spec for spec in specs if spec.columns != (column,)]


def naming_samples(fitted: Fitted, sample: Any) -> Fitted:
    """A fit that knows the column of its samples, where that was given by name."""
    if fitted.fit.samples is None or not isinstance(sample, str):
        return fitted
    return replace(fitted, fit=replace(fitted.fit, samples=replace(fitted.fit.samples, column=sample)))
