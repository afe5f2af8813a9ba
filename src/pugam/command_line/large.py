"""Files that are not read into memory: rows in parts for `pugam fit`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pugam.command_line.columns import Features, Roles, family_of, kinds_of_names
from pugam.command_line.labels import mark_positive, read_label_column
from pugam.command_line.rows import KindFiles, Rows, chosen_features
from pugam.errors import InputError, warn_user
from pugam.files import DataFile, open_file

if TYPE_CHECKING:
    from pugam.engines import ClusterRows, FileRows

__all__ = ["open_large", "require_all_rows", "require_one_file"]


def require_one_file(files: KindFiles, engine: str) -> None:
    """Refuse a file for each kind of rows, of which only one could be read in parts."""
    if files and engine in ("stream", "dask"):
        raise InputError(
            f"--engine {engine} reads one file; put all rows into it, with columns that tell labels, samples and known "
            "negatives (--label, --sample, --negative)."
        )


def open_large(
    data: Path | None,
    roles: Roles,
    features: Features,
    engine: str,
    jobs: int | None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Rows | None:
    """Open a file to be read in parts, by a stream or on a cluster; None where it is to be read into memory."""
    from pugam.estimator import is_large

    if data is None or engine not in ("auto", "stream", "dask"):
        return None
    file = open_file(data, delimiter, decimal)
    if engine == "auto" and not is_large(file):
        return None
    if roles.label is None:
        raise InputError(f"{data}: say which column tells the labelled positives, as in --label z.")
    if roles.name is not None:
        warn_user("--id is not read where a file is read in parts; rows are known by their numbers.")
    if roles.positive is None:
        _refuse_words(file, roles)
    names = chosen_features(file, roles, features)
    source = _on_cluster(file, roles, names) if engine == "dask" else _in_stream(file, roles, features, names, jobs)
    return Rows(source, None, None, None, lambda row: f"{file.path}, {file.place(row)}", in_parts=True)


def _refuse_words(file: DataFile, roles: Roles) -> None:
    """Ask for the word that marks positives, where labels are words, before all rows are read."""
    assert roles.label is not None
    kinds = file.kinds([roles.label]) if roles.label in file.names else {}
    first = next(iter(file.batches([roles.label], kinds))).column(0)
    if family_of(first.type) == "text":
        read_label_column(file, first, roles)


def require_all_rows(missing: str) -> None:
    """Refuse to leave rows out that lack a value: which these are is not known before all were seen."""
    if missing == "drop":
        raise InputError(
            "--missing drop needs to see all rows, but they are read in parts; give --engine memory if they fit into "
            "it."
        )


def _in_stream(file: DataFile, roles: Roles, features: Features, names: tuple[str, ...], jobs: int | None) -> FileRows:
    from pugam.engines import FileRows, count_threads

    assert roles.label is not None
    types = dict(features.kinds) | kinds_of_names([file], roles.naming)
    if roles.positive is not None:
        types[roles.label] = "text"
    codes = None if roles.positive is None else partial(mark_positive, wanted=roles.positive)
    return FileRows(file, roles.label, roles.weights, names, count_threads(jobs), codes, types, roles.of_rows)


def _on_cluster(file: DataFile, roles: Roles, names: tuple[str, ...]) -> ClusterRows:
    from pugam.engines import ClusterRows, find_client
    from pugam.estimator import read_on_cluster

    frame: Any = read_on_cluster(file)
    weights = [] if roles.weights is None else [roles.weights]
    frame = frame[list(dict.fromkeys([*names, roles.label, *weights, *roles.of_rows.values()]))]
    if roles.positive is not None:
        marked = frame[roles.label].map_partitions(_marked, roles.positive, meta=(roles.label, "bool"))
        frame = frame.assign(**{str(roles.label): marked})
    return ClusterRows(find_client(), frame, roles.label, roles.weights, roles.of_rows)


def _marked(column: Any, wanted: str) -> Any:
    return type(column)(mark_positive(column, wanted), index=column.index, name=column.name)
