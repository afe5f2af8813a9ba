"""Rows on a Dask cluster: the partitions of a Dask data frame, or the row groups of a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pugam.data import LabelPart, Part, read_label_part, read_part, rows_renumbered
from pugam.engines.cluster import ClusterParts
from pugam.engines.memory import MemoryEngine
from pugam.engines.sources import Digest, digest_part, engine_of_part
from pugam.engines.threads import one_blas_thread
from pugam.errors import InputError
from pugam.terms import Design

__all__ = ["ClusterRows", "is_dask_frame", "is_dask_series"]


def is_dask_frame(X: Any) -> bool:
    """Whether X is a Dask data frame."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "npartitions") and X.ndim == 2


def is_dask_series(z: Any) -> bool:
    """Whether z is a Dask series."""
    return type(z).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(z, "npartitions") and z.ndim == 1


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
        found: list[LabelPart] = self._gather(_label_part, [()] * self._frame.npartitions, [])
        return found

    def digests(self, firsts: Sequence[int], n_rows: int, names: Sequence[str]) -> list[Digest]:
        """Choose and read the rows that tell enough of some columns, part by part."""
        found: list[Digest] = self._gather(_digest, [(first, n_rows, tuple(names)) for first in firsts], names)
        return found

    def parts(self, design: Design, firsts: Sequence[int], local: bool) -> ClusterParts:
        """Make the engines of all parts, on the workers; they stay there."""
        jobs = self._jobs(_engine, [(first, design, local) for first in firsts], design.columns_used)
        return ClusterParts(self._client, self._client.compute(jobs))

    def _gather(self, of_part: Any, arguments: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[Any]:
        results: list[Any] = self._client.gather(self._client.compute(self._jobs(of_part, arguments, names)))
        return results

    def _jobs(self, of_part: Any, arguments: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[Any]:
        """Tasks that read some columns of a partition and do something with it.

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


def _label_part(frame: Any, label: Any, weights: Any) -> LabelPart:
    return read_label_part(_role(frame, label), _role(frame, weights), len(frame))


def _part(frame: Any, label: Any, weights: Any, first: int) -> Part:
    own = [role for role in (label, weights) if isinstance(role, str)]
    with rows_renumbered(lambda row: first + row):
        return read_part(frame.drop(columns=own), _role(frame, label), _role(frame, weights))


def _digest(frame: Any, label: Any, weights: Any, first: int, n_rows: int, names: Sequence[str]) -> Digest:
    return digest_part(_part(frame, label, weights, first), first, n_rows, names)


def _engine(frame: Any, label: Any, weights: Any, first: int, design: Design, local: bool) -> MemoryEngine:
    with one_blas_thread():
        return engine_of_part(_part(frame, label, weights, first), design, first, local)
