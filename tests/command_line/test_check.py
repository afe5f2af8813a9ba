"""`pugam check` and `pugam anova`: questions about the terms of saved models."""

import numpy as np
import pytest

from pugam import PUGAM


@pytest.fixture(scope="module")
def rows(make_rows):
    return make_rows(200, 500)[["x1", "x2", "z"]]


@pytest.fixture(scope="module")
def models(rows):
    z = rows["z"]
    return [PUGAM(terms, pi=0.4, check=False).fit(rows[["x1", "x2"]], z) for terms in ("x1 + x2", "s(x1, k=5) + x2")]


@pytest.fixture
def saved(empty_folder, rows, models):
    for model, name in zip(models, ("lines.json", "curves.json"), strict=True):
        model.save(name)
    rows.to_csv("rows.csv", index=False)


def test_terms_are_ranked_and_checked(pugam_says, saved, models):
    code, out, err = pugam_says("check", "curves.json", "rows.csv", "--label", "z")
    first, header, *lines = out.splitlines()
    found = models[1].importance()

    assert (code, err) == (0, "")
    assert first.startswith("Which terms matter?")
    assert header.split() == ["importance", "95%", "limits", "share"]
    assert [line.split("  ")[1].strip() for line in lines[:2]] == found["term"].tolist()
    assert np.allclose(
        [float(line.split()[1 + line.count(", ")]) for line in lines[:2]], found["importance"], atol=0.006
    )
    assert "\n".join(lines[2:]) == str(models[1].check_terms())


def test_weights_are_those_of_the_fit(pugam_says, rows, empty_folder):
    rows.assign(w=np.where(np.arange(len(rows)) % 2, 0.5, 1.5)).to_csv("rows.csv", index=False)
    fit = ["--label", "z", "--weights", "w", "--terms", "x1 + x2", "--pi", "0.4", "--out", "model.json", "--quiet"]
    assert pugam_says("fit", "rows.csv", *fit)[0] == 0
    code, out, err = pugam_says("check", "model.json", "rows.csv")

    assert code == 0, err
    assert out.startswith("Which terms matter?")


def test_models_of_the_same_rows_are_compared(pugam_says, saved, models):
    code, out, err = pugam_says("anova", "lines.json", "curves.json", "--level", "0.9")

    assert (code, err) == (0, "")
    assert out.rstrip("\n") == str(models[0].anova(models[1], names=["lines", "curves"], level=0.9))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["anova", "lines.json"], "compares two models or more"),
        (["anova", "lines.json", "none.json"], "none.json is not found"),
        (["check", "lines.json", "none.csv", "--label", "z"], "none.csv"),
        (["check", "lines.json", "rows.csv", "--label", "z", "--level", "2"], "--level is a probability"),
    ],
)
def test_mistakes_are_told_in_one_line(pugam_says, saved, arguments, said):
    code, _, err = pugam_says(*arguments)

    assert code == 2
    assert said in err
    assert err.count("\n") == 1
