"""From files and flags to rows: features, labels, weights, groups and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pugam.errors import InputError
from pugam.files import DataFile, Kind, open_file
from pugam.terms import Basis, Factor, FactorBasis, MissingBasis, parse_formula

if TYPE_CHECKING:
    import pyarrow as pa

    from pugam.estimator import PUGAM

__all__ = ["Features", "Roles", "Rows", "read_rows"]

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

    @classmethod
    def of_formula(cls, formula: str | None) -> Features:
        """Take the columns of a formula; those inside f() are levels, also where they look like numbers: 007."""
        specs = [] if formula is None else parse_formula(formula)
        return cls(tuple(spec.column for spec in specs), {s.column: "text" for s in specs if isinstance(s, Factor)})

    @classmethod
    def of_model(cls, model: PUGAM) -> Features:
        """Take the columns of a fitted model, to be read as what they were in the fit."""
        return cls(
            tuple(spec.column for spec in model.terms_),
            {basis.spec.column: _kind_of(basis) for basis in model._design.bases},
        )


def _kind_of(basis: Basis) -> Kind:
    inner = basis.inner if isinstance(basis, MissingBasis) else basis
    if not isinstance(inner, FactorBasis):
        return "number"
    if any(isinstance(level, str) for level in inner.levels):
        return "text"
    return "boolean" if all(isinstance(level, bool) for level in inner.levels) else "number"


@dataclass(frozen=True)
class Rows:
    """The rows of a fit: features as an Arrow table, the rest as arrays."""

    X: pa.Table
    z: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None
    names: list[Any] | None


def read_rows(
    data: Path | None,
    roles: Roles,
    features: Features,
    positive_file: Path | None = None,
    unlabeled_file: Path | None = None,
    delimiter: str | None = None,
) -> Rows:
    """Read one file with labels, or a file of positives and one of unlabelled rows."""
    if data is not None:
        if positive_file is not None or unlabeled_file is not None:
            raise InputError("Give one file with --label, or --positive-file and --unlabeled-file, not both.")
        if roles.label is None:
            raise InputError(f"{data}: say which column tells the labelled positives, as in --label z.")
        return _read_labelled(open_file(data, delimiter), roles, features)
    if positive_file is None or unlabeled_file is None:
        raise InputError(
            "Give a file with a column of labels, as in data.csv --label z, or both --positive-file and "
            "--unlabeled-file."
        )
    if roles.label is not None or roles.positive is not None:
        raise InputError("--label and --positive are for one file that holds both kinds of rows; leave them out.")
    return _read_two([open_file(path, delimiter) for path in (positive_file, unlabeled_file)], roles, features)


def _read_labelled(file: DataFile, roles: Roles, features: Features) -> Rows:
    table = _read_columns(file, roles, features)
    return _take_roles(table, roles, _labels(file.path, table[roles.label], roles))


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
        if one != other:
            raise InputError(
                f"Column {name!r} holds {one} in {files[0].path} and {other} in {files[1].path}; make both alike, or "
                "--drop it."
            )
    joined = pa.concat_tables([_plain_types(first), _plain_types(second)], promote_options="permissive")
    z = np.repeat([1, 0], [first.num_rows, second.num_rows])
    return _take_roles(joined, roles, z)


def _read_columns(file: DataFile, roles: Roles, features: Features) -> pa.Table:
    """Read the columns that have a role or are features; all others stay in the file."""
    for name in (*roles.columns, *roles.drop):
        if name not in file.names:
            file.read([name])  # says that there is no such column, and which is nearest
    excluded = {*roles.columns, *roles.drop}
    chosen = features.columns or tuple(name for name in file.names if name not in excluded)
    if not chosen:
        raise InputError(f"{file.path}: no column is left to be a feature; drop fewer.")
    both = [name for name in chosen if name in excluded]
    if both:
        raise InputError(f"Column {both[0]!r} stands in --terms and is dropped or no feature; choose one of the two.")
    as_text: dict[str, Kind] = {name: "text" for name in (roles.name, roles.positive and roles.label) if name}
    return file.read(list(dict.fromkeys([*chosen, *roles.columns])), {**features.kinds, **as_text})


def _take_roles(table: pa.Table, roles: Roles, z: np.ndarray) -> Rows:
    weights, groups = (None if name is None else _column(table, name) for name in (roles.weights, roles.groups))
    names = None if roles.name is None else table[roles.name].to_pylist()
    others = [name for name in table.column_names if name not in roles.columns]
    return Rows(table.select(others), z, weights, groups, names)


def _labels(path: Path, column: Any, roles: Roles) -> np.ndarray:
    import pyarrow as pa

    if roles.positive is not None:
        values = [None if value is None else _as_written(value) for value in column.to_pylist()]
        if roles.positive not in values:
            found = ", ".join(repr(value) for value in list(dict.fromkeys(values))[:MOST_VALUES_SHOWN])
            raise InputError(
                f"{path}: no row of column {roles.label!r} holds {roles.positive!r}; the first values are {found}."
            )
        return np.array([value == roles.positive for value in values])
    if _family(column.type) == "text":
        values = [value for value in column.unique().to_pylist() if value is not None]
        found = ", ".join(repr(value) for value in values[:MOST_VALUES_SHOWN])
        raise InputError(
            f"{path}: column {roles.label!r} holds text ({found}); say which value marks a labelled positive, as in "
            f"--positive {values[0] if values else 'yes'}."
        )
    if column.null_count:
        row = column.is_null().index(pa.scalar(True)).as_py()
        raise InputError(
            f"{path}: column {roles.label!r} is empty in row {row + 1}; code unlabelled rows as 0, or name the "
            "value of positives with --positive."
        )
    return np.asarray(column.to_numpy())


def _as_written(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _column(table: pa.Table, name: str) -> np.ndarray:
    return np.asarray(table[name].to_numpy())


def _family(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "booleans"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return "numbers"
    return "text" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else str(kind)


def _plain_types(table: pa.Table) -> pa.Table:
    """Write levels out, so that two tables with different levels can be joined."""
    import pyarrow as pa

    for place, (name, kind) in enumerate(zip(table.schema.names, table.schema.types, strict=True)):
        if pa.types.is_dictionary(kind):
            table = table.set_column(place, name, table[name].cast(kind.value_type))
    return table
