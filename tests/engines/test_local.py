"""Columns that are never written out: the sums by moments within intervals are those of the columns written out."""

import itertools

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.engines.kernels import CHUNK
from pugam.engines.local import MANY_ROWS, LocalColumns, MixedColumns, Workspace, is_local_faster, local_columns
from pugam.likelihood import DenseColumns
from pugam.terms import Design, f, l, parse_formula, s
from surface import Surface

N_ROWS = 3 * CHUNK + 77
PI = np.array([0.3, 0.8])
TERMS = [
    s("x", k=8),
    s("long", k=6, scale="log"),
    s("few", k=3),
    s("part", k=9, bounds=(-0.5, 0.5), knots="quantile"),
    l("w"),
    f("site"),
    f("holes", missing="effect"),
    s("gaps", k=7, missing="effect"),
    l("blanks", missing="effect"),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(11)
    x = rng.normal(size=N_ROWS)
    frame = {
        "x": x,
        "long": np.exp(rng.normal(size=N_ROWS)),
        "few": rng.integers(0, 5, N_ROWS).astype(float),
        "part": rng.normal(size=N_ROWS),
        "w": rng.random(N_ROWS),
        "site": rng.choice(list("abc"), N_ROWS),
        "holes": rng.choice(["p", "q", "r", None], N_ROWS),
        "gaps": np.where(rng.random(N_ROWS) < 0.2, np.nan, rng.normal(size=N_ROWS)),
        "blanks": np.where(rng.random(N_ROWS) < 0.2, np.nan, rng.normal(size=N_ROWS)),
    }
    return read_table(pd.DataFrame(frame))


@pytest.fixture(scope="module")
def design(table):
    return Design.resolve(TERMS, table)


@pytest.fixture(scope="module")
def encoded(design, table):
    return design.encode(table)


def both_kinds(design, encoded):
    """The same columns, written out and not."""
    n_rows = len(encoded[0])
    return DenseColumns(design.matrix(encoded)), LocalColumns(design, encoded, Workspace.empty(design, n_rows))


def grams(columns, weights, n_columns):
    out = np.full((len(weights), n_columns, n_columns), np.nan)
    columns.grams(weights, out)
    return out


def assert_close(got, want, rtol=1e-11):
    np.testing.assert_allclose(got, want, rtol=0.0, atol=rtol * np.abs(want).max())


def assert_same_products(design, encoded, n_weightings=2, seed=1):
    """Compare all four products under random weights, some of them negative."""
    dense, local = both_kinds(design, encoded)
    rng = np.random.default_rng(seed)
    q = 1 + design.n_columns
    b, weights = rng.normal(size=(n_weightings, q)), rng.normal(size=(n_weightings, len(dense)))

    assert len(local) == len(dense)
    assert_close(local.predict(b), dense.predict(b))
    assert_close(local.project(weights), dense.project(weights))
    for w in (weights, np.abs(weights)):
        assert_close(grams(local, w, q), grams(dense, w, q))
    matrix = sum(np.outer(vector, vector) * sign for vector, sign in zip(b, itertools.cycle((1.0, -0.5))))
    assert_close(local.forms(matrix), dense.forms(matrix))


@pytest.mark.parametrize("n_weightings", [1, 2, 4, 5])
def test_products_are_those_of_the_columns_written_out(design, encoded, n_weightings):
    assert_same_products(design, encoded, n_weightings)


@pytest.mark.parametrize("number", range(len(TERMS)), ids=[term.label for term in TERMS])
def test_products_of_a_single_term_are_those_of_its_columns(design, encoded, number):
    assert_same_products(Design((design.bases[number],)), [encoded[number]])


@pytest.mark.parametrize("n_rows", [1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_any_number_of_rows_will_do(design, encoded, n_rows):
    assert_same_products(design, [values[:n_rows] for values in encoded])


@pytest.mark.parametrize("k", [3, 4, 10, 40])
@pytest.mark.parametrize("knots", ["even", "quantile"])
def test_values_on_knots_and_at_both_ends_go_where_their_columns_say(k, knots):
    rng = np.random.default_rng(2)
    values = np.concatenate([[0.0, 1.0], rng.random(500)])
    design = Design.resolve(
        [s("x", k=k, knots=knots), s("y", k=5)], read_table(pd.DataFrame({"x": values, "y": values}))
    )
    breaks = design.bases[0].pieces.breaks
    just = np.concatenate([breaks, np.nextafter(breaks, -np.inf), np.nextafter(breaks, np.inf), [-0.25, 1.25]])

    assert_same_products(design, [just, just])


def test_values_at_the_edges_of_the_grid_that_leads_to_intervals_go_where_their_columns_say():
    values = np.linspace(0.0, 1.0, 257)
    design = Design.resolve([s("x", k=257)], read_table(pd.DataFrame({"x": values})))
    nearby = np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)])

    assert_same_products(design, [nearby])


