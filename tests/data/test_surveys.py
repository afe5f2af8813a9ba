"""Reading how rows of a survey were drawn, and what their weights count for."""

import numpy as np
import pytest

from pugam.data import effective_weights, read_survey
from pugam.errors import InputError

CLUSTERS = np.array(["b", "a", "b", "c", "d", "c"])
STRATA = np.array([1, 1, 1, 7, 7, 7])


def test_clusters_and_strata_are_numbered_as_they_come():
    found = read_survey(CLUSTERS, STRATA, 6, None)
    assert found.clusters.tolist() == [0, 1, 0, 2, 3, 2]
    assert found.strata.tolist() == [0, 0, 1, 1]
    assert (found.n_clusters, found.n_strata) == (4, 2)


def test_rows_without_clusters_are_clusters_and_without_strata_in_one():
    assert read_survey(None, STRATA, 6, None).clusters.tolist() == [0, 1, 2, 3, 4, 5]
    assert read_survey(CLUSTERS, None, 6, None).strata.tolist() == [0, 0, 0, 0]
    assert read_survey(None, None, 6, None) is None


def test_a_cluster_counts_though_none_of_its_rows_is_kept():
    kept = np.array([True, True, True, True, False, True])
    found = read_survey(CLUSTERS, STRATA, 6, kept)
    assert found.clusters.tolist() == [0, 1, 0, 2, 2]
    assert found.n_clusters == 4


@pytest.mark.parametrize(
    ("groups", "strata", "said"),
    [
        (CLUSTERS[:5], None, "groups needs one label per row, 6 in all; got shape (5,)"),
        (None, np.ones((6, 2)), "strata needs one label per row, 6 in all; got shape (6, 2)"),
        (["a", None, "b", "c", "d", "c"], None, "groups has no label in row 1; give every row one."),
        (CLUSTERS, [1, 1, 1, 7, np.nan, 7], "strata has no label in row 4; give every row one."),
        (["a"] * 6, None, "groups names a single cluster; standard errors need several."),
        (["b", "b", "b", "c", "d", "c"], STRATA, "strata: stratum 1 has a single cluster"),
        (["b", "a", "b", "b", "d", "c"], STRATA, "groups: cluster 'b' lies in stratum 1 and in stratum 7; where"),
    ],
)
def test_what_cannot_be_a_survey_is_refused(groups, strata, said):
    with pytest.raises(InputError) as caught:
        read_survey(groups, strata, 6, None)
    assert said in str(caught.value)


def test_weights_add_up_to_the_rows_that_would_say_as_much_with_equal_ones():
    weights = np.array([1.0, 1.0, 2.0, 4.0])
    for unit in (1.0, 1e-200, 1e200):
        found = effective_weights(unit * weights)
        assert found.sum() == pytest.approx(8.0**2 / 22.0)
        assert found / found[0] == pytest.approx(weights)
    assert effective_weights(np.full(5, 3.0)) is None
    assert effective_weights(None) is None
