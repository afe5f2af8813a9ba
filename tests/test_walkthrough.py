"""The walk from a file to a report: its commands, run again, say what the page shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "from_file_to_report.md"
STEPS = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
NUMBER = re.compile(r"\d+\.\d+(?:e[+-]\d+)?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("walk")


@pytest.fixture(scope="module")
def said(folder):
    """What every command printed, given in this order, each in a process of its own."""
    printed = {}
    for command, _ in STEPS:
        given = re.sub(r"^pugam ", f"'{sys.executable}' -m pugam ", command)
        run = subprocess.run(given, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        printed[command] = run.stdout + run.stderr
    return printed


@pytest.mark.parametrize(("command", "shown"), STEPS, ids=[command for command, _ in STEPS])
def test_a_command_says_what_the_page_shows(said, command, shown):
    found = said[command]

    assert NUMBER.sub("#", found).split() == NUMBER.sub("#", shown).split()
    # Other machines round the last digits otherwise.
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (found, shown)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-5)


def test_the_report_and_the_model_are_there(said, folder):
    assert said
    assert (folder / "report.html").stat().st_size < 3_000_000
    assert (folder / "model.json").exists()
