"""A saved model of several kinds of positives: the models of the kinds side by side, and how their shares vary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.data import ALL_ROWS
from pugam.nodes import Node
from pugam.storage.document import read_document, read_provenance, write_document, write_provenance
from pugam.storage.json_text import format_json, parse_json
from pugam.storage.matrices import read_symmetric, require_weighted_squares, write_symmetric
from pugam.storage.parameters import read_parameters, write_parameters
from pugam.storage.stored import Provenance, StoredModel
from pugam.version import __version__

__all__ = ["KINDS_FORMAT", "StoredKinds", "kinds_to_json", "read_saved"]

Array = NDArray[np.float64]

KINDS_FORMAT, KINDS_VERSION = "pugam kinds of positives", 2
KEYS = (
    "format",
    "format_version",
    "provenance",
    "parameters",
    "unlabelled",
    "sweeps",
    "settled",
    "found",
    "correlation",
    "kinds",
)
KIND_KEYS = ("name", "share", "model")
OF_EACH_KIND = ("check", "verbose", "pi_prior")  # parameters that the fit of one kind has for itself


@dataclass(frozen=True, eq=False)
class StoredKinds:
    """A fitted model of K kinds of positives without its rows.

    Attributes
    ----------
    parameters : mapping
        The constructor's arguments by name.
    names : tuple of str
    models : tuple of StoredModel
    shares : tuple of float
        For readers of the file; nothing is computed from them.
    correlation : array of shape (K, K)
        Of the logits of shares among rows of no other kind.
    n_unlabelled : float
        Total weight of the unlabelled rows.
    n_sweeps : int
    settled : bool
    found : bool
        Whether kinds were found by clustering, not given.
    provenance : Provenance
    """

    parameters: Mapping[str, Any]
    names: tuple[str, ...]
    models: tuple[StoredModel, ...]
    shares: tuple[float, ...]
    correlation: Array
    n_unlabelled: float
    n_sweeps: int
    settled: bool
    found: bool
    provenance: Provenance


def kinds_to_json(stored: StoredKinds) -> str:
    """Write a model as JSON text, and read it back once: one that could not be loaded is better refused at once."""
    kinds = zip(stored.names, stored.shares, map(write_document, stored.models), strict=True)
    values = [
        KINDS_FORMAT,
        KINDS_VERSION,
        write_provenance(stored.provenance),
        write_parameters(stored.parameters),
        float(stored.n_unlabelled),
        stored.n_sweeps,
        stored.settled,
        stored.found,
        write_symmetric(stored.correlation),
        [dict(zip(KIND_KEYS, kind, strict=True)) for kind in kinds],
    ]
    return _readable(format_json(dict(zip(KEYS, values, strict=True))) + "\n")


def _readable(text: str) -> str:
    read_saved(text, "The model cannot be saved")
    return text


def read_saved(text: str | bytes, name: str) -> StoredModel | StoredKinds:
    """Read a saved model, of one kind of positives or of several; see `from_json`."""
    document = Node(name, "", parse_json(text, name))
    if not isinstance(document.value, dict) or document.value.get("format") != KINDS_FORMAT:
        return read_document(document)
    return _read_kinds(document)


def _read_kinds(document: Node) -> StoredKinds:
    version = _read_version(document)
    parts = document.fields(*(key for key in KEYS if key != "found" or version > 1))
    kinds = [node.fields(*KIND_KEYS) for node in parts["kinds"].items()]
    names = tuple(kind["name"].text() for kind in kinds)
    if len(names) < 2 or len({*names, ALL_ROWS}) <= len(names):
        raise parts["kinds"].error(f"two kinds at least, no name twice, and none called {ALL_ROWS!r}")
    correlation = read_symmetric(parts["correlation"], len(names))
    require_weighted_squares(parts["correlation"], correlation)
    models = tuple(read_document(kind["model"]) for kind in kinds)
    parameters = read_parameters(parts["parameters"])
    _require_alike(parts["kinds"], models)
    _require_of_kinds(parts["kinds"], models, parameters)
    return StoredKinds(
        parameters=parameters,
        names=names,
        models=models,
        shares=tuple(kind["share"].number(0.0, 1.0, "a share from 0 to 1") for kind in kinds),
        correlation=correlation,
        n_unlabelled=parts["unlabelled"].number(0.0, what="a number that is not negative"),
        n_sweeps=parts["sweeps"].whole(1),
        settled=parts["settled"].flag(),
        found=version > 1 and parts["found"].flag(),
        provenance=read_provenance(parts["provenance"]),
    )


def _read_version(document: Node) -> int:
    version = document.fields("format_version", others=True)["format_version"].whole(1)
    if version > KINDS_VERSION:
        raise document.refusal(
            f"was written by a newer pugam (format {version}); this is pugam {__version__}, which "
            f"reads formats up to {KINDS_VERSION}: update pugam."
        )
    return version


def _require_alike(node: Node, models: tuple[StoredModel, ...]) -> None:
    """Refuse models of kinds that cannot be of one table."""
    if len({(model.n_features, model.feature_names, model.library, model.classes.tolist()[0]) for model in models}) > 1:
        raise node.error("models of the same features and labels")


def _require_of_kinds(node: Node, models: tuple[StoredModel, ...], parameters: Mapping[str, Any]) -> None:
    """Refuse models that were fitted otherwise than all kinds together, or to what cannot go with several kinds."""
    wanted = _shared_parameters(parameters)
    for model in models:
        others = model.fit.samples, model.fit.labelling, model.fit.survey
        if any(other is not None for other in others) or _shared_parameters(model.parameters) != wanted:
            raise node.error("models with the parameters of all kinds, of one sample, and of labels at random")


def _shared_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in write_parameters(parameters).items() if name not in OF_EACH_KIND}
