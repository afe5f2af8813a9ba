"""A model file may come from anyone: loading it runs nothing, believes no size, and takes little memory."""

import ast
import json
import tracemalloc
from pathlib import Path

import pytest

import pugam
from pugam.errors import InputError
from pugam.estimator import loading
from pugam.storage import json_text

PACKAGE = Path(pugam.__file__).parent
LOADING_CODE = (
    *sorted((PACKAGE / "storage").glob("*.py")),
    *sorted((PACKAGE / "terms").rglob("*.py")),
    PACKAGE / "nodes.py",
    PACKAGE / "estimator" / "loading.py",
)
RUN_CODE = {"eval", "exec", "compile", "__import__", "globals", "locals", "vars", "getattr", "setattr", "open", "input"}
UNSAFE_MODULES = {"pickle", "marshal", "shelve", "dill", "joblib", "yaml", "importlib", "subprocess", "ctypes", "runpy"}
MEMORY_PER_BYTE = 40  # of what is parsed, at most: numbers and lists of Python are larger than their text
LEAST_MEMORY = 1 << 20


@pytest.fixture
def refusal(tmp_path):
    """What `pugam.load` says of a file with this content, without the folder of the file."""

    def load(content):
        path = tmp_path / "model.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError) as caught:
            pugam.load(path)
        return str(caught.value).replace(str(path), "model.json")

    return load


@pytest.mark.parametrize("path", LOADING_CODE, ids=lambda path: path.stem)
def test_the_code_that_loads_can_run_nothing_from_a_file(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}

    assert not called & RUN_CODE
    assert not {name.split(".")[0] for name in imported} & UNSAFE_MODULES


def test_all_of_the_code_that_loads_was_looked_at():
    assert {"document", "nodes", "json_text", "upgrading", "shelf", "smooth", "loading"} <= {
        path.stem for path in LOADING_CODE
    }


CLAIMS = {
    "coefficients": (("terms", 0, "term", "k"), 10**12),
    "order of a basis": (("bases", 0, "order"), 10**12),
    "number of a basis": (("terms", 0, "found", "basis"), 10**12),
    "features": (("features", "count"), 10**12),
    "features that are not named": (("features",), {"count": 2**31, "names": None, "frames": "pandas"}),
    "levels": (("terms", 3, "found", "levels"), 10**12),
    "matrix": (("covariance",), 10**12),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_size_that_is_only_claimed_takes_no_memory(varied_text, refusal, claim):
    (*above, last), value = CLAIMS[claim]
    document = json.loads(varied_text)
    place = document
    for step in above:
        place = place[step]
    place[last] = value
    text = json.dumps(document)

    tracemalloc.start()
    try:
        message = refusal(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert message.startswith("model.json: ")
    assert peak < LEAST_MEMORY + MEMORY_PER_BYTE * len(text)


def test_a_file_of_200_bytes_that_claims_a_million_million_coefficients(refusal):
    text = (
        '{"format": "pugam model", "format_version": 1, "terms": [{"kind": "smooth", "k": 1000000000000}], "bases": []}'
    )
    assert len(text) < 200

    assert refusal(text) == 'model.json: the file lacks "provenance".'


WIDE = {
    "empty lists": "[" + ",".join(["[]"] * 200_000) + "]",
    "empty objects": "[" + ",".join(["{}"] * 200_000) + "]",
    "digits": "[" + ",".join(["1"] * 300_000) + "]",
    "keys": "{" + ",".join(f'"{number}":0' for number in range(60_000)) + "}",
    "text": '"' + "x" * 600_000 + '"',
}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind == "keys" else [pytest.mark.long]) for kind in WIDE]
)
def test_memory_grows_with_the_file_and_not_faster(refusal, kind):
    refusal("{}")  # what is imported at the first time does not count
    tracemalloc.start()
    try:
        message = refusal(WIDE[kind])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert message.startswith("model.json: is not a saved model")
    assert peak < MEMORY_PER_BYTE * len(WIDE[kind])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "it is nested more than 12 levels deep"),
        ('{"a":' * 100_000, "it is nested more than 12 levels deep"),
        ("[" * 100_000 + "]" * 100_000, "it is nested more than 12 levels deep"),
        ('{"format": 1' + "0" * 10_000 + "}", "it holds a whole number of 10001 digits"),
        ('{"format": 1e' + "9" * 10_000 + "}", 'it lacks "format"'),
        ('{"format": "pugam model", "format": "pugam model"}', "the key 'format' stands twice in one object"),
        (b'{"format": "\xed\xa0\x80"}', "byte 12 is not UTF-8 text"),
        (b'{"format": "\xff"}', "byte 12 is not UTF-8 text"),
        (b"\xef\xbb\xbf{}", "not JSON at line 1, column 1"),
        ('{"format": "\\ud800"}', 'it lacks "format"'),
        ("NaN", 'it lacks "format"'),
        ("", "was cut short"),
        (b"\x80\x04\x95\x1a\x00\x00\x00", "byte 0 is not UTF-8 text"),
    ],
)
def test_what_no_model_holds_is_refused_in_one_sentence(refusal, content, message):
    told = refusal(content)

    assert message in told
    assert told.isprintable()
    assert len(told) < 200


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize("place", ["logit_pi", "intercept"])
def test_numbers_that_are_none_are_refused_where_they_stand(varied_text, refusal, place, token):
    document = json.loads(varied_text)
    document["estimate"][place] = "HERE"

    assert f"estimate.{place}: expected a finite number" in refusal(json.dumps(document).replace('"HERE"', token))


