"""`pugam fit`: the same numbers as PUGAM itself, whatever the files; what is printed, and what is written."""

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pugam
from pugam import PUGAM, PugamWarning
from pugam.command_line import main
from pugam.command_line.wording import in_flags
from pugam.inference import bootstrap as bootstrap_module

ROWS = 320
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def rows(make_rows):
    """Three features, text and numbers that are none, and the label z: 200 labelled positives, 120 unlabelled rows."""
    numbers = np.arange(ROWS)
    sites = np.array(["north", "south", "NA"])[numbers % 3]
    return make_rows(200, ROWS).assign(site=sites, who=[f"{n:03}" for n in numbers])


@pytest.fixture(scope="module")
def features(rows):
    return rows[["x1", "x2", "x3"]]


@pytest.fixture(scope="module")
def plain(rows, features):
    """PUGAM's own fit."""
    return PUGAM().fit(features, rows["z"])


# Files and labels are read alike however curves are smoothed; with smoothing given, a fit takes a fraction of the time.
GIVEN = ("--smoothing", "0.1")
LINEAR = ("--terms", "x1 + x2")


@pytest.fixture(scope="module")
def plain_given(rows, features):
    """PUGAM's own fit, with smoothing given."""
    return PUGAM(smoothing=0.1).fit(features, rows["z"])


@pytest.fixture
def data(empty_folder, rows, features):
    """The features and the label in a CSV file."""
    features.assign(z=rows["z"]).to_csv("data.csv", index=False)
    return "data.csv"


VERDICTS = ("! pi is not determined.", "! pi is weakly determined.", "! The model does not fit these data.")


@pytest.fixture
def fitted(pugam_says):
    """Fit, and return the model that was saved and what was printed."""

    def run(*arguments):
        code, out, err = pugam_says("fit", *arguments, "--out", "model.json", "--quiet")
        assert code == 0
        assert all(line.startswith(VERDICTS) for line in err.splitlines())
        return pugam.load("model.json"), out

    return run


def first_line(text):
    return text.split("\n", 1)[0]


def test_the_first_line_is_pi_with_its_interval(pugam_says, data, plain):
    code, out, err = pugam_says("fit", data, "--label", "z")

    assert (code, err) == (0, "")
    assert first_line(out) == f"pi = {plain.pi_interval()}"
    assert "share of positives among the 120 unlabelled rows, interval by marginal likelihood" in out


def test_that_a_model_does_not_fit_is_told_however_quiet_the_command(pugam_says, data, plain, monkeypatch):
    found = replace(plain.diagnose(), verdict="does not fit")
    monkeypatch.setattr(PUGAM, "diagnose", lambda model: found)

    for loudness in ((), ("--quiet",)):
        code, out, err = pugam_says("fit", data, "--label", "z", *loudness)

        assert code == 0
        assert err.startswith("! The model does not fit these data.")
        assert first_line(out) == f"pi = {plain.pi_interval()}"


def test_summary_and_diagnosis_are_printed_unless_the_command_is_quiet(pugam_says, data, plain):
    _, loud, _ = pugam_says("fit", data, "--label", "z", "--out", "model.json", "--report", "report.html")
    code, quiet, err = pugam_says("fit", data, "--label", "z", "--quiet")

    assert str(plain.summary()) in loud
    assert plain.diagnose().in_words(words=in_flags) in loud
    assert loud.splitlines()[-2:] == ["Model: model.json", "Report: report.html"]
    assert (code, err) == (0, "")
    assert quiet.splitlines() == loud.splitlines()[:2]


def test_the_level_is_that_of_pi_and_of_the_summary(pugam_says, data, plain):
    _, out, _ = pugam_says("fit", data, "--label", "z", "--level", "0.8")

    assert first_line(out) == f"pi = {plain.pi_interval(0.8)}"
    assert str(plain.summary(0.8)) in out


def write_folder(table, name):
    Path(name, "deeper").mkdir(parents=True)
    table[:100].to_parquet(Path(name, "a.parquet"), index=False)
    table[100:].to_parquet(Path(name, "deeper", "b.parquet"), index=False)
    Path(name, "_SUCCESS").touch()