def test_levels_that_the_fit_never_saw_have_no_effect(table):
    design = Design.resolve([f("site", unseen="zero"), s("x", k=5)], table)
    codes = np.array([-1, 0, -1, 1, 2, -1], dtype=np.int32)

    assert_same_products(design, [codes, np.linspace(-1.0, 1.0, 6)])
    alone = LocalColumns(design, [codes, np.zeros(6)], Workspace.empty(design, 6))
    b = np.concatenate([[0.5, 3.0, -2.0], np.zeros(4)])
    np.testing.assert_array_equal(alone.predict(b[None])[0, codes == -1], 0.5)


def test_hundreds_of_levels_are_told_apart():
    rng = np.random.default_rng(3)
    names = np.array([f"level {number:03d}" for number in range(300)])
    table = read_table(pd.DataFrame({"site": np.append(names, rng.choice(names, 700)), "x": rng.random(1000)}))
    design = Design.resolve([f("site"), s("x", k=5)], table)

    assert_same_products(design, design.encode(table))


def test_one_workspace_serves_block_after_block(design, encoded):
    workspace = Workspace.empty(design, 400)
    b = np.random.default_rng(4).normal(size=(1, 1 + design.n_columns))

    for start, stop in ((0, 400), (400, 800), (800, 850)):
        rows = [values[start:stop] for values in encoded]
        assert_close(LocalColumns(design, rows, workspace).predict(b), DenseColumns(design.matrix(rows)).predict(b))


# The engine


def make_engine(design, table, local, monkeypatch, n_threads=1, weighted=True):
    monkeypatch.setattr("pugam.engines.memory.is_local_faster", lambda *_: local)
    monkeypatch.setattr("pugam.engines.memory.LOCAL_BLOCK_ROWS", 100)
    rng = np.random.default_rng(12)
    positive, weights = rng.random(N_ROWS) < 0.35, rng.uniform(0.5, 2.0, N_ROWS)
    return MemoryEngine(design, design.encode(table), positive, weights if weighted else None, n_threads)


def assert_sums_close(got, want, rtol=1e-11):
    for name in ("value", "score", "information"):
        if hasattr(want, name):
            assert_close(getattr(got, name), getattr(want, name), rtol)


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def engines(request, design, table, monkeypatch):
    """Over the same rows, one that writes columns out and one that does not."""
    dense, local = (make_engine(design, table, kind, monkeypatch, weighted=request.param) for kind in (False, True))
    assert isinstance(next(local.blocks(0, N_ROWS)).X, LocalColumns)
    assert isinstance(next(dense.blocks(0, N_ROWS)).X, DenseColumns)
    return dense, local


@pytest.fixture(scope="module")
def b(design):
    return np.random.default_rng(13).normal(size=(2, 1 + design.n_columns))


@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_sums_of_the_engine_are_those_of_columns_written_out(engines, b, observed):
    dense, local = (engine.sums(PI, b, observed) for engine in engines)

    assert_sums_close(local, dense)


def test_expected_labels_and_their_logistic_sums_are_those_of_columns_written_out(engines, b):
    dense, local = (engine.expectation(PI, b) for engine in engines)
    assert_close(local.hidden_positives, dense.hidden_positives)

    dense, local = (engine.logistic_sums(engine.expectation(PI, b), b) for engine in engines)
    assert_sums_close(local, dense)


def test_the_linear_predictor_is_that_of_columns_written_out(engines, b):
    dense, local = (engine.linear_predictor(b[1]) for engine in engines)

    assert_close(local, dense)


@pytest.mark.parametrize("shared", [False, True], ids=["a vector each", "one vector for all"])
def test_resampled_sums_and_scores_are_those_of_columns_written_out(engines, b, shared):
    counts = np.random.default_rng(14).poisson(1.0, (2, N_ROWS))
    some = slice(1) if shared else slice(None)
    dense, local = (engine.resampled(counts) for engine in engines)

    assert_sums_close(local.sums(PI[some], b[some]), dense.sums(PI[some], b[some]))
    assert_sums_close(local.scores(PI[some], b[some]), dense.scores(PI[some], b[some]))


