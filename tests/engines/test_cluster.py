"""Rows on a Dask cluster of two worker processes: fits are those in memory, also where a worker dies on the way."""

import os
import re
import signal
import sys

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, InputError, load
from pugam.command_line import main
from pugam.engines import PartedEngine
from pugam.engines.cluster import FAN_IN, ClusterParts
from pugam.studies import Plan, run_study

N, PARTITIONS = 1500, 4
TERMS = "s(x1, k=6) + s(x2, k=6) + f(site)"
# Each pass over the rows is a trip to the workers, and with smoothing given there are few of them: that will do where a
# test is about the way that rows and labels take.
GIVEN = 0.1


@pytest.fixture(scope="module")
def rows():
    """Features that tell the classes apart, labels, and weights, zeros among them."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.7
    return pd.DataFrame(
        {
            "x1": np.where(y, rng.normal(1.0, 0.6, N), rng.normal(-0.5, 1.0, N)),
            "x2": np.where(y, rng.normal(0.0, 0.5, N), rng.normal(0.5, 1.2, N)),
            "z": (y & (rng.random(N) < 0.7)).astype(int),
            "site": np.where(y, rng.choice(list("aabc"), N), rng.choice(list("abbc"), N)),
            "weight": rng.choice([0.0, 0.5, 1.0, 2.0], N),
        }
    )


def put_back(environment):
    os.environ.clear()
    os.environ.update(environment)


@pytest.fixture(scope="module")
def cluster():
    """Workers that start at the same time leave OMP_NUM_THREADS=1 in the environment; other tests shall not see it."""
    before = dict(os.environ)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=None
        ) as workers,
        distributed.Client(workers, set_as_default=False) as client,
    ):
        put_back(before)
        yield client
    put_back(before)


@pytest.fixture
def client(cluster):
    with cluster.as_current():
        yield cluster


@pytest.fixture(scope="module")
def model(rows):
    """The fit in memory."""
    return PUGAM(TERMS).fit(rows, rows["z"])


@pytest.fixture(scope="module")
def model_given(rows):
    """The fit in memory, with smoothing given."""
    return PUGAM(TERMS, smoothing=GIVEN).fit(rows, rows["z"])


@pytest.fixture(autouse=True, scope="module")
def _quick_diagnoses(no_trees, few_places):
    with no_trees(), few_places():
        yield


@pytest.fixture(scope="module")
def weighted_model(rows):
    return PUGAM(TERMS).fit(rows, rows["z"], rows["weight"])


def partitioned(rows, n_partitions=PARTITIONS):
    return dd.from_pandas(rows, npartitions=n_partitions, sort=False)


@pytest.fixture(scope="module")
def fitted(cluster, rows):
    """The fit on the cluster."""
    with cluster.as_current():
        return PUGAM(TERMS, engine="dask").fit(partitioned(rows), "z")


def assert_same_fit(there, here, atol=1e-10):
    assert isinstance(there._rows[0], PartedEngine)
    assert there._rows[0].name == "dask"
    assert there.pi_ == pytest.approx(here.pi_, abs=atol)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=0.0, atol=atol)
    assert there.loglik_ == pytest.approx(here.loglik_, rel=1e-10)


# Without a cluster


def test_without_a_client_the_engine_says_how_to_get_one(rows):
    with pytest.raises(InputError, match=r"needs a Dask client, and there is none; name a scheduler .*Client\(\)"):
        PUGAM(TERMS).fit(partitioned(rows), "z")


def test_without_dask_the_engine_says_how_to_get_it(rows, monkeypatch):
    frame = partitioned(rows)
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)

    with pytest.raises(InputError, match=r"pip install 'dask\[dataframe\]' distributed"):
        PUGAM(TERMS).fit(frame, "z")


def test_a_table_in_memory_is_not_on_a_cluster(rows):
    with pytest.raises(InputError, match="engine='dask' is for a Dask data frame, or the path of a Parquet folder"):
        PUGAM(TERMS, engine="dask").fit(rows, rows["z"])


@pytest.mark.parametrize("engine", ["memory", "stream", "gpu"])
def test_other_engines_do_not_read_partitions(rows, engine):
    with pytest.raises(InputError, match=rf"which engine='{engine}' cannot read; use 'dask', or X.compute\(\)"):
        PUGAM(TERMS, engine=engine).fit(partitioned(rows), "z")


# On a cluster


def test_a_fit_of_a_dask_frame_is_that_in_memory(fitted, model):
    assert_same_fit(fitted, model)
    assert fitted.feature_names_in_.tolist() == ["x1", "x2", "site", "weight"]
    assert fitted._rows[0].n_threads == 2


def test_terms_of_several_columns_are_fitted_on_the_cluster(client, rows):
    options = {"smoothing": 0.1, "pi": 0.5}
    terms = "te(x1, x2, k=4) + f(site) + ti(x1, f(site), k=4)"

    there = PUGAM(terms, engine="dask", **options).fit(partitioned(rows), "z")

    assert_same_fit(there, PUGAM(terms, **options).fit(rows, rows["z"]), atol=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("as_series", [False, True], ids=["names", "series"])
def test_labels_and_weights_may_be_names_or_series(client, rows, weighted_model, as_series):
    frame = partitioned(rows)
    labels, weights = (frame[name] if as_series else name for name in ("z", "weight"))

    assert_same_fit(PUGAM(TERMS).fit(frame, labels, weights), weighted_model)


@pytest.mark.long
def test_a_fit_of_a_folder_of_parquet_files_is_that_in_memory(client, rows, model_given, tmp_path):
    for number in range(3):
        rows.iloc[500 * number : 500 * (number + 1)].to_parquet(tmp_path / f"part-{number}.parquet", index=False)

    assert_same_fit(PUGAM(TERMS, engine="dask", smoothing=GIVEN).fit(tmp_path, "z"), model_given)


@pytest.mark.long
def test_terms_that_saw_some_rows_are_those_in_memory(client, rows, monkeypatch):
    monkeypatch.setattr("pugam.data.digests.FEW_ROWS", 150)
    client.run(set_few_rows, 150)
    terms = "s(x1, knots='quantile', k=6) + s(x2, k=6) + f(site)"
    try:
        there = PUGAM(terms).fit(partitioned(rows), "z")
    finally:
        client.run(set_few_rows, 100_000)

    assert_same_fit(there, PUGAM(terms).fit(rows, rows["z"]))


def set_few_rows(number):
    import pugam.data.digests

    pugam.data.digests.FEW_ROWS = number


def test_what_follows_a_fit_is_as_in_memory(client, fitted, model):
    one, other = (each.bootstrap(2, random_state=1) for each in (fitted, model))
    np.testing.assert_allclose(one.pi, other.pi, rtol=0.0, atol=1e-8)
    one, other = (each.sensitivity([0.3]) for each in (fitted, model))
    np.testing.assert_allclose(one.deviance, other.deviance, rtol=1e-6)
    assert str(fitted.summary()) == str(model.summary())


def test_it_is_saved_and_takes_its_rows_back_from_the_cluster(client, fitted, rows, tmp_path):
    fitted.save(tmp_path / "model.json")

    loaded = load(tmp_path / "model.json").attach(partitioned(rows, 3), "z")

    assert loaded._rows[0].name == "dask"
    assert loaded.pi_ == fitted.pi_


@pytest.mark.long
def test_samples_audits_and_known_negatives_are_columns_on_the_cluster(client, rows):
    rng = np.random.default_rng(5)
    hidden = rows["z"] == 0
    negative = hidden & (rng.random(N) < 0.1) & (rows["x1"] < -0.5)
    table = rows.assign(
        year=np.where(rng.random(N) < 0.5, 2023, 2024),
        audit=np.where(hidden & ~negative & (rng.random(N) < 0.1), (rng.random(N) < 0.5) * 1.0, np.nan),
        negative=negative,
    )
    roles = {"sample": "year", "audit": "audit", "negative": "negative"}
    memory = PUGAM("x1 + x2", interactions=None, check=False).fit(table.drop(columns="z"), table["z"], **roles)
    frame = dd.from_pandas(table, npartitions=3)
    spread = PUGAM("x1 + x2", interactions=None, check=False).fit(frame, "z", **roles)
    for name in ("rows", "audited", "pi", "lower", "upper"):
        assert spread.shares()[name].to_numpy() == pytest.approx(memory.shares()[name].to_numpy(), rel=1e-7)
    with pytest.raises(InputError, match="sample of a Dask data frame is the name of one of its columns"):
        PUGAM("x1 + x2").fit(frame, "z", sample=table["year"])


@pytest.mark.parametrize(
    "options", [{"smoothing": GIVEN}, pytest.param({"interactions": None}, marks=pytest.mark.long)]
)
def test_clusters_of_a_survey_are_columns_on_the_cluster(client, rows, options):
    table = rows.drop(columns="site").assign(village=np.arange(N) // 10, region=np.arange(N) // 300)
    roles = {"groups": "village", "strata": "region"}
    memory = PUGAM("x1 + x2", check=False, **options)
    memory.fit(table.drop(columns=["z", "weight"]), table["z"], table["weight"], **roles)
    spread = PUGAM("x1 + x2", check=False, **options)
    spread.fit(dd.from_pandas(table, npartitions=3), "z", "weight", **roles)
    assert spread.pi_ == pytest.approx(memory.pi_, rel=1e-7)
    assert spread.covariance() == pytest.approx(memory.covariance(), rel=1e-5, abs=1e-9)


@pytest.mark.long
def test_a_partition_without_rows_adds_nothing(client, rows, model_given):
    frame = partitioned(rows.assign(number=np.arange(N)))
    apart = dd.concat([frame, frame[frame["number"] < 0]])

    assert_same_fit(PUGAM(TERMS, smoothing=GIVEN).fit(apart, "z"), model_given)


@pytest.mark.long
def test_a_worker_that_dies_on_the_way_changes_nothing(client, rows, model, monkeypatch):
    workers = client.run(os.getpid)
    passes, victims = [], []
    original = PartedEngine._sums

    def deadly(engine, *arguments):
        passes.append(engine.n_rows)
        if len(passes) == 3:
            holders = [address for holding in client.who_has(engine.parts._engines).values() for address in holding]
            victims.append(workers[holders[0]])
            os.kill(victims[0], signal.SIGKILL)
        return original(engine, *arguments)

    monkeypatch.setattr(PartedEngine, "_sums", deadly)

    there = PUGAM(TERMS).fit(partitioned(rows), "z")

    assert len(passes) > 3
    assert_same_fit(there, model, atol=1e-8)
    client.wait_for_workers(2)
    assert victims[0] in workers.values()
    assert victims[0] not in client.run(os.getpid).values()


# What cannot be used


def test_series_with_other_partitions_are_refused(client, rows):
    frame, other = partitioned(rows), partitioned(rows, 3)

    with pytest.raises(InputError, match="z has 3 partitions but X has 4; make it a column of X and give its name"):
        PUGAM(TERMS).fit(frame, other["z"])
    with pytest.raises(InputError, match="sample_weight has 3 partitions but X has 4"):
        PUGAM(TERMS).fit(frame, "z", other["weight"])


@pytest.mark.parametrize("z", [None, "y", np.zeros(N)], ids=["none", "no such column", "an array"])
def test_labels_that_are_neither_a_column_nor_a_series_are_refused(client, rows, z):
    with pytest.raises(InputError, match="for a Dask data frame give the name of one of its columns"):
        PUGAM(TERMS).fit(partitioned(rows), z)


def test_a_text_file_is_not_read_by_a_cluster(client, rows, tmp_path):
    rows.to_csv(tmp_path / "rows.csv", index=False)

    with pytest.raises(InputError, match="engine='dask' reads Parquet files"):
        PUGAM(TERMS, engine="dask").fit(tmp_path / "rows.csv", "z")


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("x1", np.nan, r"column 'x1' has missing values \(NaN\) in row 1234"),
        ("z", 0.5, "z holds 0.5 at row 1234"),
        ("weight", -1.0, "row 1234 has -1.0"),
    ],
    ids=["a missing value", "a fractional label", "a negative weight"],
)
def test_a_fault_in_a_late_partition_names_its_row(client, rows, column, value, message):
    bad = rows.assign(weight=1.0).astype({"z": float})
    bad.loc[1234, column] = value

    with pytest.raises(InputError, match=message):
        PUGAM(TERMS).fit(partitioned(bad), "z", "weight")


# Parts by themselves


def test_parts_are_mapped_in_order_and_added_up(client):
    n = FAN_IN**2 + 1
    parts = ClusterParts(client, client.scatter([*range(n)]))

    assert parts.n_threads == 2
    assert parts.map(pow, 2) == [number**2 for number in range(n)]
    assert parts.sum(pow, each=[1] * n) == n * (n - 1) // 2
    assert parts.changed(pow, 2).changed(pow, each=[2] * n).sum(pow, 1) == sum(number**4 for number in range(n))


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    ("label", "options"),
    # With pi fixed, a diagnosis has no profile of it, each point of which takes several trips.
    [
        pytest.param(["--label", "z"], {}, marks=pytest.mark.long),
        (["--label", "state", "--positive", "case"], {"pi": 0.4}),
    ],
    ids=["codes", "words"],
)
def test_the_command_line_fits_on_the_cluster(rows, label, options, tmp_path, monkeypatch):
    rows.assign(state=np.where(rows["z"] == 1, "case", "open")).to_parquet(tmp_path / "rows.parquet")
    out = tmp_path / "model.json"
    flags = ["--terms", TERMS, "--smoothing", str(GIVEN), *(f"--{name}={value}" for name, value in options.items())]
    flags += [*label, "--engine", "dask", "--out", str(out), "--quiet"]
    monkeypatch.setattr(sys, "argv", ["pugam", "fit", str(tmp_path / "rows.parquet"), *flags])

    with pytest.raises(SystemExit) as end:
        main()

    assert not end.value.code
    here = PUGAM(TERMS, smoothing=GIVEN, **options).fit(rows, rows["z"])
    assert load(out).pi_ == pytest.approx(here.pi_, abs=1e-10)
    np.testing.assert_allclose(load(out).coef_, here.coef_, rtol=0.0, atol=1e-10)


@pytest.mark.long
@pytest.mark.usefixtures("client")
def test_the_command_line_finds_samples_audits_and_known_negatives_on_the_cluster(rows, tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    hidden = rows["z"] == 0
    known = hidden & (rng.random(N) < 0.3) & (rows["x1"] < -0.5)
    audited = hidden & ~known & (rng.random(N) < 0.1)
    table = rows.assign(
        year=pd.Series(rng.integers(2022, 2025, N)).where(hidden).astype("Int64"),
        audit=pd.Series(rng.integers(0, 2, N)).where(audited).astype("Int64"),
        negative=pd.Series(1, index=rows.index).where(known).astype("Int64"),
    )
    table.to_parquet(tmp_path / "rows.parquet", row_group_size=400)
    flags = ["--label", "z", "--terms", "x1 + x2", "--interactions", "none", "--weights", "weight", "--quiet"]
    flags += ["--sample", "year", "--audit", "audit", "--negative", "negative", "--shares", "pooled"]
    found = []
    for engine in ("memory", "dask"):
        out = ["--engine", engine, "--out", str(tmp_path / f"{engine}.json")]
        monkeypatch.setattr(sys, "argv", ["pugam", "fit", str(tmp_path / "rows.parquet"), *flags, *out])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
        found.append(load(tmp_path / f"{engine}.json"))
    here, there = found
    assert there._fit.samples.negatives == here._fit.samples.negatives > 0.0
    assert there.shares()["sample"].tolist() == here.shares()["sample"].tolist() == ["2022", "2023", "2024", "all"]
    for name in ("rows", "audited", "pi", "lower", "upper"):
        assert there.shares()[name].to_numpy() == pytest.approx(here.shares()[name].to_numpy(), rel=1e-7)


# Studies


def records(folder):
    """What was found in every replicate, in order, without the time it took."""
    (path,) = (path for path in (folder / "records").glob("*.jsonl") if not path.name.endswith(".runs.jsonl"))
    return sorted(re.sub(r'"seconds": [0-9.]+', "", line) for line in path.read_text().splitlines())


@pytest.mark.long
@pytest.mark.usefixtures("client")
def test_a_study_on_a_cluster_has_the_results_of_one_process(tmp_path, monkeypatch):
    monkeypatch.setattr("pugam.studies.simulated.SETTINGS", (1,))
    monkeypatch.setattr("pugam.studies.simulated.SAMPLE_SIZES", (1500,))
    for name, options in (("here", {"jobs": 1}), ("there", {"engine": "dask"})):
        run_study("table1", Plan(tmp_path / name, replicates=2, progress=False, **options))

    here, there = (records(tmp_path / name) for name in ("here", "there"))
    assert len(here) > 2
    assert there == here


def test_a_study_has_no_file_to_stream():
    with pytest.raises(InputError, match="the data of a study are small"):
        Plan("results", engine="stream")
