"""What docs/model_file.md says is enough to predict from a file without pugam, and it names every key."""

import json
import math
import re
from bisect import bisect_right
from pathlib import Path

import pytest

from pugam import PUGAM, f, s
from pugam.estimator.storing import stored_form
from pugam.storage import Provenance, to_json
from pugam.storage.document import KEYS

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


def on_scale(found, value):
    log = found.get("logarithm")
    if log is None:
        return value
    sign, near = (-1.0, found["upper"]) if log["mirrored"] else (1.0, found["lower"])
    distance, least = sign * (value - log["shift"]), sign * (near - log["shift"])
    beyond = min(distance - least, 0.0)
    return sign * (math.log(max(distance, least)) + beyond / least)


def effect(term, bases, value):
    kind, found, coefficients = term["term"]["kind"], term["found"], term["coefficients"]
    if value is None or value != value:
        assert term["stand_ins"] is not None
        return coefficients[-1]
    if kind == "factor":
        functions = contrasts(len(found["levels"]), found["levels"].index(value))
    else:
        low, x, high = (on_scale(found, place) for place in (found["lower"], value, found["upper"]))
        t = (x - low) / (high - low)
        functions = spline(bases[found["basis"]], t) if kind == "smooth" else [t - 0.5]
    # The effect of gaps, where there is one, comes last and is left out.
    return sum(function * c for function, c in zip(functions, coefficients, strict=False))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_page_is_enough_to_predict(rows, varied, scale):
    X, z = rows
    if scale == "log":
        terms = [s("x1", k=5, scale="log"), s("dose", k=4, missing="effect", scale="log"), f("grade")]
        varied = PUGAM(terms, smoothing=1.0).fit(X, z.astype(int))
        X = X.assign(x1=X["x1"] * 3.0)  # also beyond the range
    document = json.loads(to_json(stored_form(varied, Provenance.now())))
    n0, n1 = document["counts"]["labelled"], document["counts"]["unlabelled"]
    logit_pi = document["estimate"]["logit_pi"]
    pi = 1.0 / (1.0 + math.exp(-logit_pi))
    alpha = document["estimate"]["intercept"] - math.log((n0 + n1 * pi) / (n1 * (1.0 - pi)))

    log_odds = [
        logit_pi
        + alpha
        + sum(effect(term, document["bases"], row[term["term"]["column"]]) for term in document["terms"])
        for row in X.to_dict("records")
    ]

    assert log_odds == pytest.approx(varied.decision_function(X).tolist(), rel=1e-9, abs=1e-9)


def test_the_page_names_every_key(varied_text):
    named = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8")))
    document = json.loads(varied_text)
    terms = [part for term in document["terms"] for part in (term, term["term"], term["found"])]
    inner = [document[key] for key in ("counts", "labels", "features", "provenance", "estimate", "penalized", "starts")]

    assert named >= {*KEYS, *(key for part in [*inner, *terms, *document["bases"]] for key in part)}
