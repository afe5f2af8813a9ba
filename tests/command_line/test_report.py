"""`pugam report`: the page that `pugam fit` would have written, from a saved model and its rows."""

import html
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam.datasets import simulate
from pugam.presentation.report import collecting

ROWS = 320
HOSTILE = "<script>alert(1)</script>"
LARGEST_PAGE = 3_000_000
ALL_SLIDER_VALUES = collecting.SLIDER_VALUES  # which are fewer during tests
# For tests of what a page says of rows, names and files: a fit with smoothing given is faster, and its page has it all.
GIVEN = ("--smoothing", "0.1")


@pytest.fixture(scope="module")
def rows():
    data = simulate(1, n0=200, n=ROWS, random_state=3)
    numbers = np.arange(ROWS)
    return data.X[["x1", "x2"]].assign(
        site=np.array(["north", "south"])[numbers % 2],
        who=[f"patient-{n:03}" for n in numbers],
        w=np.where(numbers % 7, 1.5, 0.0),
        z=data.z,
    )


@pytest.fixture
def given(pugam_says, is_verdict):
    """Give a command that must succeed, and return what it printed."""

    def run(*arguments):
        # So few rows leave pi open: they are fitted as they are, without advice.
        as_they_are = ["--shrinkage", "never"] if arguments[0] == "fit" else []
        code, out, err = pugam_says(*arguments, *as_they_are)
        assert code == 0
        assert is_verdict(err) if arguments[0] == "fit" else err == ""
        return out

    return run


def page(name="report.html"):
    return Path(name).read_text(encoding="utf-8")


def write(table, name):
    if name.endswith(".parquet"):
        table.to_parquet(name, index=False)
    else:
        table.to_csv(name, index=False)


FITS = {
    "plain": ["--drop", "who", "--drop", "w"],
    "formula": ["--terms", "s(x1) + x2 + f(site)"],
    "weights": ["--weights", "w", "--drop", "who"],
    "identifiers": ["--id", "who", "--drop", "w"],
    "weights and identifiers": ["--weights", "w", "--id", "who"],
    "pi fixed": ["--pi", "0.4", "--drop", "who", "--drop", "w"],
    "missing values": ["--terms", "s(x1, missing='effect') + x2 + f(site)"],
}
OFTEN = {"plain", "weights and identifiers", "missing values"}


