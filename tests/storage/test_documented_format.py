"""What docs/model_file.md says is enough to predict from a file without pugam, and it names every key."""

import json
import math
import re
from bisect import bisect_right
from itertools import product
from pathlib import Path

import pytest

from pugam import PUGAM, f, s
from pugam.estimator.storing import stored_form
from pugam.storage import FORMAT_VERSION, Provenance, samples, to_json
from pugam.storage.document import KEYS
from pugam.terms.term import _KINDS

PAGE = Path(__file__).parents[2] / "docs" / "model_file.md"


def spline(basis, t):
    breaks = [0.0, *basis["knots"], 1.0]
    interval = bisect_right(breaks, t)
    offset = t - [0.0, *breaks[:-1], 1.0][interval]
    powers = [power[interval] for power in basis["coefficients"]]
    return [sum(c * offset**power for power, c in enumerate(cs)) for cs in zip(*powers, strict=True)]


def contrasts(n_levels, number):
    columns = [[0.0] * j + [j - n_levels + 1.0] + [1.0] * (n_levels - 1 - j) for j in range(n_levels - 1)]
    return [column[number] / math.hypot(*column) for column in columns]


def averaged(averaging, ratio):
    (low, high), (constant, slope, bend) = averaging["range"], averaging["variances"]
    inside = min(max(ratio, low), high)
    variance = max(constant + slope * inside + bend * inside**2, 0.0)
    return (ratio + averaging["intercept"]) / math.sqrt(1.0 + math.pi / 8.0 * variance)


def on_scale(found, value):
    log = found.get("logarithm")
    if log is None:
        return value
    sign, near = (-1.0, found["upper"]) if log["mirrored"] else (1.0, found["lower"])
    distance, least = sign * (value - log["shift"]), sign * (near - log["shift"])
    beyond = min(distance - least, 0.0)
    return sign * (math.log(max(distance, least)) + beyond / least)


def functions_of(kind, found, bases, value, cyclic=False):
    """The functions of a term of one column."""
    if kind == "random":
        return [float(level == value) for level in found["levels"]]
    if kind == "factor" or "levels" in found:
        return contrasts(len(found["levels"]), found["levels"].index(value))
    low, x, high = (on_scale(found, place) for place in (found["lower"], value, found["upper"]))
    t = (x - low) / (high - low)
    return spline(bases[found["basis"]], t % 1.0 if cyclic else t) if kind == "smooth" else [t - 0.5]


def joint_functions(term, found, bases, values):
    """The functions of a term of several columns."""
    if "by" in term:
        curve = functions_of("smooth", found["curve"], bases, values[0])
        if "levels" in found:
            return [(level == values[1]) * function for level in found["levels"] for function in curve]
        z = values[1] / max(abs(found["lower"]), abs(found["upper"]))
        return [z, *(z * function for function in curve)]
    kinds = [margin["kind"] for margin in term.get("margins", [{"kind": "linear"}] * len(values))]
    parts = [functions_of(*each[:2], bases, each[2]) for each in zip(kinds, found["margins"], values, strict=True)]
    if term["kind"] != "tensor":
        return [math.prod(factors) for factors in product(*parts)]
    return [math.prod(factors) for factors in product(*([1.0, *part] for part in parts))][1:]


def columns_of(term):
    if "margins" in term:
        return [margin["column"] for margin in term["margins"]]
    return term["columns"] if "columns" in term else [term["column"], *([term["by"]] if "by" in term else [])]


def effect(stored, bases, row):
    term, found, coefficients = stored["term"], stored["found"], stored["coefficients"]
    values = [row[column] for column in columns_of(term)]
    if any(value is None or value != value for value in values):
        assert stored["stand_ins"] is not None
        return 0.0 if term["missing"] == "zero" else coefficients[-1]
    if len(values) == 1:
        functions = functions_of(term["kind"], found, bases, values[0], term.get("cyclic"))
    else:
        functions = joint_functions(term, found, bases, values)
    # The effect of gaps, where there is one, comes last and is left out.
    return sum(function * c for function, c in zip(functions, coefficients, strict=False))


