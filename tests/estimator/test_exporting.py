"""Scorers for elsewhere give the scores of `predict_proba`, or refuse the rows that it refuses."""

import math
import runpy
import sqlite3

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, InputError, load
from pugam.datasets import simulate

pytestmark = pytest.mark.filterwarnings("ignore::pugam.PugamWarning", "ignore::pugam.VerdictWarning")

N0, N1 = 250, 450
TOLERANCE = 1e-10  # of scores
STRANGE = {"'); DROP TABLE claims; --": 0.4, 'it\'s "b"': -0.3, "a\nb\\": 0.0}
NAME = 'x"; DROP TABLE claims; -- \n\'"""'


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    n = N0 + N1
    is_positive = np.arange(n) < N0 + 0.4 * N1
    frame = pd.DataFrame(
        {
            "a": rng.normal(1.5 * is_positive, 1.0),
            "b": rng.uniform(0.0, 1.0, n) ** np.where(is_positive, 0.5, 1.0),
            "tail": np.exp(rng.normal(0.6 * is_positive, 1.0)),
            "month": rng.integers(1, 13, n),
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.normal(is_positive, 1.0)),
            "site": rng.choice(list(STRANGE), n, p=[0.5, 0.3, 0.2]),
            "code": rng.integers(1, 4, n),
            "flag": rng.random(n) < 0.5,
            NAME: rng.normal(0.5 * is_positive, 1.0),
        }
    )
    frame["holes"] = frame["site"].where(rng.random(n) < 0.8, None)
    return frame, (np.arange(n) < N0).astype(int)


@pytest.fixture(scope="module")
def beyond(rows):
    """Rows of the fit, and rows far outside its range."""
    frame, _ = rows
    far = frame.head(4).assign(a=[-40.0, 40.0, 0.0, 1.0], tail=[-9.0, 1e6, 0.0, 1e-9], b=[-3.0, 9.0, 0.0, 1.0])
    return pd.concat([frame.iloc[::7], far.assign(month=[0, 13, 25, -7])], ignore_index=True)


def score_in_python(model, frame, tmp_path, **options):
    model.export(tmp_path / "scorer.py", **options)
    score = runpy.run_path(str(tmp_path / "scorer.py"))["score"]
    return np.array([score(row) for row in frame.to_dict("records")])


def add_functions(connection):
    """Give SQLite exp() and its like, which it has only if it was built with them."""
    for name, function in (("exp", math.exp), ("ln", math.log), ("sqrt", math.sqrt), ("floor", math.floor)):
        try:
            connection.execute(f"select {name}(1.0)")
        except sqlite3.OperationalError:
            connection.create_function(name, 1, lambda x, function=function: None if x is None else function(x))


def score_in_sql(model, frame, tmp_path, **options):
    model.export(tmp_path / "scorer.sql", table='cl"aims', **options)
    with sqlite3.connect(":memory:") as connection:
        add_functions(connection)
        frame.to_sql('cl"aims', connection, index=False)
        query = (tmp_path / "scorer.sql").read_text(encoding="utf-8")
        found = pd.read_sql_query(query, connection)
        assert connection.execute('select count(*) from "cl""aims"').fetchone() == (len(frame),)
    assert list(found.columns) == ["pugam_score", "pugam_ratio", *frame.columns]
    return found["pugam_score"].to_numpy(dtype=float)


