"""Why rows of a report are likely positive: the same numbers as `explain` gives, and few of them."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.presentation.report import collect
from pugam.presentation.report.reasons import draw_reasons


@pytest.fixture(autouse=True, scope="module")
def _quick_diagnoses(no_trees, few_places):
    with no_trees(), few_places():
        yield


@pytest.fixture(scope="module")
def rows():
    data = simulate(2, n0=300, n=600, random_state=0)
    numbers = np.arange(600)
    X = data.X[["x1", "x2", "x3"]].assign(
        site=np.array(["north", "south"])[numbers % 2], dose=data.X["x4"].where(numbers % 5 > 0)
    )
    return X, data.z


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("s(x1) + s(x2) + x3 + f(site) + s(dose, missing='effect')", check=False).fit(*rows)


def test_reasons_are_what_explain_says(model, rows):
    content = collect(model, "", {}, {}, n_candidates=30)

    for candidate in content.candidates:
        number = int(candidate.name.split()[1]) - 1
        lines = model.explain(rows[0].iloc[[number]]).set_index("term")
        assert candidate.reasons.baseline == pytest.approx(lines.loc["baseline", "contribution"])
        assert candidate.reasons.logit == pytest.approx(model.decision_function(rows[0].iloc[[number]])[0])
        for step in candidate.reasons.steps:
            expected = lines.loc[step.term]
            assert step.value == expected["value"]
            assert step[2:] == pytest.approx(expected[["contribution", "se", "lower", "upper"]].tolist(), nan_ok=True)
    values = {step.value for one in content.candidates for step in one.reasons.steps if step.term == "s(dose)"}
    assert "missing" in values


def test_rows_of_samples_have_reasons_by_their_share(rows):
    X, z = rows
    model = PUGAM("s(x1) + s(x2) + x3", check=False).fit(X, z, sample=X["site"])

    content = collect(model, "", {}, {}, n_candidates=5)

    for candidate in content.candidates:
        number = int(candidate.name.split()[1]) - 1
        logit = model.decision_function(X.iloc[[number]], sample=candidate.sample)[0]
        assert candidate.reasons.logit == pytest.approx(logit)


def test_many_terms_and_rows_are_not_all_shown():
    rng = np.random.default_rng(0)
    z = np.repeat([1, 0], [200, 400])
    X = pd.DataFrame(rng.normal(size=(600, 10)) + 0.8 * z[:, None], columns=[f"x{place}" for place in range(10)])
    model = PUGAM(" + ".join(X), pi=0.3, shrinkage="never", check=False).fit(X, z)

    candidates = collect(model, "", {}, {}, n_candidates=120).candidates

    assert [one.reasons is None for one in candidates] == [False] * 100 + [True] * 20
    assert [step.term for step in candidates[0].reasons.steps][-1] == "4 others"
    assert len(draw_reasons(candidates[0].reasons)) == 7
