"""Replicates run once, whatever the number of processes and however often a run is stopped."""

import gc
import os
import warnings
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from pugam.errors import InputError, PugamWarning
from pugam.studies import Plan, coverage, masked, power, simulated
from pugam.studies.coverage import bootstrap_conditions
from pugam.studies.estimates import complete, failure_note
from pugam.studies.plans import Experiment
from pugam.studies.printed import REJECTIONS, SAMPLE_SIZES, SETTINGS, ZETAS
from pugam.studies.provenance import RunLog
from pugam.studies.running import gather
from pugam.studies.workers import generator_of

CELLS = [(1, 600), (2, 600)]


class Draws:
    """A replicate that records one uniform, counts its calls, and fails in the calls it is told to."""

    def __init__(self, **failures):
        self.calls = 0
        self.failures = failures

    def __call__(self, cell, rng, plan):
        self.calls += 1
        error = self.failures.get(f"call_{self.calls}")
        if error is not None:
            raise error
        return {"u": rng.random()}


def nothing(plan):
    return {}


def nothing_drawn(cell, rng, plan):
    return {}


def experiment_of(replicate, name="draws", stream="stream", conditions=nothing):
    return Experiment(name, replicate, stream, conditions)


def uniforms(records):
    return {cell: [record["u"] for record in of_cell] for cell, of_cell in records.items()}


def without_times(records):
    return {
        cell: [{name: value for name, value in record.items() if name not in ("seconds", "process")} for record in rows]
        for cell, rows in records.items()
    }


def logged(plan, name="draws"):
    return [session["replicates"] for session in RunLog(plan.folder / "records" / f"{name}.runs.jsonl").sessions()]


@pytest.mark.parametrize(("name", "replicates"), [pytest.param("a fit", 2, marks=pytest.mark.long), ("a number", 30)])
def test_one_and_two_processes_give_the_same_records(make_plan, name, replicates):
    def draw_and_tell(cell, rng, plan):
        result = simulated.ESTIMATION.replicate(cell, rng, plan) if name == "a fit" else {"u": rng.random()}
        return {**result, "process": os.getpid()}

    cells = CELLS[:1] if name == "a fit" else CELLS
    experiment = experiment_of(draw_and_tell)

    alone = gather(experiment, cells, make_plan("alone", replicates=replicates, jobs=1))
    together = gather(experiment, cells, make_plan("together", replicates=replicates, jobs=2))

    assert {record["process"] for rows in alone.values() for record in rows} == {os.getpid()}
    assert os.getpid() not in {record["process"] for rows in together.values() for record in rows}
    assert without_times(alone) == without_times(together)
    assert list(alone) == list(together) == cells


def test_the_second_call_runs_nothing_and_returns_the_same(make_plan):
    replicate = Draws()
    plan = make_plan(replicates=3)

    first = gather(experiment_of(replicate), CELLS, plan)
    second = gather(experiment_of(replicate), CELLS, plan)

    assert replicate.calls == 6
    assert second == first  # with their times
    assert logged(plan) == [6]


def test_more_replicates_are_added_to_those_that_are_there(make_plan):
    replicate = Draws()
    experiment = experiment_of(replicate)

    ten = gather(experiment, CELLS, make_plan(replicates=10))
    assert replicate.calls == 20
    twenty = gather(experiment, CELLS, make_plan(replicates=20))
    assert replicate.calls == 40
    five = gather(experiment, CELLS, make_plan(replicates=5))
    assert replicate.calls == 40

    for cell in CELLS:
        assert twenty[cell][:10] == ten[cell]
        assert len(twenty[cell]) == 20
        assert five[cell] == ten[cell][:5]


def test_a_plan_may_leave_the_number_of_replicates_to_the_experiment(make_plan):
    experiment = replace(experiment_of(Draws()), replicates=3)

    left_open = gather(experiment, CELLS, make_plan("open", replicates=None))
    given = gather(experiment, CELLS, make_plan("given", replicates=2))

    assert [len(left_open[cell]) for cell in CELLS] == [3, 3]
    assert [len(given[cell]) for cell in CELLS] == [2, 2]
    assert simulated.ESTIMATION.replicates == 500


def test_more_cells_are_added_to_those_that_are_there(make_plan):
    replicate = Draws()
    plan = make_plan(replicates=3)

    first = gather(experiment_of(replicate), CELLS[:1], plan)
    both = gather(experiment_of(replicate), CELLS[::-1], plan)

    assert replicate.calls == 6
    assert both[CELLS[0]] == first[CELLS[0]]


def test_every_replicate_of_every_cell_draws_from_a_generator_of_its_own(make_plan):
    cells = [(1, 600), (2, 600), (1, 601), (1, 600, 0.0), (1, 600, 0.1), ("Wilt", 0.7), ("Wilt", 0.8)]

    drawn = uniforms(gather(experiment_of(Draws()), cells, make_plan(replicates=20)))

    assert len({u for of_cell in drawn.values() for u in of_cell}) == 20 * len(cells)


def test_another_seed_or_another_stream_draws_other_numbers(make_plan):
    drawn = [
        uniforms(gather(experiment_of(Draws(), stream=stream), CELLS, make_plan(f"{stream}{seed}", seed=seed)))
        for stream in ("a", "b")
        for seed in (0, 1)
    ]

    assert len({u for run in drawn for of_cell in run.values() for u in of_cell}) == 4 * 2 * len(CELLS)


def test_experiments_of_one_stream_draw_the_same_data_in_the_same_cell(make_plan):
    """Whatever other cells they have, and whatever they depend on."""
    one = gather(experiment_of(Draws(), "one", "common"), CELLS, make_plan())
    other = gather(experiment_of(Draws(), "other", "common", bootstrap_conditions), [(3, 600), CELLS[1]], make_plan())

    assert uniforms(other)[CELLS[1]] == uniforms(one)[CELLS[1]]
    assert uniforms(other)[3, 600] != uniforms(one)[CELLS[0]]