FORMATS = {
    "data.csv": lambda table, name: table.to_csv(name, index=False),
    "data.csv.gz": lambda table, name: table.to_csv(name, index=False),
    "data.tsv": lambda table, name: table.to_csv(name, index=False, sep="\t"),
    "data.parquet": lambda table, name: table.to_parquet(name, index=False),
    "folder": write_folder,
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if name == "data.csv.gz" else []) for name in FORMATS],
)
def test_all_formats_give_the_result_of_a_data_frame(fitted, rows, features, plain, name):
    FORMATS[name](features.assign(z=rows["z"]), name)

    model, out = fitted(name, "--label", "z")

    assert model.pi_ == plain.pi_
    assert model.formula_ == plain.formula_
    assert (model.predict_proba(features) == plain.predict_proba(features)).all()
    assert first_line(out) == f"pi = {plain.pi_interval()}"


def test_another_delimiter_may_be_given(fitted, rows, features, plain_given):
    features.assign(z=rows["z"]).to_csv("data.csv", index=False, sep=";")

    assert fitted("data.csv", "--label", "z", "--delimiter", ";", *GIVEN)[0].pi_ == plain_given.pi_


@pytest.mark.long
def test_text_and_numbers_are_features_of_all_formats_alike(fitted, rows):
    table = rows.drop(columns="who")
    own = PUGAM(smoothing=0.1).fit(table.drop(columns="z"), table["z"])
    assert own.formula_ == "s(x1) + s(x2) + s(x3) + f(site)"
    for name, write in FORMATS.items():
        write(table, name)

        model, _ = fitted(name, "--label", "z", *GIVEN)

        assert (model.pi_, model.formula_) == (own.pi_, own.formula_), name


@pytest.mark.parametrize(
    "kinds",
    [("csv", "parquet"), *(pytest.param((kind, kind), marks=pytest.mark.long) for kind in ("csv", "parquet"))],
    ids="-".join,
)
def test_two_files_are_one_file_with_labels(fitted, rows, kinds):
    table = rows.drop(columns="who")
    table.to_csv("both.csv", index=False)
    names = [f"{name}.{kind}" for name, kind in zip(("yes", "no"), kinds, strict=True)]
    for label, name in zip((1, 0), names, strict=True):
        part = table[table["z"] == label].drop(columns="z")
        # Columns are known by their names, whatever their order.
        FORMATS[f"data.{name.split('.')[1]}"](part if label else part[part.columns[::-1]], name)

    one, _ = fitted("both.csv", "--label", "z", *GIVEN)
    two, _ = fitted("--positive-file", names[0], "--unlabeled-file", names[1], *GIVEN)

    assert two.pi_ == one.pi_
    assert two.formula_ == one.formula_


def test_a_column_that_one_of_two_files_has_may_be_dropped(fitted, rows, features):
    features[rows["z"] == 1].to_csv("yes.csv", index=False)
    features[rows["z"] == 0].assign(note="seen").to_csv("no.csv", index=False)

    model, _ = fitted("--positive-file", "yes.csv", "--unlabeled-file", "no.csv", "--drop", "note", *GIVEN)

    assert model.formula_ == "s(x1) + s(x2) + s(x3)"


def test_an_identifier_with_gaps_is_asked_about_with_the_flag_that_drops_it(pugam_says, rows, features):
    identifiers = np.random.default_rng(1).permutation(3 * ROWS)[:ROWS]
    features.assign(z=rows["z"], **{"claim id": identifiers}).to_csv("data.csv", index=False)

    code, _, err = pugam_says("fit", "data.csv", "--label", "z", "--quiet", "--shrinkage", "never")

    assert code == 0
    assert err.count("different in every row") == 1
    assert "if it identifies rows, leave it out (--drop 'claim id', or --id 'claim id' to name rows by it)." in err


def test_identifiers_that_begin_anew_in_each_of_two_files_are_asked_about(pugam_says, rows, features):
    for label, name in ((1, "yes.csv"), (0, "no.csv")):
        part = features[rows["z"] == label]
        part.assign(number=np.arange(len(part)) + 1).to_csv(name, index=False)
    files = ["--positive-file", "yes.csv", "--unlabeled-file", "no.csv"]

    _, _, asked = pugam_says("fit", *files, "--quiet", *GIVEN)
    _, _, dropped = pugam_says("fit", *files, "--quiet", *GIVEN, "--id", "number")

    assert "Column 'number' holds whole numbers, different in every row of a file; if it identifies rows" in asked
    assert "different in every row" not in dropped


