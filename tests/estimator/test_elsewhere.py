"""Fits of rows in a file that are never all in memory: what they give is what a fit in memory gives."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pugam
from pugam import PUGAM, InputError, PugamWarning
from pugam.engines import FileRows, PartedEngine

N, BATCH = 3000, 701
TERMS = "s(x1) + s(x2) + f(site) + s(long) + s(gaps, missing='effect')"
SMALL = "s(x1, k=6) + s(x2, k=6)"
# To find smoothing takes most passes over a file; tests of how files, labels and weights are read give it.
GIVEN = {"smoothing": 0.1}


@pytest.fixture(scope="module")
def rows():
    """Features that tell the classes apart: normal, long-tailed, with gaps, of levels; weights, zeros among them."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.7
    gaps = np.where(y, rng.normal(0.4, 1.0, N), rng.normal(-0.4, 1.0, N))
    return pd.DataFrame(
        {
            "x1": np.where(y, rng.normal(1.0, 0.6, N), rng.normal(-0.5, 1.0, N)),
            "x2": np.where(y, rng.normal(0.0, 0.5, N), rng.normal(0.5, 1.2, N)),
            "z": (y & (rng.random(N) < 0.7)).astype(int),
            "long": np.exp(np.where(y, rng.normal(0.5, 1.0, N), rng.normal(-0.5, 1.0, N))),
            "site": np.where(y, rng.choice(list("aabc"), N), rng.choice(list("abbc"), N)),
            "gaps": np.where(rng.random(N) < 0.1, np.nan, gaps),
            "weight": rng.choice([0.0, 0.5, 1.0, 2.0], N),
        }
    )


def write(frame, path):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=1000)
    else:
        frame.to_csv(path, index=False)
    return path


def changed(rows, path, **columns):
    return write(rows.assign(**columns), path)


@pytest.fixture(scope="module")
def path(rows, tmp_path_factory):
    return write(rows, tmp_path_factory.mktemp("rows") / "rows.parquet")


@pytest.fixture(autouse=True, scope="module")
def small_batches():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pugam.engines.file_rows.BATCH_ROWS", BATCH)
        yield


@pytest.fixture
def some_rows_tell(monkeypatch):
    """Terms see some three hundred rows, as they do of very many."""
    monkeypatch.setattr("pugam.data.digests.FEW_ROWS", 300)


def fit_both(rows, path, terms=TERMS, weights=None, **options):
    """The same fit, in memory and from a file."""
    features = rows.drop(columns=["z", "weight"])
    given = None if weights is None else rows[weights]
    here = PUGAM(terms, engine="memory", **options).fit(features, rows["z"], given)
    return here, PUGAM(terms, engine="stream", **options).fit(path, "z", weights)


def assert_same_fit(there, here, atol=1e-10):
    """The same to `atol`; coefficients that rows hardly hold, to as much of their standard error."""
    assert isinstance(there._rows[0], PartedEngine)
    assert there.formula_ == here.formula_
    assert there.pi_ == pytest.approx(here.pi_, abs=atol)
    error = np.sqrt(np.diag(here.covariance()))[-len(here.coef_) :]
    assert np.all(np.abs(there.coef_ - here.coef_) <= atol * np.maximum(error, 1.0))
    assert there.loglik_ == pytest.approx(here.loglik_, rel=1e-10)
    assert (there.n0_, there.n1_) == pytest.approx((here.n0_, here.n1_), rel=1e-12)
    np.testing.assert_array_equal(there.classes_, here.classes_)
    assert there.converged_


@pytest.fixture(scope="module")
def models(rows, path):
    return fit_both(rows, path, weights="weight")


@pytest.fixture(scope="module")
def model_given(rows):
    """The fit in memory, with smoothing given."""
    return PUGAM(TERMS, engine="memory", **GIVEN).fit(rows.drop(columns=["z", "weight"]), rows["z"], rows["weight"])


