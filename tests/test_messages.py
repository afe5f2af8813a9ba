"""Messages: text and pieces, worded for Python and for the command line; errors and warnings that carry them."""

import ast
import pickle
import re
import warnings
from pathlib import Path
from typing import get_args

import pytest
import typer

import pugam
from pugam import InputError, PugamWarning
from pugam.command_line.verbs import app
from pugam.command_line.wording import for_parts, in_flags
from pugam.errors import RowError, warn_user
from pugam.messages import (
    Argument,
    DroppingRows,
    FittingAlone,
    InFormula,
    LeavingOut,
    LeavingUnscored,
    Message,
    MissingEffect,
    NamingPositive,
    Piece,
    ReadingCsv,
    Row,
    See,
    ShellQuotes,
    UnseenZero,
    in_lines,
    in_python,
    printable,
)

PIECES = [  # with their words in Python and on the command line
    (Row(17), "row 17", "row 18"),
    (Argument("max_iter"), "max_iter", "--max-iter"),
    (Argument("z"), "z", "--label"),
    (Argument("n_starts", 40), "n_starts=40", "--starts 40"),
    (Argument("pi", (0.1, 0.4)), "pi=(0.1, 0.4)", "--pi 0.1,0.4"),
    (Argument("engine", "gpu"), "engine='gpu'", "--engine gpu"),
    (Argument("negative"), "negative", "--negative"),
    (Argument("audit_chance"), "audit_chance", "--audit-chance"),
    (Argument("shares", "pooled"), "shares='pooled'", "--shares pooled"),
    (See("diagnosis"), "diagnose()", "--report"),
    (See("sensitivity"), "plot('sensitivity')", "the slider of --report"),
    (See("calibration"), "plot('calibration')", "the pictures of --report"),
    (See("labelling"), "plot('labelling')", "the bounds of --report"),
    (LeavingOut(("a b",)), " of X", " (--drop 'a b')"),
    (LeavingOut(("id",), identify=True), " of X", " (--drop id, or --id id to name rows by it)"),
    (LeavingOut(("a", "b"), identify=True), " of X", " (--drop a --drop b)"),
    (LeavingOut(("a", "b", "c", "d")), " of X", " (--drop a --drop b --drop c ...)"),
    (DroppingRows(), "", " (--missing drop)"),
    (
        LeavingUnscored(),
        'leave such rows without a score (unscorable="nan"), or ',
        "leave such rows without a score (--unscorable empty), or ",
    ),
    (
        NamingPositive((1, "a b")),
        ", as in z = (z == 'a b').astype(int)",
        ", or say which value marks a labelled positive (--positive 1 or --positive 'a b')",
    ),
    (NamingPositive(()), "", ", or say which value marks a labelled positive (--positive)"),
    (UnseenZero('f(x, unseen="zero")'), 'f(x, unseen="zero")', "--unseen zero"),
    (MissingEffect("s(x, missing='effect')"), ": s(x, missing='effect')", " (--missing effect)"),
    (
        MissingEffect("s(x, missing='effect')", again=True),
        ": s(x, missing='effect')",
        " when you fit (--missing effect)",
    ),
    (
        FittingAlone(),
        ": for each name, kept = (z == 1) | (sample == name) and PUGAM().fit(X[kept], z[kept]), in which the sample is "
        "not a column of X",
        ", from a file for each: --positive-file labelled.csv --unlabeled-file one_sample.csv",
    ),
    (ReadingCsv("delimiter", ";"), "read it with pandas.read_csv(..., sep=';') first", "give --delimiter ';'"),
    (ReadingCsv("delimiter", "\t"), "read it with pandas.read_csv(..., sep='\\t') first", "give --delimiter tab"),
    (ReadingCsv("decimal", ","), "read it with pandas.read_csv(..., decimal=',') first", "give --decimal ,"),
    (InFormula("s(x) * y", 5), "\ns(x) * y\n     ^", "\n  s(x) * y\n       ^"),
    (ShellQuotes(), "", "; the shell takes single quotes away that stand inside '...'"),
]


@pytest.mark.parametrize(("piece", "python", "terminal"), PIECES)
def test_each_reader_has_words_of_their_own(piece, python, terminal):
    assert (in_python(piece), in_flags(piece)) == (python, terminal)


def test_all_kinds_of_pieces_are_tested():
    assert {type(piece) for piece, _, _ in PIECES} == set(get_args(Piece))


@pytest.mark.parametrize(("piece", "python", "terminal"), PIECES)
def test_python_has_no_flags_and_the_command_line_no_python(piece, python, terminal):
    assert "--" not in python
    assert re.search(r"\w=\S|\(\)|of X", terminal) is None


