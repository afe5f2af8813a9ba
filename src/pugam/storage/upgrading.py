"""Files of earlier formats, brought to the present one before they are read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

__all__ = ["upgrade"]

FOUND_IN_1 = {"smooth": ("lower", "upper", "logarithm", "basis"), "linear": ("lower", "upper"), "factor": ("levels",)}
NEW_IN_3 = {"estimate": "mode", "interactions": None, "check": False}
ESTIMATED_IN_1 = ("stand_in", "smoothing", "coefficients")


def upgrade(document: dict[str, Any]) -> dict[str, Any]:
    """Return a parsed file as one of the present format; what is malformed is left for the reader to refuse."""
    version = document.get("format_version")
    if version == 1 and isinstance(document.get("terms"), list):
        bases = document.get("bases")
        document = {**document, "terms": [_term_of_1(term, bases) for term in document["terms"]]}
    if version in (1, 2):
        document = _from_2(document)
    if version == 3:
        document = _from_3(document)
    if version in (3, 4):
        document = _from_4(document)
    return {"average": None, "columns": None, **document} if version in (1, 2, 3, 4, 5) else document


def _from_4(document: dict[str, Any]) -> dict[str, Any]:
    """Up to format 4 there was one unlabelled sample."""
    marginal = document.get("marginal")
    return {**document, "marginal": {"samples": None, **marginal}} if isinstance(marginal, dict) else document


def _from_3(document: dict[str, Any]) -> dict[str, Any]:
    """In format 3 the evidence had no slopes, but was drawn by a rule that gives them, and posteriors no averages."""
    marginal = document.get("marginal")
    if not isinstance(marginal, dict):
        return document
    return {**document, "marginal": {**marginal, "slopes": _slopes(marginal), "averaging": None}}


def _slopes(marginal: dict[str, Any]) -> Any:
    """Slopes of the curve that `PchipInterpolator` draws through the evidence; None where there is none."""
    try:
        places, values = (np.array(marginal[key], dtype=float) for key in ("logits", "evidence"))
        if places.ndim != 1 or places.shape != values.shape:
            return None
        if len(places) == 1:
            return [0.0]
        slopes: list[float] = PchipInterpolator(places, values).derivative()(places).tolist()
        return slopes
    except (KeyError, TypeError, ValueError):
        return None


def _from_2(document: dict[str, Any]) -> dict[str, Any]:
    """Up to format 2 there were no fits by marginal likelihood, no interactions but those among the terms, and
    no verdicts."""
    parameters = document.get("parameters")
    if isinstance(parameters, dict):
        parameters = {**NEW_IN_3, **parameters}
    return {"marginal": None, "judgement": None, **document, "parameters": parameters}


def _term_of_1(term: Any, bases: Any) -> Any:
    """In format 1 a term was one flat object, of one column and with one smoothing parameter, 0 where it had none."""
    if not isinstance(term, dict) or not {"kind", *ESTIMATED_IN_1} <= {*term}:
        return term
    found = next((keys for kind, keys in FOUND_IN_1.items() if kind == term["kind"]), None)
    if found is None:
        return term
    return {
        "term": {key: value for key, value in term.items() if key not in (*found, *ESTIMATED_IN_1)},
        "found": {key: term[key] for key in found if key in term},
        "stand_ins": None if term["stand_in"] is None else [term["stand_in"]],
        "smoothing": [term["smoothing"]] if _bends(term, bases) else [],
        "coefficients": term["coefficients"],
    }


def _bends(term: dict[str, Any], bases: Any) -> bool:
    """Whether any of a term's functions has a roughness that smoothing could penalise."""
    try:
        return term["kind"] == "smooth" and any(bases[term["basis"]]["roughness"])
    except (KeyError, IndexError, TypeError):
        return True
