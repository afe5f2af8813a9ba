"""Whole calls, good and bad: each ends in a right fit, in a fit with a warning, or in a refusal that helps.

What has to hold is in `misuse.outcome`; `python -m misuse.tally` counts how calls end.
"""

import pytest
from hypothesis import HealthCheck, given, note, settings
from misuse.calls import Call, calls, diverse_calls
from misuse.outcome import check_call
from misuse.tally import CALLS_IN_SHARD, N_SHARDS, count_shard

COMMON = {"deadline": None, "derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}


# Calls that once went wrong: three parameters on their bounds, a statistic of next to nothing, a level whose effect
# runs off only where pi was corrected, a climb that was stuck and taken for converged, and bounds once more.
ONCE_WRONG = [
    Call(
        seed=11948,
        n_rows=34,
        columns=("mostly zero", "two-valued"),
        apart=0.3,
        labelling="usual",
        rows="as drawn",
        container="float16",
        names="usual",
        index="usual",
        labels="booleans",
        weights="one counts most",
        terms="chosen",
        options=(
            ("smoothing", 1.0),
            ("solver", "newton"),
            ("shrinkage", "always"),
            ("pi", (0.29999, 0.3)),
            ("random_state", 0),
        ),
        new_rows="none",
        look="units",
    ),
    Call(
        seed=127434,
        n_rows=28,
        columns=("numbers with None", "two-valued"),
        apart=1.0,
        labelling="upside down",
        rows="as drawn",
        container="pandas",
        names="usual",
        index="usual",
        labels="integers",
        weights="none",
        terms="levels with gaps",
        options=(("smoothing", 100.0), ("solver", "newton"), ("shrinkage", "always"), ("random_state", 7)),
        new_rows="lacking",
        look="container",
    ),
    Call(
        seed=208793,
        n_rows=36,
        columns=("heavy-tailed", "boolean with gaps"),
        apart=0.0,
        labelling="few hidden",
        rows="as drawn",
        container="array",
        names="usual",
        index="usual",
        labels="minus one",
        weights="none",
        terms="with gaps",
        options=(("smoothing", 0.0001), ("n_starts", 2)),
        new_rows="none",
        look="none",
    ),
    Call(
        seed=322875,
        n_rows=110,
        columns=("two-valued", "mostly zero"),
        apart=1.0,
        labelling="few positives",
        rows="as drawn",
        container="reversed",
        names="usual",
        index="usual",
        labels="integers",
        weights="very uneven",
        terms="chosen",
        options=(("smoothing", "reml"),),
        new_rows="infinite",
        look="none",
    ),
    Call(
        seed=695232,
        n_rows=31,
        columns=("two-valued", "boolean with gaps"),
        apart=6.0,
        labelling="usual",
        rows="five kinds",
        container="pandas",
        names="usual",
        index="usual",
        labels="integers",
        weights="nullable",
        terms="lines with gaps",
        options=(("pi", 0.3), ("n_jobs", 2), ("pi_prior", None)),
        new_rows="far out",
        look="diagnosis",
    ),
]


@pytest.mark.parametrize("call", ONCE_WRONG, ids=range(len(ONCE_WRONG)))
def test_calls_that_once_went_wrong(call):
    check_call(call)


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
