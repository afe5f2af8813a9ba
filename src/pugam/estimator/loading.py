"""Loads a saved model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO

import numpy as np

from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.kind_fits import KindFits, require_ordinary
from pugam.estimator.options import make_settings
from pugam.estimator.pugam import PUGAM
from pugam.solvers import EDGE
from pugam.storage import MOST_BYTES, StoredKinds, StoredModel, read_saved

__all__ = ["load"]

CHUNK_BYTES = 1 << 20


def load(path: str | os.PathLike[str]) -> PUGAM:
    """Load a model that `PUGAM.save` wrote; nothing in the file is executed, and everything is checked.

    Raises
    ------
    InputError
        There is no such file, it is not a saved model, or a newer pugam wrote it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pugam
    >>> from pugam.datasets import simulate
    >>> data = simulate(1, n0=800, n=1000, random_state=0)
    >>> model = pugam.PUGAM("x1 + x2").fit(data.X, data.z)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(Path(folder, "model.json"))
    ...     again = pugam.load(Path(folder, "model.json"))
    >>> again.pi_ == model.pi_
    True
    """
    file = Path(path)
    try:
        with file.open("rb") as opened:
            content = _read(opened, MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{file} is not found; check the name and the folder.") from None
    except IsADirectoryError:
        raise InputError(f"{file} is a folder; give the file of a saved model.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    return restore(read_saved(content, str(file)), str(file))


def _read(file: IO[bytes], most: int) -> bytes:
    """Read piece by piece: asked for all at once, Python makes room for `most` bytes, however few there are."""
    chunks = []
    while most > 0 and (chunk := file.read(min(most, CHUNK_BYTES))):
        chunks.append(chunk)
        most -= len(chunk)
    return b"".join(chunks)


def restore(stored: StoredModel | StoredKinds, name: str) -> PUGAM:
    """Make a fitted model of a stored one; `name` is that of its file, for messages."""
    return _restore_kinds(stored, name) if isinstance(stored, StoredKinds) else _restore_one(stored, name)


def _restore_kinds(stored: StoredKinds, name: str) -> PUGAM:
    try:
        require_ordinary(dict(stored.parameters), {})
    except InputError as error:
        raise InputError(f"{name}: parameters: {error}") from None
    model, models = PUGAM(**stored.parameters), _restore_each(stored.models, name)
    known = np.array([one.n0_ for one in models]), models, stored.correlation
    fits = KindFits(stored.names, *known, stored.n_unlabelled, stored.n_sweeps, stored.settled, stored.found)
    model._remember_kinds(fits)
    model.provenance_ = asdict(stored.provenance)
    return model


def _restore_each(models: Sequence[StoredModel], name: str) -> tuple[PUGAM, ...]:
    return tuple(_restore_one(one, name, f"kinds[{number}].model.") for number, one in enumerate(models))


def _restore_one(stored: StoredModel, name: str, above: str = "") -> PUGAM:
    model = PUGAM(**stored.parameters)
    try:  # each parameter was checked already; whether they fit the terms (smoothing per term) is seen here only
        settings = make_settings(model.get_params(deep=False), stored.design)
    except InputError as error:
        raise InputError(f"{name}: {above}parameters: {error}") from None
    pi = float(stored.fit.optimum.pi)
    if abs(settings.pi_range.clip(np.array(pi)) - pi) > 2.0 * EDGE:
        raise InputError(
            f"{name}: {above}estimate.logit_pi: expected a share that parameters.pi permits; got {pi:.3g}."
        )
    with one_blas_thread():
        model._remember(stored.fit, settings, stored.n0, stored.n1, stored.design)
        model._covariance = stored.covariance
    model.classes_, model._library = stored.classes, stored.library
    model.n_features_in_ = stored.n_features
    if stored.feature_names is not None:
        model.feature_names_in_ = np.array(stored.feature_names, dtype=object)
    model.provenance_ = asdict(stored.provenance)
    model.verdict_ = stored.verdict
    model._column_digests = None if stored.columns is None else (stored.fit, stored.columns)
    model._term_moments = None if stored.moments is None else (stored.fit, stored.moments)
    return model
