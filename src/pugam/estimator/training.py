"""The rows of a fit, wherever they are: a table in memory, a file that may be larger, partitions on a cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import copy
from functools import cached_property, partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from pugam.data import (
    NO_ROLES,
    LabelPart,
    SampleRoles,
    SurveyRows,
    Table,
    digest,
    effective_weights,
    join_digests,
    read_negatives,
    read_survey,
    require_both_kinds,
    require_unlabelled,
    rows_renumbered,
    tell_samples,
)
from pugam.engines import (
    ClusterRows,
    Engine,
    EngineName,
    FileRows,
    GpuEngine,
    MemoryEngine,
    PartedEngine,
    RowSource,
    count_threads,
    find_client,
    is_dask_frame,
    is_dask_series,
    is_local_faster,
)
from pugam.errors import InputError
from pugam.estimator.reading import WeightedRows, owned, read_kept_labels, read_training_rows, read_weighted_rows
from pugam.files import DataFile, open_file
from pugam.messages import Argument
from pugam.terms import Design

__all__ = [
    "ELSEWHERE",
    "TableRows",
    "TrainingRows",
    "by_survey",
    "is_elsewhere",
    "is_large",
    "open_rows",
    "read_on_cluster",
    "rows_placed",
]

LARGE_BYTES = 2**30  # a file whose numbers take more is not read into memory unless that is asked for
TEXT_GROWS = 2  # so many times as much memory as a CSV file on disk its numbers may take; compressed ones take more
PARTITION = "64MiB"  # of a Parquet file: small enough to be shared evenly among many workers
ENGINES: dict[EngineName, type[MemoryEngine]] = {"auto": MemoryEngine, "memory": MemoryEngine, "gpu": GpuEngine}
ELSEWHERE = {"stream": "the path of a file", "dask": "a Dask data frame, or the path of a Parquet folder"}


class TrainingRows(Protocol):
    """Rows of positive weight: what a fit needs to know of them, and the way to an engine."""

    @property
    def header(self) -> Table:
        """The features' names."""
        ...

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        ...

    @property
    def weights(self) -> np.ndarray | None:
        """How much each row counts; None stands for ones."""
        ...

    @property
    def positive(self) -> np.ndarray:
        """True for the labelled rows."""
        ...

    @property
    def classes(self) -> np.ndarray:
        """The user's codes for unlabelled and positive."""
        ...

    @property
    def kept(self) -> np.ndarray | None:
        """Which rows of the data these are; None stands for all."""
        ...

    @property
    def roles(self) -> SampleRoles:
        """What else is known of all rows of the data; of known negatives only where some have weight."""
        ...

    @property
    def library(self) -> str:
        """The library in which frames are given back."""
        ...

    def digest(self, names: Sequence[str]) -> tuple[np.ndarray, Table]:
        """A table of those rows that tell enough of these columns, and their numbers."""
        ...

    def engine(self, design: Design) -> Engine:
        """The engine that takes sums over these rows."""
        ...

    def negatives(self, design: Design) -> Engine | None:
        """That of known negatives, which are not among these rows; None where there are none."""
        ...

    @property
    def kept_negatives(self) -> np.ndarray | None:
        """Which rows of the data are known negatives that count; None where there are none."""
        ...

    def sampled(self) -> Self:
        """The same rows, whose weights are sampling weights."""
        ...


Rows = TypeVar("Rows", bound=TrainingRows)


