"""`pugam demo` and `pugam simulate`: the files they write; and help for every verb."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pugam
from pugam import PUGAM
from pugam.command_line import main
from pugam.datasets import load_tumours, simulate

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
VERBS = ("demo", "fit", "predict", "report", "simulate", "study")


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory):
    """The folder and the words of a demonstration; tests/test_supply_chain.py gives it in another process."""
    folder, said, complaints = tmp_path_factory.mktemp("demonstration"), io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complaints),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["pugam", "demo", "--out", "some/where"])
        with pytest.raises(SystemExit) as end:
            main()
    assert (end.value.code or 0, complaints.getvalue()) == (0, "")
    return folder / "some" / "where", said.getvalue()


def test_a_demonstration_writes_its_files_and_says_where_the_report_is(demonstrated):
    folder, said = demonstrated

    files = sorted(path.name for path in folder.iterdir())
    assert files == ["diagnosis.png", "effects.png", "model.json", "report.html", "tumours.csv"]
    assert all(path.stat().st_size > 1000 for path in folder.iterdir())
    report = next(line for line in said.splitlines() if "report" in line.lower())
    assert report.split()[-1] == "some/where/report.html"
    for name in ("effects.png", "diagnosis.png", "tumours.csv", "model.json"):
        assert f"some/where/{name}" in said


def test_a_demonstration_tells_pi_and_the_truth(demonstrated):
    _, said = demonstrated
    tumours = load_tumours()
    model = PUGAM().fit(tumours.X, tumours.z)

    assert f"pi = {model.pi_interval()}" in said
    assert str(model.summary()) in said
    assert f"truth behind the mask: {tumours.y[~tumours.z].mean():.3f}" in said


def test_a_demonstration_prints_the_figures_of_the_caption_in_the_readme(demonstrated):
    _, said = demonstrated
    shares = r"share of ([\d.]+) to be malignant \(95% interval ([\d.]+) to ([\d.]+)\)"
    pi, lower, upper = re.search(shares, README).groups()
    truth = re.search(r"the true share is ([\d.]+)\.", README).group(1)

    assert f"pi = {pi} (95% interval {lower} to {upper})" in said
    assert f"the truth behind the mask: {truth}" in said
    assert "pi is well determined" in said


def test_the_command_that_a_demonstration_shows_gives_its_result(demonstrated, pugam_says, monkeypatch):
    folder, said = demonstrated
    command = said.rstrip().splitlines()[-1].split("pugam ", 1)[1].split()
    before = pugam.load(folder / "model.json")
    monkeypatch.chdir(folder.parents[1])

    code, out, err = pugam_says(*command)

    assert (code, err) == (0, "")
    assert out.startswith(f"pi = {before.pi_interval()}\n")


def test_the_files_of_a_demonstration_belong_together(demonstrated, pugam_says, monkeypatch):
    folder, _ = demonstrated
    monkeypatch.chdir(folder)

    code, _, err = pugam_says("report", "model.json", "tumours.csv", "--out", "again.html")

    assert (code, err) == (0, "")
    assert Path("again.html").is_file()


@pytest.mark.long
def test_a_quiet_demonstration_is_short_and_may_be_given_again(pugam_says, empty_folder):
    (empty_folder / "demo").mkdir()
    for name in ("tumours.csv", "report.html"):
        (empty_folder / "demo" / name).write_text("an older one")

    code, out, err = pugam_says("demo", "--quiet")

    assert (code, err) == (0, "")
    assert "Smooth terms" not in out
    assert "demo/report.html" in out
    assert (empty_folder / "demo" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
@pytest.mark.parametrize("truth", [False, True], ids=["", "with the truth"])
def test_simulated_rows_are_those_of_the_library(pugam_says, name, truth):
    flags = ["--setting", "3", "--n0", "30", "--n", "80", "--pi", "0.3", "--seed", "5", *["--truth"] * truth]

    code, out, err = pugam_says("simulate", *flags, "--out", name)

    own = simulate(3, n0=30, n=80, pi=0.3, random_state=5)
    expected = own.X.assign(z=own.z, **({"y": own.y} if truth else {}))
    table = pd.read_parquet(name) if name.endswith("parquet") else pd.read_csv(name, float_precision="round_trip")
    assert (code, err) == (0, "")
    assert out == f"80 rows, 30 of them labelled (z = 1): {name}\n"
    assert list(table.columns) == list(expected.columns)
    if name.endswith("parquet"):
        assert (table == expected).all(axis=None)
    else:
        np.testing.assert_allclose(table, expected, rtol=1e-15)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_a_seed_repeats_a_file_to_the_last_byte(pugam_says, empty_folder, suffix):
    for name, seed in (("one", "1"), ("again", "1"), ("other", "2")):
        pugam_says("simulate", "--n0", "30", "--n", "80", "--seed", seed, "--out", name + suffix, "--quiet")

    one, again, other = ((empty_folder / (name + suffix)).read_bytes() for name in ("one", "again", "other"))
    assert one == again != other


def test_the_defaults_are_those_of_the_paper(pugam_says):
    code, out, err = pugam_says("simulate", "--out", "data.parquet", "--quiet")

    own = simulate(2, n0=1250, n=1500, pi=0.4, random_state=0)
    assert (code, out, err) == (0, "", "")
    assert (pd.read_parquet("data.parquet") == own.X.assign(z=own.z)).all(axis=None)


def test_simulated_rows_can_be_fitted(pugam_says):
    pugam_says("simulate", "--n0", "200", "--n", "320", "--out", "data.csv")

    code, out, err = pugam_says("fit", "data.csv", "--label", "z", "--quiet")

    own = simulate(2, n0=200, n=320, random_state=0)
    assert (code, err) == (0, "")
    assert out.startswith(f"pi = {PUGAM().fit(own.X, own.z).pi_interval()}\n")


def test_help_lists_all_verbs(pugam_says):
    code, out, err = pugam_says("--help")

    assert (code, err) == (0, "")
    assert all(f" {verb} " in out for verb in VERBS)


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_an_example(pugam_says, verb, option):
    code, out, err = pugam_says(verb, option)

    assert (code, err) == (0, "")
    assert "Example" in out
    assert f"pugam {verb} " in out.split("Example", 1)[1]


def test_the_package_can_be_run_as_a_module(empty_folder, pugam_says):
    home = str(Path(pugam.__file__).parents[1])
    command = [sys.executable, "-m", "pugam", "fly"]
    environment = os.environ | {"PYTHONPATH": home}
    mistake = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert pugam_says("--version") == (0, f"{pugam.__version__}\n", "")
    assert (mistake.returncode, mistake.stdout) == (2, "")
    assert mistake.stderr == "pugam: No such command 'fly'. See pugam --help.\n"


@pytest.mark.parametrize("name", ["model.json", "report.html", "effects.png"])
def test_a_demonstration_replaces_nothing_that_none_wrote(pugam_says, empty_folder, name):
    (empty_folder / name).write_text("precious")

    code, _, err = pugam_says("demo", "--out", ".", "--quiet")

    assert code == 2
    assert f"--out . holds {name}, which the demo would replace; choose another folder." in err
    assert [path.name for path in empty_folder.iterdir()] == [name]
    assert (empty_folder / name).read_text() == "precious"
