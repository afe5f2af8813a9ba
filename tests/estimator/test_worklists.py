"""Worklists: which rows are on them, what they are expected to yield, and what is refused."""

import pickle

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from pugam import PUGAM, InputError, load
from pugam.datasets import simulate


@pytest.fixture(scope="module")
def data():
    return simulate(2, n0=800, n=2000, random_state=1)


@pytest.fixture(scope="module")
def hidden(data):
    return data.X[data.z == 0].reset_index(drop=True)


@pytest.fixture(scope="module")
def model(data):
    return PUGAM().fit(data.X, data.z)


def test_the_likeliest_rows_are_listed_with_the_columns_asked_for(model, hidden):
    listed = model.worklist(hidden.assign(claim=np.arange(len(hidden)) + 5000), top=20, columns=["claim", "x1"])
    posterior = model.predict_proba(hidden)[:, 1]

    assert list(listed.rows.columns) == ["rank", "row", "p_positive", "lower", "upper", "claim", "x1"]
    assert listed.rows["row"].tolist() == np.argsort(-model.decision_function(hidden), kind="stable")[:20].tolist()
    assert (listed.rows["claim"] == listed.rows["row"] + 5000).all()
    np.testing.assert_allclose(listed.rows["p_positive"], posterior[listed.rows["row"]])
    limits = model.predict_interval(hidden)
    np.testing.assert_allclose(listed.rows["lower"], limits["lower"].to_numpy()[listed.rows["row"]])
    assert listed.found.estimate == pytest.approx(np.sort(posterior)[-20:].sum())


def test_rows_are_named_by_the_index_of_x(model, hidden, data):
    names = [f"C{number}" for number in range(len(hidden))]
    claims, numbered = hidden.set_axis(names, axis=0), model.worklist(hidden, top=20).rows["row"]
    pairs = hidden.set_index([pd.Index(names), pd.Index(names[::-1])])
    days = hidden.set_axis(pd.date_range("2024-01-01", periods=len(hidden)), axis=0)

    assert model.worklist(claims, top=20).rows["row"].tolist() == [names[number] for number in numbered]
    assert model.worklist(pairs, top=1).rows["row"].tolist() == [pairs.index[numbered[0]]]
    assert model.worklist(days, top=20).rows["row"].tolist() == days.index[numbered].tolist()
    assert model.worklist(hidden.to_numpy(), top=20).rows["row"].tolist() == numbered.tolist()
    later = hidden.iloc[500:]
    listed = model.worklist(later, top=20).rows
    np.testing.assert_allclose(model.predict_proba(later.loc[listed["row"]])[:, 1], listed["p_positive"])


def test_rows_of_the_fit_are_named_by_its_index(model, data):
    names = np.array([f"P{number}" for number in range(len(data.X))])
    rows = data.X.set_axis(names, axis=0)
    named = PUGAM(check=False).fit(rows, data.z)
    expected = names[model.worklist(top=30).rows["row"]].tolist()

    assert named.worklist(top=30).rows["row"].tolist() == expected
    again = pickle.loads(pickle.dumps(named)).attach(rows, data.z)
    assert again.worklist(top=30).rows["row"].tolist() == expected


def test_without_rows_the_unlabelled_ones_of_the_fit_are_ranked(model, hidden, data):
    own, given = model.worklist(top=50), model.worklist(hidden, top=50)

    assert own.rows["row"].tolist() == np.flatnonzero(data.z == 0)[given.rows["row"]].tolist()
    assert own.found == given.found
    assert str(own) == str(given)


def test_a_review_of_all_rows_finds_pi_of_them_with_its_interval(model, hidden):
    n, pi = len(hidden), model.pi_interval()
    found, surer = model.worklist(hidden).found, model.worklist(hidden, model_error=False).found
    width = n * (pi.upper - pi.lower)

    assert found.estimate == surer.estimate == pytest.approx(n * model.pi_, rel=1e-6)
    assert found.lower == pytest.approx(n * pi.lower, abs=0.15 * width)
    assert found.upper == pytest.approx(n * pi.upper, abs=0.15 * width)
    assert (surer.lower > found.lower, surer.upper) == (True, found.upper)


def test_what_was_hidden_is_in_the_interval(model, data):
    for asked in ({"top": 50}, {"top": 400}, {"threshold": 0.5}, {"threshold": 0.2}):
        listed = model.worklist(**asked)
        assert listed.found.lower <= data.y[listed.rows["row"]].sum() <= listed.found.upper


def test_costs_are_a_threshold(model, hidden):
    by_costs, by_threshold = model.worklist(hidden, cost_review=2, cost_miss=8), model.worklist(hidden, threshold=0.25)

    assert by_costs.rows.equals(by_threshold.rows)
    assert by_costs.rows["p_positive"].min() >= 0.25