def test_a_fit_with_all_kinds_of_terms_and_weights_is_that_in_memory(models, rows):
    here, there = models

    assert_same_fit(there, here)
    assert there._design.bases[3].scale is not None
    assert there.feature_names_in_.tolist() == ["x1", "x2", "long", "site", "gaps"]
    assert there._rows[0].n_rows == np.count_nonzero(rows["weight"])


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz"])
def test_a_fit_of_a_text_file_is_that_in_memory(model_given, rows, tmp_path, name):
    there = PUGAM(TERMS, engine="stream", **GIVEN).fit(write(rows, tmp_path / name), "z", "weight")

    assert_same_fit(there, model_given)


def test_terms_are_chosen_from_the_columns_of_a_file_too(rows, path):
    whole = rows.drop(columns=["gaps", "weight"])
    here = PUGAM(engine="memory").fit(whole.drop(columns="z"), whole["z"])
    there = PUGAM(engine="stream").fit(write(whole, path.parent / "whole.parquet"), "z")

    assert_same_fit(there, here)
    assert there.formula_ == 's(x1) + s(x2) + s(long, scale="log") + f(site)'


@pytest.mark.usefixtures("some_rows_tell")
@pytest.mark.parametrize(
    ("weights", "options"),
    [pytest.param(None, {}, marks=pytest.mark.long), ("weight", GIVEN)],
    ids=["unweighted", "weighted"],
)
def test_a_fit_whose_terms_saw_some_rows_is_that_in_memory(rows, path, weights, options):
    here, there = fit_both(rows, path, weights=weights, **options)

    # Parts are summed in another order; the iterations that choose smoothing carry rounding on, to 3e-9 of a kappa.
    assert_same_fit(there, here, atol=1e-9)


@pytest.mark.long
@pytest.mark.usefixtures("some_rows_tell")
def test_quantile_knots_of_some_rows_are_those_in_memory(rows, path):
    here, there = fit_both(rows, path, "s(x1, knots='quantile') + s(long, knots='quantile', scale='log')")

    assert_same_fit(there, here)
    for one, other in zip(there._design.bases, here._design.bases, strict=True):
        np.testing.assert_array_equal(one.pieces.breaks, other.pieces.breaks)


@pytest.mark.parametrize(
    "options",
    [
        {"smoothing": "aic", "kappas": [1e-1, 1e-3], "n_starts": 3},
        pytest.param({"smoothing": 1e-2, "solver": "em", "n_starts": 1}, marks=pytest.mark.long),
        {"smoothing": {"x1": 1e-2, "x2": 1.0}, "debias": False},
        {"pi": 0.4},
        pytest.param({"random_state": 5, "n_jobs": 2}, marks=pytest.mark.long),
    ],
    ids=["aic", "em", "given", "pi known", "threads"],
)
def test_other_ways_to_fit_are_those_in_memory(rows, path, options):
    here, there = fit_both(rows, path, SMALL, **options)

    # A logistic fit of EM ends where rounding says that nothing more is gained.
    assert_same_fit(there, here, atol=1e-8 if options.get("solver") == "em" else 1e-10)


@pytest.mark.parametrize(
    ("kept", "options"), [(0, GIVEN), pytest.param(60_000, {}, marks=pytest.mark.long)], ids=["nothing", "part"]
)
def test_a_file_that_does_not_fit_into_memory_gives_the_same_fit(rows, path, kept, options, monkeypatch):
    monkeypatch.setattr(FileRows.__init__, "__defaults__", (*FileRows.__init__.__defaults__[:-1], kept))

    here, there = fit_both(rows, path, SMALL, **options)

    assert_same_fit(there, here)
    assert len(there._rows[0].parts._kept) < len(there._rows[0]._ends)


