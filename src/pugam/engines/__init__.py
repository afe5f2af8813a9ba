"""Where the likelihood's sums over rows are taken."""

from pugam.engines.gpu import GpuEngine
from pugam.engines.memory import MemoryEngine
from pugam.engines.protocol import Counts, Engine, Expectation, Hessians, ResampledRows
from pugam.engines.threads import count_threads, one_blas_thread

__all__ = [
    "Counts",
    "Engine",
    "Expectation",
    "GpuEngine",
    "Hessians",
    "MemoryEngine",
    "ResampledRows",
    "count_threads",
    "one_blas_thread",
]
