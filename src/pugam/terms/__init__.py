"""What features contribute to the log density ratio, and the formula language."""

from pugam.terms.automatic import choose_terms, may_identify_rows
from pugam.terms.axes import Axis, level_axis, number_axis
from pugam.terms.basis import BENDS, BOW, INTERACTIONS, STRAIGHT, Basis, Comparison, Encoded, LevelInDoubt, Penalty
from pugam.terms.design import Design
from pugam.terms.formula import format_formula, parse_formula
from pugam.terms.gaps import complete_numbers
from pugam.terms.kinds import (
    Factor,
    Interaction,
    Labelling,
    Linear,
    Offset,
    Product,
    Random,
    Smooth,
    Tensor,
    f,
    l,
    offset,
    r,
    s,
    te,
    ti,
)
from pugam.terms.levels import grouping
from pugam.terms.options import (
    MISSING,
    MissingPolicy,
    Option,
    UnseenPolicy,
    check_choice,
    check_column,
    read_range,
    whole_number,
)
from pugam.terms.outside import count_outside, warn_outside
from pugam.terms.policies import with_policies
from pugam.terms.ranges import observed_range, unit_interval
from pugam.terms.splines import PiecewiseBasis
from pugam.terms.support import POWERS
from pugam.terms.tensor_basis import TensorBasis
from pugam.terms.term import Term, columns_read, group_columns, register_term
from pugam.terms.unscorable import stand_ins, unscorable_rows
from pugam.terms.unseen import count_unseen, warn_unseen

__all__ = [
    "BENDS",
    "BOW",
    "INTERACTIONS",
    "MISSING",
    "POWERS",
    "STRAIGHT",
    "Axis",
    "Basis",
    "Comparison",
    "Design",
    "Encoded",
    "Factor",
    "Interaction",
    "Labelling",
    "LevelInDoubt",
    "Linear",
    "MissingPolicy",
    "Offset",
    "Option",
    "Penalty",
    "PiecewiseBasis",
    "Product",
    "Random",
    "Smooth",
    "Tensor",
    "TensorBasis",
    "Term",
    "UnseenPolicy",
    "check_choice",
    "check_column",
    "choose_terms",
    "columns_read",
    "complete_numbers",
    "count_outside",
    "count_unseen",
    "f",
    "format_formula",
    "group_columns",
    "grouping",
    "l",
    "level_axis",
    "may_identify_rows",
    "number_axis",
    "observed_range",
    "offset",
    "parse_formula",
    "r",
    "read_range",
    "register_term",
    "s",
    "stand_ins",
    "te",
    "ti",
    "unit_interval",
    "unscorable_rows",
    "warn_outside",
    "warn_unseen",
    "whole_number",
    "with_policies",
]