def test_levels_kept_as_a_dictionary_are_those_of_text(rows, path, model_given):
    file = path.parent / "levels.parquet"
    whole = rows.astype({"site": "category"})
    pq.write_table(pa.Table.from_pandas(whole, preserve_index=False), file, row_group_size=1000)

    assert_same_fit(PUGAM(TERMS, engine="stream", **GIVEN).fit(file, "z", "weight"), model_given)


@pytest.mark.usefixtures("some_rows_tell")
def test_a_column_that_numbers_the_rows_is_left_out_also_where_some_rows_tell(rows, tmp_path):
    file = changed(rows[["x1", "x2", "z"]], tmp_path / "rows.parquet", number=np.arange(N) + 17)

    with pytest.warns(PugamWarning, match="Left out number: .* only number the rows"):
        model = PUGAM(engine="stream", **GIVEN).fit(file, "z")

    assert model.formula_ == "s(x1) + s(x2)"


@pytest.mark.usefixtures("some_rows_tell")
def test_an_identifier_with_gaps_is_asked_about_also_where_some_rows_tell(rows, tmp_path):
    identifiers = np.random.default_rng(3).permutation(3 * N)[:N]
    file = changed(rows[["x1", "x2", "z"]], tmp_path / "rows.parquet", number=identifiers)

    with pytest.warns(PugamWarning, match="Column 'number' holds whole numbers, different in every row"):
        model = PUGAM(engine="stream", **GIVEN).fit(file, "z")

    assert model.formula_.endswith("s(number)")


# What follows a fit


def test_intervals_are_those_in_memory(models):
    here, there = models

    for method in ("wald", "profile"):
        one, other = (model.pi_interval(method=method) for model in (there, here))
        assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=1e-7)


@pytest.mark.parametrize(
    ("options", "n_resamples"),
    [
        ({}, 4),
        pytest.param({}, 20, marks=pytest.mark.long),
        pytest.param({"smoothing": "reselect"}, 2, marks=pytest.mark.long),
    ],
    ids=["smoothing fixed", "smoothing fixed, many", "smoothing reselected"],
)
def test_a_bootstrap_is_that_in_memory(models, options, n_resamples):
    here, there = (model.bootstrap(n_resamples, random_state=3, **options) for model in models)

    np.testing.assert_allclose(there.pi, here.pi, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(there.coef, here.coef, rtol=0.0, atol=1e-6)


def test_groups_of_a_bootstrap_are_drawn_as_in_memory(models):
    groups = np.arange(N) // 10

    here, there = (model.bootstrap(3, groups=groups, random_state=3) for model in models)

    np.testing.assert_allclose(there.pi, here.pi, rtol=0.0, atol=1e-8)


@pytest.fixture(scope="module")
def diagnoses(models):
    return [model.diagnose() for model in models]


def test_a_diagnosis_is_that_in_memory(diagnoses):
    here, there = diagnoses

    assert there.verdict == here.verdict
    assert str(there) == str(here)


def test_tests_and_sensitivity_are_those_in_memory(models):
    here, there = (model.test("x1", refit=True) for model in models)
    assert there.pvalue == pytest.approx(here.pvalue, rel=1e-6)
    assert there.null_loglik == pytest.approx(here.null_loglik, rel=1e-8)

    here, there = (model.sensitivity([0.2, 0.5]) for model in models)
    np.testing.assert_allclose(there.deviance, here.deviance, rtol=1e-6, atol=1e-6)


def test_a_summary_is_that_in_memory(models):
    here, there = (str(model.summary()) for model in models)

    assert there == here


@pytest.mark.parametrize("what", ["posterior", pytest.param("effects", marks=pytest.mark.long)])
def test_it_draws_itself(models, what):
    figure = models[1].plot(what)

    assert figure.axes
    plt.close(figure)


@pytest.mark.long
def test_it_writes_a_report(models, diagnoses, tmp_path):
    models[1].report(tmp_path / "report.html", n_candidates=3, diagnosis=diagnoses[1])

    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert f"{models[1].pi_:.3f}" in page


def test_it_predicts_for_a_table(models, rows):
    here, there = (model.predict_proba(rows) for model in models)

    np.testing.assert_allclose(there, here, rtol=0.0, atol=1e-9)


def test_saved_and_loaded_it_takes_its_rows_back_from_the_file(models, path, tmp_path):
    models[1].save(tmp_path / "model.json")
    loaded = pugam.load(tmp_path / "model.json")

    loaded.attach(path, "z", "weight")

    assert isinstance(loaded._rows[0], PartedEngine)
    one, other = (model.pi_interval(method="profile") for model in (loaded, models[1]))
    assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=1e-8)


