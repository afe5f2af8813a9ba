"""Methods on masked real tables: the same maskings for all, failures that count, and tables that add up."""

import importlib
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky import get_reusable_executor

from pugam.command_line import main
from pugam.errors import InputError
from pugam.studies import Plan, run_study
from pugam.studies import realdata as study
from pugam.studies.answers import Answer
from pugam.studies.our_methods import OURS
from pugam.studies.realdata import experiment_of, realdata
from pugam.studies.workers import generator_of

TABLES = ("hills", "lakes")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two made-up tables of 160 rows, whose classes differ in two of three columns."""
    path = tmp_path_factory.mktemp("tables")
    for name in TABLES:
        rng = np.random.default_rng(len(name) + TABLES.index(name))
        y = np.repeat([1, 0], 80)
        values = rng.normal(size=(160, 2)) + 1.5 * y[:, None]
        pd.DataFrame(values, columns=["a", "b"]).assign(c=7.0, y=y).to_csv(path / f"{name}.csv", index=False)
    return path


@pytest.fixture(autouse=True)
def only_tables_of_the_folder(monkeypatch):
    """The bundled tables are too wide for a quick test."""
    everything = study.load_real_tables
    monkeypatch.delenv("PUGAM_DATA", raising=False)
    monkeypatch.setattr(
        study, "load_real_tables", lambda data: {n: t for n, t in everything(data).items() if n in TABLES}
    )


def sees(X, labelled, rng):
    """Say the sum of the first column, which tells what masking a method was given, and the next random number."""
    digits = float(np.abs(X["a"]).sum() % 1.0)
    return Answer(digits, np.full(int((~labelled).sum()), 0.5), (0.0, rng.random()))


def sees_too(X, labelled, rng):
    return sees(X, labelled, rng)


def half(X, labelled, rng):
    return Answer(0.5)


def breaks_on_hills(X, labelled, rng):
    warnings.warn("not ours", RuntimeWarning, stacklevel=1)
    if float(X["a"].iloc[0]) in HILLS:
        raise ZeroDivisionError("no way\nup")
    return Answer(0.5)


HILLS = set()


def records_of(plan, slug):
    lines = (plan.folder / "records" / f"realdata_{slug}.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    return {(*line["cell"], line["replicate"]): line["record"] for line in map(json.loads, lines)}


def test_all_methods_see_the_same_maskings_and_draw_from_the_same_generator(make_plan, folder):
    plan = make_plan(data=folder)

    realdata(plan, {"First (one)": sees, "second": sees_too})

    first, second = records_of(plan, "first_one"), records_of(plan, "second")
    assert list(first) == list(second)
    assert len(first) == len(TABLES) * 5 * 2
    for place, record in first.items():
        assert {**record, "seconds": 0, "fit_seconds": 0, "all_seconds": 0} == {
            **second[place],
            **{"seconds": 0, "fit_seconds": 0, "all_seconds": 0},
        }
    assert len({record["pi"] for record in first.values()}) == len(first)


def test_tables_and_picture_are_written_from_the_records(make_plan, folder):
    plan = make_plan(data=folder, replicates=3)

    tables = realdata(plan, {"sees": sees, "half": half})

    records = {"sees": records_of(plan, "sees"), "half": records_of(plan, "half")}
    errors = pd.DataFrame(
        [
            (method, *place[:2], record["deviation"], record.get("interval"), record["share"])
            for method, found in records.items()
            for place, record in found.items()
        ],
        columns=["method", "table", "share", "deviation", "interval", "truth"],
    )
    errors["size"] = errors["deviation"].abs()
    sheet = pd.read_csv(plan.folder / "realdata.csv").set_index(["table", "quantity"])
    cells = errors.groupby(["method", "table", "share"])["size"]
    for method in records:
        se = {name: np.sqrt((cells.var()[method, name] / 3).sum()) / 5 for name in TABLES}
        for name in TABLES:
            assert sheet["value"][name, method] == pytest.approx(cells.mean()[method, name].mean())
            assert sheet["mc_error"][name, method] == pytest.approx(se[name])
        assert sheet["value"]["all tables", method] == pytest.approx(errors["size"][errors.method == method].mean())
        assert sheet["mc_error"]["all tables", method] == pytest.approx(np.sqrt(sum(s**2 for s in se.values())) / 2)

    by_method = pd.read_csv(plan.folder / "realdata_methods.csv").set_index(["method", "quantity"])["value"]
    assert by_method["half", "> 0.3"] == pytest.approx(0.4)  # at the shares 0.1 and 0.9
    assert by_method["half", "> 0.3, unwarned"] == pytest.approx(0.4)
    assert ("half", "coverage") not in by_method.index
    assert ("half", "Err") not in by_method.index
    of_sees = errors[errors.method == "sees"]
    covered = [low <= truth <= high for (low, high), truth in zip(of_sees["interval"], of_sees["truth"], strict=True)]
    assert by_method["sees", "coverage"] == pytest.approx(np.mean(covered))
    assert by_method["sees", "coverage, not flagged"] == by_method["sees", "coverage"]
    assert by_method["sees", "AUC"] == 0.5
    assert by_method["sees", "log score"] == pytest.approx(np.log(2.0))
    assert by_method["sees", "failures"] == 0.0

    by_share = pd.read_csv(plan.folder / "realdata_shares.csv").set_index(["share", "method", "quantity"])["value"]
    assert by_share[0.1, "half", "bias"] == pytest.approx(0.4, abs=0.01)
    assert by_share[0.9, "half", "bias"] == pytest.approx(-0.4, abs=0.01)
    assert by_share[0.5, "half", "MAE"] == pytest.approx(0.0, abs=0.01)

    assert list(tables) == ["realdata", "realdata_methods", "realdata_shares"]
    assert (plan.folder / "realdata.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (plan.folder / "realdata.svg").read_bytes()


def test_a_run_given_again_runs_nothing_and_writes_the_same(make_plan, folder):
    plan = make_plan(data=folder)

    def written():
        realdata(plan, {"sees": sees, "half": half})
        return {path.name: path.read_bytes() for path in plan.folder.glob("*.*")}

    first = written()
    records = (plan.folder / "records" / "realdata_sees.jsonl").read_bytes()
    assert written() == first
    assert (plan.folder / "records" / "realdata_sees.jsonl").read_bytes() == records
    cut = records.splitlines(keepends=True)
    (plan.folder / "records" / "realdata_half.jsonl").unlink()
    (plan.folder / "records" / "realdata_sees.jsonl").write_bytes(b"".join(cut[:-3]))
    again = written()
    for name in ("realdata.md", "realdata.csv", "realdata_shares.csv", "realdata.png", "realdata.svg"):
        assert again[name] == first[name]


def test_a_method_of_others_that_breaks_down_is_counted(make_plan, folder):
    HILLS.update(pd.read_csv(folder / "hills.csv", float_precision="round_trip")["a"])
    plan = make_plan(data=folder)

    tables = realdata(plan, {"half": half, "frail": breaks_on_hills})

    by_name = {row.labels[0]: row.cells for row in tables["realdata"].rows}
    assert list(by_name["hills"]) == ["half"]
    assert list(by_name["lakes"]) == ["half", "frail"]
    assert list(by_name["all tables"]) == ["half"]  # no mean over the easy tables only
    measures = {row.labels[0]: row.cells for row in tables["realdata_methods"].rows}
    assert measures["frail"]["failures"].measured.value == 0.5
    assert "MAE" not in measures["frail"]
    page = (plan.folder / "realdata.md").read_text(encoding="utf-8")
    assert "frail broke down in 10 of 20 runs (hills): ZeroDivisionError: no way up" in page


def test_a_method_that_never_answers_leaves_its_line_empty(make_plan, folder):
    def refuse(X, labelled, rng):
        raise ValueError("never")

    tables = realdata(make_plan(data=folder), {"refuses": refuse})

    (row,) = tables["realdata_methods"].rows
    assert list(row.cells) == ["failures"]
    assert row.cells["failures"].measured.value == 1.0


def test_a_mistake_of_our_own_ends_the_run_but_a_refusal_is_counted(make_plan, folder, monkeypatch):
    def mistake(X, labelled, rng):
        raise ZeroDivisionError

    def refusal(X, labelled, rng):
        raise InputError("too few rows")

    monkeypatch.setattr(study, "OURS", {"pugam": mistake, "linear": refusal})

    with pytest.raises(ZeroDivisionError):
        realdata(make_plan(data=folder), {"pugam": mistake})
    tables = realdata(make_plan(data=folder), {"linear": refusal})
    assert tables["realdata_methods"].rows[0].cells["failures"].measured.value == 1.0


def test_our_methods_answer_in_full_and_pass_over_constant_columns(folder):
    X, labelled, y = study.mask(study.load_real_tables(folder)["hills"], 0.5, np.random.default_rng(1))

    for method in OURS.values():
        answer = method(X, labelled, np.random.default_rng(2))
        low, high = answer.interval
        assert low < answer.pi < high
        assert answer.posterior.shape == y[~labelled].shape
        assert np.corrcoef(answer.posterior, y[~labelled])[0, 1] > 0.5
        assert answer.seconds > 0.0


def test_ten_replicates_unless_the_plan_says_otherwise(tmp_path, folder):
    plan = Plan(tmp_path, jobs=1, data=folder, progress=False)

    realdata(plan, {"half": half})

    assert len(records_of(plan, "half")) == len(TABLES) * 5 * 10


@pytest.mark.long
def test_two_processes_give_the_same_records(make_plan, folder):
    alone, together = make_plan("alone", data=folder), make_plan("together", data=folder, jobs=2)
    for plan in (alone, together):
        realdata(plan, {"half": half})

    pis = [{place: record["pi"] for place, record in records_of(plan, "half").items()} for plan in (alone, together)]
    assert pis[0] == pis[1]


def test_each_table_and_share_has_random_numbers_of_its_own():
    experiment = experiment_of("any", half)

    drawn = {generator_of(experiment, (name, share), 0, 1).random() for name in TABLES for share in study.SHARES}

    assert len(drawn) == len(TABLES) * len(study.SHARES)


def test_records_of_other_tables_are_refused(make_plan, folder, tmp_path):
    realdata(make_plan(data=folder), {"half": half})
    other = tmp_path / "other"
    other.mkdir()
    for name in TABLES:
        pd.read_csv(folder / f"{name}.csv").iloc[1:].to_csv(other / f"{name}.csv", index=False)

    with pytest.raises(InputError, match=r"realdata_half\.jsonl holds records made with table hills = '160 rows"):
        realdata(make_plan(data=other), {"half": half})


def test_methods_that_would_share_a_file_and_the_gpu_are_refused(make_plan, folder):
    with pytest.raises(InputError, match="would share a file of records"):
        realdata(make_plan(data=folder), {"KM 2": half, "KM-2": sees})
    with pytest.raises(InputError, match="use engine='auto' or engine='dask'"):
        realdata(make_plan(data=folder, engine="gpu"))


def test_without_tables_nothing_is_run(make_plan, tmp_path):
    plan = make_plan(data=tmp_path)

    with pytest.raises(InputError, match="There is no table in the folder"):
        run_study("realdata", plan)

    assert not plan.folder.exists()


def test_the_command_line_runs_it(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(study, "SHARES", (0.5,))
    monkeypatch.setattr(sys.modules[__name__], "TABLES", TABLES[:1])  # a diagnosis takes a second
    options = ["--replicates", "2", "--jobs", "1", "--out", "trial", "--data", str(folder), "--quiet"]
    monkeypatch.setattr(sys, "argv", ["pugam", "study", "realdata", *options])

    with pytest.raises(SystemExit) as end:
        main()

    assert not end.value.code
    stems = ("realdata", "realdata_methods", "realdata_shares")
    names = [*(f"{stem}.{kind}" for stem in stems for kind in ("csv", "md")), "realdata.png", "realdata.svg", "runs.md"]
    assert sorted(capsys.readouterr().out.split()) == sorted(f"trial/{name}" for name in names)
    sheet = pd.read_csv("trial/realdata_methods.csv").set_index(["method", "quantity"])["value"]
    assert sheet["pugam", "failures"] == sheet["linear", "failures"] == 0.0
    assert sheet["pugam", "MAE"] < 0.3
    assert sheet["pugam", "AUC"] > 0.8


@pytest.fixture
def benchmark(monkeypatch):
    """The command that runs others beside ours; benchmarks are no part of what is installed."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    return importlib.import_module("peers.__main__")