@pytest.mark.parametrize("engine", [pytest.param("memory", marks=pytest.mark.long), "stream"])
def test_frames_of_a_model_that_read_its_rows_from_a_file_are_those_of_pandas(fitted, data, engine):
    model, _ = fitted(data, "--label", "z", "--engine", engine, *GIVEN)

    assert isinstance(model.effect("x1"), pd.DataFrame)


@pytest.mark.parametrize(
    ("codes", "positive"),
    [
        (("healthy", "ill"), "ill"),
        *(
            pytest.param(codes, positive, marks=pytest.mark.long)
            for codes, positive in (
                (("", "ill"), "ill"),
                (("0", "2"), "2"),
                (("-1", "1"), None),
                (("false", "true"), None),
            )
        ),
        (("False", "True"), None),
    ],
    ids=str,
)
def test_labels_may_be_coded_otherwise(fitted, rows, features, plain_given, codes, positive):
    features.assign(z=np.array(codes)[rows["z"]]).to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", *([] if positive is None else ["--positive", positive]), *GIVEN)

    assert model.pi_ == plain_given.pi_


@pytest.mark.parametrize(
    "codes", [[False, True], *(pytest.param(codes, marks=pytest.mark.long) for codes in ([-1, 1], [0.0, 1.0]))], ids=str
)
def test_labels_of_parquet_files_have_types(fitted, rows, features, plain_given, codes):
    features.assign(z=np.array(codes)[rows["z"]]).to_parquet("data.parquet", index=False)

    assert fitted("data.parquet", "--label", "z", *GIVEN)[0].pi_ == plain_given.pi_


@pytest.mark.parametrize(
    ("codes", "positive"),
    [(["no", "yes"], "yes"), pytest.param([2, 3], "3", marks=pytest.mark.long), ([2.0, 3.0], "3")],
    ids=str,
)
def test_the_positive_value_of_a_parquet_file_is_given_as_it_is_written(
    fitted, rows, features, plain_given, codes, positive
):
    features.assign(z=np.array(codes)[rows["z"]]).to_parquet("data.parquet", index=False)

    assert fitted("data.parquet", "--label", "z", "--positive", positive, *GIVEN)[0].pi_ == plain_given.pi_


def test_terms_are_those_of_the_formula(fitted, rows):
    rows.to_csv("data.csv", index=False)
    formula = "s(x1, k=6) + x2 + f(site)"

    model, _ = fitted("data.csv", "--label", "z", "--terms", formula, *GIVEN)

    assert model.pi_ == PUGAM(formula, smoothing=0.1).fit(rows, rows["z"]).pi_
    assert model.formula_ == "s(x1, k=6) + l(x2) + f(site)"
    assert list(model.feature_names_in_) == ["x1", "x2", "site"]


@pytest.mark.parametrize(
    "formula",
    [
        "te(x1, x2, k=4) + x3",
        "x1 + x2 + f(site) + x2:site",
        pytest.param("s(x1, k=5) + f(site) + s(x2, k=5, by=site)", marks=pytest.mark.long),
    ],
)
def test_terms_of_several_columns(fitted, rows, formula):
    rows.to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", "--terms", formula, "--pi", "0.5")

    assert model.loglik_ == PUGAM(formula, pi=0.5).fit(rows, rows["z"]).loglik_


def test_codes_inside_f_are_levels_also_where_they_look_like_numbers(fitted, rows):
    codes = np.array(["007", "7", "08"])[np.arange(ROWS) % 3]
    rows.assign(code=codes).to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", "--terms", "s(x1) + x2 + f(code)", *GIVEN)

    assert sorted(model.effect("code")["x"].to_list()) == ["007", "08", "7"]


def test_codes_inside_f_inside_an_interaction_are_levels_too(fitted, rows):
    codes = np.array(["007", "7", "08"])[np.arange(ROWS) % 3]
    rows.assign(code=codes).to_csv("data.csv", index=False)

    terms = "s(x1) + x2 + f(code) + ti(l(x2), f(code))"
    model, _ = fitted("data.csv", "--label", "z", "--terms", terms, "--pi", "0.5")

    assert sorted(set(model.effect("ti(l(x2), f(code))")["x2"])) == ["007", "08", "7"]


