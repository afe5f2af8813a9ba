"""Pictures show the numbers they are given, and the same numbers give the same bytes."""

import matplotlib
import numpy as np
import pytest

from pugam.studies import figures
from pugam.studies.monte_carlo import Measured

MATPLOTLIB = matplotlib.__version_info__[:2]
GRID = np.linspace(0.0, 1.0, 11)


@pytest.fixture(autouse=True, scope="module")
def _coarse_pictures():
    """Here they are written as they are elsewhere."""


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


def draw_errors(n_others):
    """Our two methods and others, each worse than the one before; one of them lacks a table."""
    methods = ["pugam", "linear", *(f"other {number}" for number in range(n_others))]
    errors = {
        method: {name: Measured(0.01 * (rank + 1), 0.002, 50) for name in ("b", "a")}
        for rank, method in enumerate(methods)
    }
    del errors["other 0"]["a"]
    return errors, figures.errors_by_table(errors, ours=("pugam", "linear"))


def test_errors_are_drawn_by_table_with_bars_and_ours_largest():
    errors, figure = draw_errors(3)

    (ax,) = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert ax.yaxis_inverted()
    dots = {container.get_label(): container for container in ax.containers}
    assert list(dots) == list(errors)
    for method, found in errors.items():
        line, _, (bars,) = dots[method]
        assert sorted(line.get_xdata()) == sorted(one.value for one in found.values())
        low, high = bars.get_segments()[0][:, 0]
        assert (low, high) == pytest.approx((found["b"].value - 0.002, found["b"].value + 0.002))
        assert [round(place) for place in line.get_ydata()] == [["a", "b"].index(name) for name in found]
    sizes = {method: container[0].get_markersize() for method, container in dots.items()}
    assert sizes["pugam"] == sizes["linear"] > max(sizes[f"other {number}"] for number in range(3))


def test_the_best_eight_of_the_others_have_styles_of_their_own_and_the_rest_is_grey():
    errors, figure = draw_errors(12)

    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [*list(errors)[:10], "4 more, see the table"]
    lines = [container[0] for container in figure.axes[0].containers]
    styles = [(line.get_color(), line.get_markerfacecolor(), line.get_marker()) for line in lines]
    assert len(set(styles[:10])) == 10
    assert len(set(styles[10:])) == 1
    assert len(lines) == 14


def test_the_same_numbers_give_the_same_files(tmp_path):
    for folder in ("one", "other"):
        figure = draw_curves()
        assert figures.write(figure, tmp_path / folder, "curves") is figure

    for name in ("curves.svg", "curves.png"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("one", "other"))
        assert one == other
    assert (tmp_path / "one" / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "one" / "curves.svg").read_bytes()


@pytest.mark.skipif(MATPLOTLIB < (3, 11), reason="matplotlib named clip paths after addresses in memory")
def test_writing_one_figure_twice_gives_the_same_svg(tmp_path):
    figure = draw_curves()

    svgs = []
    for _ in range(2):
        figures.write(figure, tmp_path, "curves")
        svgs.append((tmp_path / "curves.svg").read_bytes())

    assert svgs[0] == svgs[1]