class TableRows:
    """Rows of a table in memory."""

    def __init__(
        self,
        table: Table,
        z: Any,
        sample_weight: Any,
        engine: EngineName,
        n_jobs: int | None,
        roles: SampleRoles = NO_ROLES,
    ) -> None:
        self._kind, self._n_jobs = _engine_of_tables(engine), n_jobs
        known = read_negatives(roles.negative, table.n_rows)
        self._chosen = read_weighted_rows(table, sample_weight, None if known is None else ~known)
        aside = None if known is None else read_weighted_rows(table, sample_weight, known)
        self._aside = aside if aside is not None and aside.table.n_rows else None
        self.header, self.weights, self.kept = self._chosen
        self.roles = roles._replace(negative=None) if self._aside is None else roles
        self._read_labels = partial(read_kept_labels, z, table.n_rows, self.kept, known)
        self.library, self.n_rows = table.library, self.header.n_rows

    @cached_property
    def _labels(self) -> tuple[np.ndarray, np.ndarray]:
        return self._read_labels()

    @property
    def positive(self) -> np.ndarray:
        """True for the labelled rows."""
        return self._labels[0]

    @property
    def classes(self) -> np.ndarray:
        """The user's codes for unlabelled and positive."""
        return self._labels[1]

    def digest(self, names: Sequence[str]) -> tuple[np.ndarray, Table]:
        """A table of those rows that tell enough of these columns, and their numbers."""
        return join_digests([digest(self.header, 0, self.n_rows, names)], self.n_rows, self.library)

    def engine(self, design: Design) -> MemoryEngine:
        """The engine that takes sums over these rows."""
        return self._engine_of(self._chosen, self.positive, design)

    def negatives(self, design: Design) -> MemoryEngine | None:
        """That of known negatives; None where there are none."""
        if self._aside is None:
            return None
        return self._engine_of(self._aside, np.zeros(self._aside.table.n_rows, bool), design)

    @property
    def kept_negatives(self) -> np.ndarray | None:
        """Which rows of the data are known negatives that count; None where there are none."""
        return None if self._aside is None else self._aside.kept

    def telling_samples(self, column: str) -> Self:
        """The same rows, in whose table a column names the samples of unlabelled rows."""
        other = copy(self)
        other.header = tell_samples(self.header, column, self.positive)
        other._chosen = self._chosen._replace(table=other.header)
        return other

    def sampled(self) -> Self:
        """The same rows, whose weights are sampling weights; known negatives are a sample of their own."""
        other = copy(self)
        other._chosen = self._chosen._replace(weights=effective_weights(self.weights))
        other.weights = other._chosen.weights
        if self._aside is not None:
            other._aside = self._aside._replace(weights=effective_weights(self._aside.weights))
        return other

    def _engine_of(self, rows: WeightedRows, positive: np.ndarray, design: Design) -> MemoryEngine:
        threads = count_threads(self._n_jobs, rows.table.n_rows, 1 + design.n_columns)
        for name in design.columns_used:
            rows.table.column(name)  # faults found in reading name rows of the whole already
        with rows_renumbered(lambda row: _row_of_all(rows.kept, row)):
            encoded = owned(design.encode(rows.table), [rows.table.column(name) for name in design.columns_used])
        return self._kind(design, encoded, positive, rows.weights, threads)


def _engine_of_tables(engine: EngineName) -> type[MemoryEngine]:
    """The class of an engine for rows in memory."""
    if engine in ENGINES:
        return ENGINES[engine]
    what = ELSEWHERE.get(engine, "rows that are elsewhere")
    instead = "; X is a table in memory: use ", Argument("engine", "memory"), "."
    raise InputError(Argument("engine", engine), f" is for {what}", *instead)


class PartedRows:
    """Rows in parts, in a file or on a cluster."""

    _are_sampled = False

    def __init__(self, source: RowSource) -> None:
        self._source, self.library = source, source.library
        parts = self._parts = source.labels()
        self.positive, self.weights = _joined(parts)
        self.n_rows = len(self.positive)
        kept = np.concatenate([np.ones(part.n_rows, bool) if part.kept is None else part.kept for part in parts])
        self.kept = None if kept.all() else kept
        if not self.n_rows:
            raise InputError("There are no rows of positive weight; a fit needs labelled and unlabelled ones.")
        aside = [part.negatives for part in parts if part.negatives is not None and len(part.negatives.positive)]
        require_unlabelled(self.positive, aside or None)
        require_both_kinds(self.positive)
        self.classes = _common_classes([part.classes for part in parts if part.n_rows])
        known = [role for role in parts[0].roles if role != "negative" or aside]
        self.roles = SampleRoles(**{role: np.concatenate([part.roles[role] for part in parts]) for role in known})

    @cached_property
    def header(self) -> Table:
        """The features' names."""
        return Table(self._source.names, self.n_rows, _no_column, self.library)

    def digest(self, names: Sequence[str]) -> tuple[np.ndarray, Table]:
        """A table of those rows that tell enough of these columns, and their numbers."""
        return join_digests(self._source.digests(self._parts, names), self.n_rows, self.library)

    def engine(self, design: Design) -> PartedEngine:
        """The engine that takes sums over these rows."""
        return self._engine_of(self._parts, design)

    def negatives(self, design: Design) -> PartedEngine | None:
        """That of known negatives; None where there are none."""
        aside = [part.negatives for part in self._parts if part.negatives is not None]
        return self._engine_of(aside, design) if any(len(part.positive) for part in aside) else None

    @property
    def kept_negatives(self) -> np.ndarray | None:
        """Which rows of the data are known negatives that count; None where there are none."""
        if self.roles.negative is None:
            return None
        aside = [part.negatives for part in self._parts if part.negatives is not None]
        return np.concatenate([np.ones(part.n_rows, bool) if part.kept is None else part.kept for part in aside])

    def sampled(self) -> Self:
        """The same rows, whose weights are sampling weights; known negatives are a sample of their own."""
        other = copy(self)
        other._are_sampled = True
        return other

    def _engine_of(self, labels: list[LabelPart], design: Design) -> PartedEngine:
        sizes = [len(part.positive) for part in labels if len(part.positive)]
        parts = self._source.parts(design, labels, is_local_faster(design, sum(sizes)))
        engine = PartedEngine(design, parts, *_joined(labels), sizes)
        if not self._are_sampled or engine.weights is None:
            return engine
        effective = effective_weights(engine.weights)
        return engine.reweighted((1.0 if effective is None else effective) / engine.weights)


