"""Posteriors of single rows: their limits against a simulation, by the delta method."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pugam import PUGAM, InputError
from pugam.datasets import simulate

DATA = simulate(2, n0=1250, n=1500, pi=0.4, random_state=3)


@pytest.fixture(scope="module")
def model():
    return PUGAM().fit(DATA.X, DATA.z)


def logit(p):
    return np.log(p) - np.log1p(-p)


def test_the_posterior_lies_between_its_limits_and_is_that_of_predict_proba(model):
    frame = model.predict_interval(DATA.X)

    np.testing.assert_array_equal(frame["p_positive"], model.predict_proba(DATA.X)[:, 1])
    assert ((frame["lower"] <= frame["p_positive"]) & (frame["p_positive"] <= frame["upper"])).all()
    assert frame[["lower", "upper"]].stack().between(0.0, 1.0).all()


def test_limits_come_from_the_covariance_of_all_parameters(model):
    rows = DATA.X.head(7)
    columns = model._design.matrix(model._design.encode(model_table(rows)))
    gradient = np.column_stack([np.ones(len(rows)), columns])  # of logit pi + alpha + effects
    errors = np.sqrt(np.einsum("ij,jk,ik->i", gradient, model.covariance(), gradient))

    frame = model.predict_interval(rows, level=0.9)

    half = (logit(frame["upper"]) - logit(frame["lower"])) / 2.0
    np.testing.assert_allclose(half, 1.6448536 * errors, rtol=1e-6)
    p = frame["p_positive"]
    np.testing.assert_allclose(frame["se"], p * (1.0 - p) * errors, rtol=1e-9)


def model_table(rows):
    from pugam.data import read_table

    return read_table(rows)


def test_a_known_share_moves_the_posterior_and_takes_its_own_uncertainty_away(model):
    rows = DATA.X.iloc[1250:1260]
    estimated, known = model.predict_interval(rows), model.predict_interval(rows, pi=model.pi_)

    np.testing.assert_allclose(known["p_positive"], estimated["p_positive"], rtol=1e-12)
    moved = model.predict_interval(rows, pi=0.05)
    assert (moved["p_positive"] < known["p_positive"]).all()
    with pytest.raises(InputError, match="share strictly between 0 and 1"):
        model.predict_interval(rows, pi=1.0)


def test_frames_come_back_in_the_library_of_x(model):
    polars = pytest.importorskip("polars")

    assert isinstance(model.predict_interval(DATA.X), pd.DataFrame)
    assert isinstance(model.predict_interval(polars.DataFrame(DATA.X.to_dict("list"))), polars.DataFrame)


def test_predictions_of_a_row_do_not_depend_on_the_rows_around_it(model):
    whole = model.log_density_ratio(DATA.X)

    for first, count in ((0, 1), (3, 2), (17, 190), (1000, 499)):
        part = model.log_density_ratio(DATA.X.iloc[first : first + count])
        np.testing.assert_array_equal(part, whole[first : first + count])


@pytest.mark.long
def test_limits_hold_the_true_posterior_about_as_often_as_they_say():
    # 40 data sets of 250 unlabelled rows each; rows of one data set err together, so that the rate of 40 data sets
    # scatters by about 0.01. The bound is three times that.
    held = []
    for seed in range(40):
        data = simulate(2, n0=1250, n=1500, pi=0.4, random_state=1000 + seed)
        frame = PUGAM().fit(data.X, data.z).predict_interval(data.X)
        truth = expit(data.log_density_ratio + logit(0.4))
        inside = (frame["lower"] <= truth) & (truth <= frame["upper"])
        held.append(np.mean(inside[data.z == 0]))

    assert np.mean(held) == pytest.approx(0.95, abs=0.03)
