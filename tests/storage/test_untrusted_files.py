"""Whatever a file contains, loading it gives a model or one clear sentence: no other error, and nothing is executed."""

import contextlib
import copy
import json
import math
import re
import sys
import tracemalloc
from itertools import cycle

import numpy as np
import pytest

from pugam.errors import InputError
from pugam.storage import FORMAT_VERSION, MOST_BYTES, from_json, json_text, to_json
from pugam.storage.json_text import memory_needed
from pugam.version import __version__

FILE = "model.json"
ROW_TYPES = (int, float, bool)

# Free for writers: nothing is computed from it.
FREE = ("summary", "provenance")


def load(document):
    return from_json(json.dumps(document), FILE)


@pytest.fixture(scope="session")
def good(varied_text):
    return json.loads(varied_text)


@pytest.fixture(scope="session")
def marginal(crossed_text):
    """A model by marginal likelihood."""
    return json.loads(crossed_text)


def is_numbers(value):
    """Whether it is a number, or made of lists of numbers, as a matrix is."""
    return isinstance(value, ROW_TYPES) or (isinstance(value, list) and all(map(is_numbers, value)))


def paths(value, path=(), is_row=lambda value: all(isinstance(item, ROW_TYPES) for item in value)):
    """Every place in a document; of a row only the ends, which stand for the rest."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*path, key), is_row)
    elif isinstance(value, list):
        for number in {0, len(value) - 1} if value and is_row(value) else range(len(value)):
            yield from paths(value[number], (*path, number), is_row)


@pytest.fixture(params=["ends of matrices", pytest.param("whole matrices", marks=pytest.mark.long)])
def places(request, good):
    """Every place in the document; the first and the last row of a matrix stand for all others, or all are there."""
    return list(paths(good, is_row=is_numbers) if request.param == "ends of matrices" else paths(good))


def at(document, path):
    for step in path:
        document = document[step]
    return document


def changed(document, path, value):
    """A copy of a document with another value at a place, where an object may have had none."""
    if not path:
        return value
    step, *below = path
    result = copy.copy(document)
    result[step] = changed(document[step] if below else None, below, value)
    return result


def shown(path):
    """A place as messages name it."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def refusal(document):
    """The message with which a document is refused, None where it is loaded; other errors are errors."""
    try:
        load(document)
    except InputError as error:
        message = str(error)
        assert message.startswith(f"{FILE}: ")
        assert message.endswith(".")
        assert "\n" not in message
        assert len(message) < 700
        return message
    return None


def test_the_document_itself_is_loaded(good):
    assert refusal(good) is None
    assert len(list(paths(good))) > 300
    assert len(list(paths(good, is_row=is_numbers))) > 250


# Where text, a list or an object is as good as what is there: a refit reads such parameters, or finds them wrong.
ALSO_RIGHT = re.compile(
    r"summary|provenance\.(pugam|command|data)$|parameters\.(terms|smoothing|kappas)\b|features\.names\[|terms\[\d\]\.found\.levels\["
    r"|(estimate|penalized)\.history$|marginal\.(families|added)\["
)
COLUMN_VALUE = re.compile(r"(lower|upper|quantiles\[\d+\])$")  # as large as any that a column may hold
NO_PAIRS = "parameters.interactions", "marginal.added"  # an empty list is right, too


def in_turn(first, *values):
    """Some values of which every place gets one; make test-long gives every place each of them, and others."""
    alone = [pytest.param((value,), marks=pytest.mark.long, id=repr(value)[:20]) for value in (*first, *values)]
    return [pytest.param(tuple(first), id="in turn"), *alone]


WRONG_TYPES = in_turn([{}, "text", [None], math.nan], {"a": 1}, [], [[]], math.inf, -math.inf, 10**390)
NOT_FINITE = in_turn([math.nan, math.inf, -math.inf], 1e308)
ODD = in_turn([None, -1, 1e100], True, 0, 0.5, 2**40, "os.system")


@pytest.mark.parametrize("wrong", WRONG_TYPES)
def test_what_is_of_a_wrong_type_is_refused_everywhere(good, places, wrong):
    assert wrongly_loaded(good, places, wrong) == []


