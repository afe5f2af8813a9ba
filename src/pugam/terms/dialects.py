"""What formulas of R and of Patsy write otherwise: how the same is written here."""

from __future__ import annotations

from collections.abc import Sequence

from pugam.terms.tokens import COLUMN_KINDS, Token, format_column, shorten

__all__ = ["explain_function", "explain_group", "explain_option"]

LOGARITHMS = ("log", "log2", "log10", "log1p", "np.log", "np.log10", "np.log1p")
OTHER_CURVES = ("poly", "ns", "bs", "cr", "cc", "lo", "rcs", "pol", "I", "sqrt", "exp", "scale", "np.sqrt", "np.exp")
FACTORS = ("C", "factor", "as.factor", "ordered")
SURFACES = ("t2",)
NO_TRANSFORMING = "Columns cannot be transformed in a formula; compute a new column and name it here"
OTHER_OPTIONS = {
    "bs": "curves are cubic splines: leave bs out",
    "sp": "smoothing is given for the whole model, not in a term: leave sp out",
    "fx": "curves are always penalised: leave fx out, and keep k small where few functions should do",
    "m": "roughness is that of the second derivative: leave m out",
    "id": "by default all curves have their smoothing in common: leave id out",
    "d": "one number of functions for each column is k=(6, 4): leave d out",
    "pc": "effects are centred: leave pc out",
}
RANDOM, CYCLIC = ("re",), ("cc", "cp")


def explain_function(name: str, column: Token, within: str | None = None) -> str | None:
    """Say what to write for a function that is no kind of term; None where nothing is known of it.

    Parameters
    ----------
    name : str
    column : Token
        What its parenthesis begins with.
    within : str, optional
        The term that it stands in, in the place of a column.
    """
    what = _shown(column.text) if column.kind in COLUMN_KINDS else "age"
    if name in LOGARITHMS and within in (None, "s"):
        return f'{NO_TRANSFORMING}, or write s({what}, scale="log").'
    if within is not None:
        return f"{NO_TRANSFORMING}."
    if name in OTHER_CURVES:
        return f"{NO_TRANSFORMING}, or write s({what}), a curve whose shape is found."
    if name in FACTORS:
        return f"A factor is written f({what})."
    return "A surface of several columns is written te(age, bmi)." if name in SURFACES else None


def explain_option(function: str, column: str, option: str, value: Token) -> str | None:
    """Say what to write for an option that a term does not have; None where nothing is known of it."""
    if option not in OTHER_OPTIONS:
        return None
    if option == "bs" and value.text in RANDOM:
        instead = f"random effects are written r({_shown(column)})"
    elif option == "bs" and value.text in CYCLIC:
        instead = f"a curve that comes round is written s({_shown(column)}, cyclic=True)"
    else:
        instead = OTHER_OPTIONS[option]
    return f"{function}() has no option {option}; {instead}."


def explain_group(tokens: Sequence[Token]) -> str:
    """Say what to write for terms in parentheses, from the opening one on: some are random effects, as (1|clinic)."""
    texts = [token.text for token in tokens[:5]]
    if texts[1:3] == ["1", "|"] and len(texts) == 5 and tokens[3].kind in COLUMN_KINDS:
        return f"Random effects are written r({_shown(tokens[3].text)})."
    return "Terms do not stand in parentheses by themselves; write them one after another, joined by +."


def _shown(column: str) -> str:
    return shorten(format_column(column)) if column else "age"
