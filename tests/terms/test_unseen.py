"""Levels that the fit never saw: counted by column where terms permit them, and told once."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, PugamWarning


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    z = (np.arange(300) < 100).astype(int)
    X = rng.normal(size=(300, 2)) + 1.5 * z[:, None]
    return pd.DataFrame(X, columns=["x1", "x2"]).assign(site=np.array(["north", "south"])[np.arange(300) % 2], z=z)


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("x1 + x2 + f(site)", unseen="zero", pi=0.3, check=False).fit(rows[["x1", "x2", "site"]], rows["z"])


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        ("o", "1 row has a level of site that the fit did not see ('o'); it counts as average there."),
        ("oabobc", "6 rows have a level of site that the fit did not see ('o', 'b', 'a' and 1 more); they count as"),
    ],
)
def test_a_prediction_tells_of_new_levels_once(model, rows, sites, said):
    new = rows.head(10).assign(site=[*sites, *["north"] * (10 - len(sites))])
    with pytest.warns(PugamWarning) as caught:
        model.predict_proba(new)

    assert len(caught) == 1
    assert said in str(caught[0].message)


def test_levels_of_the_fit_are_not_told(model, rows, recwarn):
    model.predict_proba(rows)
    assert not recwarn.list


def test_a_drift_tells_of_new_levels(model, rows):
    with pytest.warns(PugamWarning, match="a level of site that the fit did not see"):
        model.drift(rows.assign(site="west"))