@pytest.mark.parametrize("wrong", WRONG_TYPES)
def test_what_is_of_a_wrong_type_is_refused_everywhere_in_the_evidence(marginal, wrong):
    places = [path for path in paths(marginal) if path[:1] in [("marginal",), ("parameters",)]]

    assert len(places) > 40
    assert wrongly_loaded(marginal, places, wrong) == []


def wrongly_loaded(document, places, wrong):
    loaded = [
        (shown(path), value)
        for path, value in zip(places, cycle(wrong), strict=False)
        if at(document, path) != value and not ALSO_RIGHT.match(shown(path))
        if refusal(changed(document, path, value)) is None
    ]
    return [(place, value) for place, value in loaded if value != [] or place not in NO_PAIRS]


def loaded_in_turn(document, places, values):
    tried = zip(places, cycle(values), strict=False)
    return [shown(path) for path, value in tried if refusal(changed(document, path, value)) is None]


@pytest.mark.parametrize("wrong", NOT_FINITE)
def test_no_number_may_be_infinite_or_nan(good, places, wrong):
    tried = [path for path in places if type(at(good, path)) is float and path[0] not in FREE]
    loaded = loaded_in_turn(good, tried, wrong)

    assert len(tried) > 80
    assert loaded == ([] if 1e308 not in wrong else [place for place in loaded if COLUMN_VALUE.search(place)])


@pytest.mark.parametrize("wrong", NOT_FINITE)
def test_no_number_of_the_evidence_may_be_infinite_or_nan(marginal, wrong):
    tried = [path for path in paths(marginal["marginal"], ("marginal",)) if type(at(marginal, path)) is float]

    assert {path[1] for path in tried} == {
        "averaging",
        "evidence",
        "gain",
        "logits",
        "penalty",
        "pi_without_pairs",
        "precisions",
        "slopes",
    }
    assert loaded_in_turn(marginal, tried, wrong) == []


@pytest.mark.parametrize("odd", ODD)
def test_whatever_evidence_is_loaded_has_an_interval_or_is_refused(marginal, crossed_rows, restored, odd):
    X, _ = crossed_rows
    for path, value in zip(paths(marginal["marginal"], ("marginal",)), cycle(odd), strict=False):
        try:
            model = restored(load(changed(marginal, path, value)))
        except InputError:
            continue
        with np.errstate(all="ignore"):
            interval = model.pi_interval()
            assert 0.0 <= interval.lower <= interval.upper <= 1.0
            assert len(model.predict_proba(X)) == len(X)
            assert str(model.summary())


@pytest.mark.parametrize("odd", ODD)
def test_whatever_is_loaded_predicts_or_is_refused(good, places, rows, restored, odd):
    X = rows[0][:10]
    for path, value in zip(places, cycle(odd), strict=False):
        try:
            stored = load(changed(good, path, value))
            model = restored(stored)
            with np.errstate(all="ignore"):
                assert len(model.predict_proba(X)) == len(X)
        except InputError:
            pass


def test_every_key_of_the_evidence_is_needed_and_no_other_is_permitted(marginal):
    for key in marginal["marginal"]:
        lacking = {name: part for name, part in marginal["marginal"].items() if name != key}
        assert f'marginal lacks "{key}"' in refusal({**marginal, "marginal": lacking})
    surplus = {**marginal["marginal"], "surplus": 1}
    assert 'marginal has the unknown key "surplus"' in refusal({**marginal, "marginal": surplus})


def test_every_key_is_needed(good):
    kept = []
    for path in paths(good):
        if path and isinstance(path[-1], str) and path[0] != "summary":
            parent = dict(at(good, path[:-1]))
            del parent[path[-1]]
            message = refusal(changed(good, path[:-1], parent))
            kept += [path] if message is None else []
            assert message is None or path[-1] in message or "is not a saved model" in message

    # Options may be left out: they are then at their defaults. So may what models of older files do not have.
    kept.remove(("term_moments",))
    assert [path for path in kept if path[-2:-1] != ("term",) and path[:2] != ("parameters", "terms")] == []
    assert {path[-1] for path in kept} == {"k", "scale", "missing"}


