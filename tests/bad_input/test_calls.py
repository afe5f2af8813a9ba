"""Whole calls, good and bad: each ends in a right fit, in a fit with a warning, or in a refusal that helps.

What has to hold is in `misuse.outcome`; `python -m misuse.tally` counts how calls end.
"""

import pytest
from hypothesis import HealthCheck, given, note, settings
from misuse.calls import Call, calls, diverse_calls
from misuse.outcome import check_call
from misuse.tally import CALLS_IN_SHARD, N_SHARDS, count_shard

COMMON = {"deadline": None, "derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=60, **COMMON)
@given(call=diverse_calls())
def test_calls_that_have_nothing_in_common(call):
    note(repr(call))
    check_call(call)


@settings(max_examples=30, **COMMON)
@given(call=calls())
def test_calls_that_are_made_simpler_where_they_fail(call):
    check_call(call)


def test_good_calls_end_in_fits_and_bad_ones_in_refusals():
    good = Call(seed=1, n_rows=300, columns=("normal", "normal"), apart=1.5, options=(("smoothing", 1.0),))
    bad = Call(seed=1, n_rows=300, columns=("normal", "dates"))

    assert check_call(good).kind == "fit"
    assert check_call(bad).kind == "refusal"


@pytest.mark.long
@pytest.mark.parametrize("shard", range(N_SHARDS))
def test_twenty_thousand_calls(shard):
    tally = count_shard(shard)
    print(tally)

    assert not tally.faults, str(tally)
    assert sum(tally.ends.values()) == CALLS_IN_SHARD
    assert tally.ends["fit"] + tally.ends["fit with a warning"] > 0.3 * CALLS_IN_SHARD
    assert tally.ends["refusal"] > 0.1 * CALLS_IN_SHARD
