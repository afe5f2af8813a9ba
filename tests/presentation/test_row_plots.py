"""The picture of one row: bars that lead from the average row to it, and which terms are folded."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, InputError
from pugam.datasets import simulate
from pugam.presentation.steps import Step, fold_steps, shortened


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=600, n=900, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return PUGAM("s(x1) + s(x2) + x3", check=False).fit(data.X, data.z)


def step(name, contribution):
    return Step(name, "1", contribution, 0.5, contribution - 1.0, contribution + 1.0)


def test_the_largest_terms_come_first_and_the_rest_is_one_step_without_limits():
    steps = [step("a", 0.1), step("b", -3.0), step("c", 2.0), step("d", 0.3)]
    steps.append(Step("averaging", "", -9.0, np.nan, np.nan, np.nan))

    folded = fold_steps(steps, 3)

    assert [one.term for one in folded] == ["b", "c", "2 others", "averaging"]
    assert folded[2].contribution == pytest.approx(0.4)
    assert np.isnan(folded[2].lower)
    assert [one.term for one in fold_steps(steps, 4)] == ["b", "c", "d", "a", "averaging"]


def test_names_are_shortened_in_their_middle():
    assert shortened("laboratory value 12", 11) == "labor…ue 12"
    assert shortened("short", 11) == "short"


def test_bars_lead_from_the_average_row_to_the_row(model, data):
    row = data.X.iloc[[3]]

    (axes,) = model.plot("explain", row=row).axes

    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert (names[0], names[-2:]) == ("average unlabelled row", ["averaging", "this row"])
    assert {name.split(" = ")[0] for name in names[1:-2]} == {"s(x1)", "s(x2)", "l(x3)"}
    found = model.explain(row)
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
    assert axes.patches[0].get_x() == pytest.approx(found["contribution"].iloc[0])
    assert ends[-1] == pytest.approx(model.decision_function(row)[0])
    assert f"{100 * model.predict_proba(row)[0, 1]:.3g}%" in axes.get_title()


def test_a_row_of_a_pandas_frame_will_do_and_another_pi(model, data):
    (axes,) = model.plot("explain", row=data.X.iloc[3], pi=0.1).axes

    last = axes.patches[-1]
    expected = model.decision_function(data.X.iloc[[3]], pi=0.1)[0]
    assert last.get_x() + last.get_width() == pytest.approx(expected)


def test_many_terms_are_folded():
    rng = np.random.default_rng(0)
    z = np.repeat([1, 0], [200, 300])
    X = pd.DataFrame(rng.normal(size=(500, 15)) + 0.5 * z[:, None], columns=[f"x{place}" for place in range(15)])
    model = PUGAM(" + ".join(X), pi=0.3, shrinkage="never", check=False).fit(X, z)

    (axes,) = model.plot("explain", row=X[:1]).axes

    assert [tick.get_text() for tick in axes.get_yticklabels()][-2] == "4 others"
    assert len(axes.patches) == 12


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, r"draws one row; give it, as in row=X\.iloc\[\[0\]\]\."),
        ({"row": "two"}, r"draws one row; got 2\. Give one"),
        ({"row": "one", "terms": ["x1"]}, r"takes row, pi, sample and axes; got terms\."),
    ],
)
def test_what_is_no_row_is_refused(model, data, options, said):
    rows = {"one": data.X[:1], "two": data.X[:2]}
    given = {name: rows.get(value, value) if name == "row" else value for name, value in options.items()}

    with pytest.raises(InputError, match=said):
        model.plot("explain", **given)