def _joined(parts: Sequence[LabelPart]) -> tuple[np.ndarray, np.ndarray | None]:
    """Who is labelled, and the weights, of the rows of all parts."""
    weighted = [part.weights for part in parts if part.weights is not None]
    return np.concatenate([part.positive for part in parts]), np.concatenate(weighted) if weighted else None


def by_survey(rows: Rows) -> tuple[Rows, SurveyRows | None]:
    """Read how rows were drawn, if that is told; their weights are then sampling weights."""
    groups, strata = rows.roles.groups, rows.roles.strata
    if groups is None and strata is None:
        return rows, None
    if groups is None and isinstance(rows, PartedRows):
        raise InputError(
            Argument("strata"),
            " needs ",
            Argument("groups"),
            " where rows are read in parts, or on a cluster: name the column of clusters, too.",
        )
    n_rows = rows.n_rows if rows.kept is None else len(rows.kept)
    return rows.sampled(), read_survey(groups, strata, n_rows, rows.kept, rows.kept_negatives)


def rows_placed(rows: TrainingRows, numbers: np.ndarray) -> AbstractContextManager[None]:
    """Count the rows of faults found within, in a table of the rows with these numbers, as rows of the whole."""
    return rows_renumbered(lambda row: _row_of_all(rows.kept, int(numbers[row])))


def _row_of_all(kept: np.ndarray | None, number: int) -> int:
    """The place among all rows of one that is known by its number among those of positive weight."""
    return number if kept is None else int(np.flatnonzero(kept)[number])


def open_rows(
    X: Any,
    z: Any,
    sample_weight: Any,
    engine: EngineName,
    n_jobs: int | None,
    roles: SampleRoles = NO_ROLES,
    shared: str | None = None,
) -> TrainingRows:
    """Open the rows of a fit: a table, the path of a file, or a Dask data frame.

    Of a file and of a Dask data frame, labels, weights and all else that is known of rows are columns, given by name.
    One of them may be `shared` with the features, where a file is read into memory.
    """
    if isinstance(X, FileRows | ClusterRows):
        source: RowSource = X
    elif is_dask_frame(X):
        source = _dask_rows(X, z, sample_weight, engine, roles)
    elif isinstance(X, str | os.PathLike):
        file = open_file(X)
        if engine == "dask":
            source = _dask_rows(read_on_cluster(file), z, sample_weight, engine, roles)
        elif engine == "stream" or (engine == "auto" and is_large(file)):
            columns, others = _roles(file, z, sample_weight, roles), roles.given
            source = FileRows(file, *columns, n_threads=count_threads(n_jobs), roles=others)
        else:
            return _read_file(file, z, sample_weight, engine, n_jobs, roles, shared)
    else:
        _engine_of_tables(engine)
        return TableRows(read_training_rows(X), z, sample_weight, engine, n_jobs, roles)
    return PartedRows(source)