def test_unknown_keys_are_refused_but_in_what_is_only_told(good):
    for path in paths(good):
        if isinstance(at(good, path), dict):
            message = refusal(changed(good, path, {**at(good, path), "surplus": 1}))
            assert (message is None) == (path[:1] in [("summary",), ("provenance",)]), path
            assert message is None or '"surplus"' in message


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row[:-1],
        *(pytest.param(change, marks=pytest.mark.long) for change in (lambda row: [*row, row[-1]], lambda row: [])),
    ],
)
def test_lists_of_another_length_are_refused(good, places, change):
    # A basis that no term uses does no harm.
    free = {"estimate.history", "penalized.history", "parameters.terms", "parameters.kappas", "bases"}
    lists = [path for path in places if isinstance(at(good, path), list) and at(good, path)]
    loaded = {shown(path) for path in lists if refusal(changed(good, path, change(at(good, path)))) is None}

    assert len(lists) > 50
    assert loaded <= free


@pytest.mark.parametrize("change", [lambda row: row[:-1], lambda row: [*row, row[-1]], lambda row: []])
def test_lists_of_another_length_are_refused_in_the_evidence(marginal, change):
    lists = [key for key, part in marginal["marginal"].items() if isinstance(part, list)]
    loaded = [
        key for key in lists if refusal(changed(marginal, ("marginal", key), change(marginal["marginal"][key]))) is None
    ]

    assert lists == ["families", "precisions", "penalty", "logits", "evidence", "slopes", "added"]
    assert loaded in ([], ["added"])


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("marginal", "precisions", 0), -1.0, "marginal.precisions[0]: expected a number that is not negative; got"),
        (("marginal", "penalty", 0), -1.0, "marginal.penalty[0]: expected a number from 0 to "),
        (("marginal", "logits", 0), 9.0, "marginal.logits: expected increasing logits of pi, one at least; got a list"),
        (("marginal", "pi_without_pairs"), 1.5, "marginal.pi_without_pairs: expected a share from 0 to 1; got 1.5."),
        (("marginal", "n_pairs"), -1, "marginal.n_pairs: expected a whole number of at least 0; got -1."),
        (("marginal", "n_pairs"), 1.0, "marginal.n_pairs: expected a whole number of at least 0; got 1.0."),
        (("marginal", "families", 0), 3, "marginal.families[0]: expected text; got 3."),
        (("marginal", "added", 0), None, "marginal.added[0]: expected text; got null."),
        (("parameters", "estimate"), "mean", 'parameters.estimate: expected one of "marginal", "mode"; got "mean".'),
        (("parameters", "interactions"), "all", 'parameters.interactions: expected one of null, "auto"; got "all".'),
        (("parameters", "interactions"), -1, "parameters.interactions: expected a whole number of at least 0; got -1."),
        (("parameters", "interactions"), True, "parameters.interactions: expected a whole number of at least 0; got"),
        (("parameters", "interactions"), [["a"]], "parameters.interactions[0]: expected a list of 2; got a list of 1."),
        (("parameters", "interactions"), [["a", 2]], "parameters.interactions[0][1]: expected text; got 2."),
    ],
)
def test_a_refusal_of_evidence_says_where_and_what_was_expected(marginal, path, value, message):
    refused = refusal(changed(marginal, path, value))

    assert refused is not None
    assert message in refused


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("terms", 0, "term", "k"), 2, "terms[0].term.k: expected a whole number from 3 to 2147483648; got 2."),
        (("terms", 0, "term", "k"), 10.0, "terms[0].term.k: expected a whole number from 3 to 2147483648; got 10.0."),
        (
            ("terms", 0, "term", "k"),
            4,
            "terms[0].found.basis: expected a basis of at most 3 functions, for k = 4; got 0.",
        ),
        (
            ("terms", 0, "term", "kind"),
            "spiral",
            'terms[0].term.kind: expected one of "factor", "interaction", "labelling", "linear", "offset", "product", '
            '"random", "smooth", "tensor"; got "spiral".',
        ),
        (("terms", 0, "found", "basis"), 7, "terms[0].found.basis: expected a whole number from 0 to 1; got 7."),
        (("terms", 0, "found", "upper"), -1e9, "terms[0].found.upper: expected a number above"),
        (("terms", 0, "term", "bounds"), [0.0, 1.0], "terms[0].found.lower: expected the lower bound of the term"),
        (("terms", 0, "stand_ins"), [1.0], "terms[0].stand_ins: expected null, as the term does not say"),
        (("terms", 0, "term", "column"), "", 'terms[0].term.column: expected the name of a column; got "".'),
        (("terms", 0, "term", "column"), "y", "terms[0].term: expected a term of features, which 'y' is not"),
        (("terms", 0, "term", "column"), "dose", "terms: expected at least one term, and none twice"),
        (
            ("terms", 0, "smoothing", 0),
            -1.0,
            "terms[0].smoothing[0]: expected a number that is not negative; got -1.0.",
        ),
        (("terms", 3, "stand_ins", 0), "west", 'terms[3].stand_ins[0]: expected one of the levels; got "west".'),
        (
            ("terms", 3, "found", "levels", 0),
            "north",
            "terms[3].found.levels: expected at least two levels, all different",
        ),
        (
            ("terms", 4, "found", "levels"),
            [1, 1.0, 2],
            "terms[4].found.levels: expected at least two levels, all different",
        ),
        (("terms",), [], "terms: expected at least one term"),
        (("bases", 0, "knots", 0), 1.0, "bases[0].knots: expected increasing numbers strictly between 0 and 1"),
        (("bases", 0, "knots", 0), 0.0, "bases[0].knots: expected increasing numbers strictly between 0 and 1"),
        (("bases", 0, "roughness", 1), -1.0, "bases[0].roughness[1]: expected a number that is not negative"),
        (("bases", 0, "coefficients", 2, 0, 1), 1.0, "bases[0].coefficients: expected straight lines before"),
        (("bases", 0, "order"), 5, "bases[0].order: expected a whole number from 2 to 4; got 5."),
        (("bases",), [], "terms[0].found.basis: expected a basis, of which the file has none; got 0."),
        (("estimate", "logit_pi"), 1e4, "estimate.logit_pi: expected the logit of a share strictly between 0 and 1"),
        (("estimate", "information", 3, 3), -1.0, "estimate.information: expected a matrix without negative numbers"),
        (("estimate", "information", 3, 0), 1e9, "estimate.information: expected a positive semi-definite matrix"),
        (("estimate", "curvature", 0), -1.0, "estimate.curvature[0]: expected a number from 0 to 1e+120"),
        (("covariance", 0, 1), 1e9, "covariance: expected a symmetric matrix; got a list of"),
        (("covariance", 2, 2), -1e9, "covariance: expected a covariance, without negative numbers on its diagonal"),
        (("counts", "labelled"), 0.0, "counts.labelled: expected a positive number; got 0.0."),
        (("counts", "unlabelled"), math.nan, "counts.unlabelled: expected a finite number; got nan."),
        (("starts", "pi", 0), 1.5, "starts.pi[0]: expected a share from 0 to 1; got 1.5."),
        (("labels", "type"), "object", 'labels.type: expected one of "bool", "int8"'),
        (("labels", "unlabelled"), False, "labels.unlabelled: expected one of -1, 0; got false."),
        (("features", "frames"), "os", 'features.frames: expected one of "pandas", "polars", "pyarrow"; got "os".'),
        (("features", "count"), 10**12, "features.count: expected a whole number from 1 to 2147483648"),
        (("parameters", "pi"), 1.5, "parameters.pi: expected null, a share strictly between 0 and 1, or two bounds"),
        (("parameters", "pi"), [0.5, 0.1], "parameters.pi: expected two bounds, the lower one first"),
        (("parameters", "solver"), "x" * 99, 'parameters.solver: expected one of "newton", "em"; got "xxx'),
        (("parameters", "n_jobs"), 0, "parameters.n_jobs: expected null, or a whole number other than 0; got 0."),
        (("parameters", "terms", 0, "missing"), "\x1b[2J", r'got "\x1b[2J".'),
        (("parameters", "smoothing"), {"x1": -1}, 'parameters.smoothing["x1"]: expected a number that is not negative'),
        (("provenance", "date"), "yesterday", "provenance.date: expected a date and time as in 2025-01-31T12:00:00"),
        (("summary", "pi"), [], 'summary["pi"]: expected text, true, false or a finite number; got a list of 0.'),
    ],
)
def test_a_refusal_says_where_and_what_was_expected(good, path, value, message):
    refused = refusal(changed(good, path, value))

    assert refused is not None
    assert message in refused


