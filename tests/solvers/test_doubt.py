"""Whether rows are enough, and whether a smoothed fit leaves pi in doubt."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.data import read_table
from pugam.datasets import simulate
from pugam.engines import MemoryEngine
from pugam.solvers.doubt import has_enough_rows, is_doubtful, rows_in_doubt
from pugam.terms import Design, f, l, s


def drawn(n0, n1, n_columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n0 + n1, n_columns))
    return pd.DataFrame(X, columns=[f"x{number}" for number in range(n_columns)]), np.arange(n0 + n1) < n0


def engine_of(frame, positive, make_term=l, weights=None):
    table = read_table(frame)
    design = Design.resolve([make_term(name) for name in table.names], table)
    return MemoryEngine(design, design.encode(table), positive, weights)


def test_rows_are_counted_for_columns_that_no_smoothing_restrains():
    X, positive = drawn(60, 200, 3)

    assert has_enough_rows(engine_of(X, positive).design, engine_of(X, positive))
    assert has_enough_rows(engine_of(X, positive, s).design, engine_of(X, positive, s))
    fewer = engine_of(X, positive, weights=np.where(positive, 0.9, 1.0))
    assert not has_enough_rows(fewer.design, fewer)
    levels = X.assign(x2=np.arange(260) % 4).astype({"x2": str})
    table = read_table(levels)
    design = Design.resolve([l("x0"), l("x1"), f("x2")], table)
    assert not has_enough_rows(design, MemoryEngine(design, design.encode(table), positive))


def smoothed(n):
    return PUGAM("s(x1) + s(x2) + s(x3)", shrinkage="never").fit(*rows_of(n))._fitted("A test")


def test_a_fit_to_many_rows_leaves_no_doubt():
    assert not is_doubtful(smoothed(3000))


def test_a_wide_interval_does():
    interval = PUGAM("s(x1) + s(x2) + s(x3)", shrinkage="never").fit(*rows_of(120)).pi_interval()
    assert interval.upper - interval.lower > 0.5
    assert is_doubtful(smoothed(120))


def rows_of(n):
    data = simulate(2, n0=n // 2, n=n, pi=0.4, random_state=1)
    return data.X, data.z


def test_a_known_share_never_does():
    assert not is_doubtful(fixed(120))


def fixed(n):
    X, z = rows_of(n)
    return PUGAM("s(x1) + s(x2)", pi=0.4, shrinkage="never").fit(X, z)._fitted("A test")


def test_rows_in_doubt_of_weight_two_are_two_rows():
    (X, z), rng = rows_of(600), np.random.default_rng(0)
    weights = rng.integers(1, 4, 600)
    copies = np.repeat(np.arange(600), weights)
    weighted, copied = (
        PUGAM("s(x1) + s(x2)", smoothing=0.1, pi=0.4).fit(*rows)._fitted("A test")
        for rows in ((X, z, weights), (X.iloc[copies], z[copies]))
    )

    found = [rows_in_doubt(one.engine, one.fit.penalized) for one in (weighted, copied)]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.parametrize("weight", [0.5, 1.7])
def test_rows_in_doubt_do_not_depend_on_the_scale_of_weights(weight):
    X, z = rows_of(600)
    plain, weighted = (
        PUGAM("s(x1) + s(x2)", smoothing=0.1, pi=0.4).fit(X, z, sample_weight=w)._fitted("A test")
        for w in (None, np.full(600, weight))
    )
    # Curves differ a little: the penalty weighs less against more rows.
    found = [rows_in_doubt(one.engine, one.fit.penalized) for one in (plain, weighted)]
    assert found[0] == pytest.approx(found[1], rel=0.2)
    assert 0.0 < found[0] < 600.0
