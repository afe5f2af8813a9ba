"""Rows on a Dask cluster: the partitions of a Dask data frame, or the row groups of a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pugam.data import LabelPart, Part, read_label_part, read_part, rows_renumbered
from pugam.engines.cluster import ClusterParts
from pugam.engines.memory import MemoryEngine
from pugam.engines.sources import Digest, Place, digest_part, engine_of_part, places_of
from pugam.engines.threads import one_blas_thread
from pugam.errors import InputError, RowError
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
    """

    library = "pandas"

    def __init__(self, client: Any, frame: Any, label: Any, weights: Any) -> None:
        roles = [role for role in (label, weights) if isinstance(role, str)]
        self.names = tuple(str(name) for name in frame.columns if name not in roles)
        self._client, self._frame, self._label, self._weights = client, frame, label, weights
        for what, role in (("z", label), ("sample_weight", weights)):
            if is_dask_series(role) and role.npartitions != frame.npartitions:
                raise InputError(
                    f"{what} has {role.npartitions} partitions but X has {frame.npartitions}; make it a column of X "
                    "and give its name."
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

        own = [role for role in (self._label, self._weights) if isinstance(role, str)]
        columns = [name for name in self._frame.columns if str(name) in names or name in own]
        partitions = self._frame[columns].to_delayed()
        roles = [
            role.to_delayed() if is_dask_series(role) else [role] * len(partitions)
            for role in (self._label, self._weights)
        ]
        job = delayed(of_part, pure=False)
        return [
            job(partition, label, weights, *extra)
            for partition, label, weights, extra in zip(partitions, *roles, arguments, strict=True)
        ]


def _role(frame: Any, role: Any) -> Any:
    return frame[role] if isinstance(role, str) else role


def _with_rows(jobs: list[Any], labels: Sequence[LabelPart]) -> list[Any]:
    return [job for job, part in zip(jobs, labels, strict=True) if len(part.positive)]


def _label_part(frame: Any, label: Any, weights: Any) -> LabelPart | RowError:
    """Labels and weights of a partition, or what is wrong with them: where it begins is not known yet."""
    try:
        return read_label_part(_role(frame, label), _role(frame, weights), len(frame))
    except RowError as error:
        return error


def _part(frame: Any, label: Any, weights: Any, place: Place) -> Part:
    own = [role for role in (label, weights) if isinstance(role, str)]
    with rows_renumbered(lambda row: place.first_of_all + row):
        part = read_part(frame.drop(columns=own), _role(frame, label), _role(frame, weights))
    if part.labels.fingerprint != place.fingerprint:
        raise InputError(
            "A partition of the Dask data frame is not what it was when it was first read; fit rows that stay the same "
            "(persist the frame, or write it to Parquet first)."
        )
    return part


def _digest(frame: Any, label: Any, weights: Any, place: Place, n_rows: int, names: Sequence[str]) -> Digest:
    return digest_part(_part(frame, label, weights, place), place, n_rows, names)


def _engine(frame: Any, label: Any, weights: Any, place: Place, design: Design, local: bool) -> MemoryEngine:
    with one_blas_thread():
        return engine_of_part(_part(frame, label, weights, place), design, place, local)