@pytest.mark.parametrize("text", ["", "\x00", "{", "pickle", "[1, 2]", "null", "3", '{"format": "pugam model"}', "{}"])
def test_what_is_no_model_is_said_to_be_none(text):
    with pytest.raises(InputError, match=r"model\.json: is not a saved model"):
        from_json(text, FILE)


@pytest.mark.parametrize("data", [b"\x80\x04\x95\x1a", b"\xff\xfe{\x00}\x00", b'{"format": "\xed\xa0\x80"}'])
def test_bytes_that_are_no_text_are_refused(data):
    with pytest.raises(InputError, match=r"model\.json: is not a saved model: byte \d+ is not UTF-8 text\."):
        from_json(data, FILE)


def test_a_file_that_was_cut_short_is_refused(varied_text):
    for length in range(0, len(varied_text) - 2, 997):
        with pytest.raises(InputError, match="was cut short"):
            from_json(varied_text[:length], FILE)


def test_bytes_changed_at_random_give_a_model_or_a_refusal(varied_text):
    rng = np.random.default_rng(0)
    data = varied_text.encode()
    for _ in range(200):
        places = rng.integers(0, len(data), 3)
        mutable = bytearray(data)
        for place in places:
            mutable[place] = rng.integers(0, 256)
        with contextlib.suppress(InputError):
            from_json(bytes(mutable), FILE)


