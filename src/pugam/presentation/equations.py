"""The model as equations: the log density ratio, and who is labelled."""

from __future__ import annotations

from collections.abc import Sequence

from pugam.terms import Term, format_formula

__all__ = ["equations"]


def equations(terms: Sequence[Term]) -> tuple[str, ...]:
    """Write a line for the density ratio, and one for the preference with which positives are labelled, if any."""
    effects = [term for term in terms if not term.is_labelling]
    labelling = [term.formula.removeprefix("labelling(").removesuffix(")") for term in terms if term.is_labelling]
    ratio = f"log g(x)/h(x) = alpha + {format_formula(effects)}"
    return (
        (ratio, f"log chance that a positive is labelled = constant + {' + '.join(labelling)}")
        if labelling
        else (ratio,)
    )
