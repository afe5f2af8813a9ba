"""From files and flags to rows: features, labels, weights, groups and names."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.data import read_table, read_weights
from pugam.errors import InputError, RowError, warn_user
from pugam.files import DataFile, Kind, open_file
from pugam.terms import Basis, Factor, FactorBasis, LinearBasis, MissingBasis, SmoothBasis, choose_terms, parse_formula

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["Features", "Roles", "Rows", "match_levels", "read_rows", "treat_missing"]

MOST_VALUES_SHOWN = 3


@dataclass(frozen=True)
class Roles:
    """What the columns of a file are for; those without a role are features, unless they are dropped.

    Attributes
    ----------
    label : str or None
        Who is a labelled positive; None where positives come in a file of their own.
    positive : str or None
        The value of the label that marks a positive, where it is not coded 1.
    weights, groups, name : str or None
    drop : columns to leave out
    """

    label: str | None = None
    positive: str | None = None
    weights: str | None = None
    groups: str | None = None
    name: str | None = None
    drop: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that have a role of their own."""
        given = (self.label, self.weights, self.groups, self.name)
        return tuple(dict.fromkeys(column for column in given if column is not None))


@dataclass(frozen=True)
class Features:
    """Which columns are features, all without a role where none is named, and what those of a CSV file hold."""

    columns: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of the factors whose levels are text

    @classmethod
    def of_formula(cls, formula: str | None) -> Features:
        """Take the columns of a formula; those inside f() are levels, also where they look like numbers: 007."""
        specs = [] if formula is None else parse_formula(formula)
        return cls(tuple(spec.column for spec in specs), {s.column: "text" for s in specs if isinstance(s, Factor)})

    @classmethod
    def of_model(cls, model: PUGAM) -> Features:
        """Take the columns of a fitted model, to be read as what they were in the fit."""
        bases = {basis.spec.column: _without_missing(basis) for basis in model._design.bases}
        kinds = {column: _kind_of(basis) for column, basis in bases.items()}
        return cls(
            tuple(bases),
            {column: kind for column, kind in kinds.items() if kind is not None},
            {
                column: [level for level in basis.levels if isinstance(level, str)]
                for column, basis in bases.items()
                if isinstance(basis, FactorBasis) and kinds[column] == "text"
            },
        )


def _without_missing(basis: Basis) -> Basis:
    return basis.inner if isinstance(basis, MissingBasis) else basis


def _kind_of(basis: Basis) -> Kind | None:
    """What a column of a CSV file is to be read as; None where numbers from 0 to 1 may be booleans."""
    if not isinstance(basis, FactorBasis):
        assert isinstance(basis, SmoothBasis | LinearBasis)
        return None if (basis.lower, basis.upper) == (0.0, 1.0) else "number"
    if any(isinstance(level, str) for level in basis.levels):
        return "text"
    return "boolean" if all(isinstance(level, bool) for level in basis.levels) else "number"


@dataclass(frozen=True)
class Rows:
    """The rows of a fit: features as an Arrow table, the rest as arrays."""

    X: pa.Table
    z: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None
    names: list[Any] | None
    place: Callable[[int], str]  # where a row comes from: `data.csv, line 19`

    def take(self, numbers: np.ndarray) -> Rows:
        """Keep the rows with these numbers."""
        return Rows(
            self.X.take(numbers),
            self.z[numbers],
            None if self.weights is None else self.weights[numbers],
            None if self.groups is None else self.groups[numbers],
            None if self.names is None else [self.names[number] for number in numbers],
            lambda row: self.place(int(numbers[row])),
        )

    @contextmanager
    def faults_placed(self) -> Iterator[None]:
        """Tell of faults in rows by file and line."""
        try:
            yield
        except RowError as error:
            raise InputError(error.told(self.place(error.row))) from None


