"""What is found of samples whose labelled rows do not look alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pugam.inference.findings import Finding
from pugam.messages import FittingAlone

if TYPE_CHECKING:
    from pugam.inference.sample_positives import PositivesTest

__all__ = ["PositivesDiffer", "find_differing_positives"]


@dataclass(frozen=True)
class PositivesDiffer(Finding):
    """Labelled rows of different samples do not look alike."""

    pvalue: float
    columns: tuple[str, ...]
    said = (
        "Labelled rows of different samples do not look alike (score test, p = {pvalue:.2g}): above all along "
        "{columns}. Positives are not the same in all samples, or are labelled with other preferences, so shares of "
        "samples are not comparable. Fit each sample with its own labelled rows",
        FittingAlone(own=True),
        ", and compare, or make the column a feature instead of a sample.",
    )


def find_differing_positives(test: PositivesTest | None, level: float) -> Iterator[Finding]:
    """Tell of a test that rejects at this level."""
    if test is not None and test.pvalue < level:
        yield PositivesDiffer(test.pvalue, test.leading or test.columns[:1])
