"""Rows in parts of a file: the same sums, samples and resamples as in memory, however much of it is kept there."""

import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pugam.data import read_table
from pugam.engines import FileRows, MemoryEngine, PartedEngine
from pugam.engines.stream import FETCHED_AHEAD, in_order
from pugam.errors import InputError
from pugam.files import open_file
from pugam.likelihood import SampleShares, SampleSizes, sample_sums
from pugam.terms import Design, f, l, s

N_ROWS, BATCH = 1000, 137
PI = np.array([0.3, 0.8])
FEATURES = ["x", "w", "site", "gaps"]


@pytest.fixture(scope="module")
def frame():
    """Features, labels, and weights of which none is zero."""
    rng = np.random.default_rng(11)
    return pd.DataFrame(
        {
            "x": rng.normal(size=N_ROWS),
            "weight": rng.uniform(0.5, 2.0, N_ROWS),
            "w": rng.random(N_ROWS),
            "site": rng.choice(list("abc"), N_ROWS),
            "z": (rng.random(N_ROWS) < 0.35).astype(int),
            "gaps": np.where(rng.random(N_ROWS) < 0.2, np.nan, rng.normal(size=N_ROWS)),
        }
    )


@pytest.fixture(scope="module")
def design(frame):
    terms = [s("x", k=8), l("w"), f("site"), s("gaps", k=5, missing="effect")]
    return Design.resolve(terms, read_table(frame[FEATURES]))


@pytest.fixture(scope="module")
def b(design):
    return np.random.default_rng(12).normal(size=(2, 1 + design.n_columns))


def write(frame, path):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=300)
    else:
        frame.to_csv(path, index=False)
    return path


# Text gives the parts that Parquet gives, which sums show; what is made of parts does not know where they are from.
FILES = ["rows.parquet", *(pytest.param(name, marks=pytest.mark.long) for name in ("rows.csv", "rows.csv.gz"))]


@pytest.fixture(scope="module", params=FILES)
def path(request, frame, tmp_path_factory):
    return write(frame, tmp_path_factory.mktemp("files") / request.param)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr("pugam.engines.file_rows.BATCH_ROWS", BATCH)


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def weighted(request):
    return request.param


def parted_engine(path, design, weighted=False, n_threads=1, kept_bytes=0, local=False):
    """The engine of a file, as a fit makes it."""
    rows = FileRows(
        open_file(path), "z", "weight" if weighted else None, FEATURES, n_threads=n_threads, kept_bytes=kept_bytes
    )
    labels = rows.labels()
    sizes = [len(part.positive) for part in labels if len(part.positive)]
    weights = np.concatenate([part.weights for part in labels]) if weighted else None
    parts = rows.parts(design, labels, local)
    return PartedEngine(design, parts, np.concatenate([part.positive for part in labels]), weights, sizes)


def memory_engine(frame, design, weighted=False):
    weights = frame["weight"].to_numpy() if weighted else None
    return MemoryEngine(design, design.encode(read_table(frame[FEATURES])), frame["z"].to_numpy() == 1, weights)


@pytest.fixture
def engines(frame, path, design, weighted):
    return memory_engine(frame, design, weighted), parted_engine(path, design, weighted)


@pytest.fixture
def readings(monkeypatch):
    """Every time that a file is read from its beginning."""
    made = []
    original = FileRows._jobs

    def counting(rows, names, *others):
        made.append(tuple(names))
        return original(rows, names, *others)

    monkeypatch.setattr(FileRows, "_jobs", counting)
    return made


def assert_close(got, want, rtol=1e-12):
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max())


def assert_sums_close(got, want, rtol=1e-12):
    for name in ("value", "score", "information"):
        if hasattr(want, name):
            assert_close(getattr(got, name), getattr(want, name), rtol)


def assert_same_rows(one, other):
    for here, there in zip(one.encoded, other.encoded, strict=True):
        np.testing.assert_array_equal(here, there)
    np.testing.assert_array_equal(one.positive, other.positive)
    if one.weights is None:
        assert other.weights is None
    else:
        np.testing.assert_array_equal(one.weights, other.weights)


