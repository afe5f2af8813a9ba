"""Pictures of terms that read several columns: maps with slices, curves by level, points of combinations."""

import io

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import pugam
from pugam import InputError
from pugam.presentation.annotations import name_levels
from pugam.presentation.heat import VEIL
from pugam.presentation.map_panels import HATCH
from pugam.presentation.panels import CURVES
from pugam.presentation.view_layouts import views_of
from pugam.presentation.views import Detail
from pugam.terms.axes import level_axis

TITLES = [
    "te(age, bmi)",
    "te(age, bmi) along age",
    "s(dose, by=site)",
    "f(site)",
    "f(sex)",
    "site:sex",
    "ti(noise, other)",
    "ti(noise, other) along noise",
]


@pytest.fixture(scope="module")
def figure(several):
    return several.plot()


@pytest.fixture(scope="module")
def stored(several, tmp_path_factory):
    """The model after saving and loading, without its rows."""
    path = tmp_path_factory.mktemp("stored") / "model.json"
    several.save(path)
    return pugam.load(path)


def panel(figure, title):
    (ax,) = (ax for ax in figure.axes if ax.get_title() == title)
    return ax


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def share_of(ax, color, hatch=None):
    """Share of a map that areas of this colour (and hatched so) cover."""
    filled = [area for area in ax.collections if len(area.get_facecolor())]
    areas = [c for c in filled if to_hex(c.get_facecolor()[0]) == color and c.hatches[0] == hatch]
    x, y = np.meshgrid(np.linspace(*ax.get_xlim(), 40), np.linspace(*ax.get_ylim(), 40))
    points = np.column_stack([x.ravel(), y.ravel()])
    inside = [path.contains_points(points) for area in areas for path in area.get_paths()]
    return float(np.any(inside, axis=0).mean())


def curves_of(ax):
    """The curves in colours of their own."""
    return {line.get_color(): line for line in ax.lines if line.get_linestyle() == "-" and line.get_color() in CURVES}


def test_every_term_has_its_panels(several, figure):
    in_formula = several.plot(order="formula")

    assert [ax.get_title() for ax in in_formula.axes if ax.get_visible()] == TITLES
    assert {ax.get_title() for ax in figure.axes if ax.get_visible()} == {*TITLES}
    figure.savefig(io.BytesIO(), dpi=40)


def test_maps_name_their_columns(figure):
    ax = panel(figure, "te(age, bmi)")

    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "bmi")


def test_colours_are_alike_on_both_sides_of_zero(figure):
    bands = panel(figure, "te(age, bmi)").collections[0]

    np.testing.assert_array_equal(bands.levels, -bands.levels[::-1])
    assert to_hex(bands.get_facecolor()[0]) == "#2166ac"
    assert to_hex(bands.get_facecolor()[-1]) == "#b2182b"


def test_what_has_no_effect_is_grey_and_what_has_one_is_not(figure):
    without, with_effect = (panel(figure, title) for title in ("ti(noise, other)", "te(age, bmi)"))

    assert share_of(without, VEIL) > 0.7
    assert share_of(with_effect, VEIL) < 0.5
    assert legend_of(without)[0] == "not distinguishable from zero"


def test_where_no_rows_are_near_the_map_is_hatched(figure, stored):
    ax = panel(figure, "te(age, bmi)")

    assert 0.05 < share_of(ax, "#ffffff", HATCH) < 0.6
    assert legend_of(ax)[1] == "no rows near"
    assert legend_of(panel(stored.plot(terms=["te(age, bmi)"]), "te(age, bmi)")) == ["not distinguishable from zero"]


def test_contour_lines_are_labelled_with_effects(figure):
    ax = panel(figure, "te(age, bmi)")
    (lines,) = (c for c in ax.collections if not len(c.get_facecolor()))

    numbers = {float(text.get_text().replace("−", "-")) for text in lines.labelTexts}  # noqa: RUF001, a minus
    assert {0.0} < numbers <= set(lines.levels)


def test_slices_are_the_effect_at_values_of_the_other_column(figure, several, several_rows):
    ax = panel(figure, "te(age, bmi) along age")
    fixed = [float(name) for name in legend_of(ax)[:3]]

    assert ax.get_legend().get_title().get_text() == "bmi"
    assert fixed == pytest.approx(np.nanquantile(several_rows["bmi"], [0.1, 0.5, 0.9]), abs=0.1)
    for bmi, line in zip(fixed, curves_of(ax).values(), strict=True):
        x, u = line.get_xydata().T
        effect = several.effect("te(age, bmi)", {"age": x, "bmi": np.full(len(x), bmi)})
        near = ~np.isnan(u)
        np.testing.assert_allclose(u[near], effect["u"][near], rtol=1e-9)
        assert near.mean() > 0.5


def test_slices_are_dotted_where_no_rows_are_near(figure):
    ax = panel(figure, "te(age, bmi) along age")

    dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert dotted
    assert legend_of(ax)[-1] == "no rows near"


