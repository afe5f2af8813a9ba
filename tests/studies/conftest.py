"""Shared by the tests of the studies: small plans, each with a folder of its own."""

import pytest

from pugam.studies import Plan, figures


@pytest.fixture(autouse=True, scope="module")
def _coarse_pictures():
    """Of a third of the dots an inch: no test looks at them, and drawing them takes longer than what they show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "RESOLUTION", 50)
        yield


@pytest.fixture
def make_plan(tmp_path):
    """Plans of one process, two replicates and ten resamples, unless a test asks for others."""

    def make(folder="results", **changes):
        settings = {"replicates": 2, "resamples": 10, "jobs": 1, "progress": False}
        return Plan(tmp_path / folder, **(settings | changes))

    return make
