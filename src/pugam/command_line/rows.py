"""From files and flags to rows: features, labels, weights, names, and what else is known of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from pugam.command_line.columns import (
    Features,
    Roles,
    family_of,
    kinds_of_names,
    match_levels,
    plain_types,
    split_names,
    without_empty_types,
)
from pugam.command_line.labels import read_label_column
from pugam.command_line.options import without_suffix
from pugam.command_line.wording import for_fits, for_parts
from pugam.data import ALL_ROWS, as_array, read_table, read_weights
from pugam.errors import InputError, RowError, warn_user
from pugam.files import DataFile, nearest_name, open_file, require_once
from pugam.messages import LeavingOut, counted
from pugam.terms import choose_terms, columns_read, may_identify_rows, parse_formula

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = ["KindFiles", "Rows", "chosen_features", "drop_gaps", "read_rows"]


@dataclass(frozen=True)
class PlacesInFiles(Sequence[str]):
    """Names for the rows of several files, each counted from 1 within its own: `claims.csv, row 17`.

    They are made when they are asked for: of millions of rows a page names twenty.
    """

    files: tuple[str, ...]
    sizes: tuple[int, ...]

    def __len__(self) -> int:
        return sum(self.sizes)

    @overload
    def __getitem__(self, row: int) -> str: ...

    @overload
    def __getitem__(self, row: slice) -> list[str]: ...

    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[number] for number in range(len(self))[row]]
        row = range(len(self))[row]
        for file, size in zip(self.files, self.sizes, strict=True):
            if row < size:
                return f"{file}, row {row + 1}"
            row -= size
        raise AssertionError("every row is in a file")


@dataclass(frozen=True)
class KindFiles:
    """A file for each kind of rows, in place of one with a column of labels.

    Attributes
    ----------
    positive, negative : Path or None
        Labelled positives, and known negatives.
    unlabelled : tuple of Path
        Several are a sample each.
    """

    positive: Path | None = None
    unlabelled: tuple[Path, ...] = ()
    negative: Path | None = None

    def __bool__(self) -> bool:
        return bool(self.positive or self.unlabelled or self.negative)

    @property
    def paths(self) -> list[Path]:
        """All of them, positives first and negatives last."""
        return [path for path in (self.positive, *self.unlabelled, self.negative) if path is not None]

    @property
    def named(self) -> list[str]:
        """All of them as they were given, each with its flag."""
        flags = ["--positive-file", *["--unlabeled-file"] * len(self.unlabelled), "--negative-file"]
        given = zip(flags, (self.positive, *self.unlabelled, self.negative), strict=True)
        return [f"{flag} {path}" for flag, path in given if path is not None]

    @property
    def origin(self) -> str:
        """Their names, without folders: a report may be sent to others."""
        kinds = {"positives": [self.positive], "unlabelled": self.unlabelled, "known negatives": [self.negative]}
        named = {kind: ", ".join(path.name for path in paths if path) for kind, paths in kinds.items()}
        return ", ".join(f"{names} ({kind})" for kind, names in named.items() if names)

    def of_each(self, roles: Roles) -> dict[str, list[Any]]:
        """What each file says of all its rows, by the arguments of a fit that take it."""
        names, n_others = _samples_of(self.unlabelled, roles), 1 + len(self.unlabelled)
        told: dict[str, list[Any]] = {"sample": [None, *names]} if names else {}
        if self.negative is None:
            return told
        return {role: [*values, None] for role, values in told.items()} | {"negative": [0] * n_others + [1]}


NO_FILES = KindFiles()
# Roles of columns that say nothing of some rows, such as labelled ones: files of these need no such column.
EMPTY_FOR_SOME = ("sample", "audit", "audit_chance", "negative", "kind")


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a fit: features as an Arrow table, the rest as arrays; or, in X, all of it in parts elsewhere.

    Attributes
    ----------
    roles : mapping of str to array
        Samples, audits, known negatives and how rows were drawn, by the arguments of a fit that take them.
    """

    X: Any
    z: Any
    weights: np.ndarray | None
    names: Sequence[Any] | None
    place: Callable[[int], str]  # where a row comes from: `data.csv, line 19`
    in_parts: bool = False
    roles: Mapping[str, np.ndarray] = field(default_factory=dict)

    def take(self, numbers: np.ndarray) -> Rows:
        """Keep the rows with these numbers; where they have no names, they are known by their places in the file."""
        return Rows(
            self.X.take(numbers),
            self.z[numbers],
            None if self.weights is None else self.weights[numbers],
            [f"row {number + 1}" if self.names is None else self.names[number] for number in numbers],
            lambda row: self.place(int(numbers[row])),
            roles={role: values[numbers] for role, values in self.roles.items()},
        )

    @contextmanager
    def faults_placed(self) -> Iterator[None]:
        """Tell of faults in rows by file and line."""
        try:
            yield
        except RowError as error:
            message = for_fits(error.placed(self.place).message)
            raise RowError(for_parts(message) if self.in_parts else message) from None


