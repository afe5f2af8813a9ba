"""The same data and seed give the same numbers: in every run, with any number of threads, whatever the libraries."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
KEPT = json.loads((HERE / "values.json").read_text(encoding="utf-8"))

# OpenBLAS takes other routines for other processors, and sums in another order with another number of threads.
PLAIN = {"PYTHONHASHSEED": "0"}
SURROUNDINGS = {
    "two threads of BLAS": {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"},
    "another processor": {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"},
    "an old processor": {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"},
}
# What is computed, and how its names begin. All fits together take five times as long as these.
EVERYTHING, SETTINGS = "", "settings"
BEGINNINGS = {EVERYTHING: "", SETTINGS: "marginal, setting"}


@cache
def computed(n_jobs=1, which=EVERYTHING, **variables):
    command = [sys.executable, str(HERE / "compute.py"), str(n_jobs), which]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def plainly_computed(which):
    return {name: quantities for name, quantities in computed(**PLAIN).items() if name.startswith(BEGINNINGS[which])}


def assert_close(found, expected):
    """Agreement to 1e-8, relative; that of EM, which stops at a tolerance, is the worst at about 1e-9.

    Maxima of evidence are where a search stops, too, but at the same places: they agree to 1e-12. Were a place looked
    at once more because of rounding, pi would differ by about 1e-4 of its interval's width.
    """
    assert found.keys() == expected.keys()
    for name, quantities in expected.items():
        assert found[name].keys() == quantities.keys()
        for quantity, values in quantities.items():
            # alpha may be small, a difference of numbers of order one, known to about 5e-9.
            what = f"{name}, {quantity}"
            np.testing.assert_allclose(found[name][quantity], values, rtol=1e-8, err_msg=what)


def test_numbers_are_those_kept():
    """With any version of NumPy, SciPy and scikit-learn: `make test-oldest` runs this with the oldest."""
    assert_close(computed(**PLAIN), KEPT)


@pytest.mark.parametrize(
    ("n_jobs", "which"),
    [pytest.param(number, EVERYTHING, marks=pytest.mark.long) for number in (1, 2)],
)
def test_another_run_gives_the_same_to_the_last_bit(n_jobs, which):
    assert computed(n_jobs, which, PYTHONHASHSEED="1") == plainly_computed(which)


@pytest.mark.parametrize(
    ("surroundings", "which"),
    [
        ("an old processor", SETTINGS),
        *(pytest.param(one, EVERYTHING, marks=pytest.mark.long) for one in SURROUNDINGS),
    ],
)
def test_numbers_are_the_same_in_other_surroundings(surroundings, which):
    assert_close(computed(which=which, **SURROUNDINGS[surroundings]), plainly_computed(which))