def test_dropped_columns_and_identifiers_are_no_features(fitted, rows, plain_given):
    rows.to_csv("data.csv", index=False)

    model, _ = fitted("data.csv", "--label", "z", "--drop", "site", "--id", "who", *GIVEN)
    dropped, _ = fitted("data.csv", "--label", "z", "--drop", "site", "--drop", "who", *GIVEN)

    assert model.pi_ == dropped.pi_ == plain_given.pi_
    assert list(model.feature_names_in_) == ["x1", "x2", "x3"]


def test_weights_are_those_of_sample_weight(fitted, rows, features):
    weights = np.where(np.arange(ROWS) % 7, 1.5, 0.0)
    features.assign(w=weights, z=rows["z"]).to_csv("data.csv", index=False)

    model, out = fitted("data.csv", "--label", "z", "--weights", "w", *GIVEN)

    own = PUGAM(smoothing=0.1).fit(features, rows["z"], weights)
    assert (model.pi_, model.n1_, model.formula_) == (own.pi_, own.n1_, own.formula_)
    assert f"among the {own.n1_:g} unlabelled rows" in out


def test_groups_are_drawn_together_and_a_seed_repeats_them(fitted, rows, features):
    clinics = np.arange(ROWS) // 8
    features.assign(clinic=clinics, z=rows["z"]).to_csv("data.csv", index=False)
    flags = ["--label", "z", "--groups", "clinic", "--ci", "bootstrap", "--resamples", "40", *GIVEN]

    model, out = fitted("data.csv", *flags, "--seed", "7")
    _, again = fitted("data.csv", *flags, "--seed", "7")
    _, other = fitted("data.csv", *flags, "--seed", "8")

    own = PUGAM(random_state=7, smoothing=0.1).fit(features, rows["z"], groups=clinics)
    interval = own.pi_interval(method="bootstrap", n_resamples=40)
    assert first_line(out) == f"pi = {interval}"
    assert "bootstrap" in out.splitlines()[1]
    assert out == again != other
    assert list(model.feature_names_in_) == ["x1", "x2", "x3"]


def test_groups_may_be_text_and_rows_of_no_weight_are_left_out_of_them(fitted, rows, features):
    clinics, weights = [f"clinic {n // 8}" for n in range(ROWS)], np.where(np.arange(ROWS) % 9, 1.0, 0.0)
    features.assign(clinic=clinics, w=weights, z=rows["z"]).to_csv("data.csv", index=False)
    flags = ["--weights", "w", "--groups", "clinic", "--ci", "bootstrap", "--resamples", "40", "--seed", "1", *GIVEN]

    _, out = fitted("data.csv", "--label", "z", *flags, "--shrinkage", "never")

    own = PUGAM(random_state=1, shrinkage="never", smoothing=0.1).fit(features, rows["z"], weights, groups=clinics)
    assert first_line(out) == f"pi = {own.pi_interval(method='bootstrap', n_resamples=40)}"


def test_a_survey_is_known_to_intervals_and_to_the_report(fitted, rows, features):
    clinics, regions = np.arange(ROWS) // 8, np.arange(ROWS) // 8 % 4
    weights = np.where(np.arange(ROWS) % 3, 1.0, 2.0)
    table = features.assign(clinic=clinics, region=regions, w=weights, z=rows["z"])
    table.to_csv("data.csv", index=False)
    flags = ["--weights", "w", "--groups", "clinic", "--strata", "region", "--shrinkage", "never", *GIVEN]

    model, out = fitted("data.csv", "--label", "z", *flags)

    own = PUGAM(shrinkage="never", smoothing=0.1).fit(features, rows["z"], weights, groups=clinics, strata=regions)
    assert first_line(out) == f"pi = {own.pi_interval()}"
    assert out.splitlines()[1].startswith("share of positives among the unlabelled rows of the survey, ")
    assert f"in {len(set(clinics))} clusters of 4 strata" in str(model.summary())
    assert model.provenance_["data"]["strata"] == "region"
    assert list(model.feature_names_in_) == ["x1", "x2", "x3"]