def read_rows(
    data: Path | None,
    roles: Roles,
    features: Features,
    files: KindFiles = NO_FILES,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Rows:
    """Read one file with labels, or a file for each kind of rows."""
    if data is not None:
        if files:
            _refuse_third_file(data, roles, files)
        if roles.label is None:
            raise InputError(f"{data}: say which column tells the labelled positives, as in --label z.")
        return _read_labelled(open_file(data, delimiter, decimal), roles, features)
    if files.positive is None or not files.unlabelled:
        raise InputError(
            "Give a file with a column of labels, as in data.csv --label z, or both --positive-file and "
            "--unlabeled-file."
        )
    if roles.label is not None or roles.positive is not None:
        raise InputError("--label and --positive are for one file that holds both kinds of rows; leave them out.")
    if roles.negative is not None and files.negative is not None:
        raise InputError("Both --negative and --negative-file tell known negatives; give one of them.")
    opened = [open_file(path, delimiter, decimal) for path in files.paths]
    named = zip(files.named, opened, strict=True)
    require_once(((name, part) for name, file in named for part in file.paths), "leave one of them out")
    return _read_several(opened, roles, features, files.of_each(roles))


def _samples_of(paths: Sequence[Path], roles: Roles) -> list[str]:
    """Name the samples that several unlabelled files are, by their names without endings; one file is none."""
    if len(paths) == 1:
        return []
    if roles.sample is not None:
        raise InputError("Several --unlabeled-file are a sample each; give one file with --sample, or leave it out.")
    names = [without_suffix(path) for path in paths]
    if ALL_ROWS in names:
        path = paths[names.index(ALL_ROWS)]
        raise InputError(
            f"--unlabeled-file {path} would be the sample {ALL_ROWS!r}, which is the name of all unlabelled rows "
            "together; rename the file."
        )
    for place, name in enumerate(names):
        if name in names[:place]:
            both = f"{paths[names.index(name)]} and {paths[place]}"
            raise InputError(f"--unlabeled-file {both} would both be the sample {name!r}; rename one of them.")
    return names


def _refuse_third_file(data: Path, roles: Roles, files: KindFiles) -> NoReturn:
    if roles.drop and not data.exists():
        repeated = " ".join(f"--drop {shlex.quote(name)}" for name in (*roles.drop, str(data)))
        raise InputError(
            f"Unexpected argument {str(data)!r}: --drop takes one column, so repeat it for several: {repeated}."
        )
    if files == KindFiles(negative=files.negative):
        raise InputError(
            "--negative-file goes with --positive-file and --unlabeled-file; in one file a column tells known "
            f"negatives: put {files.negative} into {data}, and give --negative with the name of the column."
        )
    raise InputError(
        f"Unexpected argument {str(data)!r}: give one file with --label, or --positive-file and --unlabeled-file, not "
        "both."
    )


def drop_gaps(rows: Rows, terms: Any, columns: Sequence[str] = ()) -> tuple[Rows, Any]:
    """Leave rows out that lack a value in a column of the terms, or in others; return all others, and the terms."""
    table = read_table(rows.X)
    specs = choose_terms(table) if terms is None else terms
    specs = parse_formula(specs) if isinstance(specs, str) else specs
    kept = np.ones(len(rows.z), dtype=bool)
    with rows.faults_placed():
        for column in {*columns_read(specs), *columns}:
            kept &= ~table.column(column).missing  # null, or a NaN that is none
    if not kept.all():
        gone = int(np.sum(~kept))
        lack = "it lacks" if gone == 1 else "they lack"
        warn_user(f"Left out {gone:,} of {counted(len(kept), 'row')}: {lack} a value in a feature.")
    return rows.take(np.flatnonzero(kept)), specs


def _read_labelled(file: DataFile, roles: Roles, features: Features) -> Rows:
    table = _read_columns(file, roles, features.naming(kinds_of_names([file], roles.naming)))
    names = None if roles.name is None else _names(file, table, roles.name, features)
    place = partial(_place, [(file, table.num_rows)])
    return _take_roles(table, roles, features, read_label_column(file, table[roles.label], roles), names, place)


def _read_several(
    files: Sequence[DataFile], roles: Roles, features: Features, of_each: Mapping[str, Sequence[Any]]
) -> Rows:
    """Read a file of positives and, after it, all others."""
    import pyarrow as pa

    dropped = split_names(roles.drop, {name for file in files for name in file.names})
    named = features.naming(kinds_of_names(files, roles.naming))
    first, *others = (_read_one(file, files, replace(roles, drop=tuple(dropped)), named) for file in files)
    for file, table in zip(files[1:], others, strict=True):
        _require_alike((files[0], first), (file, table))
    tables = [first, *(table.select(first.column_names) for table in others)]
    joined = pa.concat_tables([plain_types(table) for table in tables], promote_options="permissive")
    if not features.columns:
        _warn_of_numbering(tables, joined.drop_columns(list(roles.columns)))
    sizes = [table.num_rows for table in tables]
    names: Sequence[Any] = PlacesInFiles(tuple(file.path.name for file in files), tuple(sizes))
    if roles.name is not None:
        each = zip(files, tables, strict=True)
        names = [name for file, table in each for name in _names(file, table, roles.name, features)]
    place = partial(_place, list(zip(files, sizes, strict=True)))
    rows = _take_roles(joined, roles, features, np.repeat([1, *[0] * len(others)], sizes), names, place)
    told = {role: np.repeat(np.array(values, dtype=object), sizes) for role, values in of_each.items()}
    return replace(rows, roles={**rows.roles, **told})


def _require_alike(one: tuple[DataFile, pa.Table], other: tuple[DataFile, pa.Table]) -> None:
    """Refuse two files that differ in their columns, or in what these hold."""
    for (file, mine), (beside, others) in ((one, other), (other, one)):
        here, there = set(mine.column_names), set(others.column_names)
        lacking = [name for name in others.column_names if name not in here]
        if lacking:
            spare = [name for name in mine.column_names if name not in there]
            near = nearest_name(lacking[0], spare)
            remedy = "--drop it" if near is None else f"its nearest name is {near!r}: make both alike, or --drop both"
            raise InputError(f"{file.path} has no column {lacking[0]!r}, which {beside.path} has; {remedy}.")
    (file, mine), (beside, others) = one, other
    for name in mine.column_names:
        mine_hold, others_hold = (family_of(table.schema.field(name).type) for table in (mine, others))
        if mine_hold != others_hold and "nothing" not in (mine_hold, others_hold):
            raise InputError(
                f"Column {name!r} holds {mine_hold} in {file.path} and {others_hold} in {beside.path}; make both "
                "alike, or --drop it."
            )


def _warn_of_numbering(tables: Sequence[pa.Table], joined: pa.Table) -> None:
    """Ask about identifiers that begin anew in every file: only within a file each is there once."""
    for name in joined.column_names:
        columns = [table.select([name]) for table in (*tables, joined)]
        if any(family_of(table.schema.field(0).type) != "numbers" for table in columns):
            continue
        *here, together = (may_identify_rows(read_table(table).column(name)) for table in columns)
        if all(here) and not together:
            warn_user(
                f"Column {name!r} holds whole numbers, different in every row of a file; if it identifies rows, leave "
                "it out",
                LeavingOut((name,), identify=True),
                ".",
            )


def _read_one(file: DataFile, files: Sequence[DataFile], roles: Roles, features: Features) -> pa.Table:
    """Read one of several files: columns to leave out, and those that are empty for some rows, need to be in one."""
    import pyarrow as pa

    elsewhere = {name for other in files for name in other.names} - set(file.names)
    known = roles.of_rows | roles.of_kinds
    empty = [name for role, name in known.items() if role in EMPTY_FOR_SOME and name in elsewhere]
    here = replace(roles.without(empty), drop=tuple(name for name in roles.drop if name not in elsewhere))
    table = without_empty_types(_read_columns(file, here, features.without(empty)))
    for name in empty:
        table = table.append_column(name, pa.nulls(table.num_rows))
    return table


def chosen_features(file: DataFile, roles: Roles, features: Features) -> tuple[str, ...]:
    """Which columns of a file are features: those of the formula, or all that have no role and are not dropped."""
    roles.require_own_labels()
    known = set(file.names)
    dropped = split_names(roles.drop, known)
    for name in (*roles.columns, *dropped):
        if name not in known:
            file.read([name])  # says that there is no such column, and which is nearest
    excluded = {*roles.columns, *dropped}
    chosen = features.columns or tuple(name for name in file.names if name not in excluded)
    if not chosen:
        raise InputError(f"{file.path}: no column is left to be a feature; drop fewer.")
    both = [name for name in chosen if name in excluded and name not in (roles.name, roles.sample)]
    if both:
        raise InputError(f"Column {both[0]!r} is a feature of the model and has another role, too; choose one of them.")
    return chosen


def _read_columns(file: DataFile, roles: Roles, features: Features) -> pa.Table:
    """Read the columns that have a role or are features; all others stay in the file."""
    chosen = chosen_features(file, roles, features)
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
    names: Sequence[Any] | None,
    place: Callable[[int], str],
) -> Rows:
    weights = None if roles.weights is None else as_array(table[roles.weights])
    known = {role: as_array(table[name]) for role, name in (roles.of_rows | roles.of_kinds).items()}
    others = [name for name in table.column_names if name in features.columns or name not in roles.columns]
    if weights is not None:
        _check_weights(f"Column {roles.weights!r}: ", weights, place)
    return Rows(table.select(others), z, weights, names, place, roles=known)


def _check_weights(where: str, weights: Any, place: Callable[[int], str]) -> None:
    try:
        read_weights(weights, len(weights))
    except InputError as error:
        placed = error.placed(place) if isinstance(error, RowError) else error
        raise InputError(where, placed.message) from None
