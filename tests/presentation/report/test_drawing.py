"""Scales and ticks of the charts of a report."""

import pytest

from pugam.presentation.report.content import Effect
from pugam.presentation.report.drawing import CHARACTER, FREE_RIGHT, Scale, ticks_below, ticks_beside
from pugam.presentation.report.effect_charts import draw_effect


def test_a_scale_maps_its_ends_to_its_places():
    scale = Scale.over([2.0, 4.0, float("nan")], 100.0, 0.0)

    assert [scale(2.0), scale(3.0), scale(4.0)] == [100.0, 50.0, 0.0]
    assert scale.inside(9.0) == 0.0


@pytest.mark.parametrize("values", [[0.0, 0.0], [5.0], [], [-3e9, -3e9], [float("nan")]])
def test_a_scale_of_one_value_has_room_around_it(values):
    scale = Scale.over(values, 0.0, 10.0)

    assert scale.low < scale.high
    assert scale(next((value for value in values if value == value), 0.0)) == pytest.approx(5.0)


def test_ticks_stand_at_round_numbers():
    assert [tick.text for tick in ticks_beside(Scale(-1.2, 2.3, 100.0, 0.0))] == ["−1", "0", "1", "2"]  # noqa: RUF001
    assert [tick.text for tick in ticks_below(Scale(143.0, 2501.0, 0.0, 280.0))] == [
        "500",
        "1,000",
        "1,500",
        "2,000",
        "2,500",
    ]


@pytest.mark.parametrize("power", range(-12, 13, 3))
@pytest.mark.parametrize("low", [0.0, 1.0])
def test_texts_below_an_axis_differ_and_do_not_stick_out(power, low):
    scale = Scale((low - 0.3) * 10.0**power, (low + 0.7) * 10.0**power, 40.0, 312.0)

    found = ticks_below(scale)

    assert len({tick.text for tick in found}) == len(found) >= 2
    ends = [tick.text_place + (0.5 * CHARACTER * len(tick.text) if tick.anchor == "middle" else 0) for tick in found]
    assert max(ends) <= scale.end + FREE_RIGHT


@pytest.mark.parametrize("highest", [5000.0, 5400.0, 0.25, 1e6])
def test_the_last_number_below_a_curve_keeps_off_the_word_for_missing_values(highest):
    x = (*(highest * share / 10 for share in range(11)), "missing")
    zeros = (0.0,) * len(x)

    *numbers, missing = draw_effect(Effect("s(x)", "x", x, zeros, zeros, zeros, (zeros,), missing=True)).chart.below

    last = numbers[-1]
    end = last.text_place + (0.5 * CHARACTER * len(last.text) if last.anchor == "middle" else 0.0)
    assert end + 2.0 < missing.place - 0.5 * CHARACTER * len(missing.text)