@pytest.mark.long
def test_the_benchmark_runs_others_in_workers(benchmark, folder, tmp_path, monkeypatch, capsys):
    """Elkan-Noto is a function of a module, DEDPUL one made by another function: workers have to find either."""
    monkeypatch.setattr(study, "SHARES", (0.5,))
    names = "Elkan-Noto,DEDPUL (boosting)"
    arguments = ["--data", str(folder), "--out", str(tmp_path), "--replicates", "2", "--jobs", "2"]
    get_reusable_executor().shutdown(wait=True)  # those of earlier tests know the path as it was then

    benchmark.main([*arguments, "--methods", names])

    sheet = pd.read_csv(tmp_path / "realdata_methods.csv").set_index(["method", "quantity"])["value"]
    for name in names.split(","):
        assert sheet[name, "failures"] == 0.0
        assert sheet[name, "AUC"] > 0.8
    assert "| realdata_elkan_noto | 4 |" in capsys.readouterr().out


@pytest.mark.long
def test_the_benchmark_is_started_by_its_folder():
    """From anywhere, without the folder being on the path."""
    command = [sys.executable, str(Path(__file__).parents[2] / "benchmarks" / "peers"), "--help"]

    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "pugam, mode, linear, Elkan-Noto" in " ".join(said.split())


def test_the_benchmark_says_what_is_missing(benchmark, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "find_spec", lambda name: None)
    arguments = ["--data", str(folder), "--out", str(tmp_path / "out")]

    with pytest.raises(SystemExit, match=r"pulearn cannot be imported: pip install '\.\[peers\]'"):
        benchmark.main([*arguments, "--methods", "TIcE,pulearn SCAR EM"])
    with pytest.raises(SystemExit):
        benchmark.main([*arguments, "--methods", "KM3"])
    assert "there is no method 'KM3'; there are pugam, mode, linear, Elkan-Noto" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