def test_levels_share_a_panel_as_curves(figure, several):
    ax = panel(figure, "s(dose, by=site)")

    assert legend_of(ax) == ["east", "north", "south"]
    assert list(curves_of(ax)) == list(CURVES[:3])
    x, u = curves_of(ax)[CURVES[1]].get_xydata().T
    effect = several.effect("s(dose, by=site)", {"dose": x, "site": ["north"] * len(x)})
    np.testing.assert_allclose(u, effect["u"], rtol=1e-9)


def test_combinations_of_levels_are_points(figure):
    ax = panel(figure, "site:sex")

    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == ["east, f", "east, m", "north, f", "north, m", "south, f", "south, m"]
    assert len(ax.lines[0].get_xdata()) == 6


def test_the_effect_of_missing_values_is_said_once(figure, several):
    said = [text.get_text() for ax in figure.axes for text in ax.texts if text.get_text().startswith("missing")]
    effect = several.effect("te(age, bmi)", {"age": [50.0], "bmi": [np.nan]}).iloc[0]

    assert len(said) == 1
    assert said[0].replace("−", "-") == (  # noqa: RUF001, a minus
        f"missing values: {effect['u']:.2f} ({effect['lower']:.2f} to {effect['upper']:.2f})"
    )


def test_a_map_on_the_scale_of_odds_is_named_by_factors(several):
    figure = several.plot(terms=["te(age, bmi)"], scale="odds")
    (key,) = (child for child in figure.axes[0].child_axes)

    factors = [float(label.get_text()) for label in key.get_yticklabels()]
    np.testing.assert_allclose(np.multiply(factors, factors[::-1]), 1.0, rtol=0.02)
    assert 1.0 in factors
    assert figure.axes[1].get_ylabel() == "factor on the odds"
    assert share_of(figure.axes[0], VEIL) == pytest.approx(
        share_of(several.plot(terms=["te(age, bmi)"]).axes[0], VEIL), abs=0.02
    )


def test_a_derivative_is_drawn_of_the_terms_that_read_its_column(several):
    figure = several.plot(derivative="dose")

    assert [ax.get_title() for ax in figure.axes] == ["s(dose, by=site)"]
    north = curves_of(figure.axes[0])[CURVES[1]].get_xydata()
    effect = several.effect("s(dose, by=site)", {"dose": north[:, 0], "site": ["north"] * 100}, derivative="dose")
    np.testing.assert_allclose(north[:, 1], effect["u"], rtol=1e-9)
    with pytest.raises(InputError, match="no term of 'height'"):
        several.plot(derivative="height")


def test_panels_share_scales_and_colours_when_asked(several):
    figure = several.plot(shared_scale=True)
    maps = [panel(figure, title) for title in ("te(age, bmi)", "ti(noise, other)")]
    others = [ax for ax in figure.axes if ax not in maps and ax.get_visible()]

    assert len({tuple(ax.collections[0].levels) for ax in maps}) == 1
    assert len({ax.get_ylim() for ax in others}) == 1


def test_axes_of_the_caller_are_one_for_each_panel_or_one_for_each_term(several):
    terms = ["te(age, bmi)", "f(sex)"]
    two, three = Figure().subplots(1, 2), Figure().subplots(1, 3)

    several.plot(terms=terms, axes=two)
    several.plot(terms=terms, axes=three)

    assert [ax.get_title() for ax in two] == ["te(age, bmi)", "f(sex)"]
    assert [ax.get_title() for ax in three] == ["te(age, bmi)", "te(age, bmi) along age", "f(sex)"]
    with pytest.raises(InputError, match=r"3 panels; axes gives 4"):
        several.plot(terms=terms, axes=Figure().subplots(2, 2))


def test_a_model_without_rows_is_drawn_over_the_whole_range(stored, several):
    ax = panel(stored.plot(), "te(age, bmi)")
    axes = several._design.bases[0].axes

    assert [ax.get_xlim(), ax.get_ylim()] == [(axis.lower, axis.upper) for axis in axes]


def test_dots_are_rows_and_can_be_left_out(several):
    with_dots, without = (panel(several.plot(terms=["te(age, bmi)"], rug=rug), "te(age, bmi)") for rug in (True, False))

    assert 100 < len(with_dots.lines[0].get_xdata()) <= 600
    assert not without.lines


def test_names_of_many_levels_stand_upright_and_what_is_left_out_is_said():
    axis = level_axis("clinic", [f"clinic {number}" for number in range(30)])
    (view,) = views_of((axis,), np.empty((0, 1)), Detail(curve=2, map=2, levels=24))
    ax = Figure().subplots()

    name_levels(ax, view, with_missing=True)

    labels = ax.get_xticklabels()
    assert [label.get_text() for label in labels][-2:] == ["clinic 23", "missing"]
    assert {label.get_rotation() for label in labels} == {90.0}
    assert ax.get_xlabel() == "the 24 most frequent of 30 are shown"
