"""Colours of maps: alike on both sides of zero, and lines at round numbers."""

import math

import pytest

from pugam.presentation.heat import COLOURS, colour_at, heat_scale

SIZES = [1e-6, 0.03, 0.31, 1.0, 1.7, 4.0, 9.9, 123.0, 690.0]


def luminance(colour):
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_run_from_blue_through_white_to_red():
    assert colour_at(-1.0) == colour_at(-9.0) == COLOURS[0] == "#2166ac"
    assert colour_at(0.0) == "#f7f7f7"
    assert colour_at(1.0) == "#b2182b"


def test_both_sides_of_zero_grow_darker_alike():
    places = [0.1 * number for number in range(11)]
    below, above = ([luminance(colour_at(side * place)) for place in places] for side in (-1, 1))

    for side in (below, above):
        assert side == sorted(side, reverse=True)
    assert all(abs(low - high) < 40.0 for low, high in zip(below, above, strict=True))


@pytest.mark.parametrize("odds", [False, True])
@pytest.mark.parametrize("largest", SIZES)
def test_a_scale_is_symmetric_and_holds_the_largest_effect(largest, odds):
    heat = heat_scale(largest, odds)

    assert heat.limit >= largest * (1.0 - 1e-9)
    assert heat.edges == [-edge for edge in reversed(heat.edges)]
    assert 0.0 in heat.edges
    assert len(heat.colours) == len(heat.edges) - 1
    assert heat.colours[0] == colour_at(-1.0)
    assert heat.colours[-1] == colour_at(1.0)
    assert 3 <= len(heat.lines) <= 9 or heat.limit < heat.step
    assert len({heat.name(line) for line in heat.lines}) == len(heat.lines)


def test_lines_have_round_numbers():
    names = " ".join(heat_scale(1.7).name(line) for line in heat_scale(1.7).lines)
    assert names == "−1.5 −1.0 −0.5 0 0.5 1.0 1.5"  # noqa: RUF001, minus signs
    odds = heat_scale(math.log(5.0), odds=True)
    assert [odds.name(line) for line in odds.lines] == ["0.25", "0.5", "1", "2", "4"]


@pytest.mark.parametrize("nothing", [0.0, float("nan"), float("inf")])
def test_a_scale_of_nothing_is_a_scale(nothing):
    assert heat_scale(nothing).limit == 1.0