def test_a_bootstrap_that_was_stopped_goes_on_from_its_store(pugam_says, data, monkeypatch):
    command = ("fit", data, "--label", "z", "--ci", "bootstrap", "--resamples", "20", "--quiet", *GIVEN)
    undisturbed, refit = pugam_says(*command), bootstrap_module._refit

    def interrupt(fitted, counts, reselect):
        if len(counts) != 16:  # those of the first batch
            raise KeyboardInterrupt
        return refit(fitted, counts, reselect)

    monkeypatch.setattr(bootstrap_module, "_refit", interrupt)
    code, out, err = pugam_says(*command, "--store", "refits.jsonl", "--jobs", "1")
    monkeypatch.setattr(bootstrap_module, "_refit", refit)

    assert (code, out) == (130, "")
    assert err == (
        "pugam: Stopped; the refits that are done are kept in refits.jsonl. The same command goes on from there.\n"
    )
    assert Path("refits.jsonl").read_bytes().count(b"\n") == 2
    assert pugam_says(*command, "--store", "refits.jsonl") == undisturbed
    assert Path("refits.jsonl").read_bytes().count(b"\n") == 3


def test_a_store_of_another_bootstrap_is_refused(pugam_says, data):
    command = (
        "fit",
        data,
        "--label",
        "z",
        "--ci",
        "bootstrap",
        "--resamples",
        "4",
        "--store",
        "refits.jsonl",
        "--quiet",
    )
    assert pugam_says(*command)[0] == 0

    assert pugam_says(*command, "--resamples", "5") == (
        2,
        "",
        "pugam: refits.jsonl holds refits made with another number of resamples; name another file, or delete that one "
        "to begin anew.\n",
    )
    assert pugam_says("fit", data, "--label", "z", "--store", "refits.jsonl") == (
        2,
        "",
        "pugam: --store keeps the refits of a bootstrap; give --ci bootstrap, too.\n",
    )


def test_the_interval_may_be_that_of_the_profile(fitted, data, plain):
    _, out = fitted(data, "--label", "z", "--ci", "profile", "--level", "0.9")

    assert first_line(out) == f"pi = {plain.pi_interval(0.9, 'profile')}"
    assert "profile interval" in out


@pytest.mark.parametrize(
    ("given", "pi"), [("0.3", 0.3), ("0.1,0.4", (0.1, 0.4)), pytest.param("0, 1", (0.0, 1.0), marks=pytest.mark.long)]
)
def test_pi_may_be_fixed_or_bounded(pugam_says, data, rows, features, given, pi):
    code, out, _ = pugam_says("fit", data, "--label", "z", "--pi", given, "--out", "model.json", "--quiet", *GIVEN)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PugamWarning)
        own = PUGAM(pi=pi, smoothing=0.1).fit(features, rows["z"])
    assert code == 0
    assert pugam.load("model.json").pi_ == own.pi_
    assert first_line(out) == f"pi = {own.pi_interval()}"


@pytest.mark.parametrize("shrinkage", ["auto", "always", pytest.param("never", marks=pytest.mark.long)])
def test_shrinkage_is_that_of_the_model(pugam_says, data, rows, features, shrinkage):
    code, _, _ = pugam_says("fit", data, "--label", "z", "--shrinkage", shrinkage, *LINEAR, "--out", "model.json")
    assert code == 0
    model = pugam.load("model.json")

    plain = PUGAM("x1 + x2", shrinkage=shrinkage).fit(features, rows["z"])
    assert (model.shrinkage, model.shrinkage_) == (shrinkage, plain.shrinkage_)
    if shrinkage != "auto":
        assert (model.shrinkage_ is not None) == (shrinkage == "always")
    assert model.pi_ == plain.pi_


def test_shrunken_curves_are_printed_and_their_warnings_point_to_flags(pugam_says, empty_folder):
    values = np.random.default_rng(0).normal(size=(60, 3))
    table = pd.DataFrame(np.tile(values, (3, 1)), columns=["x1", "x2", "x3"])  # labels have nothing to do with these
    table.assign(z=np.repeat([1, 0, 0], 60)).to_csv("data.csv", index=False)

    code, out, err = pugam_says("fit", "data.csv", "--label", "z", "--terms", "x1 + x2 + x3", "--shrinkage", "always")

    assert code == 0
    assert "curves shrunk (ridge " in out
    assert "! pi is not determined." in err
    assert "(--pi" in err
    assert "diagnose()" not in out + err


@pytest.mark.parametrize(
    ("given", "smoothing"), [("aic", "aic"), ("10", 10.0), pytest.param("1e-3", 1e-3, marks=pytest.mark.long)]
)
def test_smoothing_is_a_word_or_a_number(fitted, data, rows, features, given, smoothing):
    model, _ = fitted(data, "--label", "z", "--smoothing", given, "--terms", "s(x1, k=5) + x2")

    assert model.pi_ == PUGAM("s(x1, k=5) + x2", smoothing=smoothing).fit(features, rows["z"]).pi_


