"""A model whose terms read several columns: surfaces, one of them without an effect, curves by level, and products."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM

ROWS = 1600
FORMULA = (
    "te(age, bmi, k=4, missing='effect') + s(dose, by=site, k=4) + f(site) + f(sex) + site:sex + ti(noise, other, k=4)"
)


@pytest.fixture(autouse=True, scope="module")
def _no_trees(no_trees):
    """Of modules, so that what their fixtures keep of a diagnosis has no trees, either."""
    with no_trees():
        yield


@pytest.fixture(scope="session")
def several_rows():
    """Rows with the label z: age and bmi act together, dose differs by site, noise and other do nothing."""
    rng = np.random.default_rng(8)
    age, bmi, noise, other = (
        middle + width * rng.normal(size=ROWS) for middle, width in ((50, 12), (27, 4), (0, 1), (0, 1))
    )
    site, sex = rng.choice(["east", "north", "south"], ROWS, p=[0.2, 0.5, 0.3]), rng.choice(["f", "m"], ROWS)
    dose = rng.uniform(0.0, 10.0, ROWS)
    a, b = (age - 50) / 12, (bmi - 27) / 4
    eta = 1.5 * a * b + a + (dose / 5 - 1) * np.where(site == "north", 1.5, -1.0)
    positive = rng.random(ROWS) < 1.0 / (1.0 + np.exp(-eta))
    z = (positive & (rng.random(ROWS) < 0.5)).astype(int)
    gaps = np.where(rng.random(ROWS) < 0.06, np.nan, bmi)
    return pd.DataFrame(
        {"age": age, "bmi": gaps, "noise": noise, "other": other, "site": site, "sex": sex, "dose": dose, "z": z}
    )


@pytest.fixture(scope="session")
def several(several_rows):
    """The model, with pi fixed: nothing here is about how well it is determined."""
    return PUGAM(FORMULA, pi=0.35).fit(several_rows, several_rows["z"])