def test_cutoffs_hold_the_list_itself_and_rise(model, hidden):
    listed = model.worklist(hidden, top=77)
    table = listed.cutoffs

    assert table["reviewed"].tolist() == [10, 20, 50, 77, 100, 200, 500, 1000, 1200]
    row = table[table["reviewed"] == 77].iloc[0]
    assert (row["found"], row["found_lower"], row["found_upper"]) == (
        listed.found.estimate,
        listed.found.lower,
        listed.found.upper,
    )
    assert row["precision"] == listed.precision.estimate
    assert table["found"].is_monotonic_increasing
    assert table["precision"].is_monotonic_decreasing


def test_the_sentence(model, hidden):
    listed = model.worklist(hidden, top=100)
    found = listed.found

    assert listed.sentence.startswith(
        f"Review 100 rows, expect {found.estimate:.0f} positives (95% interval {found.lower:.0f} to {found.upper:.0f})"
    )
    assert model.worklist(hidden, top=1).sentence.startswith("Review 1 row, expect 1 positive (95% interval ")
    assert (
        ": that is 100% of the rows reviewed, and 0.2% (0.2% to 0.2%) of all positives among the 1,200 rows."
        in model.worklist(hidden, top=1).sentence
    )
    assert str(model.worklist(hidden, threshold=1.0)) == "No row of 1,200 is to be reviewed."


@pytest.mark.parametrize(
    ("verdict", "pi", "caveat"),
    [
        ("well determined", None, None),
        ("weakly determined", None, "pi is weakly determined, and these numbers depend on it."),
        ("weakly determined", 0.4, None),
        ("does not fit", 0.4, "The model does not fit these data, and these numbers rest on it."),
    ],
)
def test_a_verdict_that_leaves_doubts_goes_with_the_numbers(model, hidden, monkeypatch, verdict, pi, caveat):
    monkeypatch.setattr(model, "verdict_", verdict)
    listed = model.worklist(hidden, top=10, pi=pi)

    assert listed.caveat == caveat
    assert str(listed).endswith(f"\n! {caveat}") == (caveat is not None)


def test_a_known_share_moves_the_list(model, hidden):
    elsewhere = model.worklist(hidden, pi=0.05).found

    assert elsewhere.estimate == pytest.approx(model.predict_proba(hidden, pi=0.05)[:, 1].sum())


def test_a_loaded_model_lists_new_rows_alike(model, hidden, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")

    assert str(loaded.worklist(hidden, top=30)) == str(model.worklist(hidden, top=30))
    with pytest.raises(InputError, match="A worklist of the rows of the fit needs the rows"):
        loaded.worklist(top=30)


def test_frames_are_of_the_library_of_x(model, hidden):
    listed = model.worklist(pl.from_pandas(hidden.assign(who="a")), top=3, columns="who")

    assert isinstance(listed.rows, pl.DataFrame)
    assert isinstance(listed.cutoffs, pl.DataFrame)
    assert listed.rows["who"].to_list() == ["a", "a", "a"]


@pytest.mark.parametrize("estimate", ["marginal", "mode"])
def test_every_kind_of_fit_has_worklists(estimate, data):
    shrunken = PUGAM(estimate=estimate, shrinkage="always", check=False).fit(data.X[600:1100], data.z[600:1100])
    fixed = PUGAM("x1 + x2", pi=0.4, check=False).fit(data.X, data.z)

    for model in (shrunken, fixed):
        listed = model.worklist(top=40)
        assert listed.found.lower <= listed.found.estimate <= listed.found.upper <= 40


def test_rows_of_samples_have_the_shares_of_these(data):
    year = np.where(np.arange(len(data.X)) % 3 == 0, 2023, 2024)
    model = PUGAM(check=False).fit(data.X, data.z, sample=year)
    unlabelled = data.z == 0
    own, given = model.worklist(top=60), model.worklist(data.X[unlabelled], top=60, sample=year[unlabelled])

    assert own.found == given.found
    everything = model.worklist().found
    assert everything.estimate == pytest.approx(model.n1_ * model.pi_, rel=0.01)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"top": 0}, "top is a whole number of at least 1; got 0."),
        ({"top": 2.5}, "top is a whole number of at least 1; got 2.5."),
        ({"threshold": 1.5}, "threshold is a probability from 0 to 1; got 1.5."),
        ({"top": 5, "threshold": 0.5}, "top and threshold both say how long the list is; give one of them."),
        ({"threshold": 0.5, "cost_review": 1, "cost_miss": 2}, "threshold and cost_review both say"),
        ({"cost_review": 1}, "cost_review and cost_miss go together; give both."),
        ({"cost_review": -1, "cost_miss": 2}, "cost_review is a cost above zero; got -1."),
        ({"cost_review": 3, "cost_miss": 2}, r"no row is worth one; check cost_review and cost_miss."),
        ({"columns": "nope"}, "X has no column 'nope'; it has 'x1'"),
        ({"level": 2}, "level is a probability strictly between 0 and 1"),
        ({"pi": 0.1, "sample": "a"}, "The share of positives is given twice"),
    ],
)
def test_what_cannot_be_listed_is_refused(model, hidden, asked, told):
    with pytest.raises(InputError, match=told):
        model.worklist(hidden, **asked)