def test_a_single_feature_will_do_where_pi_is_known(fitted, rows):
    rows[["x1", "z"]].to_csv("data.csv", index=False)

    assert fitted("data.csv", "--label", "z", "--pi", "0.4")[0].formula_ == "s(x1)"


def test_a_warning_is_one_line_on_stderr(pugam_says, rows, features):
    features.assign(flat=1, level="one", z=rows["z"]).to_csv("data.csv", index=False)

    code, out, err = pugam_says("fit", "data.csv", "--label", "z", "--pi", "0.01,0.02", "--quiet")

    lines = err.splitlines()
    assert code == 0
    assert len(lines) == 2
    assert any(
        line.startswith("! Left out 2 constant column(s), which can have no effect: flat, level") for line in lines
    )
    assert any(line.startswith("! pi is not determined. The estimate of pi lies on the boundary") for line in lines)
    assert "!" not in out


def test_a_warning_about_a_name_with_a_line_end_is_one_line(pugam_says, rows, features):
    features.assign(z=rows["z"], **{"one\ntwo": 1}).to_csv("data.csv", index=False)

    code, _, err = pugam_says("fit", "data.csv", "--label", "z", "--quiet", *GIVEN)

    assert code == 0
    assert [line[:2] for line in err.splitlines()] == ["! "]


def test_an_error_about_a_name_with_a_line_end_is_one_line(pugam_says, rows, features):
    gaps = features["x1"].where(np.arange(ROWS) != 4)
    features.assign(z=rows["z"], **{"one\ntwo": gaps}).to_csv("data.csv", index=False)

    code, out, err = pugam_says("fit", "data.csv", "--label", "z", "--quiet")

    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_a_saved_model_knows_its_command_and_its_columns(fitted, rows, features):
    features.assign(w=1.0, **{"is ill": rows["z"]}).to_csv("data.csv", index=False)

    model, _ = fitted("./data.csv", "--label", "is ill", "--weights", "w", *GIVEN)

    command = "pugam fit ./data.csv --label 'is ill' --weights w --smoothing 0.1 --out model.json --quiet"
    known = {"source": "data.csv", "label": "is ill", "positive": None, "weights": "w", "id": None, "missing": "error"}
    assert model.provenance_["command"] == command
    assert model.provenance_["data"] == {**known, "ci": None, "level": 0.95}
    assert json.loads(Path("model.json").read_text(encoding="utf-8"))["provenance"]["command"] == command


def test_a_model_of_two_files_names_both(fitted, rows, features):
    for label, name in ((1, "yes.csv"), (0, "no.csv")):
        features[rows["z"] == label].to_csv(name, index=False)

    model, _ = fitted("--positive-file", "yes.csv", "--unlabeled-file", "no.csv", *GIVEN)

    assert model.provenance_["data"]["source"] == "yes.csv (positives), no.csv (unlabelled)"


def test_a_report_is_written_beside_the_model(pugam_says, empty_folder, data, plain):
    (empty_folder / "report.html").write_text("an older one")

    code, _, err = pugam_says("fit", data, "--label", "z", "--out", "model.json", "--report", "report.html")

    page = (empty_folder / "report.html").read_text(encoding="utf-8")
    assert (code, err) == (0, "")
    assert sorted(path.name for path in empty_folder.iterdir()) == ["data.csv", "model.json", "report.html"]
    assert page.startswith("<!doctype html>")
    assert "Hidden positives in data.csv" in page
    assert f"{plain.pi_interval().estimate:.3f}" in page


def test_the_folders_of_files_stay_out_of_report_and_source(pugam_says, empty_folder, rows, features):
    (empty_folder / "secret project").mkdir()
    features.assign(z=rows["z"]).to_parquet("secret project/data.parquet", index=False)

    pugam_says("fit", "secret project/data.parquet", "--label", "z", "--out", "model.json", *GIVEN)

    assert pugam.load("model.json").provenance_["data"]["source"] == "data.parquet"


@pytest.mark.parametrize("method", ["fit", "pi_interval"])
def test_ctrl_c_during_the_fit_leaves_nothing(pugam_says, empty_folder, data, monkeypatch, method):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(PUGAM, method, interrupt)

    code, out, err = pugam_says("fit", data, "--label", "z", "--out", "model.json", "--report", "report.html")

    assert (code, out) == (130, "")
    assert err in ("", "pugam: Interrupted.\n")
    assert [path.name for path in empty_folder.iterdir()] == ["data.csv"]


