"""The memory engine: the same sums however many threads, blocks or cached columns, and the pilot sample."""

import pkgutil

import numpy as np
import pandas as pd
import pytest

from pugam.data import read_table
from pugam.engines import MemoryEngine
from pugam.likelihood import DenseColumns, Sums, label_block, label_frequency, logistic_sums, saturating_sums
from pugam.terms import Design, f, l, s

N_ROWS = 3000
PI = np.array([0.3, 0.8])
SUMS = ["expected", "observed", "logistic"]


@pytest.fixture(scope="module")
def rows():
    """A table with a smooth, a line and a factor, labels and weights, and two parameter vectors."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {"x": rng.normal(size=N_ROWS), "w": rng.random(N_ROWS), "site": rng.choice(list("abc"), N_ROWS)}
    )
    table = read_table(frame)
    design = Design.resolve([s("x", k=8), l("w"), f("site")], table)
    b = rng.normal(size=(2, 1 + design.n_columns))
    return {
        "design": design,
        "encoded": design.encode(table),
        "positive": rng.random(N_ROWS) < 0.35,
        "weights": rng.uniform(0.5, 2.0, N_ROWS),
        "b": b,
    }


@pytest.fixture
def cut_finely(monkeypatch):
    """Blocks of a few rows, so that three thousand rows make many."""
    monkeypatch.setattr("pugam.engines.memory.BLOCK_CELLS", 500)
    monkeypatch.setattr("pugam.engines.memory.MIN_BLOCK_ROWS", 16)


@pytest.fixture
def count_calls(monkeypatch):
    """Count the calls of a function that is named by its full path, while it goes on working."""

    def count(target):
        calls = []
        original = pkgutil.resolve_name(target)

        def counting(*args, **kwargs):
            calls.append(target)
            return original(*args, **kwargs)

        monkeypatch.setattr(target, counting)
        return calls

    return count


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def weighted(request):
    return request.param


def make_engine(rows, weighted=False, n_threads=1, keep=slice(None)):
    weights = rows["weights"][keep] if weighted else None
    encoded = [values[keep] for values in rows["encoded"]]
    return MemoryEngine(rows["design"], encoded, rows["positive"][keep], weights, n_threads)


def all_sums(engine, b):
    labels = engine.expectation(PI, b)
    return {
        "expected": engine.sums(PI, b),
        "observed": engine.sums(PI, b, observed=True),
        "logistic": engine.logistic_sums(labels, b),
        "hidden": labels.hidden_positives,
    }


def assert_all_same(one, other, rtol):
    np.testing.assert_allclose(one["hidden"], other["hidden"], rtol=rtol)
    for kind in SUMS:
        for name in ("value", "score", "information"):
            got, want = getattr(one[kind], name), getattr(other[kind], name)
            np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max())


def test_sums_are_those_of_the_likelihood_over_all_rows(rows, weighted):
    engine = make_engine(rows, weighted)
    X, positive, b = DenseColumns(rows["design"].matrix(rows["encoded"])), rows["positive"], rows["b"]
    weights = rows["weights"] if weighted else np.ones(N_ROWS)
    n0, n1 = weights[positive].sum(), weights[~positive].sum()
    c, d = label_frequency(PI, n0, n1)
    y = label_block(X, positive, b, d)

    by_hand = {
        "expected": saturating_sums(X, positive, weights, b, c, d),
        "observed": saturating_sums(X, positive, weights, b, c, d, observed=True),
        "logistic": logistic_sums(X, y, weights, b),
        "hidden": (y * weights)[:, ~positive].sum(axis=1),
    }

    assert (engine.n0, engine.n1) == pytest.approx((n0, n1))
    assert engine.n_rows == N_ROWS
    assert_all_same(all_sums(engine, b), by_hand, rtol=1e-12)


@pytest.mark.usefixtures("cut_finely")
def test_sums_do_not_depend_on_the_number_of_threads_to_the_last_bit(rows, weighted):
    alone = all_sums(make_engine(rows, weighted, n_threads=1), rows["b"])

    for n_threads in (2, 3):
        together = all_sums(make_engine(rows, weighted, n_threads=n_threads), rows["b"])
        np.testing.assert_array_equal(together["hidden"], alone["hidden"])
        for kind in SUMS:
            for name in ("value", "score", "information"):
                np.testing.assert_array_equal(getattr(together[kind], name), getattr(alone[kind], name))


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize("n_threads", [pytest.param(1, marks=pytest.mark.long), 2])
def test_columns_evaluated_anew_give_the_sums_of_kept_ones(rows, weighted, n_threads, monkeypatch, count_calls):
    kept = make_engine(rows, weighted)
    monkeypatch.setattr("pugam.engines.memory.CACHE_BYTES", 0)
    anew = make_engine(rows, weighted, n_threads)

    evaluations = count_calls("pugam.terms.Design.matrix")
    from_kept = all_sums(kept, rows["b"])
    assert len(evaluations) == 0
    from_anew = all_sums(anew, rows["b"])
    assert len(evaluations) > 50

    assert_all_same(from_anew, from_kept, rtol=1e-12)


def test_many_blocks_give_the_sums_of_one(rows, weighted, monkeypatch, count_calls):
    blocks = count_calls("pugam.engines.memory.logistic_sums")
    monkeypatch.setattr("pugam.engines.memory.MIN_BLOCK_ROWS", 10 * N_ROWS)
    in_one = all_sums(make_engine(rows, weighted), rows["b"])
    assert len(blocks) == 1

    monkeypatch.setattr("pugam.engines.memory.BLOCK_CELLS", 500)
    monkeypatch.setattr("pugam.engines.memory.MIN_BLOCK_ROWS", 16)
    in_many = all_sums(make_engine(rows, weighted), rows["b"])
    assert len(blocks) > 50

    assert_all_same(in_many, in_one, rtol=1e-12)


def test_whole_weights_are_repeated_rows(rows):
    counts = np.random.default_rng(5).integers(1, 4, N_ROWS)
    weighted = MemoryEngine(rows["design"], rows["encoded"], rows["positive"], counts.astype(float))
    repeated = make_engine(rows, keep=np.repeat(np.arange(N_ROWS), counts))

    assert (weighted.n0, weighted.n1) == (repeated.n0, repeated.n1)
    assert_all_same(all_sums(weighted, rows["b"]), all_sums(repeated, rows["b"]), rtol=1e-12)


@pytest.mark.parametrize("n_rows", [100, 1000, 1499])
def test_a_pilot_has_as_many_labelled_as_unlabelled_rows_while_there_are_enough(rows, n_rows):
    engine = make_engine(rows)
    assert engine.n0 == 1101

    pilot = engine.pilot(engine.design, n_rows, np.random.default_rng(0))

    assert pilot.n_rows == n_rows
    assert (pilot.n0, pilot.n1) == (min(n_rows // 2, 1101), n_rows - min(n_rows // 2, 1101))


@pytest.mark.parametrize("n_rows", [1500, 2999, 10_000])
def test_a_pilot_of_half_the_rows_or_more_has_all_of_them(rows, n_rows):
    engine = make_engine(rows)

    pilot = engine.pilot(engine.design, n_rows, np.random.default_rng(0))

    assert (pilot.n0, pilot.n1) == (engine.n0, engine.n1)


def test_a_pilot_takes_more_labelled_rows_where_unlabelled_ones_are_few(rows):
    positive = np.arange(N_ROWS) >= 40
    engine = MemoryEngine(rows["design"], rows["encoded"], positive)

    pilot = engine.pilot(engine.design, 200, np.random.default_rng(0))

    assert (pilot.n0, pilot.n1) == (160, 40)


def test_a_pilot_is_the_engine_of_the_rows_it_drew(rows, weighted):
    # The row's own number goes along as a column, so that the rows drawn can be read off the pilot.
    frame = pd.DataFrame({"number": np.arange(N_ROWS, dtype=float), "x": rows["encoded"][0]})
    table = read_table(frame)
    design = Design.resolve([l("number"), s("x", k=8)], table)
    weights = rows["weights"] if weighted else None
    engine = MemoryEngine(design, design.encode(table), rows["positive"], weights)
    coarse, _ = design.coarse(3)

    pilot = engine.pilot(coarse, 500, np.random.default_rng(3))

    drawn = pilot.encoded[0].astype(int)
    assert len(np.unique(drawn)) == len(drawn) == 500
    by_hand = MemoryEngine(
        coarse,
        coarse.encode(table.take(drawn)),
        rows["positive"][drawn],
        rows["weights"][drawn] if weighted else None,
    )
    b = rows["b"][:, : 1 + coarse.n_columns]
    assert_all_same(all_sums(pilot, b), all_sums(by_hand, b), rtol=1e-12)


def test_a_pilot_of_all_rows_keeps_every_row(rows):
    engine = make_engine(rows, weighted=True)

    pilot = engine.pilot(engine.design, N_ROWS, np.random.default_rng(0))

    assert_all_same(all_sums(pilot, rows["b"]), all_sums(engine, rows["b"]), rtol=1e-12)


def test_a_pilot_has_rows_of_both_kinds_even_if_one_is_rare(rows):
    positive = np.zeros(N_ROWS, dtype=bool)
    positive[7] = True
    engine = MemoryEngine(rows["design"], rows["encoded"], positive)

    pilot = engine.pilot(engine.design, 50, np.random.default_rng(0))

    assert (pilot.n0, pilot.n1) == (1, 49)


# The same rows under other weights


@pytest.fixture(scope="module")
def counts():
    """Nine bootstrap resamples, in which labelled and unlabelled rows are drawn together: n0 and n1 vary."""
    return np.random.default_rng(12).multinomial(N_ROWS, np.full(N_ROWS, 1.0 / N_ROWS), 9)


def engine_of_weights(rows, weights, n_threads=1):
    return MemoryEngine(rows["design"], rows["encoded"], rows["positive"], weights, n_threads)


def assert_sums_same(one, other, rtol=1e-11):
    for name in ("value", "score", "information"):
        got, want = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max())


def one_of(sums, number):
    return Sums(sums.value[[number]], sums.score[[number]], sums.information[[number]])


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_resampled_rows_have_the_sums_of_rows_weighted_by_their_counts(rows, weighted, counts, observed, count_calls):
    engine = make_engine(rows, weighted)
    rng = np.random.default_rng(13)
    pi, b = rng.uniform(0.1, 0.9, len(counts)), rng.normal(size=(len(counts), 1 + rows["design"].n_columns))
    own = rows["weights"] if weighted else 1.0
    blocks = count_calls("pugam.engines.memory.saturating_sums")

    resampled = engine.resampled(counts)
    together = resampled.sums(pi, b, observed)
    assert len(blocks) > 50

    for number, row in enumerate(counts):
        alone = engine_of_weights(rows, row * own)
        assert resampled.n0[number] == pytest.approx(alone.n0, rel=1e-12)
        assert resampled.n1[number] == pytest.approx(alone.n1, rel=1e-12)
        one = slice(number, number + 1)
        assert_sums_same(one_of(together, number), alone.sums(pi[one], b[one], observed))
    assert len(set(resampled.n0)) > 1


@pytest.mark.parametrize("equal_numbers", [True, False], ids=["n0 and n1 equal", "n0 and n1 vary"])
@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_one_vector_shared_by_all_resamples_stands_for_its_copies(rows, weighted, counts, equal_numbers, observed):
    if equal_numbers:
        # A cyclic shift within each label keeps the numbers of labelled and unlabelled rows, but not their weights.
        shifted = np.empty_like(counts)
        for label in (rows["positive"], ~rows["positive"]):
            for number in range(len(counts)):
                shifted[number, label] = np.roll(counts[0, label], number)
        counts = shifted
    resampled = make_engine(rows, weighted).resampled(counts)
    assert (np.ptp(resampled.n0) == 0.0) == (equal_numbers and not weighted)

    shared = resampled.sums(PI[:1], rows["b"][:1], observed)
    copied = resampled.sums(np.full(len(counts), PI[0]), np.tile(rows["b"][:1], (len(counts), 1)), observed)

    assert shared.value.shape == (len(counts),)
    assert_sums_same(shared, copied)


def test_some_of_the_resamples_are_taken_in_the_order_asked_for(rows, weighted, counts):
    resampled = make_engine(rows, weighted).resampled(counts)
    numbers = np.array([7, 0, 3])
    pi = np.array([0.2, 0.5, 0.8])
    b = np.random.default_rng(14).normal(size=(3, 1 + rows["design"].n_columns))

    some = resampled.take(numbers)
    directly = make_engine(rows, weighted).resampled(counts[numbers])

    np.testing.assert_array_equal(some.n0, resampled.n0[numbers])
    np.testing.assert_array_equal(some.n1, resampled.n1[numbers])
    assert_sums_same(some.sums(pi, b), directly.sums(pi, b))
    assert np.ptp(some.n0) > 0.0


def test_fractions_of_a_row_count_too(rows, counts):
    # Where weights are frequencies, a row of weight three that is drawn twice counts two thirds.
    frequencies = np.random.default_rng(15).integers(1, 4, N_ROWS).astype(float)
    engine = engine_of_weights(rows, frequencies)
    b = rows["b"][:1]

    fractions = engine.resampled(counts / frequencies).sums(PI[:1], b)
    whole = make_engine(rows).resampled(counts).sums(PI[:1], b)

    assert_sums_same(fractions, whole)


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize("n_threads", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_reweighted_engine_is_the_engine_of_the_product_of_weights(rows, weighted, counts, n_threads):
    engine = make_engine(rows, weighted, n_threads)
    before = all_sums(engine, rows["b"])

    other = engine.reweighted(counts[2])

    by_hand = engine_of_weights(rows, counts[2] * (rows["weights"] if weighted else 1.0))
    assert (other.n0, other.n1) == pytest.approx((by_hand.n0, by_hand.n1), rel=1e-12)
    assert other.n_rows == N_ROWS
    assert_all_same(all_sums(other, rows["b"]), all_sums(by_hand, rows["b"]), rtol=1e-11)
    # The engine it came from is what it was.
    assert_all_same(all_sums(engine, rows["b"]), before, rtol=0.0)


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize("cache_bytes", [0, 10**9], ids=["columns evaluated anew", "columns kept"])
def test_the_linear_predictor_is_intercept_plus_effects_of_every_row(rows, cache_bytes, monkeypatch):
    monkeypatch.setattr("pugam.engines.memory.CACHE_BYTES", cache_bytes)
    b = rows["b"][1]

    predictor = make_engine(rows, weighted=True).linear_predictor(b)

    effects = rows["design"].matrix(rows["encoded"])[:, 1:] @ b[1:]
    np.testing.assert_allclose(predictor, b[0] + effects, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("terms", [[0], [2, 0], [0, 1, 2]], ids=["one", "two in another order", "all"])
def test_a_redesigned_engine_has_the_same_rows_under_some_of_the_terms(rows, weighted, terms):
    engine = make_engine(rows, weighted)
    smaller = Design(tuple(rows["design"].bases[number] for number in terms))
    b = rows["b"][:, : 1 + smaller.n_columns]

    redesigned = engine.redesigned(smaller, terms)

    encoded = [rows["encoded"][number] for number in terms]
    by_hand = MemoryEngine(smaller, encoded, rows["positive"], rows["weights"] if weighted else None)
    assert redesigned.design is smaller
    assert (redesigned.n0, redesigned.n1, redesigned.n_rows) == (engine.n0, engine.n1, N_ROWS)
    assert_all_same(all_sums(redesigned, b), all_sums(by_hand, b), rtol=1e-12)