def test_a_reweighted_engine_has_the_sums_of_columns_written_out(engines, b):
    counts = np.random.default_rng(15).poisson(1.0, N_ROWS)

    dense, local = (engine.reweighted(counts).sums(PI, b) for engine in engines)

    assert_sums_close(local, dense)


def test_a_redesigned_engine_has_the_sums_of_columns_written_out(design, table, b, monkeypatch):
    smaller = Design((design.bases[5], design.bases[0]))
    found = []
    for is_local in (False, True):
        engine = make_engine(design, table, is_local, monkeypatch).redesigned(smaller, [5, 0])
        assert isinstance(next(engine.blocks(0, N_ROWS)).X, LocalColumns) == is_local
        found.append(engine.sums(PI, b[:, : 1 + smaller.n_columns]))

    dense, local = found
    assert_sums_close(local, dense)


def test_the_number_of_threads_does_not_change_the_last_bit(design, table, b, monkeypatch):
    alone, *others = (make_engine(design, table, True, monkeypatch, n_threads) for n_threads in (1, 2, 3))
    assert len(alone._groups()) > 10

    for engine in others:
        for got, want in (
            (engine.sums(PI, b), alone.sums(PI, b)),
            (engine.logistic_sums(engine.expectation(PI, b), b), alone.logistic_sums(alone.expectation(PI, b), b)),
        ):
            for name in ("value", "score", "information"):
                np.testing.assert_array_equal(getattr(got, name), getattr(want, name))


FAR_OUT = pytest.mark.parametrize("far", [1e9, 1e60, 1e200, -1e200])


@pytest.fixture
def far_design(far):
    """A smooth within bounds, whose last value lies far beyond them, and one without."""
    rng = np.random.default_rng(16)
    near = pd.DataFrame({"x": np.append(rng.normal(size=999), 0.0), "y": rng.normal(size=1000)})
    design = Design.resolve([s("x", k=6, bounds=(-2.0, 2.0)), s("y", k=5)], read_table(near))
    return design, design.encode(read_table(near.assign(x=np.append(near["x"][:-1], far))))


@FAR_OUT
def test_products_with_values_far_beyond_bounds_are_finite(far_design):
    design, encoded = far_design
    dense, local = both_kinds(design, encoded)
    b, weights = np.ones((1, 1 + design.n_columns)), np.array([np.ones(1000), -np.ones(1000)])

    assert_close(local.predict(b)[0, :-1], dense.predict(b)[0, :-1])
    assert np.sign(local.predict(b)[0, -1]) == np.sign(dense.predict(b)[0, -1])
    assert np.isfinite(local.predict(b)).all()
    assert np.isfinite(local.project(weights)).all()
    assert np.isfinite(grams(local, weights, 1 + design.n_columns)).all()


@FAR_OUT
@pytest.mark.parametrize("label", [False, True], ids=["unlabelled", "labelled"])
def test_sums_with_values_far_beyond_bounds_are_finite(far_design, label, monkeypatch):
    design, encoded = far_design
    monkeypatch.setattr("pugam.engines.memory.is_local_faster", lambda *_: True)
    engine = MemoryEngine(design, encoded, np.append(encoded[0][:-1] > 0.0, label), np.ones(1000))

    found = engine.sums(PI, np.random.default_rng(18).normal(size=(2, 1 + design.n_columns)))

    for name in ("value", "score", "information"):
        assert np.isfinite(getattr(found, name)).all()


# When it pays


def design_of(terms, n_levels=3):
    """Terms, each of a column of its own, that met a few rows."""
    rng = np.random.default_rng(17)
    n = 2 * n_levels + 20
    columns = {term.column: rng.random(n) for term in terms}
    levels = np.array([f"{number:05d}" for number in range(n_levels)])
    columns.update({term.column: np.resize(levels, n) for term in terms if term.label.startswith("f")})
    return Design.resolve(terms, read_table(pd.DataFrame(columns)))


def test_smooths_of_many_rows_are_summed_by_moments():
    for p, k in itertools.product((2, 5, 15), (10, 20)):
        design = design_of([s(f"x{number}", k=k) for number in range(p)])
        assert is_local_faster(design, MANY_ROWS)
        assert is_local_faster(design, 100 * MANY_ROWS)
        assert not is_local_faster(design, MANY_ROWS - 1)


def test_many_linear_terms_are_left_to_the_columns():
    assert not is_local_faster(design_of([l(f"x{number}") for number in range(40)]), 100 * MANY_ROWS)


def test_factors_of_thousands_of_levels_are_left_to_the_columns():
    assert is_local_faster(design_of([f("site"), s("x")], n_levels=100), 100 * MANY_ROWS)
    assert not is_local_faster(design_of([f("site"), f("ward")], n_levels=2000), 100 * MANY_ROWS)