def test_rows_of_a_file_may_be_attached_to_a_model_of_a_table_and_the_other_way_round(models, rows, path, tmp_path):
    here, there = models
    here.save(tmp_path / "here.json")
    there.save(tmp_path / "there.json")

    one = pugam.load(tmp_path / "here.json").attach(path, "z", "weight")
    other = pugam.load(tmp_path / "there.json").attach(rows, rows["z"], rows["weight"])

    assert one._rows[0].n_rows == other._rows[0].n_rows


def test_other_rows_are_not_taken_for_those_of_the_fit(models, rows, tmp_path):
    models[1].save(tmp_path / "model.json")
    other = write(rows.iloc[:-20], tmp_path / "fewer.parquet")

    with pytest.raises(InputError, match="These are not the rows the model was fitted to"):
        pugam.load(tmp_path / "model.json").attach(other, "z", "weight")


# Which files are read into memory


@pytest.mark.parametrize("name", ["rows.parquet", pytest.param("rows.csv", marks=pytest.mark.long)])
@pytest.mark.parametrize(("large", "engine"), [(10**6, "memory"), (10**4, "stream")], ids=["small", "large"])
def test_files_are_read_into_memory_while_they_are_small(rows, tmp_path, monkeypatch, name, large, engine):
    monkeypatch.setattr("pugam.estimator.training.LARGE_BYTES", large)
    file = write(rows, tmp_path / name)

    model = PUGAM(SMALL, **GIVEN).fit(file, "z")

    assert model._rows[0].name == engine
    assert model.pi_ == pytest.approx(PUGAM(SMALL, **GIVEN).fit(rows, rows["z"]).pi_, abs=1e-9)


def test_a_path_may_be_text(path):
    assert 0.0 < PUGAM(SMALL, **GIVEN).fit(str(path), z="z").pi_ < 1.0


def test_a_folder_of_parquet_files_is_one_table(rows, tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    for number in range(3):
        write(rows.iloc[1000 * number : 1000 * (number + 1)], folder / f"part-{number}.parquet")

    here, there = fit_both(rows, folder, SMALL, **GIVEN)

    assert_same_fit(there, here)


# What cannot be used


def with_cell(values, row, value):
    values = np.array(values, dtype=float)
    values[row] = value
    return values


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("y",), "rows.parquet has no column 'y'"),
        (("zz",), "rows.parquet has no column 'zz'; the nearest name is 'z'"),
        (("z", "weights"), "rows.parquet has no column 'weights'; the nearest name is 'weight'"),
        ((np.zeros(N),), "The labels of rows in a file are one of its columns; give its name, as in fit(path, 'z')"),
        ((None,), "The labels of rows in a file are one of its columns; give its name, as in fit(path, 'z')"),
        (("z", np.ones(N)), "Weights of rows in a file are one of its columns; give its name"),
    ],
    ids=[
        "labels",
        "labels nearly",
        "weights",
        "labels as an array",
        "no labels",
        "weights as an array",
    ],
)
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_labels_and_weights_of_a_file_are_its_columns(path, engine, arguments, message):
    with pytest.raises(InputError, match=re.escape(message)):
        PUGAM(SMALL, engine=engine).fit(path, *arguments)


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_labels_are_no_weights(path, engine):
    with pytest.raises(InputError, match=r"labelled|'z'"):
        PUGAM(SMALL, engine=engine).fit(path, "z", "z")


