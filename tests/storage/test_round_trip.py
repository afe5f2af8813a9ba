"""A model that was saved and loaded is the model that was fitted, bit for bit."""

import json
import pickle
from dataclasses import fields, is_dataclass
from typing import Literal

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

import pugam.storage.parameters as parameters_module
import pugam.terms.term as terms_module
from pugam import PUGAM, f, l, load, s
from pugam.datasets import simulate
from pugam.errors import InputError
from pugam.storage import FORMAT_VERSION, Provenance, from_json, to_json
from pugam.version import __version__
from surface import Surface

KINDS = {
    "default": {},
    "linear": {"terms": "x1 + x2"},
    "quantile knots": {"terms": [s("x1", knots="quantile"), s("x2", k=6)]},
    "bounds": {"terms": [s("x1", bounds=(-2.0, 2.5)), l("x2")]},
    "small k": {"terms": [s("x1", k=3), s("x2", k=4), s("few", k=3)]},
    "factors": {"terms": [s("x1"), f("site", unseen="zero"), f("grade"), f("size"), f("old"), f("few")]},
    "gaps": {"terms": [s("dose", missing="effect"), f("ward", missing="effect"), s("x1", missing="effect")]},
    "gaps among booleans": {"terms": [l("seen", missing="effect"), s("x1")]},
    "factor of booleans with gaps": {"terms": [f("seen", missing="effect"), s("x1")]},
    "one term": {"terms": s("x1"), "pi": 0.3},
    "list of formulas": {"terms": ["s(x1)", l("x2")]},
    "pi fixed": {"pi": 0.3, "terms": "s(x1) + s(x2)"},
    "pi bounded": {"pi": (0, 0.5), "terms": "s(x1) + s(x2)"},
    "no prior": {"pi_prior": None, "terms": "s(x1) + s(x2)"},
    "prior": {"pi_prior": (1.5, 3), "terms": "s(x1) + s(x2)"},
    "penalised": {"debias": False, "terms": "s(x1) + s(x2)"},
    "aic": {"smoothing": "aic", "kappas": np.array([0.001, 0.1]), "n_starts": 3, "terms": "s(x1) + s(x2)"},
    "one kappa": {"smoothing": 1, "terms": "s(x1) + s(x2)", "random_state": np.int64(3), "n_jobs": 1},
    "a kappa each": {"smoothing": {"x1": 0.5, "s(x2)": np.float64(0.1)}, "terms": "s(x1) + s(x2)"},
    "em": {"solver": "em", "smoothing": 0.01, "n_starts": 2, "terms": "s(x1) + s(x2)", "max_iter": 300},
    "generator": {"random_state": np.random.default_rng(1), "terms": "s(x1) + s(x2)"},
    "mode": {"estimate": "mode", "terms": "s(x1) + s(x2)"},
    "no interactions": {"interactions": None, "terms": "s(x1) + s(x2)"},
    "few interactions": {"interactions": 2, "terms": "s(x1) + s(x2)"},
    "none of many interactions": {"interactions": [], "terms": "s(x1) + s(x2)"},
    "interactions": {"interactions": [("x1", "x2")], "terms": "s(x1) + s(x2) + f(site)"},
}
# The others differ from these by one setting, or are stored in the same places.
OFTEN = {
    "linear",
    "small k",
    "factors",
    "gaps",
    "one term",
    "pi bounded",
    "aic",
    "a kappa each",
    "generator",
    "mode",
    "interactions",
}
OFTEN_AND_OTHERS = [pytest.param(kind, marks=[] if kind in OFTEN else [pytest.mark.long]) for kind in KINDS]


