"""Parts on a Dask cluster: they stay on the workers, which send one small sum for each pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from pugam.engines.parted import OfPart
from pugam.engines.threads import one_blas_thread
from pugam.errors import InputError
from pugam.extras import load_extra
from pugam.messages import Argument

__all__ = ["ClusterParts", "find_client"]

FAN_IN = 8  # so many sums are added at a time, always the same ones
START = (
    "name a scheduler in the environment variable DASK_SCHEDULER_ADDRESS, or start one in Python: from "
    "dask.distributed import Client; client = Client()"
)


def find_client() -> Any:
    """Return the Dask client in use, or say how to get one."""
    load_extra("dask", Argument("engine", "dask"), " needs")
    from dask import config
    from distributed import Client, get_client

    try:
        return get_client()
    except ValueError:
        if config.get("scheduler-address", None) is not None:
            return Client()  # type: ignore[no-untyped-call]  # goes there, and is the one in use from now on
        raise InputError(Argument("engine", "dask"), f" needs a Dask client, and there is none; {START}.") from None


class ClusterParts:
    """Engines of the parts, each on one of the workers; see `parted.Parts`.

    A part that a worker takes with it when it dies is made anew on another one, from its place in the file or graph.

    Parameters
    ----------
    client : distributed.Client
    engines : sequence of futures
    """

    name = "dask"

    def __init__(self, client: Any, engines: Sequence[Any]) -> None:
        self._client, self._engines = client, list(engines)

    @property
    def n_threads(self) -> int:
        """How many parts are worked on at a time."""
        return max(1, int(sum(self._client.nthreads().values())))

    def map(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Apply a function to every part; results come in the order of the parts."""
        results: list[Any] = self._client.gather(self._submit(of_part, shared, each))
        return results

    def sum(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> Any:
        """Apply a function to every part and add up the results in a tree, whose form depends on their number alone."""
        sums = self._submit(of_part, shared, each)
        while len(sums) > 1:
            groups = [sums[start : start + FAN_IN] for start in range(0, len(sums), FAN_IN)]
            sums = [self._client.submit(_add_up, group, pure=False) for group in groups]
        return sums[0].result()

    def changed(self, of_part: OfPart, *shared: Any, each: Sequence[Any] | None = None) -> ClusterParts:
        """Return other parts, into which a function turns each of these."""
        return ClusterParts(self._client, self._submit(of_part, shared, each))

    def _submit(self, of_part: OfPart, shared: Sequence[Any], each: Sequence[Any] | None) -> list[Any]:
        own = [()] * len(self._engines) if each is None else [(one,) for one in each]
        return [
            self._client.submit(_apply, of_part, engine, *shared, *extra, pure=False)
            for engine, extra in zip(self._engines, own, strict=True)
        ]


def _apply(of_part: OfPart, *arguments: Any) -> Any:
    with one_blas_thread():
        return of_part(*arguments)


def _add_up(sums: Sequence[Any]) -> Any:
    return reduce(add, sums)
