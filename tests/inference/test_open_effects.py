"""Levels of which the model doubts no row: they are named, with what to do, and none is named that rows determine."""

import warnings

import numpy as np
import pytest

from pugam import PUGAM, PugamWarning
from pugam.datasets import simulate

N_ROWS = 15
CURVES = "s(x1) + s(x2) + s(x3) + s(x4) + s(x5)"
ESTIMATES = pytest.mark.parametrize("estimate", ["mode", "marginal"])


@pytest.fixture(scope="module")
def table():
    data = simulate(1, n0=800, n=1600, random_state=4)
    sites = np.random.default_rng(4).choice(["north", "south", "west"], len(data.z))
    return data.X.assign(site=sites), np.asarray(data.z)


def some_rows(z, label):
    return np.flatnonzero(z == label)[:N_ROWS]


def warnings_of(frame, z, **options):
    """Fit the mode, where nothing but rows holds effects of levels, unless another estimate is asked for."""
    options = {"estimate": "mode", **options}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = PUGAM(f"{CURVES} + " + options.pop("term"), **options).fit(frame, z)
    return model, [str(warning.message) for warning in caught if issubclass(warning.category, PugamWarning)]


@pytest.mark.parametrize(
    ("solver", "label"),
    # EM takes its time where an effect grows without bound.
    [
        ("newton", 0),
        pytest.param("newton", 1, marks=pytest.mark.long),
        *(pytest.param("em", label, marks=pytest.mark.long) for label in (0, 1)),
    ],
)
def test_a_level_with_rows_of_one_label_is_named(table, label, solver):
    frame, z = table[0].copy(), table[1]
    frame.loc[some_rows(z, label), "site"] = "east"
    model, seen = warnings_of(frame, z, term="f(site)", solver=solver)
    (found,) = [text for text in seen if "grow without bound" in text]
    assert "bound: site = 'east'. All rows" in found
    assert model.effect("site").set_index("x")["u"].drop("east").abs().max() < model.effect("site")["u"].abs().max()
    assert found in model.diagnose().warnings
    assert not any("say the same" in text for text in model.diagnose().warnings)


def test_a_value_of_a_binary_column_is_a_level(table):
    frame, z = table[0].copy(), table[1]
    frame["treated"] = 0.0
    frame.loc[some_rows(z, 0), "treated"] = 1.0
    _, seen = warnings_of(frame, z, term="l(treated)")
    assert any("bound: treated = 1. All rows" in text for text in seen)


def test_missing_values_are_a_level(table):
    frame, z = table[0].copy(), table[1]
    frame.loc[some_rows(z, 0), "site"] = None
    _, seen = warnings_of(frame, z, term="f(site, missing='effect')")
    assert any("bound: site missing. All rows" in text for text in seen)


def test_many_levels_are_counted(table):
    frame, z = table[0].copy(), table[1]
    rows = some_rows(z, 0)[:5]
    frame.loc[rows, "site"] = [f"ward {number}" for number in range(5)]
    _, seen = warnings_of(frame, z, term="f(site)")
    assert any("site = 'ward 0', site = 'ward 1', site = 'ward 2' and 2 more." in text for text in seen)


@pytest.mark.parametrize("label", [0, 1])
def test_priors_hold_the_effect_of_a_level_with_rows_of_one_label(table, label):
    frame, z = table[0].copy(), table[1]
    frame.loc[some_rows(z, label), "site"] = "east"
    model, seen = warnings_of(frame, z, term="f(site)", estimate="marginal")
    effects = model.effect("site", center="range").set_index("x")
    (number,) = (number for number, term in enumerate(model.terms_) if term.label == "f(site)")
    levels, block = model._design.bases[number], model._design.blocks[number]
    prior = np.sqrt(levels.contrasts[:-1] ** 2 @ (1.0 / model._design.ridge[block]))
    (said,) = seen
    assert "no labelled rows, or only labelled ones: site = 'east'." in said
    assert (effects["u"].idxmax() if label else effects["u"].idxmin()) == "east"
    # Such an effect is hardly better known than its prior says, but no worse, and well within its reach.
    assert (effects["se"] < 1.01 * prior).all()
    assert (effects["u"].abs() < 2.0 * prior).all()


@ESTIMATES
def test_levels_with_few_rows_of_both_labels_are_not_named(table, estimate):
    frame, z = table[0].copy(), table[1]
    labelled, unlabelled = some_rows(z, 1), some_rows(z, 0)
    frame.loc[[labelled[0], *unlabelled[:7]], "site"] = "east"
    frame.loc[[labelled[1], *unlabelled[7:]], "site"] = None
    _, seen = warnings_of(frame, z, term="f(site, missing='effect')", estimate=estimate)
    assert not any("grow without bound" in text for text in seen)


def test_weights_do_not_change_what_is_named(table):
    frame, z = table[0].copy(), table[1]
    frame.loc[some_rows(z, 0), "site"] = "east"
    for weight in (1.0, 1e3):
        with pytest.warns(PugamWarning, match="site = 'east'"):
            PUGAM(f"{CURVES} + f(site)", estimate="mode").fit(frame, z, sample_weight=np.full(len(z), weight))


@ESTIMATES
def test_small_weights_of_a_level_are_no_sign(table, estimate):
    frame, z = table
    weights = np.where(frame["site"] == "west", 1e-4, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PugamWarning)
        warnings.filterwarnings("ignore", "Weights vary")
        PUGAM(f"{CURVES} + f(site)", estimate=estimate).fit(frame, z, sample_weight=weights)


@ESTIMATES
@pytest.mark.parametrize("farthest", [1e4, pytest.param(1e5, marks=pytest.mark.long)])
def test_a_far_value_of_a_line_is_no_level(table, farthest, estimate):
    frame, z = table[0].copy(), table[1]
    frame["income"] = np.random.default_rng(0).lognormal(size=len(frame))
    frame.loc[some_rows(z, 0)[0], "income"] = farthest
    _, seen = warnings_of(frame, z, term="l(income)", estimate=estimate)
    assert not any("without bound" in text or "some effects" in text for text in seen)


def test_both_are_named_where_both_are_there(table):
    frame, z = table[0].copy(), table[1]
    frame.loc[some_rows(z, 0), "site"] = "east"
    frame["twin"] = frame["x1"]
    _, seen = warnings_of(frame, z, term="f(site) + s(twin)")
    assert any("without bound: site = 'east'. All rows" in text for text in seen)
    assert any("some effects: s(x1), s(twin). Either" in text for text in seen)
