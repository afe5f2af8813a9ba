"""What is known of rows besides features and labels: taken out of a table, and given to the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from pugam.data import SampledRows, SampleRoles, as_array, open_frame
from pugam.errors import InputError
from pugam.estimator.training import TrainingRows, is_elsewhere
from pugam.likelihood import SampleSizes
from pugam.messages import Argument
from pugam.terms import Design

__all__ = ["columns_taken", "open_engine", "take_columns", "take_labels", "take_roles"]


def columns_taken(given: dict[str, Any], z: Any, sample_weight: Any) -> dict[str, str]:
    """Columns that are given by name, which are then no features, with the role of each."""
    everything = given | {"z": z, "sample_weight": sample_weight}
    return {name: role for role, name in everything.items() if isinstance(name, str)}


def take_labels(X: Any, z: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Take labels and weights out of a table where they are named; return it without them, and their values."""
    if is_elsewhere(X):
        return X, z, sample_weight
    X, values = take_columns(X, {"z": z, "sample_weight": sample_weight})
    return X, values["z"], values["sample_weight"]


def take_roles(X: Any, roles: SampleRoles, kept: str | None = None) -> tuple[Any, SampleRoles]:
    """Take columns named by their roles out of a table; return the table without them, and the values of each role.

    A column may have several roles; one may be `kept` in the table. Where rows are elsewhere, roles stay names.
    """
    if is_elsewhere(X):
        return X, roles
    X, values = take_columns(X, roles.given, kept)
    return X, SampleRoles(**values)


def take_columns(X: Any, given: dict[str, Any], kept: str | None = None) -> tuple[Any, dict[str, Any]]:
    """Take columns given by name, but one to be kept, out of a table; return it, and the values of all."""
    named = {role: name for role, name in given.items() if isinstance(name, str)}
    if not named:
        return X, given
    frame = open_frame(X)
    if frame is None:
        raise InputError(f"X has no names of columns: give {next(iter(named))} as an array, one value for each row.")
    for role, name in named.items():
        if name not in frame.columns:
            known = ", ".join(frame.columns)
            raise InputError(Argument(role, name), f" is not a column of X; its columns are {known}.")
    values = {role: as_array(frame[name].to_native()) for role, name in named.items()}
    return frame.drop([name for name in dict.fromkeys(named.values()) if name != kept]).to_native(), given | values


def open_engine(rows: TrainingRows, design: Design, samples: SampledRows | None) -> Any:
    """The engine of rows, which know their samples, and of known negatives beside them."""
    engine: Any = rows.engine(design)
    if samples is None:
        return engine.coded(np.where(engine.positive, 0, 1).astype(np.int32)) if design.layout.n_preference else engine
    negatives: Any = rows.negatives(design)
    if negatives is not None:
        code = SampleSizes.count(samples.codes, None, len(samples.names)).known_negative
        negatives = negatives.coded(np.full(negatives.n_rows, code, dtype=np.int32))
    return engine.coded(samples.codes, negatives)