def test_it_has_the_rows_and_counts_of_the_engine_in_memory(engines):
    memory, parted = engines

    assert (parted.n0, parted.n1) == pytest.approx((memory.n0, memory.n1), rel=1e-12)
    assert parted.n_rows == memory.n_rows == N_ROWS
    assert parted.name == "stream"
    assert parted.most_resamples == memory.most_resamples
    np.testing.assert_array_equal(parted.positive, memory.positive)


@pytest.mark.parametrize("path", ["rows.parquet", "rows.csv", FILES[-1]], indirect=True)
@pytest.mark.parametrize("observed", [False, True], ids=["expected", "observed"])
def test_sums_are_those_in_memory(engines, b, observed):
    memory, parted = engines

    for some in (slice(1), slice(None)):
        assert_sums_close(parted.sums(PI[some], b[some], observed), memory.sums(PI[some], b[some], observed))


def test_sums_by_moments_are_those_of_columns_written_out(path, frame, design, b, weighted):
    memory, parted = memory_engine(frame, design, weighted), parted_engine(path, design, weighted, local=True)

    assert_sums_close(parted.sums(PI, b), memory.sums(PI, b), rtol=1e-11)


def test_slopes_of_a_trace_are_those_in_memory(engines, b):
    matrix = np.random.default_rng(3).normal(size=(b.shape[1], b.shape[1]))
    memory, parted = (engine.trace_slopes(PI[:1], b[:1], matrix + matrix.T) for engine in engines)
    assert_close(parted, memory, rtol=1e-11)


def test_expected_labels_and_their_logistic_sums_are_those_in_memory(engines, b):
    memory, parted = (engine.expectation(PI, b) for engine in engines)
    assert_close(parted.hidden_positives, memory.hidden_positives)

    memory, parted = (engine.logistic_sums(engine.expectation(PI, b), b[::-1]) for engine in engines)
    assert_sums_close(parted, memory)


def test_the_linear_predictor_is_that_in_memory(engines, b):
    memory, parted = (engine.linear_predictor(b[1]) for engine in engines)

    assert_close(parted, memory)


@pytest.mark.parametrize(
    "n_rows", [100, 500, *(pytest.param(number, marks=pytest.mark.long) for number in (400, 5000))]
)
def test_a_pilot_has_the_rows_that_it_has_in_memory(engines, design, n_rows):
    coarse, _ = design.coarse(3)

    memory, parted = (engine.pilot(coarse, n_rows, np.random.default_rng(5)) for engine in engines)

    assert parted.n_rows == (n_rows if n_rows < N_ROWS / 2 else N_ROWS)
    assert parted.design is coarse
    assert_same_rows(parted, memory)


def test_a_pilot_is_the_same_however_the_labels_are_searched(engines, design, monkeypatch):
    memory, parted = engines
    wanted = memory.pilot(design, 100, np.random.default_rng(5))
    monkeypatch.setattr("pugam.engines.pilots.ROWS_AT_A_TIME", 7)

    assert_same_rows(parted.pilot(design, 100, np.random.default_rng(5)), wanted)


@pytest.mark.parametrize(
    "rows",
    [[0], [N_ROWS - 1], [136, 137, 138], [*range(0, N_ROWS, 9)], [*range(N_ROWS)]],
    ids=["first", "last", "at a cut", "some", "all"],
)
def test_values_of_some_rows_are_those_in_memory(engines, rows):
    memory, parted = (engine.encoded_at(np.array(rows)) for engine in engines)

    for here, there in zip(parted, memory, strict=True):
        np.testing.assert_array_equal(here, there)


def test_the_rows_shown_are_those_in_memory(engines, monkeypatch):
    monkeypatch.setattr("pugam.engines.pilots.ENOUGH_TO_SHOW", 90)

    memory, parted = (engine.shown for engine in engines)

    assert len(parted.positive) == 91
    assert_same_rows(parted, memory)


