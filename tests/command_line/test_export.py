"""`pugam export`: a saved model as a scorer for elsewhere."""

import runpy

import pytest

from pugam import PUGAM


@pytest.fixture
def model(empty_folder, make_rows):
    rows = make_rows(200, 500)
    model = PUGAM("x1 + x2", check=False).fit(rows[["x1", "x2"]], rows["z"])
    model.save("model.json")
    return model


def test_a_python_scorer_gives_what_the_model_gives(pugam_says, model, make_rows):
    code, out, err = pugam_says("export", "model.json", "scorer.py", "--pi", "0.2")

    assert (code, out, err) == (0, "Scorer: scorer.py\n", "")
    row = make_rows(200, 500)[["x1", "x2"]].head(1)
    score = runpy.run_path("scorer.py")["score"]
    assert score(row.to_dict("records")[0]) == pytest.approx(model.predict_proba(row, pi=0.2)[0, 1], abs=1e-10)


def test_a_query_names_its_table_and_columns(pugam_says, model, empty_folder):
    flags = ["--table", "claims", "--schema", "public", "--keep", "id", "--quiet"]
    code, out, err = pugam_says("export", "model.json", "--out", "scorer.sql", *flags)

    assert (code, out, err) == (0, "", "")
    query = (empty_folder / "scorer.sql").read_text(encoding="utf-8")
    assert 'FROM "public"."claims" AS' in query
    assert 'SELECT pugam_ratios."id",' in query


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["model.json", "scorer.sql"], "A query reads a table; name it, as in --table claims."),
        (["model.json", "scorer.py", "--table", "claims"], "--table is for queries"),
        (["model.json", "scorer.exe"], "ends with .py or .sql"),
        (["model.json", "scorer.py", "--kind", "a"], "--kind is for models of several kinds"),
        (["none.json", "scorer.py"], "none.json is not found"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_line(pugam_says, model, arguments, said):
    code, _, err = pugam_says("export", *arguments)

    assert code == 2
    assert said in err
    assert err.count("\n") == 1