FORMULAS = [
    "a + b",
    "s(a) + s(b, k=4) + offset(a)",
    "s(tail, scale='log') + a",
    "s(month, cyclic=True, bounds=(0, 12)) + s(a, shape='increasing')",
    "s(gaps, missing='effect') + l(gaps2, missing='effect') + a",
    "f(site) + f(code, unseen='zero') + r(holes, missing='effect') + f(flag) + s(a)",
    "te(a, b) + s(tail)",
    "ti(a, f(site)) + s(a) + f(site) + b",
    "s(a, by=site) + f(site) + s(b, by=tail) + l(month)",
    "a:b:flag + a + b + f(flag) + s(tail)",
    "ti(gaps, a, missing='zero') + s(gaps, missing='effect') + s(a) + b",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_kind_of_term_scores_as_the_model_does(rows, beyond, formula, tmp_path):
    X, z = rows
    X, beyond = (frame.assign(gaps2=-frame["gaps"]) for frame in (X, beyond))
    model = PUGAM(formula, smoothing=0.1, n_starts=1).fit(X, z)  # the others are by marginal likelihood
    expected = model.predict_proba(beyond)[:, 1]

    np.testing.assert_allclose(score_in_python(model, beyond, tmp_path), expected, rtol=0.0, atol=TOLERANCE)
    np.testing.assert_allclose(score_in_sql(model, beyond, tmp_path), expected, rtol=0.0, atol=TOLERANCE)


@pytest.fixture(scope="module")
def model(rows):
    X, z = rows
    terms = ["s(a, k=5)", f"l(`{NAME}`)", "f(site)", "s(gaps, k=5, missing='effect')", "f(code, unseen='zero')"]
    return PUGAM(terms, check=False).fit(X, z)


def test_names_and_levels_are_no_commands(model, beyond, tmp_path):
    expected = model.predict_proba(beyond)[:, 1]

    np.testing.assert_allclose(score_in_python(model, beyond, tmp_path), expected, rtol=0.0, atol=TOLERANCE)
    np.testing.assert_allclose(score_in_sql(model, beyond, tmp_path), expected, rtol=0.0, atol=TOLERANCE)


@pytest.mark.parametrize("options", [{"shrinkage": "always"}, {"estimate": "mode"}, {"pi": 0.3}], ids=str)
def test_every_kind_of_fit_scores_as_the_model_does(rows, beyond, options, tmp_path):
    X, z = rows
    model = PUGAM("s(a, k=5) + b", check=False, n_starts=2, **options).fit(X, z)
    expected = model.predict_proba(beyond)[:, 1]

    np.testing.assert_allclose(score_in_python(model, beyond, tmp_path), expected, rtol=0.0, atol=TOLERANCE)
    np.testing.assert_allclose(score_in_sql(model, beyond, tmp_path), expected, rtol=0.0, atol=TOLERANCE)


def test_rows_without_a_score_are_refused_in_python_and_have_none_in_sql(model, rows, tmp_path):
    X, _ = rows
    bad = X.head(4).copy()
    bad.loc[0, "a"], bad.loc[1, "site"], bad.loc[2, "code"] = np.nan, "new", 99
    bad = bad.astype({"site": object})
    bad.loc[3, "site"] = None
    expected = model.predict_proba(bad, unscorable="nan")[:, 1]

    np.testing.assert_allclose(score_in_sql(model, bad, tmp_path), expected, rtol=0.0, atol=TOLERANCE)
    model.export(tmp_path / "scorer.py")
    score = runpy.run_path(str(tmp_path / "scorer.py"))["score"]
    first, new, unseen, missing = bad.to_dict("records")
    assert score(unseen) == pytest.approx(expected[2], abs=TOLERANCE)
    for row, message in (
        (first, "a is missing"),
        (new, "site 'new' was not seen in the fit"),
        (missing, "site is missing"),
        ({**unseen, "a": "1.5"}, "a is not a finite number: '1.5'"),
        ({**unseen, "a": math.inf}, "a is not a finite number: inf"),
        ({"a": 1.0}, "the row has no column"),
    ):
        with pytest.raises(ValueError, match=message):
            score(row)


def test_a_share_of_its_own_or_of_a_sample_counts(rows, beyond, tmp_path):
    X, z = rows
    sample = np.where(np.arange(len(z)) % 2 == 0, "even", "odd")
    model = PUGAM("s(a, k=5) + b", check=False).fit(X, z, sample=sample)

    for options in ({}, {"sample": "odd"}, {"pi": 0.05}):
        expected = model.predict_proba(beyond, **options)[:, 1]
        found = score_in_python(model, beyond, tmp_path, **options)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE)


def test_a_model_without_rows_is_exported_as_the_same_text(model, tmp_path):
    model.save(tmp_path / "model.json")
    for name, options in (("scorer.py", {}), ("scorer.sql", {"table": ("public", "claims"), "keep": ["a"]})):
        model.export(tmp_path / name, **options)
        text = (tmp_path / name).read_text(encoding="utf-8")
        load(tmp_path / "model.json").export(tmp_path / name, **options)
        assert (tmp_path / name).read_text(encoding="utf-8") == text
    assert 'SELECT pugam_ratios."a"' in text
    assert 'FROM "public"."claims" AS pugam_rows' in text