def test_a_reweighted_engine_is_that_in_memory(engines, b):
    counts = np.random.default_rng(6).poisson(1.0, N_ROWS)
    before = engines[1].sums(PI, b)

    memory, parted = (engine.reweighted(counts) for engine in engines)

    assert (parted.n0, parted.n1) == pytest.approx((memory.n0, memory.n1), rel=1e-12)
    assert_sums_close(parted.sums(PI, b), memory.sums(PI, b))
    assert_sums_close(parted.sums(PI, b, observed=True), memory.sums(PI, b, observed=True))
    assert_sums_close(engines[1].sums(PI, b), before)


@pytest.mark.parametrize("terms", [[0], [2, 0], [0, 1, 2, 3]], ids=["one", "two in another order", "all"])
def test_a_redesigned_engine_is_that_in_memory(engines, design, b, terms):
    smaller = Design(tuple(design.bases[number] for number in terms))
    some = b[:, : 1 + smaller.n_columns]

    memory, parted = (engine.redesigned(smaller, terms) for engine in engines)

    assert parted.design is smaller
    assert (parted.n0, parted.n1, parted.n_rows) == pytest.approx((memory.n0, memory.n1, N_ROWS), rel=1e-12)
    assert_sums_close(parted.sums(PI, some), memory.sums(PI, some))


def test_changes_of_an_engine_that_was_changed_add_up(engines, design, b):
    counts = np.random.default_rng(7).poisson(1.0, N_ROWS)
    smaller = Design(design.bases[:2])
    some = b[:, : 1 + smaller.n_columns]

    memory, parted = (engine.reweighted(counts).redesigned(smaller, [0, 1]) for engine in engines)

    assert_sums_close(parted.sums(PI, some), memory.sums(PI, some))


@pytest.mark.parametrize(
    "shared", [False, pytest.param(True, marks=pytest.mark.long)], ids=["a vector each", "one vector for all"]
)
def test_resampled_sums_and_scores_are_those_in_memory(engines, design, shared):
    counts = np.random.default_rng(8).multinomial(N_ROWS, np.full(N_ROWS, 1.0 / N_ROWS), 9)
    rng = np.random.default_rng(9)
    size = 1 if shared else len(counts)
    pi, b = rng.uniform(0.1, 0.9, size), rng.normal(size=(size, 1 + design.n_columns))

    memory, parted = (engine.resampled(counts) for engine in engines)

    assert_close(parted.n0, memory.n0)
    assert_close(parted.n1, memory.n1)
    for observed in (False, True):
        assert_sums_close(parted.sums(pi, b, observed), memory.sums(pi, b, observed))
    assert_sums_close(parted.scores(pi, b), memory.scores(pi, b))


def test_some_of_the_resamples_are_taken_in_the_order_asked_for(engines, b):
    counts = np.random.default_rng(8).poisson(1.0, (5, N_ROWS))
    numbers = np.array([4, 1])

    memory, parted = (engine.resampled(counts).take(numbers) for engine in engines)

    assert_close(parted.n0, memory.n0)
    assert_sums_close(parted.sums(PI, b), memory.sums(PI, b))


# How much is kept, and by how many threads


PARQUET = pytest.mark.parametrize("path", ["rows.parquet"], indirect=True)


def size_of_all(path, design):
    return sum(parted_engine(path, design).parts.map(lambda part: part.n_bytes))


@PARQUET
@pytest.mark.parametrize(("share", "n_readings"), [(0.0, 3), (0.5, 3), (1.0, 1)], ids=["nothing", "part", "all"])
def test_a_file_is_read_in_every_pass_unless_all_of_it_is_kept(path, frame, design, b, share, n_readings, readings):
    kept_bytes = int(share * size_of_all(path, design))
    parted, memory = parted_engine(path, design, kept_bytes=kept_bytes), memory_engine(frame, design)
    del readings[:]

    for shift in range(3):
        assert_sums_close(parted.sums(PI, b + shift), memory.sums(PI, b + shift))

    assert len(readings) == n_readings
    kept = sum(engine.n_bytes for engine in parted.parts._kept.values())
    assert kept <= kept_bytes
    assert (kept > 0) == (share > 0.0)


