"""Pictures show the numbers they are given, and the same numbers give the same bytes."""

import numpy as np
import pytest

from pugam.studies import figures

GRID = np.linspace(0.0, 1.0, 11)


def draw_histograms():
    rng = np.random.default_rng(0)
    estimates = {(method, setting): rng.normal(0.4, 0.03, 200) for method in ("GAET", "default") for setting in (1, 2)}
    return estimates, figures.histograms(estimates, 0.4, 4500)


def draw_curves():
    sizes = (1500, 2250, 3000)
    means = {(method, 2, n): GRID * n for method in ("GAET", "default") for n in sizes}
    return figures.mean_curves(GRID, means, {2: GRID**2})


def test_histograms_show_the_estimates_the_truth_and_their_mean():
    estimates, figure = draw_histograms()

    assert figure.get_suptitle() == "Estimates of pi in 200 replicates, n = 4500"
    assert [ax.get_title() for ax in figure.axes] == [
        *("Setting 1, the paper's method", "Setting 2, the paper's method"),
        *("Setting 1, the default", "Setting 2, the default"),
    ]
    for ax, values in zip(figure.axes, estimates.values(), strict=True):
        counts = [bar.get_height() for bar in ax.patches]
        assert len(counts) == 25
        assert 195 <= sum(counts) <= 200  # one in a thousand of all is cut off at either end
        assert [line.get_xdata()[0] for line in ax.lines] == [0.4, pytest.approx(values.mean())]
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["truth, 0.4", f"mean, {values.mean():.3f}"]


def test_panels_of_histograms_share_their_bins():
    _, figure = draw_histograms()

    lefts = [[bar.get_x() for bar in ax.patches] for ax in figure.axes]

    assert all(left == lefts[0] for left in lefts)


def test_curves_are_drawn_for_every_sample_size_with_the_truth():
    figure = draw_curves()

    assert [ax.get_title() for ax in figure.axes] == ["Setting 2, the paper's method", "Setting 2, the default"]
    for ax in figure.axes:
        assert [line.get_label() for line in ax.lines] == ["truth", "n = 1500", "n = 2250", "n = 3000"]
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), GRID**2)
        np.testing.assert_array_equal(ax.lines[2].get_ydata(), GRID * 2250)
        assert len({line.get_linestyle() for line in ax.lines}) == 4  # to be told apart in grey
    assert figure.axes[0].get_legend() is not None


def test_panels_of_one_setting_share_their_scale_and_hold_every_curve():
    means = {(method, 2, n): GRID * n * size for method, size in (("GAET", 1), ("default", -2)) for n in (1, 2, 3)}

    figure = figures.mean_curves(GRID, means, {2: GRID**2})

    (low, high), other = (ax.get_ylim() for ax in figure.axes)
    assert (low, high) == other
    assert low < -6.0
    assert high > 3.0


def test_the_same_numbers_give_the_same_files(tmp_path):
    for folder in ("one", "other"):
        figure = draw_curves()
        assert figures.write(figure, tmp_path / folder, "curves") is figure

    for name in ("curves.svg", "curves.png"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("one", "other"))
        assert one == other
    assert (tmp_path / "one" / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "one" / "curves.svg").read_bytes()


def test_writing_one_figure_twice_gives_the_same_svg(tmp_path):
    figure = draw_curves()

    svgs = []
    for _ in range(2):
        figures.write(figure, tmp_path, "curves")
        svgs.append((tmp_path / "curves.svg").read_bytes())

    assert svgs[0] == svgs[1]