def test_the_studies_of_estimates_intervals_and_bases_see_the_same_data():
    rows = [
        simulated.draw_data(2, 600, generator_of(experiment, (2, 600), 3, seed=5)).X
        for experiment in (simulated.ESTIMATION, simulated.BASIS, coverage.INTERVALS)
    ]

    assert rows[0].equals(rows[1])
    assert rows[0].equals(rows[2])


def test_no_two_cells_of_the_paper_share_their_random_numbers():
    places = [(simulated.ESTIMATION, (setting, n)) for setting in SETTINGS for n in {*SAMPLE_SIZES, 2250}]
    places += [(power.TESTING, (*cell, zeta)) for cell in REJECTIONS for zeta in ZETAS]
    places += [(masked.MASKING, (name, share)) for name in masked.SOURCES for share in masked.SHARES]

    first = [generator_of(*place, 0, seed=20261115).random() for place in places]

    assert len(set(first)) == len(places) == 12 + 42 + 6


def test_a_breakdown_is_kept_counted_and_not_tried_again(make_plan):
    replicate = Draws(call_3=np.linalg.LinAlgError("Singular matrix"))
    plan = make_plan(replicates=3)

    records = gather(experiment_of(replicate), CELLS, plan)
    again = gather(experiment_of(replicate), CELLS, plan)

    assert replicate.calls == 6
    assert again == records
    assert records[CELLS[0]][1]["error"] == "LinAlgError: Singular matrix"  # replicate by replicate, cell by cell
    assert [len(complete(records[cell])) for cell in CELLS] == [2, 3]
    assert failure_note(records) == [
        "1 of 6 replicates broke down and are left out: LinAlgError: Singular matrix",
    ]


@pytest.mark.parametrize("error", [ValueError("no such column"), KeyboardInterrupt()], ids=["error", "Ctrl-C"])
def test_another_exception_ends_the_run_and_what_was_done_is_kept(make_plan, error):
    plan = make_plan(replicates=3)
    undisturbed = gather(experiment_of(Draws()), CELLS, make_plan("undisturbed", replicates=3))

    with pytest.raises(type(error)):
        gather(experiment_of(Draws(call_4=error)), CELLS, plan)
    mended = Draws()
    records = gather(experiment_of(mended), CELLS, plan)

    assert mended.calls == 3
    assert logged(plan) == [3, 3]
    assert uniforms(records) == uniforms(undisturbed)


def test_a_line_cut_off_by_a_kill_is_run_again(make_plan):
    plan = make_plan(replicates=3)
    undisturbed = gather(experiment_of(Draws()), CELLS, plan)
    path = plan.folder / "records" / "draws.jsonl"
    path.write_bytes(path.read_bytes()[:-7])
    replicate = Draws()

    records = gather(experiment_of(replicate), CELLS, plan)

    assert replicate.calls == 1
    assert uniforms(records) == uniforms(undisturbed)


def test_another_seed_is_refused_in_the_same_folder(make_plan):
    gather(experiment_of(Draws()), CELLS, make_plan(seed=1))
    replicate = Draws()

    with pytest.raises(InputError, match=r"draws\.jsonl holds records made with seed = 1, not 2; give another"):
        gather(experiment_of(replicate), CELLS, make_plan(seed=2))

    assert replicate.calls == 0


def test_another_number_of_resamples_is_refused_where_it_matters(make_plan):
    indifferent = experiment_of(Draws())
    dependent = experiment_of(Draws(), "bootstraps", conditions=bootstrap_conditions)
    for experiment in (indifferent, dependent):
        gather(experiment, CELLS, make_plan(resamples=10))

    gather(indifferent, CELLS, make_plan(resamples=20))
    with pytest.raises(InputError, match=r"bootstraps\.jsonl holds records made with resamples = 10, not 20"):
        gather(dependent, CELLS, make_plan(resamples=20))


@pytest.mark.long  # tests/faults/test_interruptions.py interrupts studies at other moments
def test_ctrl_c_while_processes_start_ends_them_without_a_word(make_plan, monkeypatch, recwarn):
    @contextmanager
    def interrupted():
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr("pugam.studies.workers._ctrl_c_for_parent_alone", interrupted)

    with pytest.raises(KeyboardInterrupt):
        gather(experiment_of(Draws()), CELLS, make_plan(jobs=2))

    gc.collect()
    assert len(recwarn) == 0


def test_advice_about_single_fits_is_not_shown(make_plan, recwarn):
    def warn(cell, rng, plan):
        warnings.warn("Few rows.", PugamWarning, stacklevel=1)
        return {}

    gather(experiment_of(warn), CELLS, make_plan())

    assert len(recwarn) == 0


@pytest.mark.parametrize(("jobs", "served", "advised"), [(2, False, True), (2, True, False), (1, False, False)])
def test_processes_that_would_take_turns_on_a_gpu_are_told_of_the_service(tmp_path, monkeypatch, jobs, served, advised):
    monkeypatch.setattr("pugam.studies.provenance.describe_machine", lambda engine: "one with a GPU")
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    if served:
        (tmp_path / "control").touch()
    plan = Plan(tmp_path / "results", replicates=2, jobs=jobs, engine="gpu", progress=False)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gather(experiment_of(nothing_drawn), [(1, 600)], plan)

    said = [str(one.message) for one in caught if issubclass(one.category, PugamWarning)]
    assert [text.startswith("2 processes use the GPU in turns") for text in said] == [True] * advised
