"""Inputs that once broke something, and some of those that the fuzzer would try, without the fuzzer; see README.md."""

import sys
from pathlib import Path
from random import Random
from unittest import mock

import pytest
from fuzz_targets import TARGETS

HERE = Path(__file__).parent
FOUND = sorted(path for path in (HERE / "corpus").rglob("*") if path.is_file())
TRIED = {"formula": 1500, "model": 400, "csv": 400}
FEW, ALL = 0.05, 1.0  # of these
MOST_CHANGES = 3


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_once_broke_is_answered_or_refused(path):
    TARGETS[path.parent.name].check(path.read_bytes())


def test_the_corpus_is_there():
    assert {path.parent.name for path in FOUND} == set(TARGETS)


@pytest.mark.parametrize("share", [FEW, pytest.param(ALL, marks=pytest.mark.long)], ids=["few", "all"])
@pytest.mark.parametrize("name", TARGETS)
def test_whatever_is_changed_is_answered_or_refused(name, share):
    target, rng = TARGETS[name], Random(name)
    seeds = target.seeds()
    for seed in seeds:
        target.check(seed)
    for _ in range(round(share * TRIED[name])):
        data = rng.choice(seeds)
        for _ in range(rng.randint(1, MOST_CHANGES)):
            data = target.mutated(data, rng)
        target.check(data)


@pytest.mark.parametrize(
    ("name", "part", "fault"),
    [
        ("formula", "fuzz_targets.formula.parse_formula", {"side_effect": ValueError("no documented error")}),
        ("formula", "fuzz_targets.formula.format_formula", {"return_value": "l(another)"}),
        ("model", "pugam.load", {"side_effect": RecursionError}),
        ("model", "pugam.PUGAM.log_density_ratio", {"side_effect": lambda X: [float("nan")] * len(X)}),
        ("model", "pugam.PUGAM.summary", {"side_effect": ZeroDivisionError}),
        ("csv", "fuzz_targets.csv_table.open_file", {"side_effect": UnicodeDecodeError("utf-8", b"", 0, 1, "no text")}),
        (
            "csv",
            "pugam.files.csv_files.convert",
            {"side_effect": lambda text, kind: text.take(list(range(len(text)))[::-1])},
        ),
        ("csv", "pugam.command_line.rows.read_label_column", {"side_effect": IndexError}),
    ],
)
def test_a_fault_would_be_noticed(name, part, fault):
    seed = TARGETS[name].seeds()[0]
    with mock.patch(part, **fault), pytest.raises(Exception):  # noqa: B017, PT011
        TARGETS[name].check(seed)


def test_nothing_here_needs_the_fuzzer():
    assert "atheris" not in sys.modules
