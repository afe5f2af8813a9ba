"""What the README shows is what a reader gets; its demonstration is in command_line/test_demo_and_simulate.py."""

import re
import runpy
from pathlib import Path

import pytest

import pugam
from pugam.terms import parse_formula

EXAMPLES = Path(__file__).parent.parent / "examples"
README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.usefixtures("checked")
def test_the_ten_lines_run_and_print_the_interval_that_stands_beside_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[0], "README.md", "exec"), {})
    shown = re.search(r"pi_interval\(\)\)\s+# (.*)", BLOCKS[0]).group(1)
    interval, *others = capsys.readouterr().out.splitlines()
    assert interval == shown
    assert others[0] == "Positive-unlabelled generalized additive model"
    assert f"pi is well determined: {shown}" in others
    assert (tmp_path / "effects.png").stat().st_size > 1000


@pytest.mark.parametrize("line", BLOCKS[1].strip().splitlines())
def test_the_ways_to_set_up_a_model_are_valid_python(line):
    assert isinstance(eval(line, {name: getattr(pugam, name) for name in pugam.__all__}), pugam.PUGAM)


@pytest.mark.usefixtures("checked")
def test_the_example_without_enough_features_is_called_not_determined(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "unidentified.py"))["main"](tmp_path)
    printed = capsys.readouterr().out

    assert printed.startswith("pi is not determined")
    assert "Of 2 terms only s(dose) is distinguishable from a constant" in printed
    assert (tmp_path / "flat_profile.png").exists()


@pytest.mark.usefixtures("checked")
def test_the_example_of_preferred_labels_says_what_its_words_say(tmp_path, capsys):
    """The truth is 0.4: outside the first interval, inside those that know of the preference, or of an audit."""
    found = runpy.run_path(str(EXAMPLES / "selective_labels.py"))
    found["main"](tmp_path)
    intervals = [found[name].pi_interval() for name in ("plain", "model", "audited")]

    assert [one.lower < found["SHARE"] < one.upper for one in intervals] == [False, True, True]
    assert "they seem to go by amount\ndoes not fit" in capsys.readouterr().out
    assert found["bounds"].lower_limit[-1] < found["SHARE"] < found["bounds"].upper_limit[-1]
    assert (tmp_path / "bounds.png").exists()


CHEATSHEET = (Path(__file__).parent.parent / "docs/cheatsheet.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", re.findall(r"`(PUGAM\(.+?\))`", CHEATSHEET))
def test_settings_on_the_cheat_sheet_are_valid_python(line):
    assert isinstance(eval(line, {name: getattr(pugam, name) for name in pugam.__all__}), pugam.PUGAM)


def test_terms_on_the_cheat_sheet_are_known_to_formulas():
    terms = re.findall(r"`((?:s|l|f|te|r|offset)\([^`]*\))`", CHEATSHEET)
    assert len(terms) > 5
    assert len(list(parse_formula(" + ".join(terms)))) == len(terms)


def test_questions_on_the_cheat_sheet_are_methods_of_the_model():
    asked = set(re.findall(r"\b(?:model|newer)\.(\w+)\(", CHEATSHEET))
    assert len(asked) > 15
    assert [name for name in asked if not hasattr(pugam.PUGAM, name)] == []
