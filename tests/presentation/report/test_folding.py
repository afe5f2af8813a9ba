"""Which effects of a report are open, folded, or folded as showing none; and in which order terms come."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM
from pugam.presentation.report import collect
from pugam.presentation.report.content import TermLine
from pugam.presentation.report.folding import Ranked, _flat, fold_effects


def ranked(n_terms, n_flat=0):
    lines = tuple(TermLine(f"s(x{number})", 1.0, 1.0, 0.5, None) for number in range(n_terms))
    return Ranked(tuple(range(n_terms)), lines, n_flat)


@pytest.mark.parametrize(("counts", "n_flat", "n_open"), [([1] * 12, 0, 12), ([1] * 30, 4, 12), ([2] * 7, 0, 12)])
def test_twelve_pictures_are_open(counts, n_flat, n_open):
    folding = fold_effects([("picture",) * count for count in counts], ranked(len(counts), n_flat))

    assert (folding.n_open, folding.n_flat) == (n_open, n_flat)
    assert len(folding.flat) == n_flat


def test_pictures_of_a_term_stay_together():
    assert fold_effects([("a",), *[("b", "c")] * 9], ranked(10)).n_open == 11
    assert fold_effects([("a",) * 15, ("b",)], ranked(2)).n_open == 15


def test_flat_terms_are_small_and_not_significant():
    lines = [TermLine("s(x)", 1.0, 1.0, pvalue, None) for pvalue in (0.001, 0.4, 0.4, 0.01)]

    assert _flat(lines, np.array([5.0, 3.0, 0.1, 0.1])) == {2}


def test_where_nothing_is_seen_nothing_is_folded():
    lines = [TermLine("s(x)", 1.0, 1.0, 0.4, None)] * 2

    assert _flat(lines, np.zeros(2)) == set()


def test_a_report_of_many_columns_shows_the_important_ones(no_trees):
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.5
    columns = {f"x{number}": rng.normal(size=800) for number in range(16)}
    columns["x9"], columns["x12"] = columns["x9"] + 1.5 * y, columns["x12"] + 2.5 * y
    X, z = pd.DataFrame(columns), (y & (rng.random(800) < 0.5)).astype(int)
    formula = " + ".join(X.columns)

    with no_trees():
        content = collect(PUGAM(formula, check=False, interactions=None).fit(X, z), "", {}, {})

    assert [line.label for line in content.terms[:2]] == ["l(x12)", "l(x9)"]
    assert [effect.column for effect in content.effects[:2]] == ["x12", "x9"]
    assert [ratio.column for ratio in content.ratios[:2]] == ["x12", "x9"]
    assert content.folding.n_flat >= 8
    assert content.terms[0].importance > content.terms[1].importance > content.terms[-1].importance
