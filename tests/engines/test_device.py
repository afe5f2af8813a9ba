"""Sums on the device, run on PyTorch's CPU: those of the engine in memory, however the rows are cut."""

import numpy as np
import pytest
import torch

from pugam import PUGAM, f, l, s
from pugam.datasets import simulate
from pugam.engines import GpuEngine, MemoryEngine, device, gpu
from surface import Surface

CPU = torch.device("cpu")
N_ROWS = 700


@pytest.fixture(scope="module", params=["unweighted", "weighted", "some columns dense"])
def memory(request):
    rng = np.random.default_rng(0)
    data = simulate(3, n0=300, n=N_ROWS, random_state=5)
    X = data.X.assign(site=rng.choice(list("abc"), N_ROWS))
    X.loc[rng.random(N_ROWS) < 0.1, "x2"] = np.nan
    terms = [s("x1"), s("x2", missing="effect"), l("x3"), s("x4", k=5, bounds=(0.2, 0.8)), f("site")]
    if "dense" in request.param:
        terms = [*terms[:2], Surface("x1", "x3"), *terms[2:]]
    weights = rng.uniform(0.5, 2.0, N_ROWS) if "weighted" in request.param.split() else None
    engine = PUGAM(terms, smoothing=1.0, n_starts=1, n_jobs=1).fit(X, data.z, sample_weight=weights)._rows[0]
    return MemoryEngine(engine.design, engine.encoded, engine.positive, engine.weights)


@pytest.fixture
def on_device(memory, monkeypatch):
    monkeypatch.setattr(gpu, "MANY_PRODUCTS", 0)
    monkeypatch.setattr(gpu, "MOST_CELLS", 0)
    return GpuEngine(memory.design, memory.encoded, memory.positive, memory.weights, device=CPU)


@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
@pytest.mark.parametrize("number", [1, 10])
@pytest.mark.parametrize("block_cells", [device.BLOCK_CELLS, 1000])
def test_sums_are_those_in_memory(memory, on_device, monkeypatch, observed, number, block_cells):
    monkeypatch.setattr(device, "BLOCK_CELLS", block_cells)
    rng = np.random.default_rng(1)
    pi, b = rng.uniform(0.1, 0.9, number), rng.normal(size=(number, 1 + memory.design.n_columns))

    found, expected = on_device.sums(pi, b, observed), memory.sums(pi, b, observed)

    for name in ("value", "score", "information"):
        wanted = getattr(expected, name)
        np.testing.assert_allclose(getattr(found, name), wanted, rtol=1e-10, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("block_cells", [device.BLOCK_CELLS, 1000])
def test_slopes_of_a_trace_are_those_in_memory(memory, on_device, monkeypatch, block_cells):
    monkeypatch.setattr(device, "BLOCK_CELLS", block_cells)
    rng = np.random.default_rng(2)
    q = 1 + memory.design.n_columns
    root = rng.normal(size=(q, q))
    at = np.array([0.3]), rng.normal(size=(1, q)), root + root.T

    wanted = memory.trace_slopes(*at)
    np.testing.assert_allclose(on_device.trace_slopes(*at), wanted, rtol=1e-10, atol=1e-12 * np.abs(wanted).max())


def test_columns_are_evaluated_on_the_device_and_not_in_memory(memory, on_device, monkeypatch):
    monkeypatch.setattr(type(memory), "blocks", None)

    on_device.sums(np.array([0.3]), np.zeros((1, 1 + memory.design.n_columns)))


@pytest.mark.parametrize(
    "options",
    [{}, {"terms": "te(x1, x2, k=4) + s(x3, k=5) + x4:x5"}, {"terms": "te(x1, x2, k=4) + x4:x5", "pi": 0.4}],
    ids=["curves", "some columns dense", "all columns dense"],
)
def test_a_fit_on_the_device_is_that_in_memory(monkeypatch, options):
    data = simulate(2, n0=300, n=600, random_state=2)
    in_memory = PUGAM(**options).fit(data.X, data.z)
    for name, value in (("MANY_PRODUCTS", 0), ("MOST_CELLS", 0), ("choose_device", lambda: CPU)):
        monkeypatch.setattr(gpu, name, value)

    on_the_device = PUGAM(engine="gpu", **options).fit(data.X, data.z)

    assert on_the_device.pi_ == pytest.approx(in_memory.pi_, abs=1e-10)
    assert on_the_device.loglik_ == pytest.approx(in_memory.loglik_, abs=1e-7)
