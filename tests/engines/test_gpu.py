"""The GPU's engine, run on PyTorch's CPU device: the same sums, steps and refits as in memory."""

import numpy as np
import pytest
import torch

from pugam import PUGAM, InputError
from pugam.datasets import simulate
from pugam.engines import GpuEngine, gpu
from pugam.solvers import Fitted, refit_resamples

CPU = torch.device("cpu")
N_ROWS, N0 = 900, 700


@pytest.fixture(scope="module", params=["unweighted", "weighted"])
def model(request):
    data = simulate(2, n0=N0, n=N_ROWS, random_state=3)
    weights = None if request.param == "unweighted" else np.random.default_rng(0).uniform(0.5, 2.0, N_ROWS)
    return PUGAM(n_jobs=1, smoothing=1e-3, n_starts=3).fit(data.X, data.z, sample_weight=weights)


@pytest.fixture(scope="module")
def engines(model):
    memory, _ = model._rows
    return memory, GpuEngine(memory.design, memory.encoded, memory.positive, memory.weights, device=CPU)


def parameters(model, number, seed=1):
    rng = np.random.default_rng(seed)
    b = model._fit.optimum.beta[1:] + 0.3 * rng.normal(size=(number, len(model._fit.optimum.beta) - 1))
    return rng.uniform(0.1, 0.9, number), b


def weightings(number, seed=2):
    return np.random.default_rng(seed).poisson(1.0, (number, N_ROWS))


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
@pytest.mark.parametrize("number", [1, gpu.MANY_VECTORS, 30])
def test_sums_for_many_vectors_are_those_in_memory(model, engines, number, observed):
    pi, b = parameters(model, number)

    here, there = (engine.sums(pi, b, observed) for engine in engines)

    for name in ("value", "score", "information"):
        close(getattr(there, name), getattr(here, name))


@pytest.mark.parametrize("kept", [True, False], ids=["products kept", "one by one"])
@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_sums_under_many_weightings_are_those_in_memory(model, engines, observed, kept, monkeypatch):
    memory, device = engines
    if not kept:
        monkeypatch.setattr(gpu, "PRODUCT_BYTES", 0)
        device = GpuEngine(memory.design, memory.encoded, memory.positive, memory.weights, device=CPU)
    pi, b = parameters(model, 5)
    here, there = (engine.resampled(weightings(5)) for engine in (memory, device))

    close(there.n0, here.n0)
    close(there.n1, here.n1)
    a, c = here.sums(pi, b, observed), there.sums(pi, b, observed)
    close(c.value, a.value)
    close(c.score, a.score)
    close(c.information.numpy(), a.information)
    close(there.scores(pi, b).score, here.scores(pi, b).score)
    some = np.array([3, 0])
    close(there.take(some).scores(pi[some], b[some]).value, here.take(some).scores(pi[some], b[some]).value)


def test_systems_are_solved_as_in_memory_held_damped_and_replaced(engines):
    rng = np.random.default_rng(4)
    q, size = 6, 5
    roots = rng.normal(size=(size, q, 2 * q))
    information = roots @ roots.transpose(0, 2, 1)
    slope, corner, diagonal = rng.uniform(0.5, 1.0, size), rng.normal(size=size), rng.uniform(0, 2, (size, q))
    rhs, damping = rng.normal(size=(size, q)), np.array([0.0, 0.1, 1.0, 0.0, 0.0])
    held = np.array([False, True, False, True, False])
    rows = [engine.resampled(weightings(size)) for engine in engines]
    made = [
        rows[0].hessians(information.copy(), slope, corner, diagonal),
        rows[1].hessians(torch.as_tensor(information.copy()), slope, corner, diagonal),
    ]

    for _ in range(2):
        solved = [hessians.solve(np.arange(size), rhs, damping, held) for hessians in made]
        assert solved[0][1].all()
        assert solved[1][1].all()
        close(solved[1][0], solved[0][0])
        assert (solved[1][0][held, 0] == 0.0).all()
        for hessians in made:  # and once more with two of them exchanged
            hessians.put(np.array([0, 4]), hessians.take(np.array([4, 0])))


def test_systems_that_are_not_definite_are_told_apart(engines):
    matrices = np.array([np.eye(3), np.diag([1.0, -1.0, 1.0]), [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
    nothing = np.zeros((3, 3))
    rows = [engine.resampled(weightings(3)) for engine in engines]
    for one, information in zip(rows, (matrices.copy(), torch.as_tensor(matrices.copy())), strict=True):
        hessians = one.hessians(information, np.ones(3), np.zeros(3), nothing)
        _, definite = hessians.solve(np.arange(3), np.ones((3, 3)), np.zeros(3), np.zeros(3, dtype=bool))
        assert definite.tolist() == [True, False, False]


@pytest.mark.parametrize("debias", [True, False], ids=["debiased", "penalised"])
def test_refits_are_those_in_memory(engines, model, debias):
    settings = model._settings.__class__(**{**vars(model._settings), "debias": debias})
    counts = weightings(12)

    here, there = (refit_resamples(Fitted(engine, model._design, settings, model._fit), counts) for engine in engines)

    np.testing.assert_allclose(there.beta, here.beta, atol=1e-9)
    assert there.converged.all()


def test_without_a_gpu_the_engine_says_so(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    data = simulate(1, n0=300, n=400, random_state=0)

    with pytest.raises(InputError, match="engine='gpu' needs a GPU that PyTorch can use"):
        PUGAM(engine="gpu").fit(data.X, data.z)


def test_without_pytorch_the_engine_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)

    with pytest.raises(InputError, match=r"pip install torch"):
        gpu.choose_device()


def test_a_fit_and_its_bootstrap_are_those_in_memory(monkeypatch):
    monkeypatch.setattr("pugam.engines.gpu.choose_device", lambda: CPU)
    data = simulate(1, n0=500, n=700, random_state=1)
    models = [PUGAM.paper(kappas="linear", solver="newton", engine=engine) for engine in ("memory", "gpu")]

    here, there = (model.fit(data.X, data.z) for model in models)

    assert there.pi_ == pytest.approx(here.pi_, abs=1e-9)
    np.testing.assert_allclose(there.bootstrap(20).pi, here.bootstrap(20).pi, atol=1e-9)


@pytest.mark.filterwarnings("ignore::pugam.PugamWarning")
def test_shrunken_curves_and_their_refits_are_those_in_memory(monkeypatch):
    monkeypatch.setattr("pugam.engines.gpu.choose_device", lambda: CPU)
    data = simulate(1, n0=60, n=120, random_state=1)
    models = [PUGAM("x1 + x2", shrinkage="always", engine=engine) for engine in ("memory", "gpu")]

    here, there = (model.fit(data.X, data.z) for model in models)

    assert there.shrinkage_ == here.shrinkage_
    assert there.pi_ == pytest.approx(here.pi_, abs=1e-6)
    np.testing.assert_allclose(there.bootstrap(2).pi, here.bootstrap(2).pi, atol=1e-4)