def test_an_engine_of_few_rows_does_without_the_compiled_loops(monkeypatch, design, table):
    monkeypatch.setattr("pugam.engines.local._kernels", lambda: pytest.fail("the loops are compiled for nothing"))
    engine = MemoryEngine(design, design.encode(table), np.arange(N_ROWS) % 2 == 0)

    assert np.isfinite(engine.sums(PI[:1], np.zeros((1, 1 + design.n_columns))).value).all()


# Terms without pieces beside terms with them


MIXTURES = {
    "first": [Surface("x", "w"), s("x", k=8), f("site")],
    "between": [s("x", k=8), Surface("x", "long"), f("holes", missing="effect"), Surface("w", "few"), l("w")],
    "last": [s("gaps", k=7, missing="effect"), l("w"), Surface("x", "part")],
    "interactions": parse_formula(
        "s(x, k=8) + te(x, w, k=4) + ti(long, f(site)) + w:site + f(site) + s(part, by=site)"
    ),
    "with gaps": parse_formula("ti(x, gaps, k=4, missing='zero') + te(x, blanks, k=3, missing='effect') + w"),
}


@pytest.mark.parametrize("terms", MIXTURES.values(), ids=MIXTURES)
@pytest.mark.parametrize("n_rows", [5, N_ROWS])
@pytest.mark.parametrize("n_weightings", [1, 3])
def test_terms_that_are_written_out_stand_beside_those_that_are_not(table, terms, n_rows, n_weightings):
    design = Design.resolve(terms, table)
    encoded = [values[:n_rows] for values in design.encode(table)]
    dense, mixed = DenseColumns(design.matrix(encoded)), local_columns(design, encoded, Workspace.empty(design, n_rows))
    rng = np.random.default_rng(5)
    q = 1 + design.n_columns
    b, weights = rng.normal(size=(n_weightings, q)), rng.normal(size=(n_weightings, n_rows))

    assert isinstance(mixed, MixedColumns)
    assert len(mixed) == n_rows
    assert_close(mixed.predict(b), dense.predict(b))
    assert_close(mixed.project(weights), dense.project(weights))
    for w in (weights, np.abs(weights)):
        assert_close(grams(mixed, w, q), grams(dense, w, q))


def test_where_all_terms_have_pieces_nothing_is_written_out(design, encoded):
    assert isinstance(local_columns(design, encoded, Workspace.empty(design, N_ROWS)), LocalColumns)


def test_a_design_without_pieces_is_written_out(table):
    design = Design.resolve([Surface("x", "w"), Surface("long", "few")], table)

    assert not is_local_faster(design, 10 * MANY_ROWS)


def test_sums_of_a_mixture_are_those_of_the_columns_written_out(table, monkeypatch):
    design = Design.resolve(MIXTURES["between"], table)
    encoded = design.encode(table)
    positive = np.arange(N_ROWS) % 3 == 0
    b = np.random.default_rng(6).normal(size=(2, 1 + design.n_columns))
    wanted = MemoryEngine(design, encoded, positive).sums(PI, b)
    monkeypatch.setattr("pugam.engines.memory.is_local_faster", lambda *_: True)

    found = MemoryEngine(design, encoded, positive).sums(PI, b)

    for name in ("value", "score", "information"):
        assert_close(getattr(found, name), getattr(wanted, name))


def test_places_of_rows_are_kept_where_there_is_room(design, encoded, monkeypatch):
    """Found once, they serve other parameters, weights and blocks; where there is no room, they are found each time."""
    monkeypatch.setattr("pugam.engines.local.MANY_ROWS", 10)
    positive = np.arange(N_ROWS) % 3 == 0
    kept = MemoryEngine(design, encoded, positive)
    monkeypatch.setattr("pugam.engines.memory.CACHE_BYTES", 0)
    fresh = MemoryEngine(design, encoded, positive)
    assert kept.n_bytes - fresh.n_bytes == 12 * len(design.local_terms) * N_ROWS
    for seed in (1, 2):
        b = np.random.default_rng(seed).normal(size=(1, 1 + design.n_columns)) / 10.0
        counts = np.arange(N_ROWS) % (1 + seed)
        for ours, others in ((kept, fresh), (kept.reweighted(counts), fresh.reweighted(counts))):
            assert np.array_equal(ours.sums(PI[:1], b).information, others.sums(PI[:1], b).information)
            assert np.array_equal(ours.linear_predictor(b[0]), others.linear_predictor(b[0]))