def test_a_column_of_the_formula_that_is_not_there_is_named(path):
    with pytest.raises(InputError, match="X has no column 'x9'; its columns are 'x1', 'x2'"):
        PUGAM("s(x1) + s(x9)", engine="stream").fit(path, "z")


def test_labels_cannot_be_a_feature(path):
    with pytest.raises(InputError, match="'z'"):
        PUGAM("s(x1) + l(z)", engine="stream").fit(path, "z")


def test_nothing_but_labels_leaves_nothing_to_fit(rows, tmp_path):
    with pytest.raises(InputError, match="has no column left to be a feature"):
        PUGAM(engine="stream").fit(write(rows[["z"]], tmp_path / "labels.parquet"), "z")


def test_a_table_in_memory_is_no_stream(rows):
    with pytest.raises(InputError, match=r"engine='stream' is for the path of a file; .* use engine='memory'"):
        PUGAM(SMALL, engine="stream").fit(rows, rows["z"])


def test_a_file_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.parquet"):
        PUGAM(engine="stream").fit(tmp_path / "nowhere.parquet", "z")


FAULTS = {
    "a missing value": ("x1", np.nan, "s(x1): column 'x1' has missing values (NaN) in row 2345"),
    "an infinite value": ("x1", np.inf, "Column 'x1' contains infinity: row 2345 holds inf"),
    "a missing label": ("z", np.nan, "the label of row 2345 is missing"),
    "a fractional label": ("z", 0.5, "z holds 0.5 at row 2345"),
    "an unknown label": ("z", 7.0, "z holds 7.0 (first at row 2345)"),
    "a negative weight": ("weight", -1.0, "row 2345 has -1.0"),
    "a missing weight": ("weight", np.nan, "row 2345 has nan"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv"])
@pytest.mark.parametrize(
    "few", [300, pytest.param(10**5, marks=pytest.mark.long)], ids=["some rows tell", "all rows tell"]
)
def test_a_fault_in_a_late_batch_names_its_row(rows, tmp_path, monkeypatch, fault, name, few):
    monkeypatch.setattr("pugam.data.digests.FEW_ROWS", few)
    column, value, message = fault
    whole = rows.assign(weight=1.0)
    file = changed(whole, tmp_path / name, **{column: with_cell(whole[column], 2345, value)})

    with pytest.raises(InputError, match=re.escape(message)):
        PUGAM(SMALL, engine="stream").fit(file, "z", "weight")


@pytest.mark.parametrize("value", [np.nan, np.inf], ids=["missing", "infinite"])
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_a_fault_after_rows_of_weight_zero_names_its_row(rows, tmp_path, engine, value):
    weight = np.where(np.arange(N) % 4 == 0, 0.0, 1.0)
    file = changed(rows, tmp_path / "rows.parquet", weight=weight, x1=with_cell(rows["x1"], 2345, value))

    with pytest.raises(InputError, match="row 2345"):
        PUGAM(SMALL, engine=engine).fit(file, "z", "weight")


def test_a_fault_in_a_row_of_weight_zero_is_none(rows, tmp_path):
    file = changed(
        rows, tmp_path / "rows.parquet", weight=with_cell(np.ones(N), 2345, 0.0), x1=with_cell(rows["x1"], 2345, np.nan)
    )

    assert 0.0 < PUGAM(SMALL, engine="stream", **GIVEN).fit(file, "z", "weight").pi_ < 1.0


def test_unlabelled_rows_of_two_codes_in_different_files_are_refused(rows, tmp_path):
    changed(rows.iloc[:1500], tmp_path / "a.parquet")
    changed(rows.iloc[1500:], tmp_path / "b.parquet", z=2 * rows["z"].iloc[1500:] - 1)

    with pytest.raises(InputError, match=r"z marks unlabelled rows both by 0 \(row 1403\) and by -1 \(row 1502\)"):
        PUGAM(SMALL, engine="stream").fit(tmp_path, "z")


def test_unlabelled_rows_of_two_codes_in_one_batch_are_refused_without_naming_wrong_rows(rows, tmp_path):
    file = changed(rows, tmp_path / "rows.parquet", z=with_cell(rows["z"], 2345, -1))

    with pytest.raises(InputError, match=r"z marks unlabelled rows both by 0 .*and by -1") as refused:
        PUGAM(SMALL, engine="stream").fit(file, "z")

    assert "by -1 (row 2345)" in str(refused.value) or "(row" not in str(refused.value)


@pytest.mark.parametrize(
    "codes",
    [[0, 1], pytest.param([-1, 1], marks=pytest.mark.long), [False, True]],
    ids=["0 and 1", "-1 and 1", "booleans"],
)
@pytest.mark.parametrize(
    "first", [pytest.param(0, marks=pytest.mark.long), 1], ids=["unlabelled first", "labelled first"]
)
def test_labels_may_come_sorted_in_every_usual_code(rows, tmp_path, codes, first):
    whole = rows.sort_values("z", ascending=first == 0)
    file = changed(whole, tmp_path / "rows.parquet", z=np.array(codes)[whole["z"]])

    model = PUGAM(SMALL, engine="stream", **GIVEN).fit(file, "z")

    assert model.classes_.tolist() == codes
    assert model.classes_.dtype == np.array(codes).dtype


@pytest.mark.parametrize("label", [0, 1])
def test_labels_of_one_kind_are_refused(rows, tmp_path, label):
    with pytest.raises(InputError, match="z has only one class"):
        PUGAM(SMALL, engine="stream").fit(changed(rows, tmp_path / "rows.parquet", z=label), "z")


def test_weights_that_leave_labels_of_one_kind_are_refused(rows, tmp_path):
    file = changed(rows, tmp_path / "rows.parquet", weight=rows["z"].astype(float))

    with pytest.raises(InputError, match="z has only one class"):
        PUGAM(SMALL, engine="stream").fit(file, "z", "weight")


def test_a_batch_of_nothing_but_zero_weights_is_left_out(rows, tmp_path, monkeypatch):
    empty = np.arange(N) // BATCH == 1
    file = changed(rows, tmp_path / "rows.parquet", weight=np.where(empty, 0.0, 1.0))
    here = PUGAM(SMALL, **GIVEN).fit(rows[~empty], rows["z"][~empty])

    for few in (300, 10**5):
        monkeypatch.setattr("pugam.data.digests.FEW_ROWS", few)
        there = PUGAM(SMALL, engine="stream", **GIVEN).fit(file, "z", "weight")
        assert there.pi_ == pytest.approx(here.pi_, abs=1e-9)


def test_a_level_that_only_a_late_batch_holds_has_its_effect(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("pugam.data.digests.FEW_ROWS", 300)
    site = rows["site"].to_numpy().copy()
    site[[2801, 2803, 2807, 2809, 2811, 2813]] = "rare"

    model = PUGAM("s(x1) + s(x2) + f(site)", engine="stream", **GIVEN).fit(
        changed(rows, tmp_path / "rows.parquet", site=site), "z"
    )

    assert model._design.bases[2].levels == ("a", "b", "c", "rare")


def test_a_file_that_fits_is_read_twice_for_its_labels_and_for_all_columns(rows, path, monkeypatch):
    read, original = [], FileRows._batches

    def counting(self, columns, types):
        read.append("held" if self._tables and set(columns) <= set(self._tables[0].column_names) else "read")
        return original(self, columns, types)

    monkeypatch.setattr(FileRows, "_batches", counting)

    PUGAM(SMALL, engine="stream").fit(path, "z")

    assert read == ["read", "read", "held"]
