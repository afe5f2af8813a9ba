"""The effects of a report for terms that read several columns."""

import numpy as np
import pytest

from pugam.presentation.report import collect
from pugam.presentation.report.content import Curves, Effect, Map


@pytest.fixture(scope="module")
def content(several):
    return collect(several, "Several columns", {}, {})


@pytest.fixture(scope="module")
def shown(content):
    return {effect.label: effect for effect in content.effects}


def test_each_term_is_shown_by_what_its_columns_are(content):
    assert {(type(effect), effect.label) for effect in content.effects} == {
        (Map, "te(age, bmi)"),
        (Curves, "te(age, bmi) along age"),
        (Curves, "s(dose, by=site)"),
        (Effect, "f(site)"),
        (Effect, "f(sex)"),
        (Effect, "site:sex"),
        (Map, "ti(noise, other)"),
        (Curves, "ti(noise, other) along noise"),
    }


def test_a_map_holds_the_effect_over_its_plane(shown, several):
    surface = shown["te(age, bmi)"].surface
    age, bmi = np.meshgrid(surface.x, surface.y)

    own = several.effect("te(age, bmi)", {"age": age.ravel(), "bmi": bmi.ravel()})

    for name in ("u", "lower", "upper"):
        np.testing.assert_allclose(getattr(surface, name).ravel(), own[name], rtol=1e-9, atol=1e-12)
    assert shown["te(age, bmi)"].columns == ("age", "bmi")
    assert shown["te(age, bmi)"].largest == pytest.approx(surface.largest)


def test_curves_are_those_of_the_model_at_the_estimate_and_with_pi_fixed(shown, several, content):
    curves = shown["s(dose, by=site)"]
    fixed = several.sensitivity(list(content.fixed_pi.pi))

    assert (curves.column, curves.by, curves.names) == ("dose", "site", ("east", "north", "south"))
    for site, effect in zip(curves.names, curves.curves, strict=True):
        grid = {"dose": list(effect.x), "site": [site] * len(effect.x)}
        own = several.effect("s(dose, by=site)", grid)
        np.testing.assert_allclose(effect.u, own["u"], rtol=1e-9)
        np.testing.assert_allclose(effect.upper, own["upper"], rtol=1e-9)
        assert np.shape(effect.with_pi_fixed) == (len(fixed.pi), len(effect.x))
        np.testing.assert_allclose(effect.with_pi_fixed[content.fixed_pi.estimate], effect.u, atol=0.1)
    swing = [curve[-1] - curve[0] for curve in curves.curves[1].with_pi_fixed]
    assert (np.diff(swing) > 0.0).all()  # steeper with larger pi


def test_combinations_of_levels_are_points_named_together(shown):
    points = shown["site:sex"]

    assert points.x == ("east, f", "east, m", "north, f", "north, m", "south, f", "south, m")
    assert points.column == "site, sex"
    assert not points.is_curve


def test_missing_values_are_told_beside_the_map_once(content, several):
    notes = [note for effect in content.effects for note in effect.notes]
    effect = several.effect("te(age, bmi)", {"age": [50.0], "bmi": [np.nan]}).iloc[0]

    (note,) = notes
    assert note.startswith("Missing values: effect ")
    for number in effect[["u", "lower", "upper"]]:
        assert f"{abs(number):.3g}" in note


def test_no_rows_are_near_the_ends_of_some_slices(shown):
    slices = shown["te(age, bmi) along age"]

    assert np.shape(slices.far) == (3, len(slices.curves[0].x))
    assert 0.0 < np.mean(slices.far) < 0.5