def read_rows(
    data: Path | None,
    roles: Roles,
    features: Features,
    positive_file: Path | None = None,
    unlabeled_file: Path | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Rows:
    """Read one file with labels, or a file of positives and one of unlabelled rows."""
    if data is not None:
        if positive_file is not None or unlabeled_file is not None:
            raise InputError("Give one file with --label, or --positive-file and --unlabeled-file, not both.")
        if roles.label is None:
            raise InputError(f"{data}: say which column tells the labelled positives, as in --label z.")
        return _read_labelled(open_file(data, delimiter, decimal), roles, features)
    if positive_file is None or unlabeled_file is None:
        raise InputError(
            "Give a file with a column of labels, as in data.csv --label z, or both --positive-file and "
            "--unlabeled-file."
        )
    if roles.label is not None or roles.positive is not None:
        raise InputError("--label and --positive are for one file that holds both kinds of rows; leave them out.")
    return _read_two([open_file(path, delimiter, decimal) for path in (positive_file, unlabeled_file)], roles, features)


def treat_missing(rows: Rows, formula: str | None, how: str) -> tuple[Rows, Any]:
    """Do with rows that lack a value what the user wants; return rows and terms."""
    if how == "error":
        return rows, formula
    specs = choose_terms(read_table(rows.X)) if formula is None else parse_formula(formula)
    lacking = {spec.column for spec in specs if rows.X[spec.column].null_count}
    if how == "effect":
        return rows, [replace(spec, missing="effect") if spec.column in lacking else spec for spec in specs]
    if how != "drop":
        raise InputError(f"--missing is error, drop or effect; got {how!r}.")
    kept = np.ones(len(rows.z), dtype=bool)
    for column in lacking:
        kept &= rows.X[column].is_valid().to_numpy()
    if not kept.all():
        warn_user(f"Left out {int(np.sum(~kept)):,} of {len(kept):,} rows, which lack a value in a feature.")
    return rows.take(np.flatnonzero(kept)), specs


def _read_labelled(file: DataFile, roles: Roles, features: Features) -> Rows:
    table = _read_columns(file, roles, features)
    names = None if roles.name is None else _names(file, table, roles.name, features)
    place = partial(_place, [(file, table.num_rows)])
    return _take_roles(table, roles, features, _labels(file, table[roles.label], roles), names, place)


def _read_two(files: Sequence[DataFile], roles: Roles, features: Features) -> Rows:
    import pyarrow as pa

    tables = [_read_columns(file, roles, features) for file in files]
    first, second = tables
    for file, mine, others in zip(files, (first, second), (second, first), strict=True):
        lacking = [name for name in others.column_names if name not in mine.column_names]
        if lacking:
            raise InputError(f"{file.path} has no column {lacking[0]!r}, which the other file has; --drop it.")
    second = second.select(first.column_names)
    for name in first.column_names:
        one, other = (_family(table.schema.field(name).type) for table in (first, second))
        if one != other and "nothing" not in (one, other):
            raise InputError(
                f"Column {name!r} holds {one} in {files[0].path} and {other} in {files[1].path}; make both alike, or "
                "--drop it."
            )
    joined = pa.concat_tables([_plain_types(first), _plain_types(second)], promote_options="permissive")
    sizes = [first.num_rows, second.num_rows]
    names = None
    if roles.name is not None:
        both = zip(files, (first, second), strict=True)
        names = [name for file, table in both for name in _names(file, table, roles.name, features)]
    place = partial(_place, list(zip(files, sizes, strict=True)))
    return _take_roles(joined, roles, features, np.repeat([1, 0], sizes), names, place)


def _read_columns(file: DataFile, roles: Roles, features: Features) -> pa.Table:
    """Read the columns that have a role or are features; all others stay in the file."""
    dropped = [name for given in roles.drop for name in ([given] if given in file.names else given.split(","))]
    for name in (*roles.columns, *dropped):
        if name not in file.names:
            file.read([name])  # says that there is no such column, and which is nearest
    excluded = {*roles.columns, *dropped}
    chosen = features.columns or tuple(name for name in file.names if name not in excluded)
    if not chosen:
        raise InputError(f"{file.path}: no column is left to be a feature; drop fewer.")
    both = [name for name in chosen if name in excluded and name != roles.name]
    if both:
        raise InputError(f"Column {both[0]!r} is a feature of the model and has another role, too; choose one of them.")
    kinds = dict(features.kinds)
    if roles.positive is not None and roles.label is not None:
        kinds[roles.label] = "text"
    if roles.name is not None and roles.name not in chosen:
        kinds[roles.name] = "text"
    return match_levels(file.read(list(dict.fromkeys([*chosen, *roles.columns])), kinds), features)


def _names(file: DataFile, table: pa.Table, column: str, features: Features) -> list[Any]:
    """Take the identifiers as written, also where their column is a feature of another type."""
    if column in table.column_names and column not in features.columns:
        return list(table[column].to_pylist())
    return list(file.read([column], {column: "text"})[column].to_pylist())


def _place(files: Sequence[tuple[DataFile, int]], row: int) -> str:
    for file, n_rows in files:
        if row < n_rows:
            return f"{file.path}, {file.place(row)}"
        row -= n_rows
    return f"row {row + 1}"


def _take_roles(
    table: pa.Table,
    roles: Roles,
    features: Features,
    z: np.ndarray,
    names: list[Any] | None,
    place: Callable[[int], str],
) -> Rows:
    weights, groups = (None if name is None else _column(table, name) for name in (roles.weights, roles.groups))
    others = [name for name in table.column_names if name in features.columns or name not in roles.columns]
    rows = Rows(table.select(others), z, weights, groups, names, place)
    if weights is not None:
        try:
            read_weights(weights, table.num_rows)
        except RowError as error:
            raise InputError(f"--weights {roles.weights!r}: {error.told(place(error.row))}") from None
        except InputError as error:
            raise InputError(f"--weights {roles.weights!r}: {error}") from None
    return rows


def _labels(file: DataFile, column: Any, roles: Roles) -> np.ndarray:
    import pyarrow as pa

    if roles.positive is not None:
        wanted = roles.positive
        marked = {value: _is_written(value, wanted) for value in column.unique().to_pylist()}
        if not any(marked.values()):
            found = ", ".join(repr(value) for value in list(marked)[:MOST_VALUES_SHOWN])
            raise InputError(
                f"{file.path}: no row of column {roles.label!r} holds {wanted!r}; the first values are {found}."
            )
        _tell_of_others(roles, column, marked)
        return np.array([marked[value] for value in column.to_pylist()])
    if _family(column.type) == "text":
        values = [value for value in column.unique().to_pylist() if value is not None]
        found = ", ".join(repr(value) for value in values[:MOST_VALUES_SHOWN])
        choices = " or ".join(f"--positive {shlex.quote(value)}" for value in values[:2])
        raise InputError(
            f"{file.path}: column {roles.label!r} holds text ({found}); say which value marks a labelled positive: "
            f"{choices}."
        )
    if column.null_count:
        row = column.is_null().index(pa.scalar(True)).as_py()
        raise InputError(
            f"{file.path}, {file.place(row)}, column {roles.label!r}: the label is missing; code unlabelled rows as 0, "
            "or name the value of positives with --positive."
        )
    return np.asarray(column.to_numpy())


def _tell_of_others(roles: Roles, column: Any, marked: Mapping[Any, bool]) -> None:
    """Say what was taken for unlabelled, where that is more than one value."""
    others = [value for value, positive in marked.items() if not positive]
    if len(others) > 1:
        counts = {entry["values"]: entry["counts"] for entry in column.value_counts().to_pylist()}
        said = ", ".join(f"{counts[value]:,} {'empty' if value is None else repr(value)}" for value in others)
        warn_user(f"Column {roles.label!r}: {said} are all taken as unlabelled. Leave rows out that are not.")


def _is_written(value: Any, text: str) -> bool:
    """Whether a value is what a user wrote: 1 for 1.0, and true for True."""
    if isinstance(value, bool):
        return str(value).lower() == text.lower()
    if isinstance(value, float) and value.is_integer():
        return text in (str(value), str(int(value)))
    return value is not None and str(value) == text


def match_levels(table: pa.Table, features: Features) -> pa.Table:
    """Write numbers and booleans as text where the fit, to a file of text, took them for levels."""
    import pyarrow as pa

    for name, levels in features.levels.items():
        if name in table.column_names and _family(table.schema.field(name).type) in ("numbers", "booleans"):
            known = {_value(level): level for level in levels}
            coded = table[name].combine_chunks().dictionary_encode()
            words = [known.get(value, str(value)) for value in coded.dictionary.to_pylist()]
            text = pa.array(words, pa.string()).take(coded.indices)
            table = table.set_column(table.column_names.index(name), name, text)
    return table


def _value(level: str) -> object:
    """What a level that was read as text stands for in a file that knows numbers and booleans."""
    if level.lower() in ("true", "false"):
        return level.lower() == "true"
    try:
        return float(level)
    except ValueError:
        return level


def _column(table: pa.Table, name: str) -> np.ndarray:
    return np.asarray(table[name].to_numpy())


def _family(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return "nothing"
    if pa.types.is_boolean(kind):
        return "booleans"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    return "text" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else str(kind)


def _plain_types(table: pa.Table) -> pa.Table:
    """Write levels out, so that two tables with different levels can be joined."""
    import pyarrow as pa

    for place, (name, kind) in enumerate(zip(table.schema.names, table.schema.types, strict=True)):
        if pa.types.is_dictionary(kind):
            table = table.set_column(place, name, table[name].cast(kind.value_type))
    return table