def test_a_folder_and_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="is a folder; give the file of a saved model"):
        pugam.load(tmp_path)
    with pytest.raises(InputError, match="is not found; check the name and the folder"):
        pugam.load(tmp_path / "model.json")


def test_no_more_of_a_file_is_read_than_a_model_may_take(varied_text, refusal, monkeypatch):
    monkeypatch.setattr(json_text, "MOST_BYTES", 2000)
    monkeypatch.setattr(loading, "MOST_BYTES", 2000)
    content = b" " * (64 << 20)

    tracemalloc.start()
    try:
        message = refusal(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert "is larger than" in message
    assert peak < LEAST_MEMORY


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_half_a_character_in_a_level_is_spelt_out_in_frames(varied_text, tmp_path, library):
    document = json.loads(varied_text)
    document["features"]["frames"] = library
    document["terms"][4]["found"]["levels"] = ["whole", "half \ud800", "\udfff"]
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    model = pugam.load(path)

    assert list(map(str, model.effect("grade")["x"])) == ["whole", r"half \ud800", r"\udfff"]
    assert r"half \ud800" in str(model.summary().linear["level"].to_numpy().tolist()).replace("\\\\", "\\")


@pytest.mark.parametrize("place", [("terms", 0), ("penalized",), ("bases", 0)])
def test_coefficients_whose_products_would_overflow_are_refused(varied_text, refusal, place):
    document = json.loads(varied_text)
    part = document
    for step in (*place, "coefficients"):
        part = part[step]
    while isinstance(part[0], list):
        part = part[0]
    part[0] = 1e60

    assert "coefficients" in refusal(json.dumps(document))
    assert "expected a number from -1e+50 to 1e+50; got 1e+60." in refusal(json.dumps(document))


def test_penalties_beyond_the_strongest_smoothing_are_refused(varied_text, refusal):
    document = json.loads(varied_text)
    document["penalized"]["curvature"][-1] = 1e150

    assert "expected a number from 0 to 1e+120; got 1e+150." in refusal(json.dumps(document))


def test_a_logarithm_that_does_not_tell_the_ends_of_a_range_apart_is_refused(varied_text, refusal):
    document = json.loads(varied_text)
    term = document["terms"][0]
    term["term"]["scale"], term["found"]["logarithm"] = "log", {"mirrored": False, "shift": -1e99}

    assert "terms[0].found.logarithm.shift: expected a number near enough to the range" in refusal(json.dumps(document))
