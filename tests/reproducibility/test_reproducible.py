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


@cache
def computed(n_jobs=1, **variables):
    command = [sys.executable, str(HERE / "compute.py"), str(n_jobs)]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


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


@pytest.mark.parametrize("n_jobs", [pytest.param(1, marks=pytest.mark.long), 2])
def test_another_run_gives_the_same_to_the_last_bit(n_jobs):
    assert computed(n_jobs, PYTHONHASHSEED="1") == computed(**PLAIN)


OFTEN = ("two threads of BLAS", "another processor")


@pytest.mark.parametrize(
    "surroundings", ["an old processor", *(pytest.param(one, marks=pytest.mark.long) for one in OFTEN)]
)
def test_numbers_are_the_same_in_other_surroundings(surroundings):
    assert_close(computed(**SURROUNDINGS[surroundings]), computed(**PLAIN))
