"""Files of formats 1 and 2 are brought to the present format, and what is wrong in them is still refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from pugam.errors import InputError
from pugam.storage import FORMAT_VERSION, from_json, to_json
from pugam.storage.upgrading import upgrade

FOLDER = Path(__file__).parent / "released"
FILE = FOLDER / "pugam-0.1.0.model.json"


@pytest.fixture
def old():
    return json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture
def second():
    return json.loads((FOLDER / "pugam-0.1.0-format-2.model.json").read_text(encoding="utf-8"))


def test_the_released_files_are_of_formats_1_and_2(old, second):
    assert (old["format_version"], second["format_version"]) == (1, 2)
    assert FORMAT_VERSION == 6


def test_before_format_3_there_was_the_mode_without_a_search_for_interactions(old, second):
    for document in (old, second):
        upgraded = upgrade(document)

        assert "marginal" not in document
        assert upgraded["marginal"] is None
        assert upgraded["judgement"] is None
        assert {key: upgraded["parameters"].pop(key) for key in ("estimate", "interactions", "check")} == {
            "estimate": "mode",
            "interactions": None,
            "check": False,
        }
        assert upgraded["parameters"] == document["parameters"]


def test_but_for_that_files_of_format_2_are_left_alone(second):
    upgraded = upgrade(second)

    assert {key: upgraded[key] for key in second if key != "parameters"} == {
        key: second[key] for key in second if key != "parameters"
    }


@pytest.mark.parametrize("parameters", [None, 3, "text", []])
def test_parameters_that_are_no_object_are_left_for_the_reader_to_refuse(second, parameters):
    with pytest.raises(InputError, match="parameters: expected an object"):
        from_json(json.dumps({**second, "parameters": parameters}), "model.json")


def test_an_old_model_fits_the_mode_again(second, restored):
    model = restored(from_json(json.dumps(second), "model.json"))

    assert (model.estimate, model.interactions) == ("mode", None)


def test_a_term_is_taken_apart_into_what_was_asked_found_and_estimated(old):
    smooth, dose, line, ward, grade = upgrade(old)["terms"]

    assert smooth["term"] == {
        key: old["terms"][0][key] for key in ("kind", "column", "k", "bounds", "knots", "missing", "scale")
    }
    assert smooth["found"] == {key: old["terms"][0][key] for key in ("lower", "upper", "logarithm", "basis")}
    assert smooth["smoothing"] == [old["terms"][0]["smoothing"]]
    assert smooth["coefficients"] == old["terms"][0]["coefficients"]
    assert [term["stand_ins"] for term in (smooth, line, grade)] == [None, None, None]
    assert dose["stand_ins"] == [old["terms"][1]["stand_in"]]
    assert ward["stand_ins"] == [old["terms"][3]["stand_in"]]
    assert ward["found"] == {"levels": old["terms"][3]["levels"]}


def test_smoothing_parameters_of_terms_that_have_none_are_dropped(old):
    assert [len(term["smoothing"]) for term in upgrade(old)["terms"]] == [1, 1, 0, 0, 0]


def test_a_curve_of_one_line_has_no_smoothing_parameter(old):
    basis = old["bases"][old["terms"][0]["basis"]]
    basis["roughness"] = [0.0] * len(basis["roughness"])

    assert upgrade(old)["terms"][0]["smoothing"] == []


def test_a_file_of_the_present_format_is_left_alone(varied_text, crossed_text):
    for text in (varied_text, crossed_text):
        document = json.loads(text)

        assert upgrade(document) is document


def test_an_old_file_is_saved_in_the_present_format(old):
    stored = from_json(json.dumps(old), "model.json")

    again = json.loads(to_json(stored))

    assert again["format_version"] == FORMAT_VERSION
    assert again["terms"][0]["term"] == {"kind": "smooth", "column": "x1", "k": 5, "scale": "linear"}
    assert from_json(json.dumps(again), "model.json").fit.optimum.beta.tolist() == stored.fit.optimum.beta.tolist()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda terms: terms[0].pop("smoothing"), r"terms\[0\]"),
        (lambda terms: terms[0].pop("lower"), r"terms\[0\]\.found lacks \"lower\""),
        (lambda terms: terms[0].update(kind="spiral"), r"terms\[0\]"),
        (lambda terms: terms[0].update(kind=["smooth"]), r"terms\[0\]"),
        (lambda terms: terms[0].update(basis=99), r"terms\[0\]\.found\.basis: expected a whole number"),
        (lambda terms: terms[0].update(basis="x"), r"terms\[0\]\.found\.basis: expected a whole number"),
        (lambda terms: terms[0].update(surplus=1), r"terms\[0\]\.term has the unknown key \"surplus\""),
        (lambda terms: terms[3].update(stand_in="west"), r"terms\[3\]\.stand_ins\[0\]: expected one of the levels"),
        (lambda terms: terms.append(None), r"terms\[5\]: expected an object"),
        (lambda terms: terms.clear(), "terms: expected at least one term"),
    ],
)
def test_an_old_file_that_is_not_right_is_refused_with_the_place(old, spoil, message):
    spoil(old["terms"])

    with pytest.raises(InputError, match=message):
        from_json(json.dumps(old), "model.json")


@pytest.mark.parametrize("terms", [None, 3, "text", {}])
def test_terms_that_are_no_list_are_left_for_the_reader_to_refuse(old, terms):
    with pytest.raises(InputError, match="terms: expected a list"):
        from_json(json.dumps({**old, "terms": terms}), "model.json")


@pytest.fixture
def third():
    return json.loads((FOLDER / "pugam-0.1.0-format-3-marginal.model.json").read_text(encoding="utf-8"))


def test_the_evidence_of_format_3_is_drawn_as_it_was(third):
    curve = from_json(json.dumps(third), "model.json").fit.curve
    inner = np.linspace(curve.places[0], curve.places[-1], 101)
    drawn = PchipInterpolator(third["marginal"]["logits"], third["marginal"]["evidence"])(inner)

    assert [curve.fall(place) for place in inner] == pytest.approx((curve.values.max() - drawn).clip(0.0), abs=1e-9)


def test_posteriors_of_format_3_are_not_averaged(third):
    assert from_json(json.dumps(third), "model.json").fit.averaging is None


@pytest.mark.parametrize("logits", [None, [], [1.0, 0.5], "text", [[1.0]]])
def test_evidence_that_is_malformed_is_left_for_the_reader_to_refuse(third, logits):
    with pytest.raises(InputError, match="marginal"):
        from_json(json.dumps({**third, "marginal": {**third["marginal"], "logits": logits}}), "model.json")


@pytest.mark.parametrize("evidence", [-np.inf, 1.0, [], [[0.0]], None, "high"])
def test_evidence_of_another_shape_is_left_for_the_reader_to_refuse(third, evidence):
    marginal = {**third["marginal"], "evidence": evidence}

    assert upgrade({**third, "marginal": marginal})["marginal"]["slopes"] is None
