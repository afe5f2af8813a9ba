"""A study that was killed and resumed gives, to the byte, the tables of one that was left alone."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pugam.studies.provenance import RunLog

REPLICATES, KEPT = 4, 2
PATIENCE = 300.0  # seconds, for a machine with other work

# Table 1 with one of its cells. Told to stall, it hangs at the end of the replicate after those that are kept, so that
# the kill always comes in the middle of the work.
SCRIPT = f"""
import sys, time
from dataclasses import replace
from pugam.studies import Plan, simulated

folder, stall = sys.argv[1], sys.argv[2] == "stall"
calls = 0

def estimate_and_stall(cell, rng, plan):
    global calls
    calls += 1
    record = simulated._estimate(cell, rng, plan)
    if calls > {KEPT}:
        time.sleep({PATIENCE})
    return record

if stall:
    simulated.ESTIMATION = replace(simulated.ESTIMATION, replicate=estimate_and_stall)
simulated.SETTINGS, simulated.SAMPLE_SIZES = (1,), (1500,)
simulated.table1(Plan(folder, replicates={REPLICATES}, jobs=1, progress=False))
"""


def start(folder, stall="go on"):
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder), stall], start_new_session=True)


def wait_for_lines(path, number, process):
    until = time.monotonic() + PATIENCE
    while not path.exists() or path.read_bytes().count(b"\n") < number:
        assert process.poll() is None, "The run ended before it could be killed."
        assert time.monotonic() < until, f"{path} did not reach {number} lines."
        time.sleep(0.02)


@pytest.mark.long  # tests/faults/test_kills.py kills a smaller study
def test_a_killed_and_resumed_run_ends_in_the_same_bytes(tmp_path):
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    assert start(undisturbed).wait() == 0

    process = start(killed, stall="stall")
    records = killed / "records" / "estimates.jsonl"
    try:
        wait_for_lines(records, 1 + KEPT, process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    kept = records.read_bytes()
    assert kept.count(b"\n") == 1 + KEPT
    assert not (killed / "table1.md").exists()

    assert start(killed).wait() == 0

    for name in ("table1.md", "table1.csv"):
        assert (killed / name).read_bytes() == (undisturbed / name).read_bytes()
    assert records.read_bytes().startswith(kept)
    assert records.read_bytes().count(b"\n") == 1 + REPLICATES
    log = RunLog(killed / "records" / "estimates.runs.jsonl")
    assert [session["replicates"] for session in log.sessions()] == [REPLICATES - KEPT]
