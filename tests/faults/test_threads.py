"""Threads: never more at work than there are cores, however work is nested, and BLAS is left as it was found."""

import threading
import time

import joblib
import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.model_selection import GridSearchCV
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

import pugam.engines.memory
from pugam import PUGAM
from pugam.datasets import simulate
from pugam.engines import MemoryEngine, count_threads, one_blas_thread
from pugam.inference import bootstrap

TWO = 2


def blas_threads(pools=None):
    return [pool["num_threads"] for pool in pools or threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture
def two_blas_threads():
    """Threads as a program has them before it fits anything; the tests run on one otherwise, as if within a fit."""
    one_blas_thread().__exit__()
    try:
        with threadpool_limits(TWO, user_api="blas"):
            if set(blas_threads()) != {TWO}:
                pytest.skip("BLAS here has no second thread")
            yield
    finally:
        one_blas_thread().__enter__()


@pytest.fixture
def at_work(monkeypatch):
    """Notes how many threads sum over rows at a time, and how many BLAS would add to each."""

    class AtWork:
        def __init__(self):
            self.now, self.most, self.blas = 0, 0, set()
            self.lock = threading.Lock()

    seen, blocks, libraries = AtWork(), MemoryEngine.blocks, ThreadpoolController()

    def counted(engine, start, stop):
        with seen.lock:
            seen.now += 1
            seen.most = max(seen.most, seen.now)
            seen.blas.update(blas_threads(libraries.info()))
        try:
            time.sleep(0.0005)  # gives others the chance to come in
            yield from blocks(engine, start, stop)
        finally:
            with seen.lock:
                seen.now -= 1

    monkeypatch.setattr(MemoryEngine, "blocks", counted)
    monkeypatch.setattr(pugam.engines.memory, "SMALL_WORK", 1)
    return seen


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("n_jobs", [1, TWO])
def test_a_fit_and_what_follows_keep_to_their_threads(data, at_work, n_jobs):
    before = threadpool_info()

    model = PUGAM("s(x1, k=5) + x2", n_starts=2, n_jobs=n_jobs).fit(data.X, data.z)
    model.bootstrap(4)
    model.bootstrap(2, smoothing="reselect")
    model.pi_interval(method="profile")

    assert at_work.most == n_jobs
    assert at_work.blas == {1}
    assert threadpool_info() == before


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_blas_is_as_before_after_a_fit_that_broke_off(data, monkeypatch, error):
    before = threadpool_info()

    def fail(*arguments):
        assert set(blas_threads()) == {1}
        raise error

    monkeypatch.setattr(MemoryEngine, "_sums", fail)

    with pytest.raises(error):
        PUGAM("s(x1, k=5) + x2").fit(data.X, data.z)

    assert threadpool_info() == before


@pytest.mark.usefixtures("two_blas_threads")
def test_blas_is_as_before_after_fits_in_several_threads(data):
    before = threadpool_info()

    def fit():
        return PUGAM("s(x1, k=5) + x2", n_starts=2, smoothing=1.0).fit(data.X, data.z).pi_

    found = Parallel(n_jobs=4, backend="threading")(delayed(fit)() for _ in range(8))

    assert len(set(found)) == 1
    assert threadpool_info() == before


# Nested


def threads_allowed(n_jobs):
    return count_threads(n_jobs, 1e9, 10)


# Two of nine: workers of loky import everything anew, which takes them seconds.
SHARED_OUT = {(-1, "threading"), (TWO, "multiprocessing")}


@pytest.mark.parametrize(
    ("n_jobs", "backend"),
    [
        pytest.param(n_jobs, backend, marks=[] if (n_jobs, backend) in SHARED_OUT else [pytest.mark.long])
        for n_jobs in (None, TWO, -1)
        for backend in ("loky", "threading", "multiprocessing")
    ],
    ids=str,
)
def test_work_shared_out_by_joblib_gets_its_part_of_the_cores(backend, n_jobs, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)  # a cluster of Dask leaves it behind, set to one
    cores = joblib.cpu_count()

    found = Parallel(n_jobs=cores, backend=backend)(delayed(threads_allowed)(n_jobs) for _ in range(cores))

    if cores > 1:
        assert sum(found) <= cores
    assert threads_allowed(n_jobs) == (TWO if n_jobs == TWO else cores)


class Watched(PUGAM):
    """Scores how many threads its engine may use, times how many BLAS uses meanwhile."""

    def _judge(self):
        engine, _ = self._rows
        self._threads = engine.n_threads * max(blas_threads())
        super()._judge()

    def score(self, X, y):
        return self._threads


@pytest.mark.parametrize("backend", [pytest.param("loky", marks=pytest.mark.long), "threading"])
def test_a_grid_search_over_fits_that_would_use_threads(data, backend):
    model = Watched("s(x1, k=5) + x2", n_starts=2, n_jobs=TWO, shrinkage="never")
    before = threadpool_info()

    with joblib.parallel_config(backend):
        search = GridSearchCV(model, {"smoothing": [0.1, 1.0]}, cv=2, n_jobs=TWO, refit=False).fit(data.X, data.z)

    assert search.cv_results_["mean_test_score"].tolist() == [1.0, 1.0]
    assert threadpool_info() == before


@pytest.mark.long
def test_replicates_of_a_study_in_several_processes_use_one_thread_each(tmp_path):
    from pugam.studies.plans import Experiment, Plan
    from pugam.studies.running import gather

    # Not a function of this file, which other processes cannot import.
    scope = {}
    exec(
        "def look(cell, rng, plan):\n"
        "    import numpy, scipy.linalg\n"
        "    from threadpoolctl import threadpool_info\n"
        "    from pugam.engines import count_threads\n"
        "    pools = [pool['num_threads'] for pool in threadpool_info()]\n"
        "    return {'own': count_threads(None, 1e9, 10), 'asked': count_threads(2, 1e9, 10), 'pools': max(pools)}\n",
        scope,
    )
    jobs = joblib.cpu_count()
    plan = Plan(tmp_path, replicates=2 * jobs, jobs=jobs, progress=False)

    records = gather(Experiment("look", scope["look"], "look"), [(1,)], plan)[(1,)]

    if jobs > 1:
        assert {(one["own"], one["asked"], one["pools"]) for one in records} == {(1, 1, 1)}


@pytest.mark.long
def test_tasks_on_a_dask_worker_use_one_thread_each():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        allowed = client.submit(count_threads, None, 1e9, 10), client.submit(count_threads, TWO, 1e9, 10)
        assert [one.result() for one in allowed] == [1, 1]
        assert client.submit(_pools_in_a_sum).result() == 1


def _pools_in_a_sum():
    from pugam.engines.cluster import _apply

    return _apply(lambda: max(pool["num_threads"] for pool in ThreadpoolController().info()))


def test_a_bootstrap_uses_the_threads_it_is_given(at_work):
    data = simulate(1, n0=250, n=300, pi=0.4, random_state=0)
    model = PUGAM("s(x1, k=5) + x2", n_starts=2, smoothing=1.0, n_jobs=1).fit(data.X, data.z)
    assert at_work.most == 1

    one, two = (model.bootstrap(17, random_state=0, n_jobs=n_jobs) for n_jobs in (1, TWO))

    assert at_work.most == TWO
    np.testing.assert_array_equal(one.pi, two.pi)
    assert not [thread for thread in threading.enumerate() if "_work_through" in thread.name and thread.is_alive()]


def test_an_error_in_a_thread_of_a_bootstrap_is_not_lost(data, monkeypatch):
    model = PUGAM("s(x1, k=5) + x2", n_starts=2).fit(data.X, data.z)

    def fail(fitted, counts):
        raise ZeroDivisionError("in a thread")

    monkeypatch.setattr(bootstrap, "refit_resamples", fail)

    with pytest.raises(ZeroDivisionError, match="in a thread"):
        model.bootstrap(40, n_jobs=TWO)
