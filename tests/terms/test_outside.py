"""Rows outside the range of a fit: counted, and told of."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.errors import PugamWarning


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    positive = rng.random(400) < 0.5
    X = pd.DataFrame({"age": rng.normal(50 + 8 * positive, 8), "dose": rng.normal(1 + positive, 1)})
    return X, (positive & (rng.random(400) < 0.5)).astype(int)


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("s(age) + s(dose)", estimate="mode", check=False).fit(*rows)


@pytest.mark.parametrize("method", ["predict_proba", "predict", "decision_function"])
@pytest.mark.parametrize(("n_far", "said"), [(1, "1 row lies"), (3, "3 rows lie")])
def test_rows_far_outside_are_told_of(model, rows, method, n_far, said):
    far = rows[0].head(10).copy()
    far.loc[: n_far - 1, "age"] = 900.0
    with pytest.warns(PugamWarning, match=f"^{said} outside the range of the fit in column 'age'"):
        getattr(model, method)(far)


def test_rows_of_the_fit_are_not(model, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(rows[0])
