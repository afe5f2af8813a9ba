"""Rows on a Dask cluster: the partitions of a Dask data frame, or the row groups of a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pugam.data import NO_COLUMNS, LabelPart, Part, read_label_part, read_part, rows_renumbered
from pugam.engines.cluster import ClusterParts
from pugam.engines.memory import MemoryEngine
from pugam.engines.sources import Digest, Place, digest_part, engine_of_part, places_of
from pugam.engines.threads import one_blas_thread
from pugam.errors import InputError, RowError
from pugam.messages import counted
from pugam.terms import Design

__all__ = ["ClusterRows", "is_dask_frame", "is_dask_series"]


def is_dask_frame(X: Any) -> bool:
    """Whether X is a Dask data frame."""
    return _is_of_dask(X) and X.ndim == 2


def is_dask_series(z: Any) -> bool:
    """Whether z is a Dask series."""
    return _is_of_dask(z) and z.ndim == 1


def _is_of_dask(values: Any) -> bool:
    return type(values).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(values, "npartitions")


class ClusterRows:
    """Labelled rows in the partitions of a Dask data frame; see `sources.RowSource`.

    Parameters
    ----------
    client : distributed.Client
    frame : dask.dataframe.DataFrame
    label, weights : str or dask.dataframe.Series
        Names of columns, or series with the same partitions; None where there are no weights.
    others : mapping of str to str
        Names of columns that tell more of the rows, see `pugam.data.SampleRoles`.
    """

    library = "pandas"

    def __init__(
        self, client: Any, frame: Any, label: Any, weights: Any, others: Mapping[str, str] = NO_COLUMNS
    ) -> None:
        self._client, self._frame, self._roles = client, frame, _Roles(label, weights, dict(others))
        self.names = tuple(str(name) for name in frame.columns if name not in self._roles.names)
        for what, role in (("z", label), ("sample_weight", weights)):
            if is_dask_series(role) and role.npartitions != frame.npartitions:
                raise InputError(
                    f"{what} has {counted(role.npartitions, 'partition')} but X has {frame.npartitions}; make it a "
                    "column of X and give its name."
                )

    def labels(self) -> list[LabelPart]:
        """Read labels and weights of all parts."""
        found: list[LabelPart] = []
        for part in self._gather(self._jobs(_label_part, [()] * self._frame.npartitions, [])):
            if isinstance(part, RowError):
                first = sum(earlier.n_rows for earlier in found)
                with rows_renumbered(lambda row, first=first: first + row):  # type: ignore[misc]
                    raise part
            found.append(part)
        return found

    def digests(self, labels: Sequence[LabelPart], names: Sequence[str]) -> list[Digest]:
        """Choose and read the rows that tell enough of some columns, part by part."""
        n_rows = sum(len(part.positive) for part in labels)
        arguments = [(place, n_rows, tuple(names)) for place in places_of(labels)]
        return self._gather(_with_rows(self._jobs(_digest, arguments, names), labels))

    def parts(self, design: Design, labels: Sequence[LabelPart], local: bool) -> ClusterParts:
        """Make the engines of all parts, on the workers; they stay there."""
        jobs = self._jobs(_engine, [(place, design, local) for place in places_of(labels)], design.columns_used)
        return ClusterParts(self._client, self._client.compute(_with_rows(jobs, labels)))

    def _gather(self, jobs: list[Any]) -> list[Any]:
        results: list[Any] = self._client.gather(self._client.compute(jobs))
        return results

    def _jobs(self, of_part: Any, arguments: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[Any]:
        """Tasks, one for each partition, that read some of its columns and do something with them.

        They hold on to the graph behind the partition, from which Dask makes it anew when a worker dies.
        """
        from dask.delayed import delayed

        wanted = {*names, *self._roles.names}
        columns = [name for name in self._frame.columns if str(name) in wanted or name in wanted]
        partitions = self._frame[columns].to_delayed()
        roles = [
            role.to_delayed() if is_dask_series(role) else [role] * len(partitions)
            for role in (self._roles.label, self._roles.weights)
        ]
        job = delayed(of_part, pure=False)
        return [
            job(partition, delayed(_Roles)(label, weights, self._roles.others), *extra)
            for partition, label, weights, extra in zip(partitions, *roles, arguments, strict=True)
        ]


class _Roles(NamedTuple):
    """Labels, weights and what else is known of rows: names of columns, or what stands in them."""

    label: Any
    weights: Any
    others: dict[str, str]

    @property
    def names(self) -> list[str]:
        """Columns that have a role."""
        return [role for role in (self.label, self.weights, *self.others.values()) if isinstance(role, str)]

    def of(self, frame: Any) -> tuple[Any, Any, dict[str, Any]]:
        """Labels, weights and all else of the rows of a partition."""
        label, weights = (frame[role] if isinstance(role, str) else role for role in (self.label, self.weights))
        return label, weights, {role: frame[name] for role, name in self.others.items()}


def _with_rows(jobs: list[Any], labels: Sequence[LabelPart]) -> list[Any]:
    return [job for job, part in zip(jobs, labels, strict=True) if len(part.positive)]


def _label_part(frame: Any, roles: _Roles) -> LabelPart | RowError:
    """Labels and weights of a partition, or what is wrong with them: where it begins is not known yet."""
    label, weights, others = roles.of(frame)
    try:
        return read_label_part(label, weights, len(frame), others)
    except RowError as error:
        return error


def _part(frame: Any, roles: _Roles, place: Place) -> Part:
    features = frame.drop(columns=list(dict.fromkeys(roles.names)))
    with rows_renumbered(lambda row: place.first_of_all + row):
        part = read_part(features, *roles.of(frame), place.of_negatives)
    if part.labels.fingerprint != place.fingerprint:
        raise InputError(
            "A partition of the Dask data frame is not what it was when it was first read; fit rows that stay the same "
            "(persist the frame, or write it to Parquet first)."
        )
    return part


def _digest(frame: Any, roles: _Roles, place: Place, n_rows: int, names: Sequence[str]) -> Digest:
    return digest_part(_part(frame, roles, place), place, n_rows, names)


def _engine(frame: Any, roles: _Roles, place: Place, design: Design, local: bool) -> MemoryEngine:
    with one_blas_thread():
        return engine_of_part(_part(frame, roles, place), design, place, local)
