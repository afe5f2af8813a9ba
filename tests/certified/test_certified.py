"""Agreement with certified values, solved in 60 digits by a program of its own; see README.md here.

`python tests/certified/test_certified.py` prints how many digits agree, as a table.
"""

import ast
import csv
import json
import runpy
import sys
import warnings
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM, f, l, s
from pugam.inference.effects import contrast_weights

HERE = Path(__file__).parent
PROGRAM = ("certify", "curves", "data_sets", "infinity", "likelihood", "lists")
CERTIFIED = json.loads((HERE / "values.json").read_text(encoding="utf-8"))
FITS = [(data, fit) for data, entry in CERTIFIED.items() for fit in entry["fits"]]
DIGITS_ASKED = {"easy": 9, "nasty": 6}
MOST_DIGITS = 15.0  # about all that a double holds
TOL = 1e-12

# What is counted together: of several values, the one with the fewest digits.
QUANTITIES = {
    "pi": ("pi", "pi_penalized"),
    "log-likelihood": ("loglik", "penalized_loglik"),
    "alpha": ("alpha",),
    "curves": ("u", "difference"),
    "edf": ("edf",),
    "limits of pi": ("pi_lower", "pi_upper"),
    "se of logit pi": ("se_logit_pi_bayesian", "se_logit_pi_frequentist"),
    "se of alpha": ("se_alpha",),
    "se of curves": ("se", "difference_se_curves", "difference_se_bayesian", "difference_se_frequentist"),
}


def make_term(term):
    column = term["column"]
    if term["kind"] == "factor":
        return f(column)
    if term["kind"] == "linear":
        return l(column)
    bounds = None if term["bounds"] is None else tuple(map(float, term["bounds"]))
    return s(column, k=term["k"], bounds=bounds, knots=term["knots"])


def fit_certified(data, fit, **options):
    """Fit as the certified values were: smoothing given, nothing shrunken, climbed to the end."""
    terms, settings = CERTIFIED[data]["terms"], CERTIFIED[data]["fits"][fit]
    frame = pd.read_csv(HERE / f"{data}.csv")
    model = PUGAM(
        [make_term(term) for term in terms],
        smoothing={term["column"]: float(term["kappa"]) for term in terms if term["kind"] == "smooth"},
        pi_prior=settings["prior"] and tuple(map(float, settings["prior"])),
        debias=settings["debias"],
        shrinkage="never",
        **{"tol": TOL, **options},
    )
    weights = frame["weight"] if CERTIFIED[data]["weighted"] else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows that are nearly separated are told of
        return model.fit(frame[[term["column"] for term in terms]], frame["z"], sample_weight=weights)


fitted = cache(fit_certified)


def points_of(term, entry):
    return entry["at"] if term["kind"] == "factor" else [float(point) for point in entry["at"]]


def differences(model, term, entry):
    """Model columns at the points less those at the first one, for all coefficients."""
    column, points = term["column"], points_of(term, entry)
    return [contrast_weights(model._design, {column: points[0]}, {column: point})[0] for point in points[1:]]


def found(model, terms, certified):
    """What the package says, under the names of the certified values."""
    interval = model.pi_interval()
    bayesian, frequentist = model.covariance("bayesian"), model.covariance("frequentist")
    covariances = {"bayesian": bayesian, "frequentist": frequentist, "curves": model.covariance()}
    values = {
        "pi": model.pi_,
        "pi_penalized": model.pi_penalized_,
        "loglik": model.loglik_,
        "penalized_loglik": model.penalized_loglik_,
        "edf": model.edf_,
        "pi_lower": interval.lower,
        "pi_upper": interval.upper,
        "alpha": model.alpha_,
        "se_alpha": np.sqrt(bayesian[1, 1]),
        "se_logit_pi_bayesian": np.sqrt(bayesian[0, 0]),
        "se_logit_pi_frequentist": np.sqrt(frequentist[0, 0]),
        "effects": {},
    }
    for term in terms:
        entry = certified["effects"][term["column"]]
        effect = model.effect(term["column"], grid=points_of(term, entry), center="range")
        weights = differences(model, term, entry)
        values["effects"][term["column"]] = {
            "u": effect["u"],
            "se": effect["se"],
            "difference": [one @ model.coef_ for one in weights],
            **{
                f"difference_se_{kind}": [np.sqrt(one @ covariance[2:, 2:] @ one) for one in weights]
                for kind, covariance in covariances.items()
            },
        }
    return values


