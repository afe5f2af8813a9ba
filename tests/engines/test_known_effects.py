"""Known effects are added to linear predictors wherever sums are taken, and to nothing else."""

import numpy as np
import pandas as pd
import pytest
import torch

from pugam.data import read_table
from pugam.engines import GpuEngine, MemoryEngine, gpu
from pugam.terms import Design, f, l, offset, s

N_ROWS = 600
PI = np.array([0.3, 0.8])


@pytest.fixture(scope="module")
def rows():
    """A design with an offset between other terms, encoded rows and labels."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=N_ROWS), "o": rng.normal(3.0, 1.0, N_ROWS), "w": rng.random(N_ROWS)})
    frame["site"] = rng.choice(list("abc"), N_ROWS)
    table = read_table(frame)
    design = Design.resolve([s("x", k=6), offset("o"), l("w"), f("site")], table)
    return design, design.encode(table), rng.random(N_ROWS) < 0.4, rng.uniform(0.5, 2.0, N_ROWS)


@pytest.fixture(scope="module")
def as_a_line(rows):
    """The same rows with the offset as a line, whose coefficient makes it the offset, and where that stands."""
    design, encoded, positive, weights = rows
    basis = design.bases[1]
    line = l("o").resolve([read_table(pd.DataFrame({"o": encoded[1]})).column("o")])
    whole = Design((design.bases[0], line, *design.bases[2:]))
    return MemoryEngine(whole, encoded, positive, weights), 1 + whole.blocks[1].start, basis.upper - basis.lower


def beside(b, place, slope):
    return np.insert(b, place, slope, axis=1)


@pytest.fixture(scope="module")
def b(rows):
    return np.random.default_rng(1).normal(size=(2, 1 + rows[0].n_columns))


def engines(rows):
    yield MemoryEngine(*rows)
    yield MemoryEngine(*rows, local=True)
    yield GpuEngine(*rows, device=torch.device("cpu"))


@pytest.mark.parametrize("number", range(3), ids=["memory", "moments", "gpu"])
@pytest.mark.parametrize("many", [False, True], ids=["as few", "as many"])
def test_sums_are_those_of_a_line_with_a_given_slope(rows, as_a_line, b, number, many, monkeypatch):
    if many:
        monkeypatch.setattr(gpu, "MANY_VECTORS", 1)
    else:
        monkeypatch.setattr(gpu, "MANY_PRODUCTS", 1)
    engine = list(engines(rows))[number]
    line, place, slope = as_a_line

    for observed in (False, True):
        here, there = engine.sums(PI, b, observed), line.sums(PI, beside(b, place, slope), observed)
        np.testing.assert_allclose(here.value, there.value, rtol=1e-11)
        np.testing.assert_allclose(here.score, np.delete(there.score, 1 + place, axis=1), rtol=1e-9, atol=1e-9)
        kept = np.delete(np.arange(there.score.shape[1]), 1 + place)
        np.testing.assert_allclose(here.information, there.information[:, kept][:, :, kept], rtol=1e-9, atol=1e-9)
    counts = np.random.default_rng(2).poisson(1.0, (2, N_ROWS))
    here, there = (one.resampled(counts).scores(PI, at) for one, at in ((engine, b), (line, beside(b, place, slope))))
    np.testing.assert_allclose(here.score, np.delete(there.score, 1 + place, axis=1), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("number", range(3), ids=["memory", "moments", "gpu"])
def test_the_slope_of_the_information_is_that_of_a_line(rows, as_a_line, b, number, monkeypatch):
    monkeypatch.setattr(gpu, "MANY_PRODUCTS", 1)
    engine = list(engines(rows))[number]
    line, place, slope = as_a_line
    matrix = np.cov(np.random.default_rng(3).normal(size=(b.shape[1], 40)))
    wide = np.insert(np.insert(matrix, place, 0.0, axis=0), place, 0.0, axis=1)

    here = engine.trace_slopes(PI[:1], b[:1], matrix)
    there = line.trace_slopes(PI[:1], beside(b[:1], place, slope), wide)

    np.testing.assert_allclose(here, np.delete(there, 1 + place), rtol=1e-9, atol=1e-9)


def test_linear_predictors_and_expected_labels_know_them(rows, as_a_line, b):
    line, place, slope = as_a_line
    at = beside(b, place, slope)
    engine = MemoryEngine(*rows)

    np.testing.assert_allclose(engine.linear_predictor(b[0]), line.linear_predictor(at[0]), rtol=1e-11)
    np.testing.assert_allclose(rows[0].predict(rows[1], b[0]), line.linear_predictor(at[0]), rtol=1e-11)
    here, there = engine.expectation(PI, b), line.expectation(PI, at)
    np.testing.assert_allclose(here.hidden_positives, there.hidden_positives, rtol=1e-11)
    there_sums, kept = line.logistic_sums(there, at), np.delete(np.arange(at.shape[1]), place)
    np.testing.assert_allclose(engine.logistic_sums(here, b).score, there_sums.score[:, kept], rtol=1e-9, atol=1e-9)
