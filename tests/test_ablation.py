"""The switches of benchmarks/ablation.py still find the heuristics that they take away."""

import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from ablation_switches import HEURISTICS

PATCHES = [(heuristic, name) for heuristic in HEURISTICS for name in heuristic.patches]


@pytest.mark.parametrize(("heuristic", "name"), PATCHES, ids=[f"{one.name}, {name}" for one, name in PATCHES])
def test_a_switch_replaces_what_is_there_and_puts_it_back(heuristic, name):
    owner, _, attribute = f"pugam.{name}".rpartition(".")
    place = resolve_name(owner)
    before = getattr(place, attribute)
    with heuristic.taken_away():
        assert getattr(place, attribute) is heuristic.patches[name]
    assert getattr(place, attribute) is before