@pytest.mark.parametrize("deep", ["[" * 10**5, '{"a":' * 10**5, "[" * 50 + "]" * 50, '{"format": ' + "[" * 13])
def test_deep_nesting_is_refused_whatever_python_permits(deep):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        with pytest.raises(InputError, match="nested more than 12 levels deep"):
            from_json(deep, FILE)
    finally:
        sys.setrecursionlimit(limit)


def test_brackets_in_text_do_not_count(good):
    assert load(changed(good, ("provenance", "command"), '"\\[' * 50)).provenance.command == '"\\[' * 50


def test_repeated_keys_are_refused(varied_text):
    version = f'"format_version": {FORMAT_VERSION},'
    assert version in varied_text
    twice = varied_text.replace(version, f"{version} {version}")

    with pytest.raises(InputError, match="the key 'format_version' stands twice in one object"):
        from_json(twice, FILE)


def test_endless_digits_are_refused(varied_text):
    with pytest.raises(InputError, match="a whole number of 100000 digits"):
        from_json(varied_text.replace('"order": 4', '"order": ' + "4" * 10**5, 1), FILE)


def test_a_verdict_goes_with_whether_pi_was_given(good, marginal):
    for document in (good, marginal):
        pi = 1 / (1 + math.exp(-document["estimate"]["logit_pi"]))
        for given, verdict in ((None, "fixed"), ([0.0, 1.0], "fixed"), (pi, "well determined")):
            judged = changed(document, ("judgement",), {"verdict": verdict, "other_pi": []})
            refused = refusal(changed(judged, ("parameters", "pi"), given))

            assert 'judgement: expected the verdict "fixed" where parameters.pi is a share, and only there' in refused


