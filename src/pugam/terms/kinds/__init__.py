"""Kinds of terms, each in a file of its own; importing this package makes them known."""

from pugam.terms.kinds.factor import Factor, FactorBasis, f
from pugam.terms.kinds.labelling import Labelling, LabellingBasis
from pugam.terms.kinds.linear import Linear, LinearBasis, l
from pugam.terms.kinds.offset import Offset, OffsetBasis, offset
from pugam.terms.kinds.product import Product
from pugam.terms.kinds.random import Random, RandomBasis, r
from pugam.terms.kinds.smooth import Smooth, SmoothBasis, s
from pugam.terms.kinds.tensor import Interaction, Tensor, te, ti

__all__ = [
    "Factor",
    "FactorBasis",
    "Interaction",
    "Labelling",
    "LabellingBasis",
    "Linear",
    "LinearBasis",
    "Offset",
    "OffsetBasis",
    "Product",
    "Random",
    "RandomBasis",
    "Smooth",
    "SmoothBasis",
    "Tensor",
    "f",
    "l",
    "offset",
    "r",
    "s",
    "te",
    "ti",
]
