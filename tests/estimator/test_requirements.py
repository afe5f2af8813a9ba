"""What is asked of a fit before it begins."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, InputError, PugamWarning, SlowWarning, f, r, s, te
from pugam.data import read_table
from pugam.estimator.requirements import warn_of_size, warn_of_weights
from pugam.terms import Design

ROWS = pd.DataFrame({"x": np.linspace(0.0, 1.0, 800), "code": [f"c{number % 400}" for number in range(800)]})


def test_a_term_of_very_many_columns_is_told_before_the_work_begins():
    table = read_table(ROWS)

    with pytest.warns(SlowWarning, match=r"f\(code\) has 399 columns: the fit may take an hour or more"):
        warn_of_size(Design.resolve([s("x"), f("code")], table))
    with pytest.warns(SlowWarning, match=r"columns: .*\. Use fewer functions: up to 300 columns take seconds"):
        warn_of_size(Design.resolve([te(s("x", k=20), s("y", k=20))], read_table(ROWS.assign(y=ROWS["x"] ** 2))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_size(Design.resolve([s("x")], table))


def test_what_is_to_be_typed_groups_rare_levels():
    with pytest.warns(SlowWarning) as told:
        warn_of_size(Design.resolve([s("x"), r("code")], read_table(ROWS)))
    typed = re.search(r"in pandas, (X\['code'\]) = (.*)\): up to", str(told[0].message))

    grouped = eval(typed[2], {"X": ROWS})
    assert grouped.nunique() == 101
    assert (grouped != "other").sum() == 200


@pytest.mark.parametrize("scale", [3.0435, 0.2])
def test_weights_that_add_up_to_other_than_the_rows_are_told(scale):
    weights = np.linspace(0.5, 1.5, 4000) * scale
    total = f"{4000 * scale:,.0f}"
    with pytest.warns(PugamWarning, match=f"Weights add up to {total} for 4,000 rows.*divide them"):
        warn_of_weights(weights, np.arange(len(weights)) % 2 == 0)


@pytest.mark.parametrize("weights", [np.linspace(0.5, 1.5, 40), np.full(40, 3.0), np.repeat([1.0, 9.0], [30, 10])])
def test_usual_weights_and_numbers_of_rows_are_passed_over(weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_weights(weights, np.arange(len(weights)) % 2 == 0)


def test_weights_that_vary_are_told_but_not_beside_a_design(X, z):
    weights = np.random.default_rng(0).lognormal(size=len(z))
    for label in (0, 1):
        weights[z == label] /= weights[z == label].mean()

    with pytest.warns(PugamWarning, match=r"Weights vary: \d+ .* tell about as much as .*strata"):
        PUGAM("x1 + x2", check=False).fit(X, z, weights)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PUGAM("x1 + x2", check=False).fit(X, z, weights, strata=np.zeros(len(z), dtype=int))


@pytest.mark.parametrize(("place", "label"), [(0, "labelled"), (-1, "unlabelled")])
def test_a_row_that_outweighs_all_others_is_told(place, label):
    weights = np.ones(400)
    weights[place] = 1000.0
    positive = np.arange(400) < 200

    with pytest.warns(PugamWarning, match=f"One {label} row has a weight of 1,000, .* as 83% of the {label} rows"):
        warn_of_weights(weights, positive)


@pytest.mark.parametrize(("model", "roles"), [(PUGAM, {"sample": "site"}), (PUGAM, {}), (PUGAM.paper, {})])
def test_what_keeps_from_marginal_likelihood_is_among_what_to_leave_alone(X, z, model, roles):
    table = X.assign(site=np.where(X["x1"] > X["x1"].median(), "a", "b"))
    labelling = {} if roles else {"labelling": "x1"}

    with pytest.raises(InputError, match="leave pi, smoothing, shrinkage, estimate and debias at their defaults"):
        model(terms="x2 + x3", debias=False, **labelling).fit(table, z, **roles)
    with pytest.raises(InputError, match="leave pi, smoothing, shrinkage and estimate at their defaults"):
        PUGAM("x2 + x3", estimate="mode", **labelling).fit(table, z, **roles)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"rare_kinds": "pooled"}, r"rare_kinds='pooled' goes with kind, which is not given; give it, too\."),
        ({"rare_kinds": "x"}, "rare_kinds is 'error' or 'pooled'; got 'x'"),
        ({"kind": "auto", "shares": "pooled"}, r"shares='pooled' is for samples, .* with kind; leave it out\."),
        ({"kind": "auto", "shares": "x"}, "shares is 'separate' or 'pooled'; got 'x'"),
        ({"shares": None}, "shares is 'separate' or 'pooled'; got None"),
        ({"shares": "pooled"}, "shares='pooled' needs at least .* told apart by sample"),
        ({"audit_chance": np.ones(800)}, r"audit_chance goes with audit, which is not given\."),
    ],
)
def test_what_would_have_no_effect_is_refused(given, told):
    X = ROWS.assign(y=np.arange(800) % 7)[["x", "y"]]

    with pytest.raises(InputError, match=told):
        PUGAM("x + y", check=False).fit(X, np.arange(800) % 3 == 0, **given)


def test_too_few_rows_are_refused_without_a_word_of_how_long_they_would_take():
    X = pd.DataFrame({"x1": np.arange(500) % 499, "x2": np.arange(500) % 7})

    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowWarning)
        with pytest.raises(InputError, match="fewer rows than parameters"):
            PUGAM("f(x1) + x2").fit(X, np.arange(500) % 3 == 0)


SIGNS, SMALL = np.where(np.arange(800) % 2, 1.0, -1.0), np.sin(np.arange(800.0))
WIDE = {
    "two values": 1e308 * SIGNS,
    "many": 1.7e308 * np.linspace(0.1, 1.0, 800) * SIGNS,
    "gaps": np.where(np.arange(800) < 9, np.nan, 1e308 * SIGNS),
}


def fit_quietly(wide, terms):
    """Fit, and let no warning of NumPy pass."""
    X = pd.DataFrame({"x": SMALL, "y": np.cos(np.arange(800.0)), "wide": wide})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        return PUGAM(terms, check=False, smoothing=0.1).fit(X, np.arange(800) % 3 == 0)


@pytest.mark.parametrize("wide", WIDE.values(), ids=WIDE)
def test_numbers_far_apart_are_refused_without_warnings_of_numpy(wide):
    with pytest.raises(InputError, match=r"column 'wide' (runs from .* rescale it|has missing values)"):
        fit_quietly(wide, None)


def test_levels_and_logarithms_of_numbers_far_apart_need_no_differences():
    outliers = np.where(np.arange(800) < 2, 9e299 * SIGNS, np.exp(SMALL))

    with pytest.raises(InputError, match="16 digits or more"):
        fit_quietly(WIDE["two values"], "x + y + f(wide)")
    assert fit_quietly(outliers, "x + s(wide, scale='log')").converged_
