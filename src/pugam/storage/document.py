"""The saved model as a whole: a fitted model to JSON text, and back after every part of it was checked."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.nodes import Node, Plain
from pugam.solvers import Fit, LabellingFit, MarginalFit, ShrunkenFit, SmoothedFit, constraint_rows
from pugam.storage.columns import read_columns, write_columns
from pugam.storage.fits import OPTIMUM_KEYS, read_optimum, read_starts, write_optimum, write_starts
from pugam.storage.fitted_terms import StoredTerm, read_stored_term, write_stored_term
from pugam.storage.json_text import format_json, parse_json
from pugam.storage.judgement import read_judgement, write_judgement
from pugam.storage.labelling import read_labelling, write_labelling
from pugam.storage.marginal import read_marginal, read_precision, write_marginal
from pugam.storage.matrices import read_symmetric, require_variances, write_symmetric
from pugam.storage.moments import read_moments, write_moments
from pugam.storage.origin import read_features, read_labels, write_features, write_labels
from pugam.storage.parameters import read_parameters, write_parameters
from pugam.storage.shrunken import read_ridge, read_shrinkage, write_shrinkage
from pugam.storage.stored import Provenance, StoredModel
from pugam.storage.surveys import read_survey, write_survey
from pugam.storage.upgrading import upgrade
from pugam.terms import Design
from pugam.terms.shelf import Shelf, read_basis, write_basis
from pugam.version import __version__

__all__ = [
    "FORMAT_VERSION",
    "from_json",
    "read_document",
    "read_provenance",
    "to_json",
    "write_document",
    "write_provenance",
]

FORMAT, FORMAT_VERSION = "pugam model", 6
KEYS = (
    "format",
    "format_version",
    "provenance",
    "summary",
    "parameters",
    "counts",
    "labels",
    "features",
    "terms",
    "estimate",
    "penalized",
    "shrinkage",
    "marginal",
    "judgement",
    "observed_information",
    "covariance",
    "starts",
    "average",
    "columns",
    "bases",
)
OPTIONAL_KEYS = ("survey", "labelling", "known_average", "term_moments")  # where there was one


def to_json(stored: StoredModel) -> str:
    """Write a model as JSON text, in ASCII or such Unicode as UTF-8 can hold.

    The text is read back once: a model that could not be loaded is better refused while it still exists.

    Raises
    ------
    InputError
        The model holds something that the file has no place for, such as a level that is infinite.
    """
    text = format_json(write_document(stored)) + "\n"
    from_json(text, "The model cannot be saved")
    return text


def from_json(text: str | bytes, name: str) -> StoredModel:
    """Read a model from the text or bytes of a file; nothing in it is executed, and everything is checked.

    Parameters
    ----------
    text : str or bytes
        Bytes are UTF-8. No more than `MOST_BYTES`: better not to read more of a file.
    name : str
        Name of the file, for messages.

    Raises
    ------
    InputError
        The text is not a saved model, was written by a newer pugam, or holds something that does not belong there.
        The message names the file, the place in it, and what was expected.
    """
    return read_document(Node(name, "", parse_json(text, name)))


def read_document(document: Node) -> StoredModel:
    """Read a model from parsed JSON."""
    _require_format(document)
    document = replace(document, value=upgrade(document.value))
    parts = document.fields(*KEYS, optional=OPTIONAL_KEYS)
    bases = [read_basis(node) for node in parts["bases"].items()]
    terms = [read_stored_term(node, bases) for node in parts["terms"].items()]
    labelling = read_labelling(parts.get("labelling"))
    _require_different_terms(parts["terms"], terms)
    _require_labelling(parts["terms"], terms, labelling)
    parameters = read_parameters(parts["parameters"])
    verdict, fit = read_judgement(parts["judgement"], _read_fit(parts, terms))
    _require_verdict(parts["judgement"], verdict, parameters["pi"])
    survey = read_survey(parts.get("survey"), len(fit.optimum.beta))
    average = _read_average(parts["average"], len(fit.optimum.theta))
    fit = replace(fit, survey=survey, labelling=labelling, average=average)
    if "known_average" in parts:
        fit = replace(fit, known_average=parts["known_average"].numbers(len(terms)))
    covariance = read_symmetric(parts["covariance"], len(fit.optimum.beta))
    require_variances(parts["covariance"], covariance)
    counts = parts["counts"].fields("labelled", "unlabelled")
    n_features, names, library = read_features(parts["features"])
    _require_features(parts["terms"], terms, n_features, names)
    return StoredModel(
        parameters=parameters,
        design=_read_design(parts, terms),
        fit=fit,
        verdict=verdict,
        covariance=covariance,
        n0=_read_count(counts["labelled"]),
        n1=_read_count(counts["unlabelled"]),
        classes=read_labels(parts["labels"]),
        n_features=n_features,
        feature_names=names,
        library=library,
        provenance=read_provenance(parts["provenance"]),
        summary={key: node.plain() for key, node in parts["summary"].entries().items()},
        columns=read_columns(parts["columns"], [term.basis for term in terms]),
        moments=read_moments(parts.get("term_moments"), _read_design(parts, terms)),
    )


def write_document(stored: StoredModel) -> dict[str, Any]:
    """Write a model as plain values."""
    fit, design, shelf = stored.fit, stored.design, Shelf()
    theta = fit.optimum.theta
    terms = [
        write_stored_term(StoredTerm(basis, fit.kappas[list(design.penalties_of(number))], theta[block]), shelf)
        for number, (basis, block) in enumerate(zip(design.bases, design.blocks, strict=True))
    ]
    penalized = {**write_optimum(fit.penalized), "coefficients": fit.penalized.theta.tolist()}
    values = [
        FORMAT,
        FORMAT_VERSION,
        write_provenance(stored.provenance),
        {str(key): _finite_or_null(value) for key, value in stored.summary.items()},
        write_parameters(stored.parameters),
        {"labelled": float(stored.n0), "unlabelled": float(stored.n1)},
        write_labels(stored.classes),
        write_features(stored.n_features, stored.feature_names, stored.library),
        terms,
        write_optimum(fit.optimum),
        penalized if fit.is_adjusted else None,
        write_shrinkage(fit, design),
        write_marginal(fit, design),
        write_judgement(stored.verdict, fit),
        write_symmetric(fit.observed),
        write_symmetric(stored.covariance),
        write_starts(fit.starts),
        None if fit.average is None else fit.average.tolist(),
        write_columns(stored.columns),
        [write_basis(basis) for basis in shelf.bases],
    ]
    survey = {} if fit.survey is None else {"survey": write_survey(fit.survey)}
    labelling = {} if fit.labelling is None else {"labelling": write_labelling(fit.labelling)}
    known = {} if fit.known_average is None else {"known_average": fit.known_average.tolist()}
    moments = {} if stored.moments is None else {"term_moments": write_moments(stored.moments)}
    found = dict(zip(KEYS, values, strict=True))
    bases = {"bases": found.pop("bases")}  # long, and of least interest to readers
    return found | survey | labelling | known | moments | bases


def _require_format(document: Node) -> None:
    """Refuse what is not a saved model, and one of a format that this version does not know."""
    found = document.value if isinstance(document.value, dict) else {}
    if found.get("format") != FORMAT or "format_version" not in found:
        raise document.refusal(f'is not a saved model: it lacks "format": "{FORMAT}" or "format_version".')
    version = document.fields("format_version", others=True)["format_version"].whole(1)
    if version > FORMAT_VERSION:
        provenance = found.get("provenance")
        writer = provenance.get("pugam") if isinstance(provenance, dict) else None
        by = f", pugam {ascii(writer[:20])[1:-1]}" if isinstance(writer, str) else ""
        raise document.refusal(
            f"was written by a newer pugam (format {version}{by}); this is pugam {__version__}, which "
            f"reads formats up to {FORMAT_VERSION}: update pugam."
        )


def _require_different_terms(node: Node, terms: list[StoredTerm]) -> None:
    labels = {term.basis.spec.label for term in terms}
    if not terms or len(labels) < len(terms):
        raise node.error("at least one term, and none twice")


def _require_labelling(node: Node, terms: list[StoredTerm], labelling: LabellingFit | None) -> None:
    """Refuse terms that say who is labelled without what belongs to them, or before others, and the reverse."""
    flags = [term.basis.spec.is_labelling for term in terms]
    if flags != sorted(flags) or all(flags) or any(flags) != (labelling is not None):
        raise node.error("terms of the density ratio, and behind them any that say who is labelled")


def _require_features(node: Node, terms: list[StoredTerm], n_features: int, names: tuple[str, ...] | None) -> None:
    """Refuse a term whose column is not among the features; those of an array are called x0, x1, ..."""
    known = None if names is None else frozenset(names)
    for item, term in zip(node.items(), terms, strict=True):
        for column in term.basis.spec.columns:
            _require_feature(item, column, n_features, known)


def _require_feature(item: Node, column: str, n_features: int, names: frozenset[str] | None) -> None:
    number = column[1:] if column.startswith("x") and len(column) < 20 and column.isascii() else ""
    position = int(number) if number.isdigit() and str(int(number)) == number else n_features
    if not (position < n_features if names is None else column in names):
        raise item.fields("term", others=True)["term"].error(f"a term of features, which {column[:40]!r} is not")


def _require_verdict(node: Node, verdict: str | None, pi: Any) -> None:
    """Refuse a verdict of a share that was given on one that was estimated, and the reverse."""
    if verdict is not None and (verdict == "fixed") != isinstance(pi, int | float):
        raise node.error('the verdict "fixed" where parameters.pi is a share, and only there')


def _read_design(parts: dict[str, Node], terms: list[StoredTerm]) -> Design:
    """Read the terms side by side, with what restrains their coefficients beside smoothing."""
    design = Design(tuple(term.basis for term in terms))
    return read_precision(parts["marginal"], read_ridge(parts["shrinkage"], design))


def _read_fit(parts: dict[str, Node], terms: list[StoredTerm]) -> Fit:
    """Read a fit; that it holds how curves were shrunken, or evidence, tells its kind."""
    theta = np.concatenate([term.theta for term in terms])
    design = Design(tuple(term.basis for term in terms))
    known = design.layout, constraint_rows(design)
    optimum = penalized = read_optimum(parts["estimate"].fields(*OPTIMUM_KEYS), theta, *known)
    is_adjusted = parts["penalized"].value is not None
    if is_adjusted:
        before = parts["penalized"].fields(*OPTIMUM_KEYS, "coefficients")
        penalized = read_optimum(before, before["coefficients"].coefficients(len(theta)), *known)
    observed = read_symmetric(parts["observed_information"], len(optimum.beta))
    kappas = np.concatenate([term.kappas for term in terms])
    common = optimum, penalized, observed, kappas, read_starts(parts["starts"])
    if parts["marginal"].value is not None:
        return MarginalFit(*common, **read_marginal(parts["marginal"], float(optimum.pi)))
    if parts["shrinkage"].value is None:
        return SmoothedFit(*common, debiased=is_adjusted)
    ridge, adjustment = read_shrinkage(parts["shrinkage"])
    return ShrunkenFit(*common, ridge=ridge, adjustment=adjustment)


def _read_average(node: Node, size: int) -> NDArray[np.float64] | None:
    """Read the mean of so many model columns over the unlabelled rows; None where it was not kept."""
    return None if node.value is None else node.numbers(size)


def _read_count(node: Node) -> float:
    count = node.number()
    if not count > 0.0:
        raise node.error("a positive number")
    return count


def write_provenance(provenance: Provenance) -> dict[str, Any]:
    """Write where a model came from."""
    return {
        "pugam": provenance.pugam,
        "date": provenance.date,
        "command": provenance.command,
        "data": dict(provenance.data),
    }


def read_provenance(node: Node) -> Provenance:
    """Read where a model came from."""
    parts = node.fields("pugam", "date", "command", "data", others=True)
    date, command = parts["date"].text(), parts["command"]
    try:
        datetime.fromisoformat(date)
    except ValueError:
        raise parts["date"].error("a date and time as in 2025-01-31T12:00:00+00:00") from None
    return Provenance(
        parts["pugam"].text(),
        date,
        None if command.value is None else command.text(),
        {key: item.plain() for key, item in parts["data"].entries().items()},
    )


def _finite_or_null(value: Plain) -> Plain:
    number = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(number, float) and not math.isfinite(number) else number
