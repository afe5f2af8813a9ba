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
# runs off only where pi was corrected, a climb that was stuck and taken for converged, bounds once more; starts that
# all end below curves of zero, an indefinite observed information, five last steps that led down, and an effect of
# which nothing is known; names that are numbers in a message, a column without a value in any unlabelled row, and rows
# of next to no weight that are next to impossible; copies of a single unlabelled row, and trees that are sure; EM that
# stops by a gain for each copy of a row, of which there are a billion.
ONCE_WRONG = [
    Call(
        seed=516507,
        n_rows=22,
        columns=("counts", "mostly zero"),
        apart=2.0,
        rows="five kinds",
        weights="all large",
        terms="lines and curves",
        options=(
            ("smoothing", 0.0),
            ("n_jobs", 1),
            ("pi", (0.29999, 0.3)),
            ("solver", "em"),
            ("n_starts", 2),
            ("max_iter", 300),
        ),
        look="weights",
    ),
    Call(
        seed=551231,
        n_rows=107,
        columns=("normal", "mostly zero", "rounded"),
        apart=2.0,
        labelling="one unlabelled",
        rows="as drawn",
        container="list of lists",
        names="usual",
        index="usual",
        labels="integers",
        weights="all large",
        terms="linear",
        options=(("smoothing", "reml"), ("debias", False), ("pi", (0.1, 0.4))),
        new_rows="shuffled columns",
        look="none",
    ),
    Call(
        seed=72962,
        n_rows=312,
        columns=("two-valued", "normal"),
        apart=2.0,
        labelling="at random",
        rows="as drawn",
        container="object array",
        names="usual",
        index="usual",
        labels="integers",
        weights="one counts most",
        terms="chosen",
        options=(("smoothing", "reml"), ("tol", 0.01), ("shrinkage", "never"), ("pi", (0.1, 0.4))),
        new_rows="other levels",
        look="units",
    ),
    Call(
        seed=11948,
        n_rows=34,
        columns=("mostly zero", "two-valued"),
        apart=0.3,
        container="float16",
        labels="booleans",
        weights="one counts most",
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
        labelling="upside down",
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
        container="array",
        labels="minus one",
        terms="with gaps",
        options=(("smoothing", 0.0001), ("n_starts", 2)),
        new_rows="none",
    ),
    Call(
        seed=322875,
        n_rows=110,
        columns=("two-valued", "mostly zero"),
        labelling="few positives",
        container="reversed",
        weights="very uneven",
        options=(("smoothing", "reml"),),
        new_rows="infinite",
    ),
    Call(
        seed=695232,
        n_rows=31,
        columns=("two-valued", "boolean with gaps"),
        apart=6.0,
        rows="five kinds",
        weights="nullable",
        terms="lines with gaps",
        options=(("pi", 0.3), ("n_jobs", 2), ("pi_prior", None)),
        new_rows="far out",
        look="diagnosis",
    ),
    Call(
        seed=471104,
        n_rows=30,
        columns=("rounded", "counts", "counts"),
        apart=0.3,
        rows="each twice",
        names="with blanks",
        index="repeated",
        labels="nullable",
        weights="ones",
        terms="linear",
        options=(("smoothing", 1.0), ("solver", "em"), ("pi_prior", (1.0, 50.0)), ("n_starts", 2), ("max_iter", 300)),
        new_rows="infinite",
        look="columns",
    ),
    Call(
        seed=80913,
        n_rows=163,
        columns=("mostly zero", "counts"),
        labelling="one unlabelled",
        container="polars",
        weights="all small",
        options=(("smoothing", 1000000000000.0), ("n_starts", 3), ("n_jobs", 1)),
        new_rows="other levels",
        look="weights",
    ),
    Call(
        seed=95777,
        n_rows=66,
        columns=("skewed", "huge integers", "boolean with gaps", "two-valued"),
        apart=0.0,
        labelling="all positive",
        labels="objects",
        weights="unlabelled tiny",
        terms="lines with gaps",
        options=(("smoothing", "aic"), ("kappas", (1.0,)), ("debias", False), ("max_iter", 30)),
        new_rows="shuffled columns",
        look="weights",
    ),
    Call(
        seed=613242,
        n_rows=57,
        columns=("one outlier", "skewed", "boolean objects"),
        apart=0.3,
        labelling="at random",
        container="read-only pandas",
        index="repeated",
        options=(("smoothing", 0.0001), ("debias", False), ("pi", 0.99)),
        new_rows="lacking",
        look="units",
    ),
    Call(
        seed=488418,
        n_rows=29,
        columns=("mostly zero", "normal"),
        apart=2.0,
        container="every second",
        names="all the same",
        weights="unlabelled tiny",
        terms="the first two",
        options=(("smoothing", 1.0), ("pi_prior", (1000000.0, 1000000.0)), ("pi", (0.29999, 0.3))),
        new_rows="too far out",
    ),
    Call(
        seed=817262,
        n_rows=49,
        columns=("heavy-tailed", "counts", "heavy-tailed"),
        labelling="all known",
        container="masked",
        weights="unlabelled tiny",
        options=(("smoothing", 100.0), ("pi", (0.6, 1)), ("engine", "memory"), ("tol", 0.0001)),
        new_rows="shuffled columns",
    ),
    Call(
        seed=886917,
        n_rows=73,
        columns=("counts", "int64 ends"),
        labelling="upside down",
        labels="booleans",
        weights="very uneven",
        terms="with gaps",
        options=(("smoothing", 1000000000000.0), ("solver", "newton"), ("max_iter", 30), ("pi", (0.1, 0.4))),
        new_rows="too far out",
    ),
    Call(
        seed=733847,
        n_rows=45,
        columns=("heavy-tailed", "mostly zero"),
        apart=2.0,
        rows="five kinds",
        container="pandas of objects",
        names="nearly empty",
        terms="with gaps",
        options=(("smoothing", "reml"), ("shrinkage", "never"), ("debias", False)),
        new_rows="far out",
        look="units",
    ),
    Call(
        seed=217319,
        n_rows=9,
        columns=("heavy-tailed", "gaps"),
        labels="polars",
        weights="all large",
        terms="lines with gaps",
        new_rows="infinite",
        look="units",
    ),
    Call(
        seed=676793,
        n_rows=46,
        columns=("counts", "huge", "mostly zero", "two-valued"),
        apart=2.0,
        weights="all large",
        terms="with gaps",
        new_rows="gaps",
        look="held out",
    ),
    Call(
        seed=316022,
        n_rows=65,
        columns=("normal", "rounded", "heavy-tailed"),
        apart=1000.0,
        labelling="few positives",
        labels="nullable booleans",
        weights="all large",
        terms="chosen",
        new_rows="shuffled columns",
    ),
    Call(
        seed=249868,
        n_rows=234,
        columns=("normal", "booleans", "mostly zero", "powers of ten"),
        labelling="all positive",
        rows="five kinds",
        container="list of lists",
        weights="a list",
        terms="smooth",
        options=(("n_starts", 15), ("tol", 1e-08)),
    ),
    Call(
        seed=202362,
        n_rows=46,
        columns=("mostly zero", "uint64", "two-valued"),
        apart=1000.0,
        container="object array",
        weights="all large",
        terms="chosen",
        options=(("max_iter", 3),),
        look="held out",
    ),
    Call(
        seed=901620,
        n_rows=242,
        columns=("counts", "mostly zero", "heavy-tailed"),
        apart=0.3,
        labelling="few hidden",
        index="repeated",
        weights="counts",
        options=(("smoothing", "reml"), ("random_state", 0), ("tol", 1e-08)),
        new_rows="other levels",
    ),
    Call(
        seed=877491,
        n_rows=5,
        columns=("rounded", "counts"),
        apart=1000.0,
        container="Fortran order",
        index="repeated",
        weights="very uneven",
        terms="linear",
        options=(("tol", 0.01), ("engine", "memory"), ("n_jobs", 1)),
        new_rows="far out",
        look="held out",
    ),
    Call(
        seed=591167,
        n_rows=16,
        columns=("skewed", "one odd level", "counts"),
        apart=1000.0,
        container="object array",
        weights="very uneven",
        terms="chosen",
        new_rows="lacking",
        look="held out",
    ),
    Call(
        seed=982368,
        n_rows=13,
        columns=("arrow text", "heavy-tailed"),
        names="one and text of it",
        index="nested",
        labels="a name",
        weights="counts",
        terms="bounds",
        options=(("smoothing", 1000000000000.0), ("pi_prior", None), ("solver", "newton")),
        new_rows="too far out",
        look="none",
    ),
    Call(
        seed=991257,
        n_rows=117,
        columns=("mostly zero", "normal", "numbers with None"),
        apart=0.0,
        labelling="one unlabelled",
        rows="five kinds",
        labels="float16",
        terms="with gaps",
        options=(("smoothing", 1.0), ("tol", 0.0001)),
        new_rows="one",
        look="none",
    ),
    Call(
        seed=174678,
        n_rows=79,
        columns=("counts", "normal"),
        apart=0.0,
        labelling="one unlabelled",
        labels="polars",
        weights="labelled tiny",
        terms="chosen",
        new_rows="far out",
        look="units",
    ),
]


# Large weights on a handful of rows may take thousands of steps. These take several times as long as all the others
# together, 14 and 20 among them, which have such weights as well.
LONG_CLIMBS = (15, 17, 19, 21)


def once_wrong():
    for number, call in enumerate(ONCE_WRONG):
        yield pytest.param(call, id=str(number), marks=pytest.mark.long if number in LONG_CLIMBS else ())


@pytest.mark.parametrize("call", [*once_wrong()])
def test_calls_that_once_went_wrong(call):
    check_call(call)


@settings(max_examples=15, **COMMON)
@given(call=diverse_calls())
def test_calls_that_have_nothing_in_common(call):
    note(repr(call))
    check_call(call)


@settings(max_examples=8, **COMMON)
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