@PARQUET
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0], ids=["nothing", "part", "all"])
@pytest.mark.parametrize("n_threads", [pytest.param(1, marks=pytest.mark.long), 3])
def test_what_is_kept_and_by_how_many_threads_does_not_change_the_last_bit(path, design, b, share, n_threads):
    kept_bytes = int(share * size_of_all(path, design))
    alone = parted_engine(path, design, weighted=True).sums(PI, b)

    parted = parted_engine(path, design, True, n_threads, kept_bytes)

    for _ in range(2):
        found = parted.sums(PI, b)
        for name in ("value", "score", "information"):
            np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))


@PARQUET
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0], ids=["nothing", "part", "all"])
def test_engines_made_of_parts_that_are_kept_are_those_in_memory(path, frame, design, b, share):
    parted = parted_engine(path, design, kept_bytes=int(share * size_of_all(path, design)))
    memory = memory_engine(frame, design)
    counts = np.random.default_rng(6).poisson(1.0, N_ROWS)
    smaller = Design(design.bases[:2])
    some = b[:, : 1 + smaller.n_columns]
    parted.sums(PI, b)

    for _ in range(2):
        assert_sums_close(parted.reweighted(counts).sums(PI, b), memory.reweighted(counts).sums(PI, b))
        assert_sums_close(
            parted.redesigned(smaller, [0, 1]).sums(PI, some), memory.redesigned(smaller, [0, 1]).sums(PI, some)
        )
        assert_sums_close(parted.sums(PI, b), memory.sums(PI, b))


@PARQUET
def test_only_the_columns_of_the_design_are_read(path, design, readings):
    smaller = Design(design.bases[:1])
    parted = parted_engine(path, smaller)
    assert readings == [()]

    parted.linear_predictor(np.zeros(1 + smaller.n_columns))

    assert readings == [(), ("x",)]


@PARQUET
def test_the_same_point_is_summed_once(path, design, b, readings):
    parted = parted_engine(path, design)
    del readings[:]

    for _ in range(3):
        parted.sums(PI[:1], b[:1])

    assert len(readings) == 1


def test_labels_may_be_written_in_another_way(frame, tmp_path):
    path = write(frame.assign(z=np.where(frame["z"] == 1, "yes", "no")), tmp_path / "rows.csv")

    rows = FileRows(
        open_file(path), "z", None, FEATURES, 1, codes=lambda column: [cell == "yes" for cell in column.to_pylist()]
    )

    np.testing.assert_array_equal(np.concatenate([part.positive for part in rows.labels()]), frame["z"] == 1)


@pytest.mark.parametrize("row_group_size", [100, 137, 300, 1000])
def test_levels_kept_as_a_dictionary_do_not_move_the_cuts(frame, tmp_path, design, b, row_group_size):
    table = pa.Table.from_pandas(frame.astype({"site": "category"}), preserve_index=False)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=row_group_size)
    memory, parted = memory_engine(frame, design), parted_engine(tmp_path / "rows.parquet", design)
    counts = np.random.default_rng(8).poisson(1.0, (2, N_ROWS))

    assert_sums_close(parted.sums(PI, b), memory.sums(PI, b))
    assert_sums_close(parted.resampled(counts).sums(PI, b), memory.resampled(counts).sums(PI, b))
    assert_same_rows(
        parted.pilot(design, 50, np.random.default_rng(0)), memory.pilot(design, 50, np.random.default_rng(0))
    )


