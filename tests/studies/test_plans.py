"""Plans say at once what cannot be run."""

import pytest

from pugam.errors import InputError
from pugam.studies import Plan


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"replicates": 1}, r"replicates is a whole number of at least 2; got 1\."),
        ({"replicates": 2.5}, r"replicates is a whole number of at least 2; got 2\.5\."),
        ({"replicates": "5"}, r"replicates is a whole number of at least 2; got '5'\."),
        ({"resamples": -1}, r"resamples is a whole number of at least 0; got -1\."),
        ({"seed": None}, r"seed is a whole number of at least 0; got None\."),
        ({"jobs": 0}, r"jobs is a whole number of at least 1; got 0\."),
        ({"seed": -1}, r"seed is a whole number of at least 0; got -1\."),
        ({"engine": "abacus"}, r"engine is .*'memory'.*; got 'abacus'\."),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(change, said):
    with pytest.raises(InputError, match=said):
        Plan(**change)