JOINT = {
    "surfaces": "te(x1, x2, k=4) + s(dose, k=4, missing='effect') + ti(x2, s(dose, k=4), missing='zero') + f(grade) "
    "+ ti(x1, f(grade), k=3) + x1:size + x2:few",
    "varying": "s(x1, k=4, by=size) + f(size) + x2 + f(old) + s(x2, k=4, by=few) + old:grade + te(dose, f(grade), k=3, "
    "missing='effect')",
    "options": "s(x1, k=4, shape='increasing') + s(x2, k=4, cyclic=True, bounds=(-1, 1)) + r(site) + r(ward, "
    "missing='effect') + te(dose, r(grade), k=3, missing='effect')",
}


@pytest.mark.parametrize("terms", ["linear", "log", "crossed", *JOINT])
def test_the_page_is_enough_to_predict(rows, varied, crossed, crossed_rows, terms):
    X, z = rows
    if terms == "crossed":
        varied, (X, z) = crossed, crossed_rows
    if terms in JOINT:
        varied = PUGAM(JOINT[terms], smoothing=1.0, pi=0.4).fit(X, z.astype(int))
    if terms == "log":
        terms = [s("x1", k=5, scale="log"), s("dose", k=4, missing="effect", scale="log"), f("grade")]
        varied = PUGAM(terms, smoothing=1.0).fit(X, z.astype(int))
        X = X.assign(x1=X["x1"] * 3.0)  # also beyond the range
    document = json.loads(to_json(stored_form(varied, Provenance.now())))
    n0, n1 = document["counts"]["labelled"], document["counts"]["unlabelled"]
    logit_pi = document["estimate"]["logit_pi"]
    pi = 1.0 / (1.0 + math.exp(-logit_pi))
    alpha = document["estimate"]["intercept"] - math.log((n0 + n1 * pi) / (n1 * (1.0 - pi)))

    ratios = [
        alpha + sum(effect(term, document["bases"], row) for term in document["terms"]) for row in X.to_dict("records")
    ]
    averaging = (document["marginal"] or {}).get("averaging")
    log_odds = [logit_pi + ratio if averaging is None else averaged(averaging, ratio) for ratio in ratios]

    assert (averaging is not None) == (document["marginal"] is not None)
    assert log_odds == pytest.approx(varied.decision_function(X).tolist(), rel=1e-9, abs=1e-9)


def test_the_page_names_the_keys_of_the_evidence_and_what_goes_with_it(crossed_text):
    named = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8")))

    assert named >= {*json.loads(crossed_text)["marginal"], "estimate", "interactions"}


def test_the_page_is_of_the_present_version():
    page = PAGE.read_text(encoding="utf-8")

    assert f'"format_version": {FORMAT_VERSION},' in page
    assert f"| `format_version` | `{FORMAT_VERSION}`: the version of what this page describes |" in page
    assert f"reads formats up to {FORMAT_VERSION}: update pugam" in re.sub(r"\s+", " ", page)


def test_the_page_names_every_key(varied_text):
    named = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8")))
    document = json.loads(varied_text)
    terms = [part for term in document["terms"] for part in (term, term["term"], term["found"])]
    inner = [document[key] for key in ("counts", "labels", "features", "provenance", "estimate", "penalized", "starts")]

    assert named >= {*KEYS, *(key for part in [*inner, *terms, *document["bases"]] for key in part)}


def test_the_page_names_every_kind_of_term_and_its_options():
    page = PAGE.read_text(encoding="utf-8")
    lines = {kind: line for kind, line in re.findall(r'^\| `"(\w+)"` (.*)$', page, flags=re.MULTILINE)}
    ours = {name: kind for name, kind in _KINDS.items() if kind.__module__.startswith("pugam.")}

    assert lines.keys() == ours.keys()
    for name, kind in ours.items():
        # The number of functions of a term of several columns is written with each of them.
        expected = [option for option in kind.options if option != "k" or kind.takes == "column"]
        assert re.findall(r"`(\w+)`", lines[name].split("|")[-2]) == expected


def test_the_page_names_the_keys_of_samples():
    named = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8")))

    assert named >= {*samples.KEYS, *samples.NEW_KEYS, *samples.POOLED_KEYS}