ROWS = np.arange(N_ROWS)
ZEROS = {"some of every part": ROWS % 3 == 0, "all of one part": ROWS // BATCH == 2, "all of the first": ROWS < BATCH}


@pytest.mark.parametrize("zero", ZEROS.values(), ids=ZEROS)
def test_rows_of_weight_zero_are_left_out(frame, tmp_path, design, b, zero):
    path = write(frame.assign(weight=np.where(zero, 0.0, frame["weight"])), tmp_path / "rows.parquet")
    memory = memory_engine(frame[~zero], design, weighted=True)

    parted = parted_engine(path, design, weighted=True)

    assert parted.n_rows == np.count_nonzero(~zero)
    assert_sums_close(parted.sums(PI, b), memory.sums(PI, b))
    assert_close(parted.linear_predictor(b[0]), memory.linear_predictor(b[0]))
    assert_same_rows(
        parted.pilot(design, 50, np.random.default_rng(0)), memory.pilot(design, 50, np.random.default_rng(0))
    )


# A file that is not what it was


def grown(frame, n_more):
    return pd.concat([frame, frame.iloc[:n_more]], ignore_index=True)


CHANGES = {
    "a batch more": lambda frame: grown(frame, 2 * BATCH),
    "a few rows more": lambda frame: grown(frame, 5),
    "a few rows fewer": lambda frame: frame.iloc[:-5],
    "a batch fewer": lambda frame: frame.iloc[: -2 * BATCH],
    "other labels": lambda frame: frame.assign(z=frame["z"].to_numpy()[::-1]),
}


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_file_that_changes_between_passes_is_refused(frame, design, b, tmp_path, change, suffix):
    path = write(frame, tmp_path / f"rows.{suffix}")
    parted = parted_engine(path, design)
    parted.sums(PI, b)

    write(change(frame), path)

    with pytest.raises(InputError, match=f"rows.{suffix}.*fit it again"):
        parted.sums(PI, b)


def test_a_file_that_is_gone_is_missed(frame, design, b, tmp_path):
    path = write(frame, tmp_path / "rows.parquet")
    parted = parted_engine(path, design)
    path.unlink()

    with pytest.raises(InputError, match=r"rows\.parquet"):
        parted.sums(PI, b)


# Jobs in order


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(n_threads):
    finished = threading.Event()

    def job(number):
        if number == 0 and n_threads > 1:
            finished.wait()
        if number == 1:
            finished.set()
        return number

    assert list(in_order((lambda number=number: job(number) for number in range(20)), n_threads)) == [*range(20)]


def test_few_jobs_are_fetched_before_their_results_are_asked_for():
    fetched = []

    def jobs():
        for number in range(100):
            fetched.append(number)
            yield lambda: None

    results = in_order(jobs(), 2)
    next(results)

    assert len(fetched) == 2 * FETCHED_AHEAD + 1
    results.close()


def test_a_job_that_fails_stops_the_others():
    done = []

    def job(number):
        if number == 3:
            raise InputError("row 3 is at fault.")
        done.append(number)

    with pytest.raises(InputError, match="row 3"):
        list(in_order((lambda number=number: job(number) for number in range(100)), 1))
    assert len(done) < 10


def test_rows_of_several_samples_add_up_the_same(engines, b):
    """Also under another design of the same terms, and with rows counted otherwise."""
    codes = np.random.default_rng(3).integers(1, 8, N_ROWS).astype(np.int32)
    found = []
    for engine in engines:
        codes[engine.positive] = 0
        rows = engine.coded(codes)
        sizes = SampleSizes.count(codes, rows.weights, 2)
        shares = SampleShares(sizes, np.array([0.2, 0.6]))
        again = rows.redesigned(rows.design, range(len(rows.design.bases))).reweighted(np.arange(N_ROWS) % 3)
        found.append([each.sum_rows(sample_sums, (b[:1], shares, True)) for each in (rows, again)])
    for memory, parted in zip(*found, strict=True):
        assert_sums_close(parted, memory)


def test_sums_over_groups_are_those_in_memory(engines):
    """Groups have rows in several parts, and one has none."""
    rng = np.random.default_rng(4)
    values, groups = rng.normal(size=(2, N_ROWS)), rng.integers(0, 6, N_ROWS)
    memory, parted = (engine.sum_groups(values, groups, 7) for engine in engines)
    assert parted == pytest.approx(memory, rel=1e-10, abs=1e-10)
    ones = np.array([values[0, groups == group].sum() for group in range(7)])
    assert memory[0, :, 0] == pytest.approx(ones, abs=1e-10)


def test_products_of_columns_are_summed_as_in_memory(engines):
    """Values of any sign: X' diag(v) X."""
    values = np.random.default_rng(5).normal(size=N_ROWS)
    memory, parted = (engine.sum_products(values) for engine in engines)
    X = engines[0].design.matrix(engines[0].encoded)
    assert memory == pytest.approx(X.T @ (X * values[:, None]), rel=1e-9, abs=1e-9)
    assert parted == pytest.approx(memory, rel=1e-9, abs=1e-9)