def test_a_model_of_several_kinds_is_exported_by_kind(model, tmp_path, monkeypatch):
    monkeypatch.setattr(model, "_kinds", object())
    with pytest.raises(InputError, match="one by one, as of_kind gives them"):
        model.export(tmp_path / "scorer.py")


def test_the_module_imports_math_alone(model, tmp_path):
    model.export(tmp_path / "scorer.py")
    lines = (tmp_path / "scorer.py").read_text(encoding="utf-8").splitlines()

    assert [line for line in lines if "import" in line] == ["import math"]


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("scorer.txt", {}, r"ends with \.py or \.sql"),
        ("scorer.sql", {}, "A query reads a table; name it, as in table='claims'"),
        ("scorer.py", {"table": "claims"}, "table is for queries"),
        ("scorer.sql", {"table": "cla\0ims"}, "SQL has no name"),
        ("scorer.sql", {"table": "cla\r\nims"}, "SQL has no name"),
        ("scorer.py", {"pi": 2.0}, "pi"),
    ],
)
def test_what_cannot_be_exported_is_refused(model, path, options, message, tmp_path):
    with pytest.raises(InputError, match=message):
        model.export(tmp_path / path, **options)
    assert not (tmp_path / path).exists()


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_levels_that_would_be_read_otherwise_from_a_text_file_are_refused(end, tmp_path):
    data = simulate(1, n0=200, n=500, random_state=0)
    X = data.X.assign(site=[("north", f"so{end}uth")[number % 2] for number in range(500)])
    model = PUGAM("x1 + x2 + f(site)", pi=0.4, check=False).fit(X, data.z)

    with pytest.raises(InputError, match="SQL cannot hold the level"):
        model.export(tmp_path / "scorer.sql", table="claims")
    model.export(tmp_path / "scorer.py")


def test_columns_of_an_earlier_result_do_not_count(model, beyond, tmp_path):
    """A table made of what a query returned has columns called as those that another query adds."""
    model.export(tmp_path / "scorer.sql", table="claims")
    query = (tmp_path / "scorer.sql").read_text(encoding="utf-8")
    with sqlite3.connect(":memory:") as connection:
        add_functions(connection)
        beyond.assign(pugam_ratio=9.0, PUGAM_score=0.5).to_sql("claims", connection, index=False)
        connection.execute(f"create table scored as {query}")
        found = pd.read_sql_query("select pugam_score from scored", connection)["pugam_score"]

    np.testing.assert_allclose(found, model.predict_proba(beyond)[:, 1], rtol=0.0, atol=TOLERANCE)
    with pytest.raises(InputError, match="returns a column pugam_score already"):
        model.export(tmp_path / "scorer.sql", table="claims", keep=["a", "pugam_score"])


def test_rows_of_a_model_with_own_curves_have_the_share_of_their_sample(rows, tmp_path):
    """Rows of a sample that the fit never saw, where these are permitted, have the share of all unlabelled rows."""
    X, z = rows
    X = X[["a", "b"]].assign(half=np.where(np.arange(len(z)) % 2, "odd", "even"))
    terms = "s(a, by=half, k=4, unseen='zero') + b + f(half, unseen='zero')"
    model = PUGAM(terms, check=False).fit(X, z, sample="half")
    new = X.tail(5).assign(half=["odd", "even", "odd", "third", "even"])
    expected = model.predict_proba(new)[:, 1]

    assert expected[3] == model.predict_proba(new, pi=model.pi_)[3, 1]
    assert model.predict_interval(new)["p_positive"].iloc[3] == expected[3]
    found = model.worklist(new, top=5).rows
    np.testing.assert_allclose(sorted(found["p_positive"]), sorted(expected), rtol=1e-12)
    np.testing.assert_allclose(score_in_python(model, new, tmp_path), expected, rtol=0.0, atol=TOLERANCE)
    np.testing.assert_allclose(score_in_sql(model, new, tmp_path), expected, rtol=0.0, atol=TOLERANCE)
