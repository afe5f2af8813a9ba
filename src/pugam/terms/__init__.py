"""What one feature contributes to the log density ratio, and the formula language."""

from pugam.terms.automatic import choose_terms, may_identify_rows
from pugam.terms.bases import Basis, Encoded, FactorBasis, LinearBasis, MissingBasis, SmoothBasis
from pugam.terms.design import Design
from pugam.terms.formula import format_formula, parse_formula
from pugam.terms.specs import Factor, Linear, Smooth, TermSpec, f, l, s
from pugam.terms.support import POWERS

__all__ = [
    "POWERS",
    "Basis",
    "Design",
    "Encoded",
    "Factor",
    "FactorBasis",
    "Linear",
    "LinearBasis",
    "MissingBasis",
    "Smooth",
    "SmoothBasis",
    "TermSpec",
    "choose_terms",
    "f",
    "format_formula",
    "l",
    "may_identify_rows",
    "parse_formula",
    "s",
]
