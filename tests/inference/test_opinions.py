"""What others than the model say of pi."""

from types import SimpleNamespace

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import inference_of
from pugam.inference.density_difference import density_ratio, share_of_positives
from pugam.inference.intervals import Interval
from pugam.inference.opinions import Opinion, OthersDisagree, agree, ask_others, find_disagreement
from pugam.inference.rows_tested import choose_rows

INTERVAL = Interval(0.3, 0.25, 0.35, 0.95, "marginal")


def opinions(*shares):
    return tuple(Opinion("a method", share) for share in shares)


@pytest.mark.parametrize("pi", [0.2, 0.5, 0.8])
def test_the_difference_of_densities_finds_pi_where_scores_tell_classes_apart(pi):
    rng = np.random.default_rng(0)
    positive = rng.random(2000) < pi
    labelled, hidden = (1.0 / (1.0 + np.exp(-rng.normal(6.0 * y - 3.0))) for y in (np.ones(1000), positive))
    # Settings are the author's; he reports errors of a few hundredths on tables of this size.
    assert share_of_positives(density_ratio(labelled, hidden)) == pytest.approx(pi, abs=0.04)


def test_a_classifier_that_has_learned_nothing_says_that_all_may_be_positive():
    assert share_of_positives(density_ratio(np.full(50, 0.4), np.full(80, 0.4))) == 1.0


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ((0.28, 0.33), None),
        ((0.39, 0.38), None),  # outside, but no farther than they err
        ((0.5, 0.3), None),
        ((0.5,), None),
        ((0.5, 0.45), ("above", 0.1)),
        ((0.1, 0.15), ("below", 0.1)),
    ],
)
def test_only_what_is_far_off_on_one_side_is_a_disagreement(shares, said):
    found = list(find_disagreement(opinions(*shares), INTERVAL))
    assert [(finding.side, pytest.approx(finding.distance)) for finding in found] == ([] if said is None else [said])
    if found:
        assert f"({shares[0]:.3f}, {shares[1]:.3f}) lie {said[0]} its interval, by 0.100" in str(found[0].message)


def test_others_agree_within_their_errors():
    assert agree(opinions(0.39, 0.21), INTERVAL)
    assert not agree(opinions(0.39, 0.15), INTERVAL)


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=500, n=1200, random_state=0)
    return PUGAM(estimate="mode", check=False).fit(data.X, data.z)


def test_a_diagnosis_says_what_others_say(model):
    found = model.diagnose()
    methods = [opinion.method for opinion in found.opinions]
    assert methods == ["best bin", "difference of densities"]
    assert all(0.0 < opinion.pi < 1.0 for opinion in found.opinions)
    said = ", ".join(f"{opinion.pi:.3f} by {opinion.method}" for opinion in found.opinions)
    assert f"  others       {said}, without the model: " in str(found)
    assert not any(isinstance(finding, OthersDisagree) for finding in found.findings)


def test_others_are_not_asked_about_rows_that_count_for_more(model):
    fitted = model._fitted("The test")
    rows = choose_rows(inference_of(fitted).profile(fitted.engine))
    assert len(ask_others(rows)) == 2
    weighted = SimpleNamespace(are_enough=True, weights=np.linspace(1.0, 2.0, len(rows.weights)))
    assert ask_others(weighted) == ()
