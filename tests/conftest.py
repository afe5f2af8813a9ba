"""Shared by the tests: the paper's simulated data, ready for a solver."""

import gc
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from pugam import PUGAM
from pugam.data import read_table
from pugam.datasets import Simulation, simulate
from pugam.engines import MemoryEngine, one_blas_thread
from pugam.inference import best_bin, diagnosis, labelling_bounds, omnibus, opinions
from pugam.presentation.report import collecting
from pugam.solvers import Objective, PiPrior
from pugam.terms import Design, l, s

# The same examples in every run, and no clock: a busy machine is no reason to fail.
# Who asks for long tests gets many more of them.
settings.register_profile("pugam", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("long", settings.get_profile("pugam"), max_examples=1000)
settings.load_profile("pugam")

# A term that several tests share; it is no test by itself.
HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)
collect_ignore = ["surface.py"]

FLAT = PiPrior()

# Examples in docstrings that run a whole study; tests/studies runs the same studies on smaller tables.
LONG_EXAMPLES = ("pugam.studies.simulated.figure2", "pugam.studies.catalogue.run_study")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Libraries and tests that are collected stay to the end: to look through them for garbage took a fifth of this."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def asks_for_long_tests(config):
    return config.option.markexpr == "long"


def pytest_configure(config):
    if asks_for_long_tests(config):
        settings.load_profile("long")


@pytest.hookimpl(tryfirst=True)  # before those that are not asked for are left out
def pytest_collection_modifyitems(config, items):
    for item in items:
        is_generated = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if item.name in LONG_EXAMPLES or (is_generated and asks_for_long_tests(config)):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """As in a fit; the threads of two workers on two cores would only wait for each other, most of all in OpenMP.

    OpenMP comes first: who leaves `one_blas_thread` puts all libraries back as they were on entering. Processes that
    tests start have one thread of BLAS as well; OMP_NUM_THREADS would say how many threads a fit may use.
    """
    with threadpool_limits(1, user_api="openmp"), one_blas_thread(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENBLAS_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="session", autouse=True)
def _unchecked():
    """Fits of tests come without a diagnosis, which takes longer than they do, unless they ask for it."""
    defaults = PUGAM.__init__.__kwdefaults__
    defaults["check"] = False
    yield
    defaults["check"] = True


@pytest.fixture
def checked(monkeypatch):
    """Fits end with a diagnosis, as they do by default."""
    monkeypatch.setitem(PUGAM.__init__.__kwdefaults__, "check", True)


@contextmanager
def without_trees():
    """Boosted trees take longer than a fit to few rows; where no test is about what they say, the model stands in."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (best_bin, diagnosis, labelling_bounds, opinions):
            patch.setattr(module, "held_out_chances", lambda rows: rows.odds / (1.0 + rows.odds))
        patch.setattr(omnibus, "predict_residuals", lambda rows, known, wanted: np.sin(rows.predictor[wanted]))
        yield


@pytest.fixture(scope="session")
def no_trees():
    """As a function, so that each folder, or file, has it for as long as its own tests run."""
    return without_trees


@contextmanager
def at_few_places():
    """A diagnosis draws the profile of pi by five points and a report fixes pi at five values, not at 25 and 31.

    Verdicts, words and everything else are the same. Points and values as many as they are by default are for the tests
    of inference and presentation, and for the pages that are run.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnosis, "PROFILE_POINTS", 5)
        patch.setattr(collecting, "SLIDER_VALUES", ((np.inf, 5),))
        yield


@pytest.fixture(scope="session")
def few_places():
    """As a function, for the same reason."""
    return at_few_places


@dataclass(frozen=True)
class Problem:
    """Simulated rows behind an engine."""

    data: Simulation
    design: Design
    engine: MemoryEngine

    def objective(self, kappa, prior=FLAT):
        """The penalised objective at one common smoothing parameter, or at one for each penalty."""
        kappas = np.broadcast_to(np.asarray(kappa, dtype=float), len(self.design.penalties))
        return Objective(self.engine, self.design.penalty(kappas), prior)


def simulated_problem(setting, n0, n, terms="smooth", k=6, pi=0.4, seed=0, shapes=None):
    """Simulate rows for terms of one kind; `shapes` gives some of the smooth ones a shape, by column."""
    data = simulate(setting, n0=n0, n=n, pi=pi, random_state=seed)
    table, shapes = read_table(data.X), shapes or {}
    specs = [l(name) if terms == "linear" else s(name, k=k, shape=shapes.get(name)) for name in table.names]
    design = Design.resolve(specs, table)
    return Problem(data, design, MemoryEngine(design, design.encode(table), data.z == 1))


@pytest.fixture(scope="session")
def make_problem():
    return simulated_problem
