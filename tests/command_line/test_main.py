"""What a user sees: help, the files that were written, and one line instead of a traceback after a mistake."""

import io
import sys

import pytest
import typer

import pugam.studies
from pugam import __version__
from pugam.command_line import main
from pugam.command_line.options import printing_warnings
from pugam.command_line.verbs import app
from pugam.errors import SlowWarning, warn_user
from pugam.studies import coverage, masked, power, simulated


@pytest.fixture
def no_study(monkeypatch):
    """Fail at once, rather than after hours, where a study begins that should not."""

    def refuse(experiment, cells, plan):
        raise AssertionError(f"The experiment {experiment.name!r} was begun.")

    for module in (simulated, coverage, power, masked):
        monkeypatch.setattr(module, "gather", refuse)


@pytest.fixture
def tiny_study(monkeypatch):
    """Let the study of bases be one that takes a second."""
    monkeypatch.setattr(simulated, "SETTINGS", (1,))
    monkeypatch.setattr(simulated, "BASIS_N", 600)
    monkeypatch.setattr(simulated, "BASIS_SIZES", (6,))


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_the_verbs(pugam_says, option):
    code, out, err = pugam_says(option)

    assert code == 0
    assert "study" in out
    assert "--version" in out
    assert err == ""


@pytest.mark.parametrize("verb", ["demo", "fit", "predict", "explain", "report", "simulate", "study"])
def test_help_says_what_each_flag_is_for_without_its_name(verb):
    command = typer.main.get_command(app).commands[verb]

    helps = {parameter.name: getattr(parameter, "help", None) for parameter in command.params}

    assert [name for name, said in helps.items() if not said or said.startswith("Of ") or said.count(" ") < 2] == []


def test_help_of_study_lists_studies_and_options(pugam_says):
    code, out, err = pugam_says("study", "--help")

    assert code == 0
    for word in ("table1", "table4", "curves", "all", "--out", "--replicates", "--jobs", "--seed", "--data"):
        assert word in out
    assert err == ""