@pytest.mark.parametrize("name", ["data.csv", pytest.param("data.parquet", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "flags",
    [pytest.param(flags, marks=[] if name in OFTEN else [pytest.mark.long], id=name) for name, flags in FITS.items()],
)
def test_a_report_is_that_of_the_fit(given, rows, name, flags):
    gaps = rows["x1"].where(np.arange(ROWS) % 6 != 1) if "missing" in flags[-1] else rows["x1"]
    write(rows.assign(x1=gaps), name)
    given("fit", name, "--label", "z", *flags, "--out", "model.json", "--report", "fit.html", "--quiet")

    out = given("report", "model.json", name, "--out", "report.html")

    assert out == "Report: report.html\n"
    assert page("report.html") == page("fit.html")


@pytest.mark.parametrize("flags", [["--ci", "profile", "--level", "0.9"], ["--level", "0.8"]])
def test_a_report_shows_the_interval_of_the_fit(given, rows, flags):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    out = given("fit", "data.csv", "--label", "z", *flags, "--out", "model.json", "--report", "fit.html")
    given("report", "model.json", "data.csv")

    (interval,) = {line.partition("pi = ")[2] for line in out.splitlines() if "pi = " in line}
    assert out.count(interval) == 3  # at the top, in the summary, and with the verdict
    assert page().count(html.escape(interval)) == 3
    assert page() == page("fit.html")


def test_a_report_may_show_another_interval(given, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    given("fit", "data.csv", "--label", "z", *GIVEN, "--out", "model.json")
    given("report", "model.json", "data.csv", "--ci", "profile", "--level", "0.9")
    model = pugam.load("model.json").attach(rows[["x1", "x2"]], rows["z"])

    assert f"pi = {model.pi_interval(0.9, 'profile')}, profile of the likelihood" in page()


@pytest.mark.parametrize("level", ["ward", 7.0, True, None])
def test_what_a_file_says_of_a_level_need_not_be_ours(given, rows, level):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    model = pugam.PUGAM("x1 + x2", shrinkage="never").fit(rows[["x1", "x2"]], rows["z"])
    model.save("model.json", data={"label": "z", "level": level, "ci": "mine"})
    given("report", "model.json", "data.csv")

    assert f"pi = {model.pi_interval()}, Wald" in page()


def test_with_pi_fixed_no_bootstrap_is_missed(given, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    bootstrap = ["--ci", "bootstrap", "--resamples", "40", "--seed", "1", *GIVEN]
    given("fit", "data.csv", "--label", "z", "--pi", "0.4", *bootstrap, "--out", "model.json", "--report", "fit.html")
    given("report", "model.json", "data.csv")

    assert page() == page("fit.html")


def test_where_the_profile_is_better_it_is_shown_everywhere(pugam_says, given, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    command = ["fit", "data.csv", "--label", "z", "--terms", "x1 + x2", "--shrinkage", "never", "--report", "r.html"]
    _, said, _ = pugam_says(*command, "--out", "model.json")
    model = pugam.load("model.json")
    best, wald = model.pi_interval(), model.pi_interval(method="wald")
    profile = model.attach(rows[["x1", "x2"]], rows["z"]).pi_interval(method="profile")
    given("report", "model.json", "data.csv", "--out", "later.html")

    assert "The interval for pi is the profile interval." in said
    assert best.method == "profile"
    assert (best.lower, best.upper) == pytest.approx((profile.lower, profile.upper), abs=1e-6)
    assert wald.method == "wald"
    assert said.count(str(best)) == 3  # in the first line, in the summary and in the diagnosis
    assert str(model.diagnose().wald) == str(best)
    for name in ("r.html", "later.html"):
        assert f"pi = {best}, profile of the likelihood" in page(name)
        assert str(wald) not in page(name)


def test_a_report_without_the_bootstrap_of_the_fit_says_so(pugam_says, given, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    bootstrap = ["--ci", "bootstrap", "--resamples", "40", "--seed", "1", *GIVEN]
    out = given("fit", "data.csv", "--label", "z", *bootstrap, "--out", "model.json", "--report", "fit.html")
    code, _, err = pugam_says("report", "model.json", "data.csv")
    refused, _, why = pugam_says("report", "model.json", "data.csv", "--ci", "bootstrap")

    assert html.escape(out.partition("pi = ")[2].partition("\n")[0]) in page("fit.html")
    assert code == 0
    assert err == "! A model file keeps no bootstrap: the report shows the default interval for pi.\n"
    assert refused == 2
    assert why == "pugam: --ci is wald or profile here; got 'bootstrap'. A model file does not keep a bootstrap.\n"


def test_warnings_of_a_report_speak_of_flags(pugam_says, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    pugam_says("fit", "data.csv", "--label", "z", "--terms", "x1 + x2", "--report", "report.html", "--quiet")

    assert "pi_interval(" not in page()
    assert "plot(" not in page()
    assert "diagnose()" not in page()
    (warnings,) = re.findall(r'<ul class="warnings">(.*?)</ul>', page(), flags=re.DOTALL)
    assert re.search(r"\(pi = [\d.]+, pi from [\d.]+ to [\d.]+\)", warnings)
    assert "--" not in warnings


def test_a_report_of_text_labels_needs_no_flags(given, rows):
    rows.assign(z=np.where(rows["z"], "yes", "no"))[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    files = ["--out", "model.json", "--report", "fit.html"]
    given("fit", "data.csv", "--label", "z", "--positive", "yes", *files, *GIVEN)

    given("report", "model.json", "data.csv")

    assert page("report.html") == page("fit.html")


def test_a_report_of_two_files_is_that_of_the_fit(given, rows):
    for label, name in ((1, "yes.csv"), (0, "no.csv")):
        rows.loc[rows["z"] == label, ["x1", "x2", "site"]].to_csv(name, index=False)
    two = ["--positive-file", "yes.csv", "--unlabeled-file", "no.csv"]
    given("fit", *two, "--out", "model.json", "--report", "fit.html", *GIVEN)

    given("report", "model.json", *two)

    assert page("report.html") == page("fit.html")
    assert "yes.csv (positives), no.csv (unlabelled)" in page()


@pytest.mark.parametrize(
    "term",
    ["f(site)", "l(flag)", *(pytest.param(term, marks=pytest.mark.long) for term in ("f(code)", "f(flag)", "code"))],
)
@pytest.mark.parametrize(
    "names",
    [("data.csv", "data.parquet"), pytest.param(("data.parquet", "data.csv"), marks=pytest.mark.long)],
    ids="-".join,
)
def test_the_rows_may_come_back_in_another_format(given, rows, names, term):
    numbers = np.arange(ROWS)
    table = rows.assign(code=np.array([3, 7, 12])[numbers // 2 % 3], flag=numbers % 5 < 2)
    for name in names:
        write(table, name)
    flags = ["--terms", f"s(x1) + x2 + {term}", *GIVEN]
    given("fit", names[0], "--label", "z", *flags, "--out", "model.json", "--quiet")

    given("report", "model.json", names[1])

    assert page().startswith("<!doctype html>")


def test_identifiers_are_shown_only_where_they_are_asked_for(given, rows):
    rows.to_csv("data.csv", index=False)
    flags = ["--label", "z", "--terms", "s(x1) + x2", *GIVEN]
    given("fit", "data.csv", *flags, "--out", "model.json", "--report", "fit.html")
    given("report", "model.json", "data.csv", "--out", "numbers.html")
    given("report", "model.json", "data.csv", "--id", "who", "--out", "names.html")

    posterior = pugam.load("model.json").predict_proba(rows)[:, 1]
    best = max(np.flatnonzero(rows["z"] == 0), key=lambda row: posterior[row])
    for name in ("fit.html", "numbers.html"):
        assert "patient-" not in page(name)
        assert f"row {best + 1}<" in page(name)
    assert f"patient-{best:03}" in page("names.html")
    assert page("names.html").count("patient-") >= 20


@pytest.mark.parametrize("missing", ["error", "drop"])
def test_rows_of_two_files_are_counted_within_their_own(given, rows, missing):
    hidden = rows[rows["z"] == 0].reset_index(drop=True)
    for name, part in (("yes.csv", rows[rows["z"] == 1]), ("no.csv", hidden)):
        part[["x1", "x2"]].to_csv(name, index=False)
    files = ["--positive-file", "yes.csv", "--unlabeled-file", "no.csv"]
    given("fit", *files, "--missing", missing, "--out", "model.json", "--report", "fit.html", "--quiet", *GIVEN)

    given("report", "model.json", *files, "--top", "1", "--out", "one.html")

    best = int(np.argmax(pugam.load("model.json").predict_proba(hidden)[:, 1]))
    assert f">no.csv, row {best + 1}<" in page("one.html")
    assert page("fit.html").count(">no.csv, row ") == 20
    assert ">yes.csv, row " not in page("fit.html")


def test_identifiers_may_be_a_column_of_the_model(given, rows):
    rows.to_csv("data.csv", index=False)
    flags = ["--label", "z", "--terms", "s(x1) + x2 + f(site)", *GIVEN]
    given("fit", "data.csv", *flags, "--out", "model.json", "--quiet")

    given("report", "model.json", "data.csv", "--id", "site", "--top", "3")

    assert page().startswith("<!doctype html>")


def test_rows_of_no_weight_do_not_shift_the_names(given, rows):
    rows.to_csv("data.csv", index=False)
    flags = ["--label", "z", "--terms", "s(x1) + x2", "--weights", "w"]
    given("fit", "data.csv", *flags, "--out", "model.json", "--quiet", *GIVEN)

    given("report", "model.json", "data.csv", "--id", "who", "--top", "1")

    posterior = pugam.load("model.json").predict_proba(rows)[:, 1]
    best = max(np.flatnonzero((rows["z"] == 0) & (rows["w"] > 0)), key=lambda row: posterior[row])
    assert f"patient-{best:03}" in page()


def test_the_title_is_the_one_given(given, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    given("fit", "data.csv", "--label", "z", "--out", "model.json", "--quiet", *GIVEN)

    given("report", "model.json", "data.csv", "--title", f"Nord & Süd {HOSTILE}", "--quiet")

    assert "<title>Nord &amp; Süd &lt;script&gt;" in page()
    assert HOSTILE not in page()


@pytest.mark.parametrize(("top", "names"), [("0", 0), ("5", 5), ("10000", 120)])
def test_as_many_candidates_are_listed_as_asked_for(given, rows, top, names):
    rows.to_csv("data.csv", index=False)
    given("fit", "data.csv", "--label", "z", "--terms", "s(x1) + x2", "--out", "model.json", "--quiet", *GIVEN)

    given("report", "model.json", "data.csv", "--id", "who", "--top", top)

    assert sum(f"patient-{row:03}" in page() for row in range(ROWS)) == names


def test_command_version_and_source_are_told(given, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    given("fit", "data.csv", "--label", "z", "--out", "model.json", "--quiet")

    given("report", "model.json", "data.csv")

    assert "pugam fit data.csv --label z --out model.json --quiet" in page()
    assert f"pugam {pugam.__version__}" in page()
    assert "Hidden positives in data.csv" in page()


def test_a_model_that_was_saved_in_python_needs_its_label_named(given, pugam_says, rows):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    pugam.PUGAM(shrinkage="never").fit(rows[["x1", "x2"]], rows["z"]).save("model.json")

    code, _, err = pugam_says("report", "model.json", "data.csv")
    given("report", "model.json", "data.csv", "--label", "z")

    assert code == 2
    assert "--label" in err
    assert "pugam report model.json data.csv --label z" in page()


def test_hostile_names_levels_and_identifiers_are_text(given, rows):
    attacks = [f"{HOSTILE}{n}" for n in range(ROWS)]
    table = rows.rename(columns={"x1": HOSTILE, "site": "</title><img src=x onerror=alert(1)>"})
    levels = np.where(np.arange(ROWS) // 2 % 2, "<u>x", "</script>")
    table.assign(who=attacks, level=levels).drop(columns="w").to_csv("<i>data.csv", index=False)
    flags = ["--label", "z", "--id", "who", "--out", "model.json", "--quiet"]

    given("fit", "<i>data.csv", *flags, "--report", "report.html", *GIVEN)

    for attack in (HOSTILE, "<img", "<u>x", "<i>data"):
        assert attack not in page()
    assert html.escape(HOSTILE) in page()
    assert html.escape("<i>data.csv") in page()


@pytest.mark.long
def test_sixty_features_make_a_page_below_three_megabytes(pugam_says, monkeypatch):
    monkeypatch.setattr(collecting, "SLIDER_VALUES", ALL_SLIDER_VALUES)
    generator = np.random.default_rng(5)
    names = [f"a feature with a rather long name {number}" for number in range(60)]
    table = pd.DataFrame(generator.normal(size=(1500, 60)), columns=names)
    score = table[names[0]] + table[names[1]] + table[names[2]]
    table["z"] = ((score + generator.logistic(size=1500) > 0) & (generator.random(1500) < 0.7)).astype(int)
    table.to_parquet("data.parquet", index=False)
    # Lines are drawn by as many points as curves, and fitted faster.
    formula = " + ".join(f"l(`{name}`)" for name in names)
    flags = ["--label", "z", "--terms", formula, "--shrinkage", "never", "--quiet"]

    code, _, _ = pugam_says("fit", "data.parquet", *flags, "--report", "report.html")

    assert code == 0
    assert Path("report.html").stat().st_size < LARGEST_PAGE
    assert all(name in page() for name in names)


def test_ctrl_c_leaves_the_report_that_was_there(pugam_says, given, rows, monkeypatch):
    rows[["x1", "x2", "z"]].to_csv("data.csv", index=False)
    given("fit", "data.csv", "--label", "z", "--out", "model.json", "--report", "report.html", "--quiet", *GIVEN)
    before = page()

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pugam.presentation.report.collect", interrupt)
    code, out, _ = pugam_says("report", "model.json", "data.csv")

    assert (code, out) == (130, "")
    assert page() == before
    assert sorted(path.name for path in Path().iterdir()) == ["data.csv", "model.json", "report.html"]


def test_rows_keep_their_places_in_the_file_where_others_are_left_out(pugam_says, empty_folder, make_rows):
    frame = make_rows(600, 900)
    # Every other unlabelled row lacks a value; the likeliest of those left is known by its place in the file.
    frame.loc[frame.index[(frame["z"] == 0) & (frame.index % 2 == 0)], "x1"] = np.nan
    frame.to_csv("data.csv", index=False)
    complete = frame.dropna()
    model = pugam.PUGAM().fit(complete[["x1", "x2", "x3"]], complete["z"])
    hidden = complete[complete["z"] == 0]
    likeliest = hidden.index[np.argmax(model.predict_proba(hidden)[:, 1])]

    command = ["fit", "data.csv", "--label", "z", "--missing", "drop", "--out", "model.json", "--report", "fitted.html"]
    assert pugam_says(*command, "--quiet")[0] == 0
    assert pugam_says("report", "model.json", "data.csv", "--out", "again.html", "--top", "1")[0] == 0

    for name in ("fitted.html", "again.html"):
        page = (empty_folder / name).read_text(encoding="utf-8")
        assert f">row {likeliest + 1}<" in page.replace(" <", "<").replace("> ", ">")
