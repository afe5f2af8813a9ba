"""A bootstrap kept in a file goes on where it was, to the same result, and mixes with nothing else."""

import json

import numpy as np
import pytest

import pugam
from pugam import PUGAM, InputError, PugamWarning, s
from pugam.datasets import simulate
from pugam.files import working_alone
from pugam.inference import bootstrap as bootstrap_module
from pugam.inference import bootstrap_store as store_module

N_ROWS, N_RESAMPLES, SEED = 300, 60, 4
N_BATCHES = 3  # 16 refits, 32, and 12
TERMS = [s("x1", k=5), s("x2", k=5)]
FIELDS = ("pi", "alpha", "coef", "smoothing", "converged")


@pytest.fixture(scope="module")
def data():
    return simulate(1, n0=N_ROWS // 2, n=N_ROWS, random_state=7)


@pytest.fixture(scope="module")
def model(data):
    return fit(data)


def fit(data, **options):
    return PUGAM(TERMS, **({"smoothing": 0.1, "n_starts": 2} | options)).fit(data.X, data.z)


@pytest.fixture(scope="module")
def plain(model):
    """What comes without a store."""
    return model.bootstrap(N_RESAMPLES, random_state=SEED)


@pytest.fixture(scope="module")
def whole(model, tmp_path_factory):
    """What a store holds in the end."""
    path = tmp_path_factory.mktemp("store") / "refits.jsonl"
    model.bootstrap(N_RESAMPLES, random_state=SEED, store=path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, whole):
    path = tmp_path / "refits.jsonl"
    path.write_bytes(whole)
    return path


@pytest.fixture
def refitted(monkeypatch):
    """Numbers of refits in the batches that are made, not read."""
    sizes, refit = [], bootstrap_module._refit

    def counting(fitted, counts, reselect):
        sizes.append(len(counts))
        return refit(fitted, counts, reselect)

    monkeypatch.setattr(bootstrap_module, "_refit", counting)
    return sizes


def assert_identical(one, other):
    for name in FIELDS:
        ours, theirs = getattr(one, name), getattr(other, name)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert ours.tobytes() == theirs.tobytes()
    for name in ("estimate", "n_requested", "n_failed", "interrupted", "acceleration", "limits"):
        assert getattr(one, name) == getattr(other, name)


# Going on


def test_a_store_changes_nothing_and_is_read_not_made_again(model, plain, tmp_path, refitted):
    path = tmp_path / "new folder" / "refits.jsonl"

    assert_identical(model.bootstrap(N_RESAMPLES, random_state=SEED, store=path), plain)
    assert refitted == [16, 32, 12]
    assert_identical(model.bootstrap(N_RESAMPLES, random_state=SEED, store=str(path)), plain)

    assert refitted == [16, 32, 12]
    assert path.read_bytes().count(b"\n") == 1 + N_BATCHES


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_lines", range(1 + N_BATCHES + 1))
def test_a_file_cut_at_any_line_is_completed(model, plain, whole, path, refitted, n_lines, n_jobs):
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:n_lines]))

    assert_identical(model.bootstrap(N_RESAMPLES, random_state=SEED, n_jobs=n_jobs, store=path), plain)

    assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())
    assert sorted(refitted) == sorted([16, 32, 12][max(n_lines - 1, 0) :])


@pytest.mark.parametrize("n_lines", range(1 + N_BATCHES))
@pytest.mark.parametrize(
    "n_bytes", [20, pytest.param(1, marks=pytest.mark.long), pytest.param(-1, marks=pytest.mark.long)]
)
def test_a_file_cut_inside_a_line_is_completed(model, plain, whole, path, n_lines, n_bytes):
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:n_lines]) + lines[n_lines][:n_bytes])

    assert_identical(model.bootstrap(N_RESAMPLES, random_state=SEED, store=path), plain)

    assert path.read_bytes() == whole


def test_ctrl_c_keeps_what_is_done_and_the_same_call_goes_on(model, plain, tmp_path, monkeypatch):
    path, refit = tmp_path / "refits.jsonl", bootstrap_module._refit

    def interrupted(fitted, counts, reselect):
        if len(counts) == 12:
            raise KeyboardInterrupt
        return refit(fitted, counts, reselect)

    with monkeypatch.context() as patched:
        patched.setattr(bootstrap_module, "_refit", interrupted)
        with pytest.warns(PugamWarning, match=r"48 of 60 .* kept in .*refits\.jsonl; the same call goes on"):
            some = model.bootstrap(N_RESAMPLES, random_state=SEED, store=path)
    assert some.interrupted
    assert len(some.pi) == 48

    assert_identical(model.bootstrap(N_RESAMPLES, random_state=SEED, store=path), plain)


def test_refits_that_failed_are_not_tried_again(model, tmp_path, monkeypatch):
    path, maker = tmp_path / "refits.jsonl", bootstrap_module.refit_resamples

    def breaking(fitted, counts):
        if (counts[:, 0] > 2).any():
            raise np.linalg.LinAlgError
        return maker(fitted, counts)

    monkeypatch.setattr(bootstrap_module, "refit_resamples", breaking)
    with pytest.warns(PugamWarning, match="failed"):
        first = model.bootstrap(N_RESAMPLES, random_state=SEED, store=path)
    monkeypatch.undo()
    with pytest.warns(PugamWarning, match="failed"):
        again = model.bootstrap(N_RESAMPLES, random_state=SEED, store=path)

    assert first.n_failed > 0
    assert_identical(again, first)