def digits(value, certified):
    """Log relative error: how many digits of the certified value there are."""
    exact = Decimal(certified)
    off = abs(Decimal(float(value)) - exact) / abs(exact)
    return MOST_DIGITS if off == 0 else min(MOST_DIGITS, max(0.0, -float(off.log10())))


@cache
def digits_of(data, fit):
    """Digits of every quantity of a fit."""
    certified = CERTIFIED[data]["fits"][fit]["values"]
    values = found(fitted(data, fit), CERTIFIED[data]["terms"], certified)
    counts = {name: digits(values[name], certified[name]) for name in values if name != "effects"}
    for column, entry in values["effects"].items():
        for name, numbers in entry.items():
            of_column = [digits(*pair) for pair in zip(numbers, certified["effects"][column][name], strict=True)]
            counts[name] = min([*of_column, counts.get(name, MOST_DIGITS)])
    return {quantity: min(counts[name] for name in names) for quantity, names in QUANTITIES.items()}


def asked(data):
    return DIGITS_ASKED[CERTIFIED[data]["difficulty"]]


def name_of(value):
    return value.replace(" ", "_")


@pytest.mark.parametrize("quantity", QUANTITIES, ids=name_of)
@pytest.mark.parametrize(("data", "fit"), FITS, ids=name_of)
def test_as_many_digits_as_asked_for_are_those_certified(data, fit, quantity):
    assert digits_of(data, fit)[quantity] >= asked(data)


@pytest.mark.parametrize(("data", "fit"), FITS)
def test_every_certified_fit_converges_inside_the_range_of_pi(data, fit):
    model = fitted(data, fit)

    assert model.converged_
    assert not model.at_boundary_
    assert model.shrinkage_ is None


def test_rows_of_no_weight_are_not_there():
    model = fitted("weighted", "bias taken out")
    weights = [Decimal(row["weight"]) for row in read_rows("weighted") if row["z"] == "1"]

    assert 0 in weights
    assert model.n0_ == float(sum(weights))
    assert list(model.effect("site")["x"]) == ["A", "B", "C", "D"]


def test_the_algorithm_of_the_paper_ends_at_the_certified_share():
    model = fit_certified("pi_near_zero", "no prior", solver="em", tol=1e-9)
    certified = CERTIFIED["pi_near_zero"]["fits"]["no prior"]["values"]

    assert digits(model.pi_, certified["pi"]) >= DIGITS_ASKED["nasty"]
    assert digits(model.loglik_, certified["loglik"]) >= DIGITS_ASKED["easy"]


def test_digits_are_those_of_the_relative_error():
    assert digits(1.0, "1.000") == MOST_DIGITS
    assert digits(-2.0002, "-2") == pytest.approx(4.0, abs=1e-6)
    assert digits(5.0, "1") == 0.0


def test_the_program_that_certifies_imports_nothing_of_the_package():
    permitted = {"mpmath", *PROGRAM, *sys.stdlib_module_names}
    imported = set()
    for name in PROGRAM:
        for node in ast.walk(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported |= {name.split(".")[0] for name in names}

    assert "mpmath" in imported
    assert imported <= permitted


def test_the_stored_rows_are_those_that_the_program_draws():
    drawn = runpy.run_path(str(HERE / "data_sets.py"))["DATA_SETS"]

    assert [data.name for data in drawn] == list(CERTIFIED)
    for data in drawn:
        assert read_rows(data.name) == data.rows
        assert list(data.fits) == list(CERTIFIED[data.name]["fits"])
        assert 60 <= len(data.rows) <= 200


def read_rows(data):
    with (HERE / f"{data}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main():
    """Print the digits as a table, in bold where there are fewer than asked for."""
    print("| data set | fit | asked |", " | ".join(QUANTITIES), "|")
    print("| --- | --- |", " | ".join(["---:"] * (1 + len(QUANTITIES))), "|")
    for data, fit in FITS:
        counts = digits_of(data, fit).values()
        shown = [f"{count:.1f}" if count >= asked(data) else f"**{count:.1f}**" for count in counts]
        print(f"| {data} | {fit} | {asked(data)} |", " | ".join(shown), "|")


if __name__ == "__main__":
    main()