@pytest.mark.usefixtures("no_study")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["study", "table5"], "pugam: There is no study 'table5'; there are table1,"),
        (["study", "table1", "--replicates", "1"], "pugam: --replicates is a whole number of at least 2; got 1."),
        (
            ["study", "table2", "--resamples", "0"],
            "pugam: --resamples is a whole number of at least 2 in this study; got 0.",
        ),
        (["study", "table1", "--jobs", "0"], "pugam: --jobs is a whole number of at least 1; got 0."),
        (["study", "table1", "--seed", "-3"], "pugam: --seed is a whole number of at least 0; got -3."),
        (["study", "table1", "--engine", "abacus"], "got 'abacus'."),
        (["study", "table4", "--data", "nowhere"], "pugam: There is no folder 'nowhere', which --data names;"),
        (["study", "curves", "--data", "nowhere"], "pugam: There is no folder 'nowhere', which --data names;"),
        (["study", "table4", "--data", "."], "pugam: There is no file wilt.csv in the folder '.';"),
        (["study"], "pugam: Missing argument"),
        (["study", "table1", "--replicates", "many"], "pugam: Invalid value for '--replicates'"),
        (["study", "table1", "--speed", "9"], "pugam: No such option"),
        (["tables"], "pugam: No such command 'tables'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_ends_in_one_line_and_nothing_written(pugam_says, empty_folder, arguments, said):
    code, out, err = pugam_says(*arguments)

    assert code == 2
    assert said in err
    assert err.startswith("pugam: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert out == ""
    assert list(empty_folder.iterdir()) == []


@pytest.mark.usefixtures("tiny_study")
def test_a_study_prints_the_files_it_wrote_and_goes_on_when_given_again(pugam_says, empty_folder):
    command = ["study", "basis", "--out", "trial", "--replicates", "2", "--jobs", "1", "--seed", "5", "--quiet"]

    code, out, err = pugam_says(*command)

    assert (code, err) == (0, "")
    assert out.splitlines() == ["trial/basis.csv", "trial/basis.md", "trial/runs.md"]
    assert all((empty_folder / line).is_file() for line in out.splitlines())
    assert f"`{' '.join(['pugam', *command])}`" in (empty_folder / "trial" / "runs.md").read_text(encoding="utf-8")
    records = (empty_folder / "trial" / "records" / "basis.jsonl").read_bytes()
    assert b'"seed": 5' in records

    code, _, err = pugam_says(*command)

    assert (code, err) == (0, "")
    assert (empty_folder / "trial" / "records" / "basis.jsonl").read_bytes() == records

    code, out, err = pugam_says(*command[:-2], "6", "--quiet")

    assert code == 2
    assert out == ""
    assert "holds records made with seed = 5, not 6; give another folder as --out" in err
    assert (empty_folder / "trial" / "records" / "basis.jsonl").read_bytes() == records


def test_options_reach_the_plan(pugam_says, monkeypatch, empty_folder):
    plans = []
    monkeypatch.setattr(pugam.studies, "run_study", lambda name, plan: plans.append((name, plan)) or [])

    options = {"out": "o", "replicates": "3", "resamples": "4", "jobs": "2", "engine": "memory", "seed": "9"}
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    code, _, _ = pugam_says("study", "table4", *given, "--data", "tables")

    (name, plan), *others = plans
    assert (code, name, others) == (0, "table4", [])
    assert {field: str(getattr(plan, field)) for field in options} == options
    assert str(plan.data) == "tables"


def test_ctrl_c_says_where_the_work_is_kept(pugam_says, monkeypatch):
    def interrupt(name, plan):
        raise KeyboardInterrupt

    monkeypatch.setattr(pugam.studies, "run_study", interrupt)

    code, out, err = pugam_says("study", "table1", "--out", "trial")

    assert code == 130
    assert out == ""
    assert "Stopped; what is done is kept in trial/records. The same command goes on from there." in err
    assert "Traceback" not in err


def test_an_error_of_the_program_itself_is_not_hidden(monkeypatch):
    def fail(name, plan):
        raise ZeroDivisionError

    monkeypatch.setattr(pugam.studies, "run_study", fail)
    monkeypatch.setattr(sys, "argv", ["pugam", "study", "table1"])

    with pytest.raises(ZeroDivisionError):
        main()


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "{}.csv"),
        ("fit", "rows.csv", "--out", "{}.json"),
        ("fit", "rows.csv", "--report", "{}.html"),
        ("predict", "{}.json", "rows.csv", "--out", "o.csv"),
        ("predict", "model.json", "rows.csv", "--out", "{}.csv"),
    ],
)
def test_a_name_that_the_system_refuses_is_told(pugam_says, empty_folder, arguments):
    (empty_folder / "rows.csv").write_text("x,z\n1,1\n2,0\n")
    name = "x" * 300
    code, _, err = pugam_says(*(argument.format(name) for argument in arguments))

    assert code == 2
    assert err.startswith("pugam: ")
    assert err.endswith("File name too long.\n") or "model.json is not found" in err
    assert err.count("\n") == 1


def test_version(pugam_says):
    assert pugam_says("--version") == (0, f"{__version__}\n", "")


def test_no_verb_is_a_call_for_help(pugam_says):
    assert pugam_says() == pugam_says("--help")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_signs_that_a_terminal_has_no_room_for_are_spelt_out(monkeypatch, make_rows, encoding):
    make_rows(80, 200).rename(columns={"x1": "größe_λ"}).to_csv("rows.csv", index=False)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "argv", ["pugam", "fit", "rows.csv", "--label", "z", "--out", "Modell_λ.json"])

    with pytest.raises(SystemExit) as end:
        main()

    out.flush()
    assert end.value.code in (None, 0)
    assert rb"_\u03bb)" in out.buffer.getvalue()
    assert rb"Model: Modell_\u03bb.json" in out.buffer.getvalue()


def test_a_warning_of_long_work_is_printed_before_it(capsys):
    with printing_warnings():
        warn_user("This takes long.", category=SlowWarning)
        warn_user("That was odd.")
        before = capsys.readouterr().err
    after = capsys.readouterr().err

    assert (before, after) == ("! This takes long.\n", "! That was odd.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is in use cannot be removed there")
@pytest.mark.parametrize(
    "command", [("predict", "../m.json", "../t.csv", "--out", "../o.csv"), ("report", "../m.json")]
)
def test_a_working_folder_that_is_gone_is_told(pugam_says, tmp_path, monkeypatch, command):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    code, out, err = pugam_says(*command)

    assert (code, out) == (2, "")
    assert err == "pugam: The folder that you are in has been removed; change to another one.\n"