def is_elsewhere(X: Any) -> bool:
    """Whether X says where rows are rather than holding them."""
    return isinstance(X, str | os.PathLike | FileRows | ClusterRows) or is_dask_frame(X)


def _read_file(
    file: DataFile,
    z: Any,
    sample_weight: Any,
    engine: EngineName,
    n_jobs: int | None,
    roles: SampleRoles,
    shared: str | None,
) -> TableRows:
    """Read a whole file into memory."""
    label, weights, features = _roles(file, z, sample_weight, roles)
    features = features if shared is None else (*features, shared)
    columns = [name for name in (label, weights, *roles.given.values()) if name is not None]
    whole = file.read(list(dict.fromkeys([*features, *columns])))
    given = None if weights is None else whole[weights]
    known = SampleRoles(**{role: whole[name] for role, name in roles.given.items()})
    return TableRows(read_training_rows(whole.select(list(features))), whole[label], given, engine, n_jobs, known)


def _roles(file: DataFile, z: Any, sample_weight: Any, roles: SampleRoles) -> tuple[str, str | None, tuple[str, ...]]:
    """Which columns of a file are the labels, the weights, and the features."""
    column = "of rows in a file are one of its columns; give its name"
    named = [(f"The labels {column}", z, "'z'")]
    if sample_weight is not None:
        named.append((f"Weights {column}", sample_weight, "'z', sample_weight='w'"))
    for role, name in roles.given.items():
        named.append((f"{role} of rows in a file is the name of one of its columns", name, f"'z', {role}='{role}'"))
    for what, name, example in named:
        if not isinstance(name, str):
            raise InputError(f"{what}, as in fit(path, {example}).")
        if name not in file.names:
            file.read([name])  # says that there is no such column, and which is nearest
    if z == sample_weight:
        raise InputError(f"Column {z!r} cannot be both the labels and the weights.")
    taken = (z, sample_weight, *roles.given.values())
    features = tuple(name for name in file.names if name not in taken)
    if not features:
        raise InputError(f"{file.path} has no column left to be a feature.")
    return z, sample_weight, features


def is_large(file: DataFile) -> bool:
    """Whether the numbers of a file would take much memory."""
    if file.n_rows is not None:
        return 8 * file.n_rows * len(file.names) > LARGE_BYTES
    return TEXT_GROWS * file.path.stat().st_size > LARGE_BYTES


def read_on_cluster(file: DataFile) -> Any:
    """Make a Dask data frame of Parquet files, which the workers read."""
    find_client()
    if file.n_rows is None:
        raise InputError(Argument("engine", "dask"), f" reads Parquet files; write {file.path} as Parquet first.")
    import dask.dataframe

    return dask.dataframe.read_parquet([str(path) for path in file.paths], blocksize=PARTITION)


def _dask_rows(frame: Any, z: Any, sample_weight: Any, engine: EngineName, roles: SampleRoles) -> ClusterRows:
    if engine not in ("auto", "dask"):
        raise InputError(f"X is a Dask data frame, which engine={engine!r} cannot read; use 'dask', or X.compute().")
    client = find_client()
    for what, role in (("z", z), ("sample_weight", sample_weight)):
        named = isinstance(role, str) and role in frame.columns
        if not named and not is_dask_series(role) and not (what == "sample_weight" and role is None):
            raise InputError(
                f"{what} is {role!r}: for a Dask data frame give the name of one of its columns "
                f"({', '.join(map(str, frame.columns))}), or a Dask series with the same partitions."
            )
    for role, name in roles.given.items():
        if not isinstance(name, str) or name not in frame.columns:
            raise InputError(
                Argument(role),
                f" of a Dask data frame is the name of one of its columns: {', '.join(map(str, frame.columns))}.",
            )
    return ClusterRows(client, frame, z, sample_weight, roles.given)


def _common_classes(classes: list[np.ndarray]) -> np.ndarray:
    """The codes for unlabelled and positive rows that all parts share."""
    unlabelled = {code.item() for code, _ in classes if code != 1}
    if len(unlabelled) > 1:
        raise InputError(Argument("z"), " marks unlabelled rows both by 0 and by -1; use one of them for all.")
    first = classes[0]
    return np.array([unlabelled.pop() if unlabelled else first[0], 1], dtype=first.dtype)


def _no_column(name: str) -> Any:
    raise AssertionError(f"column {name} is not read from here")
