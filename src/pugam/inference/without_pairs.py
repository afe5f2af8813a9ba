"""Were positives labelled at random, or were interactions added in place of a preference?

A strong preference for some values of a column looks like interactions of that column with all others. Once these are
in the model, the test of random labelling sees nothing any more. Without them it does, and it rejects more clearly than
the test of pairs; where effects truly do not add up, the test of pairs rejects more clearly
(benchmarks/results/misspecification.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from pugam.inference.hypotheses import refit_under_null
from pugam.inference.kinds import profile_of
from pugam.inference.labelling_test import LabellingTest, score_labelling
from pugam.inference.pair_test import PairTest, score_pairs
from pugam.inference.rows_tested import choose_rows
from pugam.solvers import Fitted

__all__ = ["WithoutPairs", "look_without_pairs"]


@dataclass(frozen=True)
class WithoutPairs:
    """Tests of fit without the interactions that evidence added.

    Attributes
    ----------
    labelling : LabellingTest, optional
    pair_test : PairTest, optional
    """

    labelling: LabellingTest | None
    pair_test: PairTest | None


def look_without_pairs(fitted: Fitted) -> WithoutPairs | None:
    """Test labelling and pairs without the interactions that were added; None where there are none."""
    added = [number for number, label in enumerate(fitted.design.labels) if label in fitted.fit.added]
    if not added:
        return None
    rows = choose_rows(profile_of(refit_under_null(fitted, added, "zero")))
    return WithoutPairs(score_labelling(rows), score_pairs(rows))
