"""Models saved in every format are loaded, and predict what they predicted then.

`PYTHONPATH=src python tests/storage/test_released_files.py` writes the files of the present version and format; once it
is released they stay as they are.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pugam.solvers import MarginalFit, SmoothedFit
from pugam.storage import FORMAT_VERSION, from_json, to_json
from pugam.version import __version__

FOLDER = Path(__file__).parent / "released"
MODELS = sorted(FOLDER.glob("*.model.json"))
# Sums of products and exponentials are rounded a little otherwise on other machines.
RTOL = 1e-12
PRESENT = f"pugam-{__version__}-format-{FORMAT_VERSION}"
KINDS = {"": (SmoothedFit, ()), "-marginal": (MarginalFit, ("ti(left, right)",))}


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_model_of_a_released_version_predicts_as_it_did(path, restored):
    recorded = json.loads(path.with_name(path.name.replace(".model.", ".predictions.")).read_text(encoding="utf-8"))

    model = restored(from_json(path.read_bytes(), path.name))

    X = pd.DataFrame(recorded["rows"])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], recorded["probability"], rtol=RTOL)
    np.testing.assert_allclose(model.effect("x1", [-1.0, 0.5], center="range")["se"], recorded["se"], rtol=RTOL)
    assert model.pi_interval(model_error=False).upper == pytest.approx(recorded["pi_upper"], rel=RTOL)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_its_numbers_are_those_in_the_file(path):
    text = path.read_text(encoding="utf-8")

    stored = from_json(text, path.name)

    written = [term["coefficients"] for term in json.loads(text)["terms"]]
    assert stored.fit.optimum.beta[2:].tolist() == [number for block in written for number in block]


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_a_file_of_the_present_version_for_each_kind_of_fit(kind):
    path = FOLDER / f"{PRESENT}{kind}.model.json"

    assert path in MODELS
    fit = from_json(path.read_bytes(), path.name).fit
    assert (type(fit), fit.added) == KINDS[kind]


def write_present_version():
    from conftest import fit_crossed, fit_varied, make_crossed_rows, make_rows

    for kind, make, fit in (("", make_rows, fit_varied), ("-marginal", make_crossed_rows, fit_crossed)):
        X, z = make()
        write_model(FOLDER / f"{PRESENT}{kind}", fit(X, z), X)


def write_model(stem, model, X):
    from conftest import take_out

    shown = X.iloc[::12].astype(object)
    rows = {name: [None if pd.isna(value) else value for value in shown[name].tolist()] for name in X}
    recorded = {
        "rows": rows,
        "probability": model.predict_proba(pd.DataFrame(rows))[:, 1].tolist(),
        "se": model.effect("x1", [-1.0, 0.5], center="range")["se"].tolist(),
        "pi_upper": model.pi_interval(model_error=False).upper,
    }
    FOLDER.mkdir(exist_ok=True)
    Path(f"{stem}.model.json").write_text(to_json(take_out(model)), encoding="utf-8", newline="\n")
    Path(f"{stem}.predictions.json").write_text(json.dumps(recorded, indent=1), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_present_version()