def test_an_error_of_the_program_itself_is_not_hidden(monkeypatch, data):
    def fail(*arguments, **options):
        raise ZeroDivisionError

    monkeypatch.setattr(PUGAM, "fit", fail)
    monkeypatch.setattr(sys, "argv", ["pugam", "fit", data, "--label", "z"])

    with pytest.raises(ZeroDivisionError):
        main()


NAMES = {"x1": HOSTILE, "x2": "größe in cm, 身長", "x3": "a`b'c\"d\\e ${x} {{y}}"}


@pytest.mark.parametrize("name", ["data.csv", pytest.param("data.parquet", marks=pytest.mark.long)])
def test_names_may_be_hostile_and_of_any_language(pugam_says, empty_folder, rows, features, plain, name):
    FORMATS[name](features.assign(z=rows["z"]).rename(columns={**NAMES, "z": "ist krank?"}), name)

    code, out, err = pugam_says("fit", name, "--label", "ist krank?", "--out", "model.json", "--report", "report.html")

    model, page = pugam.load("model.json"), (empty_folder / "report.html").read_text(encoding="utf-8")
    assert (code, err) == (0, "")
    assert model.pi_ == plain.pi_
    assert list(model.feature_names_in_) == list(NAMES.values())
    assert "s(größe in cm, 身長)" in out
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_hostile_names_can_be_asked_for_in_a_formula_and_dropped(fitted, rows, features):
    features.assign(z=rows["z"]).rename(columns=NAMES).to_csv("data.csv", index=False)

    terms = f"s(`{HOSTILE}`) + l(`größe in cm, 身長`)"
    model, _ = fitted("data.csv", "--label", "z", "--shrinkage", "never", *GIVEN, "--terms", terms)
    dropped, _ = fitted("data.csv", "--label", "z", "--shrinkage", "never", *GIVEN, "--drop", NAMES["x3"])

    assert model.pi_ == PUGAM("s(x1) + x2", shrinkage="never", smoothing=0.1).fit(features, rows["z"]).pi_
    assert dropped.pi_ == PUGAM(shrinkage="never", smoothing=0.1).fit(features[["x1", "x2"]], rows["z"]).pi_


def gaps(frame):
    """The same rows, of which some lack x1 or x2."""
    return frame.assign(x1=frame["x1"].where(frame.index % 9 != 0), x2=frame["x2"].where(frame.index % 11 != 0))


def test_rows_that_lack_a_value_are_left_out_or_have_an_effect_of_their_own(pugam_says, empty_folder, make_rows):
    frame = gaps(make_rows(600, 900))
    frame.to_csv("data.csv", index=False)
    command = ["fit", "data.csv", "--label", "z", "--quiet", "--out", "model.json"]

    assert pugam_says(*command)[0] == 2
    code, out, err = pugam_says(*command, "--missing", "drop")
    complete = frame.dropna()
    expected = PUGAM().fit(complete[["x1", "x2", "x3"]], complete["z"])
    assert (code, out.splitlines()[0]) == (0, f"pi = {expected.pi_interval()}")
    assert f"! Left out {len(frame) - len(complete)} of 900 rows, which lack a value in a feature.\n" in err
    assert pugam_says("report", "model.json", "data.csv", "--out", "report.html")[0] == 0

    code, out, _ = pugam_says(*command, "--missing", "effect")
    terms = "s(x1, missing='effect') + s(x2, missing='effect') + s(x3)"
    expected = PUGAM(terms).fit(frame[["x1", "x2", "x3"]], frame["z"])
    assert (code, out.splitlines()[0]) == (0, f"pi = {expected.pi_interval()}")
    assert pugam_says(*command, "--missing", "guess")[2].startswith("pugam: --missing is error, drop or effect")


def test_values_taken_as_unlabelled_are_told_where_they_are_several(pugam_says, features, rows):
    words = np.where(rows["z"] == 1, "case", np.where(np.arange(ROWS) % 2, "unknown", "control"))
    features.assign(status=words).to_csv("data.csv", index=False)

    code, _, err = pugam_says("fit", "data.csv", "--label", "status", "--positive", "case", "--quiet", *GIVEN)

    assert code == 0
    assert "! Column 'status': 60 'control', 60 'unknown' are all taken as unlabelled." in err