def test_a_newer_format_asks_for_an_update(good):
    newer = {"format": "pugam model", "format_version": FORMAT_VERSION + 1, "provenance": {"pugam": "9.1"}, "new": []}

    assert refusal(newer) == (
        f"{FILE}: was written by a newer pugam (format 7, pugam 9.1); this is pugam {__version__}, which reads "
        "formats up to 6: update pugam."
    )
    assert "(format 7)" in refusal({**newer, "provenance": 3})
    assert "expected a whole number" in refusal({**good, "format_version": "1"})
    assert "expected a whole number" in refusal({**good, "format_version": True})


def test_a_small_file_that_claims_to_be_huge_allocates_nothing(good):
    claims = {**changed(good, ("terms", 0, "term", "k"), 2**31), "bases": [{**good["bases"][0], "knots": [0.5] * 3}]}

    assert "bases[0].knots" in refusal(claims)
    assert refusal(changed(good, ("terms", 0, "term", "k"), 2**31)) is None  # k is an upper limit: few values lower it


def test_a_matrix_is_made_of_the_numbers_there_are(good):
    n = 3 * 10**4  # the whole matrix would take 7 GB
    factor = {**good["terms"][4], "found": {"levels": list(range(n + 1))}, "coefficients": [0] * n}
    document = {**good, "terms": [factor], "estimate": {**good["estimate"], "information": [[]] * (n + 2)}}

    assert "estimate.information[0]: expected a list of 1 number; got a list of 0." in refusal(document)


def test_a_large_file_is_refused_before_it_is_parsed(varied_text, monkeypatch):
    monkeypatch.setattr(json_text, "MOST_BYTES", len(varied_text) - 1)

    with pytest.raises(InputError, match=r"model\.json: is larger than"):
        from_json(varied_text, FILE)
    assert MOST_BYTES == 2**28


MANY = 3_000
EXPENSIVE = {
    "lists": ["[]"] * MANY,
    "objects": ["{}"] * MANY,
    "pairs": ['{"":0}'] * MANY,
    "nested": ["[[[0]]]"] * MANY,
    "strings": [f'"{number:x}"' for number in range(MANY)],
    "wide strings": ['"\U0001f600"'] * MANY,
    "numbers": ["1.5"] * MANY,
    "digits": ["0"] * MANY,
    "one string": ['"' + "x" * 50 * MANY + '"'],
}


@pytest.mark.parametrize("items", EXPENSIVE.values(), ids=EXPENSIVE.keys())
@pytest.mark.parametrize("place", ["features", "starts", "bases", "terms"])
def test_a_file_takes_no_more_memory_than_is_counted_before_it_is_parsed(good, place, items):
    text = json.dumps({**good, place: "HERE"})
    values = f"[{','.join(items)}]"
    inside = {
        "features": f'{{"count": {len(items)}, "names": {values}, "frames": "pandas"}}',
        "starts": "{" + ", ".join(f'"{key}": {values}' for key in good["starts"]) + "}",
    }.get(place, values)
    content = text.replace('"HERE"', inside).encode()

    tracemalloc.start()
    with contextlib.suppress(InputError):
        from_json(content, FILE)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < memory_needed(content)


def test_a_file_that_would_take_too_much_memory_is_refused_before_it_is_parsed(monkeypatch):
    monkeypatch.setattr(json_text, "MOST_MEMORY", 2**20)
    monkeypatch.setattr(json_text.json, "loads", lambda *arguments, **options: pytest.fail("it was parsed"))

    with pytest.raises(InputError, match=r"model\.json: would take more than 0\.000976562 GiB of memory"):
        from_json("[" + "{}," * 10_000 + "{}]", FILE)


def test_a_model_as_large_as_can_be_is_not_refused():
    a_matrix_of_numbers = b"-0.12345678901234567," * 100_000

    assert memory_needed(a_matrix_of_numbers) / len(a_matrix_of_numbers) * MOST_BYTES < json_text.MOST_MEMORY


def test_text_without_end_is_scanned_in_one_go():
    with pytest.raises(InputError):  # after hours, if each quote were a new beginning
        from_json('"' + '\\"' * 10**6, FILE)


def test_a_loaded_file_can_be_saved(good):
    assert json.loads(to_json(load(good))) == good