def test_smoothing_chosen_anew_is_kept_refit_by_refit(model, tmp_path, refitted):
    path, options = tmp_path / "refits.jsonl", {"smoothing": "reselect", "random_state": SEED}
    whole = model.bootstrap(3, **options, store=path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    refitted.clear()

    assert_identical(model.bootstrap(3, **options, store=path), whole)
    assert refitted == [1]


def test_the_same_model_fitted_again_or_loaded_goes_on(data, plain, path, tmp_path, refitted):
    again = fit(data)
    again.save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json").attach(data.X, data.z)

    for one in (again, loaded):
        assert_identical(one.bootstrap(N_RESAMPLES, random_state=SEED, store=path), plain)

    assert refitted == []


def test_an_interval_passes_the_store_on(model, plain, path, refitted):
    interval = model.pi_interval(method="bootstrap", n_resamples=N_RESAMPLES, random_state=SEED, store=path)

    assert interval == plain.interval()
    assert refitted == []


# Refusals


@pytest.mark.parametrize(
    ("n_resamples", "options", "words"),
    [
        (61, {}, "another number of resamples"),
        (60, {"random_state": 5}, "another seed"),
        (60, {"random_state": None}, "another seed"),
        (60, {"smoothing": "reselect"}, "another kind of smoothing"),
        (60, {"groups": np.arange(N_ROWS) // 3}, "other groups"),
    ],
)
def test_another_bootstrap_of_the_model_is_refused(model, path, whole, n_resamples, options, words):
    with pytest.raises(InputError) as refusal:
        model.bootstrap(n_resamples, **({"random_state": SEED} | options), store=path)

    assert str(refusal.value) == (
        f"{path} holds refits made with {words}; name another file, or delete that one to begin anew."
    )
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "options", [{"smoothing": 0.2}, {"tol": 1e-7}, {"pi": (0.01, 0.99)}, {"debias": False}], ids=str
)
def test_another_model_of_the_same_rows_is_refused(data, path, options):
    with pytest.raises(InputError, match="another fitted model"):
        fit(data, **options).bootstrap(N_RESAMPLES, random_state=SEED, store=path)


def test_other_rows_are_refused(data, model, path):
    order = np.arange(N_ROWS)
    order[:2] = order[1::-1]
    swapped = PUGAM(TERMS, smoothing=0.1, n_starts=2).fit(data.X.iloc[order], data.z[order])
    weighted = PUGAM(TERMS, smoothing=0.1, n_starts=2).fit(data.X, data.z, sample_weight=np.full(N_ROWS, 2.0))

    for other in (swapped, weighted):
        with pytest.raises(InputError, match="other rows, labels or weights"):
            other.bootstrap(N_RESAMPLES, random_state=SEED, store=path)


def test_another_version_is_refused(model, path, monkeypatch):
    monkeypatch.setattr(store_module, "__version__", "0.0.0")

    with pytest.raises(InputError, match="another version of pugam"):
        model.bootstrap(N_RESAMPLES, random_state=SEED, store=path)


@pytest.mark.parametrize("state", [np.random.default_rng(0), np.random.RandomState(0)], ids=["new", "old"])
def test_a_seed_that_cannot_be_repeated_is_refused(data, model, tmp_path, state):
    path = tmp_path / "refits.jsonl"
    with pytest.raises(InputError, match="random_state a whole number, not a generator"):
        model.bootstrap(4, random_state=state, store=path)
    with pytest.raises(InputError, match="random_state a whole number, not a generator"):
        fit(data, random_state=state).bootstrap(4, store=path)

    assert not path.exists()


@pytest.mark.parametrize("content", ["x1,z\n0.5,1\n0.2,0", '{"a model": 1}', "\n"])
def test_a_file_of_another_kind_is_left_as_it_is(model, tmp_path, content):
    path = tmp_path / "precious"
    path.write_text(content)

    with pytest.raises(InputError, match="holds something else than refits of a bootstrap; name another file"):
        model.bootstrap(2, random_state=SEED, store=path)

    assert path.read_text() == content


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: "{}",
        lambda line: "3",
        lambda line: "[",
        lambda line: json.dumps(line | {"batch": 7}),
        lambda line: json.dumps(line | {"batch": -1}),
        lambda line: json.dumps(line | {"batch": 0}),
        lambda line: json.dumps(line | {"refits": line["refits"] | {"alpha": [0.5]}}),
        lambda line: json.dumps(line | {"refits": line["refits"] | {"converged": True}}),
        lambda line: json.dumps(line | {"refits": line["refits"] | {"beta": ["a"]}}),
    ],
)
def test_a_damaged_line_is_named(model, whole, path, damage):
    lines = whole.decode().splitlines()
    lines[2] = damage(json.loads(lines[2]))
    path.write_text("\n".join(lines) + "\n")

    with pytest.raises(InputError, match=r"refits.jsonl, line 3, is damaged; delete that line"):
        model.bootstrap(N_RESAMPLES, random_state=SEED, store=path)


def test_a_store_at_which_another_works_is_refused(model, path):
    with working_alone(path), pytest.raises(InputError, match="Another process is at work on"):
        model.bootstrap(N_RESAMPLES, random_state=SEED, store=path)


def test_a_folder_cannot_be_a_store(model, tmp_path):
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        model.bootstrap(2, random_state=SEED, store=tmp_path)
