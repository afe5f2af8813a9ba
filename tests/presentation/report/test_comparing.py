"""Odds ratios of a report: by column, and where columns interact at values of the others."""

from types import SimpleNamespace

import numpy as np
import pytest

from pugam.inference import Interval
from pugam.presentation.report import collect
from pugam.presentation.report.comparing import collect_ratios
from pugam.terms.axes import level_axis, number_axis


@pytest.fixture(scope="module")
def ratios(several):
    return collect(several, "Several columns", {}, {}).ratios


def test_columns_that_interact_are_compared_at_values_of_each_other(ratios):
    found = {}
    for ratio in ratios:
        found.setdefault(ratio.column, []).append(ratio.where.split(" = ")[0])

    assert found == {
        "age": ["bmi", "bmi"],
        "bmi": ["age", "age"],
        "dose": ["site"] * 3,
        "site": ["dose", "dose", "sex", "sex"] * 2,
        "sex": ["site"] * 3,
        "noise": ["other", "other"],
        "other": ["noise", "noise"],
    }


def test_the_odds_ratio_counts_all_terms_of_the_columns(ratios, several, several_rows):
    unlabelled = several_rows[several_rows["z"] == 0].dropna()
    (low, _), ages = (np.quantile(unlabelled[name], [0.25, 0.75]).tolist() for name in ("bmi", "age"))
    first = next(ratio for ratio in ratios if ratio.column == "age")

    own = several.odds_ratio({"age": ages[0], "bmi": low}, {"age": ages[1], "bmi": low})

    assert first.ratio.estimate == pytest.approx(own.estimate, rel=0.05)  # quantiles of rows with both values
    assert first.where.startswith("bmi = ")


def test_levels_are_compared_at_levels_of_the_column_they_interact_with(ratios, several, several_rows):
    sexes = [ratio for ratio in ratios if ratio.column == "sex"]
    dose = float(np.median(several_rows.loc[several_rows["z"] == 0, "dose"]))

    assert [ratio.where for ratio in sexes] == ["site = north", "site = south", "site = east"]
    for ratio in sexes:
        fixed = {"site": ratio.where.split(" = ")[1], "dose": dose}
        own = several.odds_ratio({"sex": ratio.a, **fixed}, {"sex": ratio.b, **fixed})
        assert (ratio.ratio.estimate, ratio.ratio.lower) == pytest.approx((own.estimate, own.lower))


class Asked:
    """Notes which comparisons it is asked for."""

    def __init__(self):
        self.pairs = []

    def odds_ratio(self, term, a, b=None, level=0.95):
        self.pairs.append((term, a))
        return Interval(1.0, 1.0, 1.0, level, "wald")


def fitted_to(*terms, n_rows=40):
    """A stand-in for a fit whose terms have these axes, with rows spread evenly over them."""
    bases = [_Basis(axes) for axes in terms]
    rng = np.random.default_rng(0)
    encoded = [
        np.column_stack(
            [
                rng.uniform(axis.lower, axis.upper, n_rows)
                if axis.is_numeric
                else rng.integers(len(axis.levels), size=n_rows)
                for axis in axes
            ]
        )
        for axes in terms
    ]
    shown = SimpleNamespace(encoded=encoded, positive=np.zeros(n_rows, dtype=bool))
    return SimpleNamespace(
        design=SimpleNamespace(bases=bases, n_effects=len(bases)), engine=SimpleNamespace(shown=shown)
    )


class _Basis:
    def __init__(self, axes):
        self.axes, self.spec = axes, SimpleNamespace(columns=tuple(axis.column for axis in axes))

    def along(self, encoded, axis):
        return encoded[:, axis]


X, Y, W = (number_axis(name, 0.0, 1.0) for name in "xyw")
SITE = level_axis("site", [f"site {number}" for number in range(30)])


def test_columns_of_columns_are_held_too():
    model = Asked()

    list(collect_ratios(model, fitted_to((X, Y), (Y, W)), 0.95))

    assert all(set(a) == set(b) == {"x", "y", "w"} for a, b in model.pairs)
    changed = [[name for name in a if a[name] != b[name]] for a, b in model.pairs]
    assert changed == [["x"]] * 2 + [["y"]] * 4 + [["w"]] * 2


def test_many_levels_make_no_endless_table():
    alone, together = (list(collect_ratios(Asked(), fitted_to(axes, n_rows=400), 0.9)) for axes in ((SITE,), (SITE, X)))

    assert len(alone) == 12
    assert len(together) == 4 * 2 + 4
    assert {ratio.ratio.level for ratio in together} == {0.9}