def test_several_columns_may_be_dropped_at_once(pugam_says, rows):
    rows.to_csv("data.csv", index=False)

    together = pugam_says("fit", "data.csv", "--label", "z", "--drop", "site,who", "--quiet", *GIVEN)
    apart = pugam_says("fit", "data.csv", "--label", "z", "--drop", "site", "--drop", "who", "--quiet", *GIVEN)

    assert together == apart
    assert together[0] == 0


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_the_index_of_a_table_put_together_in_pandas_is_no_feature(pugam_says, make_rows, engine):
    rows = make_rows(80, 200)
    parts = [part.reset_index(drop=True) for _, part in rows.groupby("z")]
    pd.concat(parts).to_parquet("rows.parquet")

    code, _, err = pugam_says("fit", "rows.parquet", "--label", "z", "--engine", engine, "--out", "model.json")

    assert code == 0
    assert "! Left out __index_level_0__: this was the index of a pandas data frame" in err
    assert "__index_level_0__" not in pugam.load("model.json").formula_


def test_a_column_that_tells_how_files_were_put_together_is_named(pugam_says, make_rows):
    rows = make_rows(80, 200)
    rows.assign(source=np.where(rows["z"] == 1, "cases.csv", "register.csv")).to_csv("rows.csv", index=False)

    code, _, err = pugam_says("fit", "rows.csv", "--label", "z")

    assert code == 0
    assert "! Column 'source' has no value that labelled and unlabelled rows share." in err
    assert "leave it out (--drop source)" in err


@pytest.mark.parametrize("missing", ["drop", "effect"])
def test_a_nan_that_is_not_null_is_missing_too(pugam_says, make_rows, missing):
    rows = make_rows(80, 200)
    rows.loc[::20, "x1"] = np.nan
    rows.to_csv("rows.csv", index=False)
    pq.write_table(pa.table({name: pa.array(rows[name].to_numpy()) for name in rows}), "rows.parquet")

    told = [pugam_says("fit", file, "--label", "z", "--missing", missing) for file in ("rows.csv", "rows.parquet")]

    assert pq.read_table("rows.parquet")["x1"].null_count == 0
    assert told[0] == told[1]
    assert told[0][0] == 0
    assert ("Left out 10 of 200 rows, which lack a value" in told[0][2]) == (missing == "drop")


@pytest.mark.parametrize("empty", [float("nan"), None])
def test_an_empty_label_is_unlabelled_where_positives_are_named(pugam_says, make_rows, empty):
    rows = make_rows(80, 200)
    labels = [1.0] * 80 + [empty] * 20 + [0.0] * 100
    pq.write_table(pa.table({**{f"x{k}": rows[f"x{k}"].to_numpy() for k in (1, 2, 3)}, "z": pa.array(labels)}), "a.pq")

    code, _, err = pugam_says("fit", "a.pq", "--label", "z", "--positive", "1")

    assert code == 0
    assert "! Column 'z': 20 empty, 100 0.0 are all taken as unlabelled." in err


def test_other_codes_of_labels_are_asked_about(pugam_says, rows, features):
    rows.assign(z=rows["z"] + 1).to_csv("rows.csv", index=False)
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z")

    assert code == 2
    assert err.endswith("or say which value marks a labelled positive (--positive 2 or --positive 1).\n")


@pytest.fixture
def leaking(rows):
    """A file whose column batch tells labels, and whose labels are nearly all 1."""
    few = rows[(rows["z"] == 1) | (np.arange(len(rows)) >= len(rows) - 20)]
    few.assign(batch=np.where(few["z"] == 1, 5.0, 0.0) + np.arange(len(few)) % 7 / 7).to_csv("rows.csv", index=False)
    return "rows.csv"


def test_giveaways_and_swapped_labels_are_told_before_the_verdict(pugam_says, leaking, monkeypatch):
    code, _, err = pugam_says("fit", leaking, "--label", "z", "--terms", "x1 + x2 + batch", "--smoothing", "0.1", "-q")
    told = err.splitlines()

    assert code == 0
    assert told[0].startswith("! Column 'batch' has no value that labelled and unlabelled rows share.")
    assert "rows are labelled positives, and few are unlabelled. Are labels swapped?" in told[1]