def test_columns_that_are_taken_or_not_there_are_refused(model, hidden):
    with pytest.raises(InputError, match="A worklist has a column 'rank' of its own; rename that of X first"):
        model.worklist(hidden.assign(rank=1), columns="rank")
    with pytest.raises(InputError, match="columns are columns of a data frame X; give X as one"):
        model.worklist(top=3, columns="x1")


def test_several_kinds_of_positives_have_none():
    rng = np.random.default_rng(0)
    centres = np.repeat([[3, -2], [2, 3], [3, -2], [2, 3], [0, 0]], [200, 50, 60, 60, 280], axis=0)
    X, z = pd.DataFrame(centres + rng.normal(size=centres.shape)), np.repeat([1, 0], [250, 400])
    model = PUGAM(check=False).fit(X.to_numpy(), z, kind=np.where(centres[:, 0] > 2, "right", "up"))

    with pytest.raises(InputError, match="This model has 2 kinds of positives, and what a review finds is known for"):
        model.worklist(X.to_numpy())


LONG = [None, *range(2**53 + 1, 2**53 + 5999, 2)]
DAYS = pd.date_range("2020-06-09", periods=len(LONG), tz="Europe/Berlin")
CARRIED = {
    "pandas": lambda X: X.assign(claim=pd.array(LONG[: len(X)], "Int64"), day=DAYS[: len(X)]),
    "pandas on Arrow": lambda X: X.assign(claim=pd.array(LONG[: len(X)], "int64[pyarrow]"), day=DAYS[: len(X)]),
    "polars": lambda X: pl.from_pandas(CARRIED["pandas"](X)),
    "Arrow": lambda X: CARRIED["polars"](X).to_arrow(),
}


@pytest.mark.parametrize("make", CARRIED.values(), ids=CARRIED)
def test_columns_carried_along_keep_values_and_type(model, hidden, make):
    X = make(hidden)
    listed = model.worklist(X, columns=["claim", "day"]).rows
    none = model.worklist(X, threshold=1.0, columns="claim").rows

    frame, given = (nw.from_native(one) for one in (listed, X))
    order = frame["row"].to_list()
    for name in ("claim", "day"):
        values = given[name].to_list()
        assert [str(value) for value in frame[name].to_list()] == [str(values[row]) for row in order]
        assert frame.schema[name] == given.schema[name]
    assert len(none) == 0


def test_integers_with_a_gap_that_name_rows_are_not_rounded(model, hidden):
    named = hidden.set_axis(pd.Index(pd.array(LONG[: len(hidden)], "Int64")), axis=0)
    names = [LONG[row] for row in model.worklist(hidden).rows["row"]]

    assert [None if name is pd.NA else name for name in model.worklist(named).rows["row"]] == names


def test_columns_are_carried_by_the_names_that_they_have_in_a_table(model, hidden):
    unnamed = PUGAM(check=False, smoothing=0.1).fit(*_numbered(hidden))
    numbered, _ = _numbered(hidden)
    pairs = numbered.set_axis(pd.MultiIndex.from_product([["a"], range(numbered.shape[1])]), axis=1)

    first = unnamed.worklist(numbered.iloc[:1], columns="0").rows
    assert first["0"].tolist() == numbered.iloc[:1, 0].tolist()
    listed = unnamed.worklist(pairs.to_numpy(), top=3).rows["row"]
    with_pairs = PUGAM(check=False, smoothing=0.1).fit(pairs, _numbered(hidden)[1]).worklist(pairs, columns="('a', 1)")
    assert with_pairs.rows["('a', 1)"][:3].tolist() == numbered.iloc[listed, 1].tolist()
    assert list(model.worklist(hidden, top=1, columns=["x1", "x1"]).rows)[5:] == ["x1"]
    with pytest.raises(InputError, match="X has several columns named 'x1'"):
        model.worklist(pd.concat([hidden, hidden[["x1"]]], axis=1), columns="x1")


def _numbered(X):
    return X.set_axis(range(X.shape[1]), axis=1), np.arange(len(X)) % 3 == 0


@pytest.mark.parametrize("columns", [0, [0], True, [True], [None], 1.5, [("a", "b")], b"x1", np.array(0)], ids=repr)
def test_what_is_no_name_of_a_column_is_refused(model, hidden, columns):
    with pytest.raises(InputError, match="columns takes names, each a text"):
        model.worklist(hidden.set_axis(range(hidden.shape[1]), axis=1), columns=columns)