def is_same(a, b):
    """Equal to the last bit, and of the same type, all the way down."""
    if isinstance(a, np.generic):
        a = a.item()
    if isinstance(a, np.ndarray):
        same = a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
        return a.dtype == b.dtype and a.shape == b.shape and same
    if is_dataclass(a):
        return type(a) is type(b) and all(is_same(getattr(a, x.name), getattr(b, x.name)) for x in fields(a))
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(is_same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


def differing(model, loaded):
    """Names of the attributes of an estimator that a loaded one has not, or otherwise; parameters left out."""
    left_out = {"_rows", "_index", "_fitted_with"}
    names = {name for name in vars(model) if name.endswith("_") or name.startswith("_")} - left_out
    return [name for name in names if not is_same(vars(model)[name], vars(loaded).get(name))]


@pytest.fixture(scope="module")
def fitted_kind(rows):
    """Fit each kind once; both tests that go through all kinds leave the model as it is."""
    models = {}

    def fit(kind):
        X, z = rows
        used = X if "terms" in KINDS[kind] else X[["x1", "x2", "site"]]
        if kind not in models:
            models[kind] = PUGAM(**KINDS[kind]).fit(used, z.astype(int))
        return models[kind], used, z.astype(int)

    return fit


def loaded_again(model, stored_of, restored):
    return restored(from_json(to_json(stored_of(model)), "model.json"))


@pytest.mark.parametrize("kind", OFTEN_AND_OTHERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_loaded_model_is_the_fitted_one(fitted_kind, stored_of, restored, kind):
    model, used, z = fitted_kind(kind)

    loaded = loaded_again(model, stored_of, restored)

    assert differing(model, loaded) == []
    assert is_same(model.predict_proba(used), loaded.predict_proba(used))
    assert is_same(model.covariance("frequentist"), loaded.covariance("frequentist"))
    assert model.pi_interval() == loaded.pi_interval()
    assert str(model.summary()) == str(loaded.summary())
    pd.testing.assert_frame_equal(model.effect("x1"), loaded.effect("x1"), check_exact=True)
    assert loaded.attach(used, z).loglik_ == model.loglik_


def test_a_model_with_interactions_that_were_added_is_the_fitted_one(crossed, crossed_rows, stored_of, restored):
    X, z = crossed_rows

    loaded = loaded_again(crossed, stored_of, restored)

    assert crossed._fit.added == ("ti(left, right)",)
    assert differing(crossed, loaded) == []
    assert is_same(crossed.predict_proba(X), loaded.predict_proba(X))
    for level in (0.5, 0.95, 0.999):
        assert crossed.pi_interval(level) == loaded.pi_interval(level)
    assert crossed.odds_ratio("left", -1.0, 1.0) == loaded.odds_ratio("left", -1.0, 1.0)
    assert str(crossed.summary()) == str(loaded.summary())
    loaded.attach(X, z.astype(int))
    assert loaded.loglik_ == crossed.loglik_
    assert str(loaded.diagnose()) == str(crossed.diagnose())
    np.testing.assert_array_equal(loaded.bootstrap(2, random_state=1).pi, crossed.bootstrap(2, random_state=1).pi)


@pytest.mark.parametrize("kind", OFTEN_AND_OTHERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_parameters_come_back(fitted_kind, stored_of, restored, kind):
    model, _, _ = fitted_kind(kind)
    expected = dict(KINDS[kind])
    if kind == "generator":
        expected["random_state"] = None

    loaded = loaded_again(model, stored_of, restored)

    parameters = loaded.get_params()
    for name, value in expected.items():
        assert is_same(value.tolist() if isinstance(value, np.ndarray) else value, parameters[name]), name


# The parameters of all kinds are compared above; the same ones give the same fit.
REFITTED = ("gaps", "pi bounded", "a kappa each", "mode")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind in REFITTED else pytest.mark.long) for kind in KINDS if kind != "generator"],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_parameters_that_come_back_fit_the_same_model_again(fitted_kind, stored_of, restored, kind):
    model, used, z = fitted_kind(kind)

    assert loaded_again(model, stored_of, restored).fit(used, z).pi_ == model.pi_


@pytest.fixture
def small(rows):
    X, z = rows
    return PUGAM([s("x1", k=4), l("x2"), f("site", unseen="zero")], interactions=None, check=False).fit(X, z)


def test_parameters_set_anew_are_for_another_fit(small, tmp_path):
    share = small.pi_
    small.set_params(pi=0.9, terms="dose").save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")

    assert (loaded.pi_, loaded.pi, len(loaded.terms)) == (share, None, 3)
    assert loaded.formula_ == small.formula_


@pytest.mark.parametrize("pi", [0.999, [0.98, 0.99]])
def test_a_share_that_the_parameters_do_not_permit_is_refused(small, tmp_path, pi):
    small.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    document["parameters"]["pi"] = pi
    (tmp_path / "model.json").write_text(json.dumps(document))

    with pytest.raises(InputError, match=r"estimate\.logit_pi: expected a share that parameters\.pi permits; got 0"):
        load(tmp_path / "model.json")


def test_a_file_saved_again_is_the_same_file(varied_text, crossed_text):
    for text in (varied_text, crossed_text):
        assert to_json(from_json(text, "model.json")) == text
        assert to_json(from_json(text.encode(), "model.json")) == text


def test_weights_count(rows, stored_of, restored):
    X, z = rows
    weights = np.linspace(0.5, 1.7, len(z))
    model = PUGAM("s(x1) + s(x2)").fit(X, z, sample_weight=weights)

    loaded = loaded_again(model, stored_of, restored)

    assert loaded.n0_ == pytest.approx(weights[z].sum())
    assert differing(model, loaded) == []


SIGNED_TYPES = ["int8", "int64", "float32", "float64", ">i4", "longdouble"]


@pytest.mark.parametrize(
    ("dtype", "unlabelled"),
    [
        *((kind, 0) for kind in ("bool", "int64", "float32")),
        *((kind, -1) for kind in ("int8", ">i4")),
        *(
            pytest.param(kind, 0, marks=pytest.mark.long)
            for kind in ("uint8", *SIGNED_TYPES)
            if kind not in ("int64", "float32")
        ),
        *(pytest.param(kind, -1, marks=pytest.mark.long) for kind in SIGNED_TYPES if kind not in ("int8", ">i4")),
    ],
)
def test_labels_come_back_in_their_type(rows, stored_of, restored, dtype, unlabelled):
    X, z = rows
    model = PUGAM("x1 + x2", n_starts=2, smoothing=0.1).fit(X, np.where(z, 1, unlabelled).astype(dtype))

    loaded = loaded_again(model, stored_of, restored)

    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.classes_.dtype == ("float64" if dtype == "longdouble" else np.dtype(dtype).newbyteorder("="))
    assert (loaded.predict(X) == model.predict(X)).all()


def test_columns_of_an_array_need_no_names(rows, stored_of, restored):
    X, z = rows
    array = X[["x1", "x2", "few"]].to_numpy(float)
    model = PUGAM("s(x0) + x2").fit(array, z)

    loaded = loaded_again(model, stored_of, restored)

    assert not hasattr(loaded, "feature_names_in_")
    assert is_same(model.decision_function(array), loaded.decision_function(array))


@pytest.mark.parametrize("make", [polars.from_pandas, pyarrow.Table.from_pandas])
def test_effects_come_in_the_frames_of_the_fit(rows, stored_of, restored, make):
    X, z = rows
    frame = make(X[["x1", "x2", "site"]])
    model = PUGAM(smoothing=0.1).fit(frame, z)

    loaded = loaded_again(model, stored_of, restored)

    assert type(loaded.effect("x1")) is type(frame)
    assert is_same(model.predict_proba(frame), loaded.predict_proba(frame))


def test_frames_of_other_libraries_are_made_by_pandas(varied, stored_of):
    stored = stored_of(varied)
    object.__setattr__(stored, "library", "os")

    assert from_json(to_json(stored), "model.json").library == "pandas"


HOSTILE = [
    "größe 身長",
    'quo"te\\ `tick`',
    "line\nbreak\ttab\r\x00\x1f\u2028",
    "half \ud800 pair",
    "\udcff",
    "__class__",
    "😀",
    " ",
    "</script>",
]


def with_objects(X, name):
    """A frame with this column and level; as objects, since other types of text refuse half a character."""
    site = pd.Series([name if level == "north" else level for level in X["site"]], dtype=object)
    frame = pd.DataFrame({0: X["x1"], 1: X["x2"], 2: site})
    return frame.set_axis(pd.Index(["x1", name, "site"], dtype=object), axis=1)


@pytest.mark.parametrize("name", HOSTILE)
def test_any_text_may_name_a_column_or_a_level(rows, stored_of, restored, name):
    X, z = rows
    renamed = with_objects(X, name)
    model = PUGAM([s("x1"), l(name), f("site")], n_starts=3, smoothing=0.1).fit(renamed, z)

    text = to_json(stored_of(model))
    loaded = restored(from_json(text.encode("utf-8"), "model.json"))

    assert loaded.feature_names_in_[1] == name
    assert name in loaded._design.bases[2].levels
    assert is_same(model.predict_proba(renamed), loaded.predict_proba(renamed))


def test_two_halves_of_a_character_are_refused_rather_than_joined(rows, stored_of):
    X, z = rows
    model = PUGAM([s("x1"), l("\ud83d\ude00")], n_starts=2).fit(with_objects(X, "\ud83d\ude00"), z)

    with pytest.raises(InputError, match="broken character"):
        to_json(stored_of(model))


def test_levels_keep_their_type(rows, stored_of):
    X, z = rows
    model = PUGAM([s("x1"), f("grade"), f("size"), f("old"), f("few")], n_starts=3).fit(X, z)

    design = from_json(to_json(stored_of(model)), "model.json").design

    assert [{type(level) for level in basis.levels} for basis in design.bases[1:]] == [{int}, {float}, {bool}, {float}]


def test_an_infinite_level_is_refused_on_saving(rows, stored_of):
    X, z = rows
    odd = X.assign(size=pd.Categorical(X["size"].astype(float).replace(2.5, np.inf)))
    model = PUGAM([s("x1"), f("size")], n_starts=2).fit(odd, z)

    with pytest.raises(InputError, match=r"cannot be saved: terms\[1\]\.found\.levels\[2\]: expected .*; got inf\."):
        to_json(stored_of(model))


def test_equal_bases_are_stored_once_also_after_a_copy(rows, stored_of):
    X, z = rows
    model = pickle.loads(pickle.dumps(PUGAM("s(x1) + s(x2) + s(dose, missing='effect')").fit(X, z)))

    document = json.loads(to_json(stored_of(model)))

    assert [term["found"]["basis"] for term in document["terms"]] == [0, 0, 0]
    assert len(document["bases"]) == 1


def test_a_basis_comes_from_the_file_not_from_the_knots(varied_text):
    document = json.loads(varied_text)
    document["bases"][0]["coefficients"][1][1][0] = 123.25

    stored = from_json(json.dumps(document), "model.json")

    assert stored.design.bases[0].functions.coefficients[1, 1, 0] == 123.25


def test_bits_that_rounding_left_uneven_are_kept(varied, varied_text):
    document = json.loads(varied_text)

    assert [len(row) for row in document["estimate"]["information"]] == list(range(1, 3 + varied._design.n_columns))
    assert not np.array_equal(varied._covariance, varied._covariance.T)
    assert np.array_equal(np.array(document["covariance"]), varied._covariance)


def test_one_optimum_is_stored_once(rows, stored_of):
    X, z = rows
    stored = stored_of(PUGAM("x1 + x2", debias=False, n_starts=2).fit(X, z))

    text = to_json(stored)

    assert json.loads(text)["penalized"] is None
    fit = from_json(text, "model.json").fit
    assert fit.penalized is fit.optimum


def test_people_can_read_the_file(varied_text, varied):
    document = json.loads(varied_text)
    lines = varied_text.splitlines()

    assert list(document)[:5] == ["format", "format_version", "provenance", "summary", "parameters"]
    assert list(document)[-1] == "bases"
    assert document["format_version"] == FORMAT_VERSION
    assert document["summary"]["pi"] == varied.pi_
    assert document["provenance"]["pugam"] == __version__
    assert document["provenance"]["command"] == "pugam fit table.csv"
    assert lines[1] == '  "format": "pugam model",'
    assert "süd" in varied_text
    assert f'      "coefficients": {json.dumps(document["terms"][0]["coefficients"])}' in lines
    assert varied_text.endswith("}\n")


def test_what_is_not_finite_in_the_summary_becomes_null(varied, stored_of):
    stored = stored_of(varied)
    object.__setattr__(stored, "summary", {"edf": np.float64("nan"), "n": np.int64(3)})

    assert from_json(to_json(stored), "model.json").summary == {"edf": None, "n": 3}


def test_provenance_states_the_time_in_utc():
    assert Provenance.now().date.endswith("+00:00")


# A term of several columns with several smoothing parameters, of a kind that the package does not have


@pytest.fixture
def surface_model(rows, monkeypatch):
    for registry, name in (("_FUNCTIONS", Surface.function), ("_KINDS", Surface.kind)):
        monkeypatch.setitem(getattr(terms_module, registry), name, Surface)
    X, z = rows
    terms = [Surface("x1", "x2"), s("dose", k=4, missing="effect", scale="linear"), f("grade")]
    smoothing = {"surface(x1, x2)": (0.5, 3.0), "dose": 1.0}
    return X, PUGAM(terms, smoothing=smoothing, n_starts=2, shrinkage="never").fit(X, z.astype(int))


def test_a_term_of_several_columns_and_penalties_comes_back(surface_model, stored_of, restored):
    X, model = surface_model
    text = to_json(stored_of(model))
    term = json.loads(text)["terms"][0]

    loaded = restored(from_json(text, "model.json"))

    assert term["term"] == {"kind": "surface", "columns": ["x1", "x2"]}
    assert (term["smoothing"], term["stand_ins"]) == ([0.5, 3.0], None)
    assert loaded.smoothing_ == model.smoothing_ == {"surface(x1, x2)": (0.5, 3.0), "dose": 1.0}
    assert loaded.terms == model.terms
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert to_json(stored_of(loaded)).split('"parameters"')[1] == text.split('"parameters"')[1]


def test_a_term_of_an_unknown_kind_is_refused_on_load(surface_model, stored_of, monkeypatch):
    text = to_json(stored_of(surface_model[1]))
    monkeypatch.delitem(terms_module._KINDS, Surface.kind)

    fault = r'kind: expected one of "factor", "interaction", "labelling", "linear".*"tensor".*; got "surface"\.'
    with pytest.raises(InputError, match=fault):
        from_json(text, "model.json")


@pytest.mark.parametrize("smoothing", [[], [1.0], [1.0, 2.0, 3.0], [1.0, -2.0]])
def test_a_wrong_number_of_smoothing_parameters_is_refused(surface_model, stored_of, smoothing):
    document = json.loads(to_json(stored_of(surface_model[1])))
    document["terms"][0]["smoothing"] = smoothing

    with pytest.raises(InputError, match=r"terms\[0\]\.smoothing"):
        from_json(json.dumps(document), "model.json")


def test_an_engine_needs_no_place_in_the_file_but_its_name(fitted_kind, stored_of, monkeypatch):
    document = to_json(stored_of(fitted_kind("linear")[0])).replace('"engine": "auto"', '"engine": "abacus"')
    with pytest.raises(InputError, match=r'parameters.engine: expected one of "auto", .*; got "abacus"'):
        from_json(document, "model.json")

    monkeypatch.setattr(parameters_module, "EngineName", Literal["auto", "abacus"])
    assert from_json(document, "model.json").parameters["engine"] == "abacus"


def test_a_loaded_model_that_is_fitted_anew_is_not_from_the_file(tmp_path):
    data = simulate(1, n0=200, n=600, random_state=0)
    PUGAM("x1 + x2", pi=0.4, check=False).fit(data.X, data.z).save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.provenance_["pugam"] == __version__

    loaded.fit(data.X.iloc[:500], data.z[:500])

    assert not hasattr(loaded, "provenance_")
