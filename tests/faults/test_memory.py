"""Memory stays bounded however often models are fitted, used, stored and read."""

import gc
import subprocess
import sys
import weakref

import pytest

from pugam import PUGAM

# Does something again and again in a process of its own, and prints what it holds after a tenth of the rounds, and at
# the end. Memory that was given back, but that the allocator keeps, is handed to the system first.
PROGRAM = """
import ctypes, gc, sys, tempfile, warnings
from pathlib import Path
import numpy as np
from pugam import PUGAM, load
from pugam.datasets import simulate
warnings.simplefilter("ignore")

def held():
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        pass
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])

def data(number):
    return simulate(1, n0=250, n=300, pi=0.4, random_state=number)

def make(number):
    return PUGAM("s(x1, k=5) + x2", n_starts=2, pi_prior=None, shrinkage="never", smoothing=SMOOTHING)

SMOOTHING = 1.0
folder = tempfile.mkdtemp()
first = data(0)
model = make(0).fit(first.X, first.z)

def fit(number):
    # Other rows and other knots every time: what is remembered of each must not add up.
    global model
    model = make(number).fit(data(number).X, data(number).z)

def predict(number):
    rows = data(number).X
    model.predict_proba(rows), model.predict_interval(rows), model.decision_function(rows), model.score(rows, first.z)

def bootstrap(number):
    model.bootstrap(3, random_state=number, n_jobs=1 + number % 2).interval()

def store(number):
    path = Path(folder, "model.json")
    model.save(path)
    load(path).predict(first.X)

what, rounds = globals()[sys.argv[1]], int(sys.argv[2])
for number in range(rounds):
    if number == rounds // 10:
        print(held())
    what(number)
print(held())
"""
MOST_GROWTH = 1.05


def growth(what, rounds):
    command = [sys.executable, "-c", PROGRAM, what, str(rounds)]
    early, late = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    return late / early


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.long
@pytest.mark.parametrize("what", ["fit", "predict", "bootstrap", "store"])
def test_memory_does_not_grow(what):
    assert growth(what, 1000) < MOST_GROWTH


def test_a_model_that_is_let_go_leaves_nothing_behind(data):
    """No cycle and no cache holds the rows: they go with the model, without waiting for the collector."""
    model = PUGAM("s(x1, k=5) + x2", n_starts=2, smoothing=1.0).fit(data.X, data.z)
    model.bootstrap(2)
    engine = weakref.ref(model._rows[0])
    gc.collect()
    gc.disable()
    try:
        del model
        assert engine() is None
    finally:
        gc.enable()
