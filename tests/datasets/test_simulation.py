"""The simulated data follow the paper's recipe, and the truth handed out with them is the truth."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit

from pugam.datasets import simulate
from pugam.errors import InputError

# truth.alpha0 of the R reference (tests/oracle). R integrates on a tensor of 24 Gauss-Legendre
# nodes; with 32 nodes its alpha moves by 4e-10 in Settings 2 and 3, and then agrees with ours to 1e-11.
R_ALPHA = {1: -0.632426846866902, 2: 0.764472688489398, 3: 0.0656715074016397}
R_ALPHA_TOLERANCE = 1e-9

# truth.u_centred of the same files at 0, 0.5 and 1.
R_EFFECTS = {
    (1, 1): [-3, 0, 3],
    (2, 1): [-0.8, -2, 8.8],
    (3, 1): [-3, 0, 3],
    (3, 2): [-0.8, -2, 8.8],
}

# Chances of a false alarm are about 1e-4 per comparison: four standard errors of the Monte-Carlo mean.
STANDARD_ERRORS = 4


def assert_mean_close(sample, expected):
    standard_error = np.std(sample, ddof=1) / np.sqrt(len(sample))
    assert abs(np.mean(sample) - expected) < STANDARD_ERRORS * standard_error


@pytest.mark.parametrize("setting", [1, 2, 3])
def test_alpha_agrees_with_r(setting):
    assert simulate(setting, 5, 10, random_state=0).alpha == pytest.approx(R_ALPHA[setting], abs=R_ALPHA_TOLERANCE)


@pytest.mark.parametrize(("setting", "j"), R_EFFECTS)
def test_effects_agree_with_r(setting, j):
    effect = simulate(setting, 5, 10, random_state=0).effect(j, [0.0, 0.5, 1.0])

    np.testing.assert_allclose(effect, R_EFFECTS[setting, j], atol=1e-12)


@pytest.mark.parametrize(("setting", "zeta"), [(1, 1.0), (1, 0.3), (2, 1.0), (2, 0.0), (3, 1.0)])
def test_effects_integrate_to_zero(setting, zeta):
    data = simulate(setting, 5, 10, zeta=zeta, random_state=0)

    for name in data.X.columns:
        assert quad(lambda x, name=name: float(data.effect(name, x)), 0, 1)[0] == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize(("setting", "zeta"), [(1, 1.0), (1, 0.3), (2, 0.5), (3, 1.0)])
def test_log_density_ratio_is_alpha_plus_the_effects(setting, zeta):
    data = simulate(setting, 50, 100, zeta=zeta, random_state=0)

    effects = sum(data.effect(j, data.X[f"x{j}"]) for j in range(1, 6))

    np.testing.assert_allclose(data.log_density_ratio, data.alpha + effects, atol=1e-12)


def test_zeta_scales_the_first_effect_only():
    whole, tenth = (simulate(2, 5, 10, zeta=zeta, random_state=0) for zeta in (1.0, 0.1))
    x = np.linspace(0, 1, 5)

    np.testing.assert_allclose(tenth.effect(1, x), 0.1 * whole.effect(1, x))
    np.testing.assert_array_equal(tenth.effect(2, x), whole.effect(2, x))


def test_counts_and_order_of_the_rows():
    data = simulate(2, 1250, 1500, random_state=3)

    assert data.X.shape == (1500, 5)
    assert list(data.X.columns) == ["x1", "x2", "x3", "x4", "x5"]
    assert data.z.tolist() == [1] * 1250 + [0] * 250
    assert data.y[:1250].all()
    hidden = data.y[1250:]
    assert {-1, 1} <= set(np.diff(hidden)), "positives and negatives are shuffled"
    assert data.X.to_numpy().min() >= 0
    assert data.X.to_numpy().max() <= 1


@pytest.mark.long
def test_number_of_hidden_positives_is_binomial():
    n_unlabelled, pi = 60, 0.3
    hidden = np.array([simulate(1, 1, 61, pi=pi, random_state=seed).y[1:].sum() for seed in range(300)])

    assert_mean_close(hidden, n_unlabelled * pi)
    # The relative standard error of a variance from 300 nearly normal values is sqrt(2/299) = 0.08.
    assert hidden.var(ddof=1) == pytest.approx(n_unlabelled * pi * (1 - pi), rel=STANDARD_ERRORS * 0.082)


@pytest.mark.parametrize(("setting", "zeta"), [(1, 1.0), (1, 0.3), (2, 1.0), (2, 0.5), (3, 1.0)])
def test_densities_are_normalised(setting, zeta):
    # With r = g/h, E_h(r) = 1; but r reaches 1e19 in Setting 2, and its mean over any feasible sample from h
    # stays far below 1. Weighting by 1/(1 + r) gives a bounded identity that holds for one alpha only:
    # E_h{r/(1 + r)} = E_g{1/(1 + r)}.
    data = simulate(setting, 20_000, 60_000, pi=0.5, zeta=zeta, random_state=11)
    over_h = expit(data.log_density_ratio[data.y == 0])
    over_g = expit(-data.log_density_ratio[data.y == 1])

    standard_error = np.sqrt(over_h.var() / len(over_h) + over_g.var() / len(over_g))
    assert abs(over_h.mean() - over_g.mean()) < STANDARD_ERRORS * standard_error


def test_density_ratio_averages_to_one_where_its_variance_allows():
    # Without the effect of x1 the ratio of Setting 1 stays below 2e4: a large sample from h finds its tail.
    data = simulate(1, 1, 600_001, pi=0.001, zeta=0.0, random_state=11)

    assert_mean_close(np.exp(data.log_density_ratio[data.y == 0]), 1)


@pytest.mark.parametrize("setting", [1, 2, 3])
def test_labels_follow_the_posterior(setting):
    data = simulate(setting, 1, 40_001, pi=0.4, random_state=5)
    posterior = expit(logit(data.pi) + data.log_density_ratio[1:])
    y = data.y[1:]

    for low, high in [(0.0, 0.05), (0.05, 0.3), (0.3, 0.7), (0.7, 0.95), (0.95, 1.0)]:
        within = (low <= posterior) & (posterior <= high)
        assert_mean_close((y - posterior)[within], 0)


def test_the_same_seed_gives_the_same_data_and_another_seed_others():
    first, again, other = (simulate(3, 20, 50, random_state=seed) for seed in (1, 1, 2))

    assert first.X.equals(again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not first.X.equals(other.X)


def test_generators_of_numpy_are_used_and_advanced():
    from_seed = simulate(1, 20, 50, random_state=7)
    generator = np.random.default_rng(7)
    legacy = np.random.RandomState(7)

    assert simulate(1, 20, 50, random_state=generator).X.equals(from_seed.X)
    assert not simulate(1, 20, 50, random_state=generator).X.equals(from_seed.X)
    assert not simulate(1, 20, 50, random_state=legacy).X.equals(simulate(1, 20, 50, random_state=legacy).X)
    assert simulate(1, 20, 50, random_state=np.random.RandomState(7)).X.equals(
        simulate(1, 20, 50, random_state=np.random.RandomState(7)).X
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"setting": 4}, "setting must be 1, 2 or 3; got 4"),
        ({"setting": "linear"}, "setting must be 1, 2 or 3; got 'linear'"),
        ({"n0": 0}, "n0, the number of labelled positives, must be at least 1; got 0"),
        ({"n0": 10, "n": 10}, "must exceed n0, .*got n0=10, n=10"),
        ({"n0": 2.5}, "n0 must be an integer; got 2.5"),
        ({"pi": 0}, "pi must lie between 0 and 1, both excluded; got 0"),
        ({"pi": float("nan")}, "pi must lie between 0 and 1"),
        ({"pi": "half"}, "pi must be a number; got 'half'"),
        ({"zeta": 1.5}, "zeta must lie between 0 and 1; got 1.5"),
        ({"setting": 3, "zeta": 0.5}, "zeta changes Settings 1 and 2 only; got zeta=0.5 with Setting 3"),
        ({"random_state": "now"}, "random_state must be None, .*got 'now'"),
        ({"random_state": -1}, "random_state must be None, an integer of at least 0"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        simulate(**{"setting": 1, "n0": 5, "n": 10, **arguments})


@pytest.mark.parametrize("feature", ["x6", 0, 6, True])
def test_unknown_features_are_refused(feature):
    with pytest.raises(InputError, match="The features are x1, x2, x3, x4, x5, or 1 to 5; got"):
        simulate(1, 5, 10, random_state=0).effect(feature, [0.5])
