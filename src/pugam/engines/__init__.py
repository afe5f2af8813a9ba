"""Where the likelihood's sums over rows are taken."""

from pugam.engines.cluster import ClusterParts, find_client
from pugam.engines.cluster_rows import ClusterRows, is_dask_frame, is_dask_series
from pugam.engines.device import serves_many_at_once
from pugam.engines.file_rows import FileRows
from pugam.engines.gpu import GpuEngine
from pugam.engines.local import is_local_faster
from pugam.engines.memory import MemoryEngine
from pugam.engines.parted import PartedEngine, Parts
from pugam.engines.protocol import Counts, Engine, EngineName, Expectation, Hessians, ResampledRows, Sources
from pugam.engines.sources import RowSource
from pugam.engines.stream import KEPT_BYTES, StreamedParts
from pugam.engines.threads import count_threads, map_in_threads, one_blas_thread

__all__ = [
    "KEPT_BYTES",
    "ClusterParts",
    "ClusterRows",
    "Counts",
    "Engine",
    "EngineName",
    "Expectation",
    "FileRows",
    "GpuEngine",
    "Hessians",
    "MemoryEngine",
    "PartedEngine",
    "Parts",
    "ResampledRows",
    "RowSource",
    "Sources",
    "StreamedParts",
    "count_threads",
    "find_client",
    "is_dask_frame",
    "is_dask_series",
    "is_local_faster",
    "map_in_threads",
    "one_blas_thread",
    "serves_many_at_once",
]
