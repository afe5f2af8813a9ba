"""Kinds of positives on the command line."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM

PLACES = [(3.0, -2.0), (2.0, 3.0), (3.0, -2.0), (2.0, 3.0), (0.0, 0.0)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    centres = np.repeat(PLACES, [120, 40, 40, 40, 180], axis=0)
    X = pd.DataFrame(centres + np.random.default_rng(0).normal(size=centres.shape), columns=["a", "b"])
    z = np.repeat([1, 0], [160, 260])
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    X.assign(z=z, type=np.where(z == 1, np.where(centres[:, 0] == 3.0, "right", "up"), "")).to_csv(path, index=False)
    return str(path)


def test_shares_of_kinds_are_printed_and_saved(pugam_says, table):
    code, out, err = pugam_says(
        *("fit", table, "--label", "z", "--kind", "type", "--terms", "a + b", "--out", "model.json"),
        *("--json", "found.json"),
    )

    assert code == 0, err
    assert "shares of all kinds of positives added up" in out
    assert "  right " in out
    assert [kind["name"] for kind in json.loads(Path("model.json").read_text())["kinds"]] == ["right", "up"]
    found = json.loads(Path("found.json").read_text())
    assert f"pi = {found['pi']:.3f}" in out
    assert {finding["of_kind"] for finding in found["findings"]} <= {"right", "up"}
    code, _, err = pugam_says("predict", "model.json", table, "--out", "scored.csv")
    assert code == 0, err
    assert pd.read_csv("scored.csv")["p_positive"].between(0.0, 1.0).all()


@pytest.fixture
def fitted(pugam_says, table):
    """A model of kinds and its report."""
    given = "--label", "z", "--kind", "type", "--terms", "a + b", "--out", "model.json", "--report", "fit.html"
    code, _, err = pugam_says("fit", table, *given)
    assert code == 0, err
    return "model.json"


def page(name):
    return Path(name).read_text(encoding="utf-8")


def test_a_report_is_written_with_the_fit_and_again_from_the_model_and_its_rows(pugam_says, table, fitted):
    code, _, err = pugam_says("report", fitted, table, "--out", "again.html")

    assert code == 0, err
    assert page("again.html") == page("fit.html")
    assert "Shares of the kinds" in page("fit.html")
    assert "--kind type" in page("fit.html")
    assert "plot(" not in page("fit.html").split("<script")[0]


def test_a_report_has_the_level_and_the_number_of_rows_asked_for(pugam_says, table, fitted):
    rows = pd.read_csv(table)
    rows.assign(who=[f"patient-{number}" for number in range(len(rows))]).to_csv("named.csv", index=False)
    code, _, err = pugam_says("report", fitted, "named.csv", "--level", "0.8", "--top", "3", "--id", "who")

    assert code == 0, err
    assert "80% interval" in page("report.html")
    assert "95% interval" not in page("report.html").split('<h2 id="effects">')[0]
    named = [int(number) for number in re.findall(r">patient-(\d+)<", page("report.html"))]
    assert len(named) == 3
    assert min(named) >= 160  # labelled rows come first


def test_a_refit_writes_a_report_of_kinds(pugam_says, table, fitted):
    code, out, err = pugam_says("refit", fitted, table, "--report", "next.html")

    assert code == 0, err
    assert "before: pi = " in out
    assert "Shares of the kinds" in page("next.html")


def test_rows_of_another_fit_are_refused(pugam_says, table, fitted):
    rows = pd.read_csv(table)
    rows.assign(type=np.where(rows["z"] == 1, "right", "")).to_csv("one.csv", index=False)
    rows.assign(a=rows["a"] + 1.0).to_csv("moved.csv", index=False)

    for name, said in (("one.csv", "These are not the kinds of positives"), ("moved.csv", "These are not the rows")):
        code, _, err = pugam_says("report", fitted, name)
        assert code == 2
        assert said in err


def test_kinds_fitted_in_turn_have_a_report_with_the_fit_only(pugam_says, table, fitted):
    document = json.loads(Path(fitted).read_text(encoding="utf-8"))
    Path("turns.json").write_text(json.dumps(document | {"sweeps": 3}), encoding="utf-8")

    code, _, err = pugam_says("report", "turns.json", table)

    assert code == 2
    assert "fitted in turn cannot take their rows back: write the report with the fit, by pugam fit with --kind" in err


def test_kinds_are_found(pugam_says, table):
    given = "--label", "z", "--drop", "type", "--kind", "auto", "--out", "model.json", "--report", "found.html"
    code, out, err = pugam_says("fit", table, *given)

    assert code == 0, err
    assert "cluster 2" in out
    assert "! pi is weakly determined. Kinds were found by clustering" in " ".join(err.split())
    assert "cluster 2" in page("found.html")
    assert "Kinds were found by clustering" in page("found.html")
    code, _, err = pugam_says("report", "model.json", table)
    assert code == 2
    assert "No column tells the kinds of this model" in err


def test_a_single_kind_is_a_model_like_any_other(pugam_says, table):
    rows = pd.read_csv(table).assign(type="ill")
    rows.to_csv("one.csv", index=False)
    code, _, err = pugam_says("fit", "one.csv", "--label", "z", "--kind", "type", "--terms", "a + b", "--out", "m.json")
    assert code == 0, err

    assert pugam_says("report", "m.json", "one.csv")[0] == 0
    assert pugam_says("check", "m.json", "one.csv")[0] == 0
    code, _, err = pugam_says("report", "m.json", "one.csv", "--kind", "type")
    assert code == 2
    assert "--kind is for models of several kinds of positives" in err


def test_a_model_that_was_fitted_in_python_is_told_its_column(pugam_says, table):
    rows = pd.read_csv(table, keep_default_na=False)
    PUGAM("a + b", check=False).fit(rows[["a", "b"]], rows["z"], kind=rows["type"]).save("model.json")

    code, _, err = pugam_says("report", "model.json", table, "--label", "z")
    assert code == 2
    assert "its file does not say which column tells them; give --kind" in err
    code, _, err = pugam_says("report", "model.json", table, "--label", "z", "--kind", "type")
    assert code == 0, err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "species"], "species"),
        (["--kind", "type", "--ci", "profile"], "--ci profile is of one kind of positives"),
        (["--kind", "type", "--sample", "b"], "--kind and --sample cannot be used together"),
        (["--kind", "type", "--rare-kinds", "drop"], "--rare-kinds"),
        (["--kind", "type", "--engine", "stream"], "--kind is for tables in memory"),
    ],
)
def test_what_does_not_go_with_kinds_is_refused(pugam_says, table, options, said):
    code, _, err = pugam_says("fit", table, "--label", "z", *options)

    assert code == 2
    assert said in err


def test_a_kind_may_be_called_like_a_column_of_results(pugam_says, table):
    rows = pd.read_csv(table).replace({"type": {"right": "positive", "up": "positive_"}})
    rows.to_csv("rows.csv", index=False)
    given = "--label", "z", "--kind", "type", "--terms", "a + b", "--shrinkage", "never", "--out", "model.json", "-q"
    assert pugam_says("fit", "rows.csv", *given)[0] == 0
    code, _, err = pugam_says("predict", "model.json", "rows.csv", "--labelled", "keep", "--out", "scored.csv")

    assert code == 0
    assert "The probability of the kind 'positive' is column 'p_positive__'" in err
    model, scored = pugam.load("model.json"), pd.read_csv("scored.csv")
    X = rows[["a", "b"]]
    kinds = model.predict_kinds(X)
    assert isinstance(kinds, pd.DataFrame)
    assert isinstance(model.kinds(), pd.DataFrame)
    for column, values in (
        ("p_positive", model.predict_proba(X)[:, 1]),
        ("p_positive__", kinds["positive"]),
        ("p_positive_", kinds["positive_"]),
    ):
        np.testing.assert_allclose(scored[column], values, atol=1e-9)