def arguments_named():
    """Every name of an argument in a message of the package."""
    texts = (path.read_text(encoding="utf-8") for path in Path(pugam.__file__).parent.rglob("*.py"))
    for text in texts:
        for node in ast.walk(ast.parse(text)) if "Argument(" in text else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Argument":
                yield from (arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant))


def test_flags_in_messages_are_flags_of_a_verb():
    verbs = typer.main.get_command(app).commands.values()
    flags = {flag for verb in verbs for parameter in verb.params for flag in parameter.opts}
    in_python_only = {"solver", "pi_prior"}

    named = set(arguments_named())

    assert {"max_iter", "z", "engine"} <= named
    assert {in_flags(Argument(name)) for name in named - in_python_only} <= flags


def test_a_message_is_text_in_python_and_holds_those_within():
    inner = Message("a larger ", Argument("max_iter"))
    message = Message("Try ", inner, ".")

    assert str(message) == "Try a larger max_iter."
    assert repr(message) == "'Try a larger max_iter.'"
    assert message.pieces == ("Try ", "a larger ", Argument("max_iter"), ".")
    assert message.told(in_flags) == "Try a larger --max-iter."


def test_rows_read_in_parts_cannot_be_dropped():
    message = Message("Drop them", DroppingRows(), ", or give them an effect", MissingEffect("s(x)"), ".")

    assert message.told(in_flags) == "Drop them (--missing drop), or give them an effect (--missing effect)."
    assert for_parts(message).told(in_flags) == "Drop them, or give them an effect (--missing effect)."


def test_an_error_is_worded_for_its_reader():
    error = InputError(Argument("pi"), " is a share.")

    assert str(error) == "pi is a share."
    assert repr(error) == "InputError('pi is a share.')"
    assert error.told(in_flags) == "--pi is a share."


@pytest.mark.parametrize("error", [InputError("No ", Argument("pi"), "."), RowError("In ", 3, " there is ", 4, ".")])
def test_an_error_survives_the_way_between_processes(error):
    again = pickle.loads(pickle.dumps(error))

    assert type(again) is type(error)
    assert again.message.pieces == error.message.pieces


def test_the_rows_of_an_error_have_places():
    error = RowError("Both ", 3, " and ", 4, " are bad.")

    assert str(error) == "Both row 3 and row 4 are bad."
    assert str(error.placed(lambda row: Row(10 + row))) == "Both row 13 and row 14 are bad."
    assert str(error.placed(lambda row: f"a.csv, line {row + 2}")) == "Both a.csv, line 5 and a.csv, line 6 are bad."


@pytest.mark.parametrize("category", [PugamWarning, UserWarning])
def test_a_warning_carries_its_message(category):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user("Try a larger ", Argument("max_iter"), ".", category=category)

    (warning,) = caught
    assert warning.category is category
    assert str(warning.message) == "Try a larger max_iter."
    assert warning.message.args[0].told(in_flags) == "Try a larger --max-iter."


def test_flags_are_spelt_by_the_command_line_alone():
    source = Path(pugam.__file__).parent
    elsewhere = [path for path in source.rglob("*.py") if "command_line" not in path.parts]
    constants = {
        (path.relative_to(source).as_posix(), node.value)
        for path in elsewhere
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"(?<!\w)--[a-z]", node.value)
    }
    flags_of_git = {("studies/provenance.py", flag) for flag in ("--error-unmatch", "--always", "--dirty")}

    assert len(elsewhere) > 100
    assert constants == flags_of_git


def test_control_characters_are_told_as_text():
    hostile = "red \x1b[31m\n\x9b\u202e\ud800 é"

    assert printable(hostile) == r"red \x1b[31m\n\x9b\u202e\ud800 é"
    assert str(Message("Column ", hostile)) == r"Column red \x1b[31m\n\x9b\u202e\ud800 é"
    assert in_lines([hostile, "b"]) == f"{printable(hostile)}\nb"


@pytest.mark.parametrize(
    "name", ["x" * 70_000, "a b " * 20_000, "it's " * 20_000], ids=["word", "words", "apostrophes"]
)
def test_long_names_are_cut_short_and_all_else_is_kept(name):
    text = str(
        Message(f"Wald's interval: no column {name!r}; its columns are 'x1' and {name!r}. ", "Name one of 'x1'.")
    )

    assert text.startswith(f"Wald's interval: no column {name!r:.100}...")
    assert text.endswith(". Name one of 'x1'.")
    assert "; its columns are 'x1' and " in text
    assert len(text) < 400


def test_long_sentences_are_kept_whole():
    sentence = "Wald's interval for 'x1' is as wide as that of 'x2', which the model's author didn't expect. " * 20

    assert str(Message(sentence)) == sentence
