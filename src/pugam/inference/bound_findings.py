"""What is said where the model puts pi above what any model allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pugam.inference.findings import Finding, Said
from pugam.messages import Argument

__all__ = ["AboveBound", "AboveBoundWithAllPairs"]


@dataclass(frozen=True)
class AboveBound(Finding):
    """The model puts pi where even labels and features alone, without any model, say that it cannot be."""

    lower: float
    bound: float
    said: ClassVar[Said] = (
        "The model puts pi at {lower:.3f} or more, but if labelled rows are a random sample of the positives, it is at "
        "most {bound:.3f}: among the unlabelled rows there are too few like the labelled ones. Do not use this "
        "estimate. ",
        "Add interactions of features, as in ti(x, y), or bound pi (",
        Argument("pi", (0, "{bound:.3f}")),
        ").",
    )


@dataclass(frozen=True)
class AboveBoundWithAllPairs(AboveBound):
    """The same where every two columns interact in the model already."""

    said = (
        *AboveBound.said[:-3],
        "All pairs of columns are in the model already, so three or more columns act together, or labelled rows are no "
        "random sample of the positives. Ask how the labels came about, or bound pi (",
        *AboveBound.said[-2:],
    )
