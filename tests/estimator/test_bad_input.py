"""Data and arguments that cannot be used: each is refused with a short message that says what, where and what to do."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from pugam import PUGAM, PugamError, f, l, s

N = 40
MOST_SENTENCES, MOST_CHARACTERS = 3, 330
JARGON = ("traceback", "nonetype", "object at 0x", "ndarray", "dtype", "unhashable", "keyerror", "typeerror", "__")

RNG = np.random.default_rng(0)
Z = np.repeat([1, 0], N // 2)
X = pd.DataFrame({"age": RNG.normal(40, 10, N) + 10 * Z, "dose": RNG.normal(0, 1, N), "two": np.arange(N) % 2})
X = X.assign(site=np.array(["a", "b", "c"])[np.arange(N) % 3])
NUMBERS = X[["age", "dose"]]


def with_cell(column, row, value):
    table = NUMBERS.astype({column: object}) if isinstance(value, str) else NUMBERS.copy()
    table.loc[row, column] = value
    return table


def changed(values, row, value):
    values = np.array(values, dtype=object if isinstance(value, str) or value is None else float)
    values[row] = value
    return values


def rows(*kept):
    """Keep a few rows: a bad choice of z and X at once."""
    return {"X": NUMBERS.iloc[list(kept)], "z": Z[list(kept)]}


# id: (what is passed to the constructor or to fit, fragments that the message must hold)
LABELS = {
    "no positives": ({"z": np.zeros(N)}, ["no row is a labelled positive", "Code the labelled positives as 1"]),
    "no unlabelled": ({"z": np.ones(N)}, ["every row is a labelled positive", "unlabelled"]),
    "three values": ({"z": np.arange(N) % 3}, ["z holds 2", "row 2", "as 1 and an unlabelled row as 0"]),
    "one and two": ({"z": Z + 1}, ["z holds 2", "row 0", "as 1 and an unlabelled row as 0"]),
    "text": ({"z": np.where(Z, "yes", "no")}, ["z holds 'yes', 'no'", "as 1 and an unlabelled row as 0"]),
    "digits as text": ({"z": np.where(Z, "1", "0")}, ["z holds '1', '0'"]),
    "fractions": ({"z": changed(Z, 3, 0.5)}, ["z holds 0.5 at row 3", "as 1 and an unlabelled row as 0"]),
    "zero and minus one": ({"z": changed(Z, 0, -1)}, ["both by 0 (row 20) and by -1 (row 0)"]),
    "NaN label": ({"z": changed(Z, 4, np.nan)}, ["NaN", "row 4", "leave the row out"]),
    "None label": ({"z": changed(Z, 4, None)}, ["NaN", "row 4"]),
    "null label": ({"z": pl.Series([*Z[:-1], None])}, ["NaN", f"row {N - 1}"]),
    "complex labels": ({"z": Z + 0j}, ["complex", "as 1 and an unlabelled row as 0"]),
    "infinite label": ({"z": changed(Z, 4, np.inf)}, ["infinity", "row 4"]),
    "labels too few": ({"z": Z[:-1]}, [f"{N - 1} labels", f"{N} rows"]),
    "labels too many": ({"z": np.append(Z, 1)}, [f"{N + 1} labels", f"{N} rows"]),
    "labels twice": ({"z": np.column_stack([Z, Z])}, [f"1-d, one label per row; got shape ({N}, 2)"]),
    "a single label": ({"z": 1}, ["one label per row"]),
    "no labels": ({"z": None}, ["labels z"]),
}
TABLES = {
    "infinity": ({"X": with_cell("dose", 3, np.inf)}, ["Column 'dose'", "row 3 holds inf", "finite number"]),
    "infinity in an array": ({"X": with_cell("age", 3, -np.inf).to_numpy()}, ["Column 'x0'", "row 3 holds -inf"]),
    "infinity in polars": ({"X": pl.from_pandas(with_cell("dose", 3, np.inf))}, ["Column 'dose'", "row 3"]),
    "NaN": ({"X": with_cell("dose", 3, np.nan)}, ["column 'dose'", "row 3", "missing='effect'"]),
    "NaN in an array": ({"X": with_cell("age", 5, np.nan).to_numpy()}, ["column 'x0'", "row 5", "missing='effect'"]),
    "NaN in a linear term": ({"X": with_cell("age", 5, np.nan), "terms": "age + dose"}, ["l(age)", "row 5"]),
    "null in polars": ({"X": pl.DataFrame({"a": [None, *range(1, N)], "b": range(N)})}, ["column 'a'", "row 0"]),
    "missing level": ({"X": X.assign(site=[None, *X["site"][1:]]), "terms": "f(site) + age"}, ["f(site)", "row 0"]),
    "equal names": ({"X": pd.concat([X, X["age"]], axis=1)}, ["several columns named 'age'", "its own name"]),
    "equal names in Arrow": ({"X": pa.table([range(N), range(N)], names=["a", "a"])}, ["several columns named 'a'"]),
    "text in a smooth term": ({"terms": "s(site) + s(age)"}, ["s(site) needs numbers", "row 0 holds 'a'", "f(site)"]),
    "text in a linear term": ({"terms": "site + s(age)"}, ["l(site) needs numbers", "f(site)"]),
    "text among numbers": (
        {"X": with_cell("age", 3, "old")},
        ["Column 'age' mixes numbers and text", "row 3", "'old'"],
    ),
    "dates": ({"X": NUMBERS.assign(day=pd.Timestamp("2020-01-31"))}, ["Dates", "column 'day', row 0"]),
    "too large for a float": (
        {"X": NUMBERS.assign(dose=pd.Series([10**400, *range(1, N)], dtype=object))},
        ["Column 'dose' contains infinity", "row 0 holds inf"],
    ),
    "a signalling decimal": (
        {"X": NUMBERS.assign(dose=[Decimal("sNaN"), *map(Decimal, range(1, N))])},
        ["s(dose)", "missing", "row 0"],
    ),
    "next to no range": (
        {"X": NUMBERS.assign(dose=5e-324 * np.arange(N))},
        ["s(dose)", "runs from 0 to", "rescale"],
    ),
    "bounds far from the values": (
        {"terms": [s("age", bounds=(1e9, 1e9 + 1)), s("dose")]},
        ["s(age)", "far beyond bounds", "widen the bounds"],
    ),
    "bounds far beyond the values": (
        {"terms": [s("age", bounds=(-1e9, 1e9)), s("dose")]},
        ["s(age)", "next to nothing within bounds", "narrow the bounds"],
    ),
    "nothing": ({"X": None}, ["X must be a data frame", "got None"]),
    "no rows": ({"X": NUMBERS[:0], "z": Z[:0]}, ["no rows"]),
    "no columns": ({"X": X[[]]}, ["no columns"]),
    "one row": (rows(0), ["one sample", "at least 2 rows"]),
    "fewer rows than lines": (rows(0, 1, N - 1), ["fewer rows than parameters", "3 rows for 4", "fewer terms"]),
    "fewer rows than levels": (
        {"X": X.assign(name=[f"n{row}" for row in range(N)]), "terms": "f(name) + age"},
        ["fewer rows than parameters", f"{N} rows for {N + 2}", "fewer levels"],
    ),
    "constant smooth": (
        {"X": X.assign(age=1.5), "terms": "s(age) + s(dose)"},
        ["s(age)", "constant (1.5)", "leave it"],
    ),
    "constant line": ({"X": X.assign(age=1), "terms": "age + dose"}, ["l(age)", "constant (1)", "leave it out"]),
    "constant factor": ({"X": X.assign(site="a"), "terms": "f(site) + s(age)"}, ["f(site)", "single level 'a'"]),
    "nothing present": (
        {"X": X.assign(age=np.nan), "terms": 's(age, missing="effect") + dose'},
        ["s(age)", "no values at all", "leave it out"],
    ),
}
NOT_IDENTIFIABLE = {
    "one smooth term": ({"terms": "s(age)"}, ["single term s(age)", "add a second term", "fix pi", "pi=0.3"]),
    "one linear term": ({"terms": [l("age")]}, ["single term l(age)", "add a second term", "fix pi"]),
    "one factor": ({"terms": f("site")}, ["single term f(site)", "add a second term", "fix pi"]),
    "one term and bounds": ({"terms": s("age"), "pi": (0.1, 0.5)}, ["single term s(age)", "fix pi"]),
    "one column": ({"X": X[["age"]]}, ["single term s(age)", "add a second term", "fix pi"]),
    "one column of an array": ({"X": X[["age"]].to_numpy()}, ["single term s(x0)", "fix pi"]),
}
TERMS = {
    "a number": ({"terms": 3}, ["terms is None, a formula, or a list of terms such as s(", "got 3"]),
    "an empty list": ({"terms": []}, ["terms is None, a formula, or a list of terms such as s(", "got []"]),
    "a number in a list": ({"terms": [s("age"), 3]}, ["terms holds 3", "s('x'), l('x'), f('x')"]),
    "an empty formula": ({"terms": " "}, ["formula is empty", "joined by +"]),
    "an unclosed formula": ({"terms": "s(age) + s(dose"}, ["never closed", "closing )", "s(age) + s(dose"]),
    "a two-sided formula": ({"terms": "z ~ s(age)"}, ["label is given to fit", "~"]),
    "an unknown function": ({"terms": "t(age) + dose"}, ["t() is not a kind of term", "s(column)", "\n^"]),
    "a column twice in a list": ({"terms": [s("age"), l("age")]}, ["'age'", "two terms", "keep one"]),
    "a column twice in a formula": (
        {"terms": "s(age) + age"},
        ["Column 'age' stands in two terms, s(age) and l(age)", "keep one"],
    ),
    "an unknown column": ({"terms": "s(age) + s(height)"}, ["no column 'height'", "'age', 'dose'"]),
    "a misspelt column": ({"terms": [s("age"), s("doze")]}, ["no column 'doze'", "did you mean 'dose'?"]),
}
# (argument, bad values, fragments); the message also shows the value it got
OPTIONS = [
    ("solver", ["lbfgs", None, 3], ["solver is 'newton' or 'em'"]),
    ("smoothing", ["gcv", None, True, [1.0, 2.0]], ["smoothing is 'reml', 'aic', a number, or a number per term"]),
    ("smoothing", [-1, np.nan, np.inf], ["smoothing is a non-negative number"]),
    ("engine", ["spark", None], ["engine is 'auto', 'memory', 'stream', 'dask', 'gpu'"]),
    ("pi", [0, 1, 1.5, -0.1, np.nan], ["pi is a share strictly between 0 and 1"]),
    ("pi", ["half", True, (0.2,), (0.1, 0.2, 0.3)], ["pi is a number to fix it, or bounds (low, high)"]),
    ("pi", [(0.5, 0.1), (0.3, 0.3), (-0.1, 0.5), (0.5, 2), (np.nan, 0.5)], ["bounds (low, high) within [0, 1]"]),
    ("pi_prior", ["strong", 0.5, True, (2,), (1, 2, 3), ("a", "b")], ["pi_prior is 'weak', None or a pair of numbers"]),
    ("pi_prior", [(0, 1), (2, 0.5), (-1, -1), (1e300, 1)], ["pi_prior (a, b)", "Beta(a, b)", "a, b >= 1", "at most"]),
    ("smoothing", [1e300], ["smoothing is a number of at most 1e+20"]),
    ("tol", [1e300], ["tol is a number of at most 1e+20"]),
    ("kappas", ["all", [], None, 3], ["kappas is 'both', 'linear', 'smooth' or a list of numbers"]),
    ("n_starts", [0, -1, 1.5, "many", True], ["n_starts is a whole number of at least 1"]),
    ("n_starts", [1001, 10**12], ["n_starts is a whole number of at most 1,000"]),
    ("max_iter", [0, -1, 2.5, "many"], ["max_iter is a whole number of at least 1"]),
    ("tol", [0, -1e-4, "small", np.nan, np.inf, None, True], ["tol is a positive number"]),
]
# The same where one part of the value is bad, which the message singles out
PARTS = [
    ("smoothing", [{"age": 1.0}, {}], ["no value for", "s(dose)", "every smooth term"]),
    ("smoothing", [{"age": 1.0, "dose": 1.0, "height": 1.0}], ["no term 'height'", "s(age), s(dose)"]),
    ("smoothing", [{"age": -1, "dose": 1}], ["smoothing of s(age) is a non-negative number; got -1"]),
    ("smoothing", [{"age": "x", "dose": 1}], ["smoothing of s(age) is a non-negative number; got 'x'"]),
    ("kappas", [[1.0, -1.0]], ["kappas", "positive number; got -1.0"]),
    ("kappas", [[0], ["a"], [np.nan]], ["kappas", "positive number; got"]),
]
WEIGHTS = {
    "negative": ({"sample_weight": changed(np.ones(N), 2, -1)}, ["row 2 has -1.0", "not negative", "weight 0"]),
    "NaN": ({"sample_weight": changed(np.ones(N), 2, np.nan)}, ["row 2 has nan", "finite"]),
    "infinite": ({"sample_weight": changed(np.ones(N), 2, np.inf)}, ["row 2 has inf", "finite"]),
    "zero everywhere": ({"sample_weight": np.zeros(N)}, ["zero at every row"]),
    "zero for a class": ({"sample_weight": Z}, ["only one class"]),
    "too few": ({"sample_weight": np.ones(N - 1)}, [f"{N - 1} weights", f"{N} rows"]),
    "too many dimensions": ({"sample_weight": np.ones((N, 2))}, ["1-d", f"({N}, 2)"]),
    "text": ({"sample_weight": ["heavy"] * N}, ["sample_weight must be numbers"]),
    "complex": ({"sample_weight": np.full(N, 1.0 + 1.0j)}, ["sample_weight must be numbers"]),
    "days": ({"sample_weight": np.full(N, np.timedelta64(2, "D"))}, ["sample_weight must be numbers"]),
    "too large for a float": ({"sample_weight": [10**400] * N}, ["sample_weight must be numbers"]),
    "huge": ({"sample_weight": changed(np.ones(N), 2, 1e300)}, ["between 1e-30 and 1e+30", "row 2 has 1e+300", "mean"]),
    "tiny": ({"sample_weight": np.full(N, 5e-324)}, ["between 1e-30 and 1e+30", "row 0", "mean of one"]),
}
OF_OPTIONS = {
    f"{name}={value!r}": ({name: value, "X": NUMBERS}, [*fragments, f"got {value!r}."])
    for name, values, fragments in OPTIONS
    for value in values
}
OF_PARTS = {
    f"{name}={value!r}": ({name: value, "X": NUMBERS}, fragments)
    for name, values, fragments in PARTS
    for value in values
}
CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "labels": LABELS,
        "table": TABLES,
        "not identifiable": NOT_IDENTIFIABLE,
        "terms": TERMS,
        "option": OF_OPTIONS | OF_PARTS,
        "weights": WEIGHTS,
    }.items()
    for name, case in cases.items()
}


def fit(X=X, z=Z, sample_weight=None, **options):
    return PUGAM(**options).fit(X, z, sample_weight)


def require_kind(message, fragments):
    """Require a message to be short, plain and to the point."""
    text = message.split("\n")[0]
    for fragment in fragments:
        assert fragment in message
    assert len(re.findall(r"[.!?](?=\s|$)", text)) <= MOST_SENTENCES, message
    assert len(message) <= MOST_CHARACTERS, message
    assert text.endswith((".", "?", ")")), message
    for word in JARGON:
        assert word not in message.lower(), message


def test_the_data_behind_the_cases_are_good():
    assert 0.0 < fit().pi_ < 1.0
    assert 0.0 < fit(X=NUMBERS).pi_ < 1.0


@pytest.mark.parametrize(("bad", "fragments"), CASES.values(), ids=CASES)
def test_bad_input_is_refused_in_plain_words(bad, fragments):
    with pytest.raises(PugamError) as refusal:
        fit(**bad)

    assert isinstance(refusal.value, ValueError)
    require_kind(str(refusal.value), fragments)


@pytest.mark.parametrize(
    "method",
    ["predict", "predict_proba", "decision_function", "log_density_ratio", "score", "effect", "pi_interval", "plot"],
)
def test_an_estimator_that_was_not_fitted_says_so(method):
    arguments = {"score": (X, Z), "effect": ("age",), "pi_interval": (), "plot": ()}.get(method, (X,))

    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(PUGAM(), method)(*arguments)


BAD_NEW_ROWS = {
    "lacking column": (X.drop(columns="dose"), ["no column 'dose'", "'age'"]),
    "misspelt column": (X.rename(columns={"dose": "doses"}), ["no column 'dose'", "did you mean 'doses'?"]),
    "NaN": (X.assign(dose=np.nan), ["s(dose)", "row 0", f"{N - 1} more"]),
    "infinity": (X.assign(dose=np.inf), ["'dose'", "row 0 holds inf"]),
    "text for numbers": (X.assign(dose="low"), ["s(dose) needs numbers", "'low'"]),
    "unseen level": (X.assign(site="z"), ["f(site)", "level 'z' in row 0", "not seen in the fit", 'unseen="zero"']),
    "no rows": (X[:0], ["no rows"]),
    "equal names": (pd.concat([X, X["age"]], axis=1), ["several columns named 'age'"]),
}


@pytest.fixture(scope="module")
def fitted():
    return PUGAM("s(age) + s(dose) + f(site)").fit(X, Z)


@pytest.mark.parametrize(("new", "fragments"), BAD_NEW_ROWS.values(), ids=BAD_NEW_ROWS)
def test_new_rows_that_cannot_be_used_are_refused_in_plain_words(fitted, new, fragments):
    with pytest.raises(PugamError) as refusal:
        fitted.predict_proba(new)

    assert isinstance(refusal.value, ValueError)
    require_kind(str(refusal.value), fragments)
