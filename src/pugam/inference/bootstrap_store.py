"""Finished batches of a bootstrap, kept in a file as they come, so that a run that was stopped or killed can go on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pugam.errors import InputError
from pugam.files import append_line, read_lines, working_alone
from pugam.inference.resampling import Resampling
from pugam.solvers import Fit, Fitted, Refits
from pugam.version import __version__

__all__ = ["FinishedBatches", "conditions_of", "open_store"]

OPENING = b'{"bootstrap": {'  # of every store: no other file is to be cut or added to
# What refits depend on, in words; what explains most comes first.
CONDITIONS = {
    "version": "another version of pugam",
    "rows": "other rows, labels or weights",
    "groups": "other groups",
    "fit": "another fitted model",
    "smoothing": "another kind of smoothing",
    "seed": "another seed",
    "resamples": "another number of resamples",
    "engine": "another engine",
    "batch": "batches of another size",
}


class FinishedBatches:
    """Finished batches by their numbers; where there is a file, each is written to it before it counts.

    Attributes
    ----------
    parts : dict from the number of a batch to its Refits
    """

    def __init__(self, path: Path | None = None, parts: Mapping[int, Refits] | None = None) -> None:
        self.parts = dict(parts or {})
        self._path = path

    def add(self, number: int, part: Refits) -> None:
        """Keep a batch, in the file too."""
        if self._path is not None:
            refits = {field.name: getattr(part, field.name).tolist() for field in fields(Refits)}
            append_line(self._path, {"batch": number, "refits": refits})
        self.parts[number] = part


@contextmanager
def open_store(
    path: Path | None, conditions: Mapping[str, Any], batches: Sequence[range], fit: Fit
) -> Iterator[FinishedBatches]:
    """Give the batches finished before, and room for more; without a path there are none, and nothing is written.

    While it is open no other process can add to the file. A file made under other conditions is refused.
    """
    if path is None:
        yield FinishedBatches()
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(working_alone(path))
            finished = FinishedBatches(path, _read(path, conditions, batches, fit))
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from None
        yield finished


def conditions_of(
    fitted: Fitted, resampling: Resampling, n_resamples: int, reselect: bool, largest_batch: int
) -> dict[str, Any]:
    """Gather what the refits depend on to the last bit: numbers as they are, models and rows by their fingerprints."""
    engine, fit = fitted.engine, fitted.fit
    return {
        "version": __version__,
        "rows": _fingerprint(engine.positive, engine.weights, engine.shown),
        "groups": _fingerprint(resampling.unit_of_row, *_drawn_apart(resampling)),
        "fit": _fingerprint(fit.optimum.beta, fit.penalized.beta, fit.kappas, fit.ridge, fitted.settings),
        "smoothing": "reselect" if reselect else "fixed",
        "seed": resampling.seed,
        "resamples": n_resamples,
        "engine": type(engine).__name__,
        "batch": largest_batch,
    }


def _drawn_apart(resampling: Resampling) -> list[Any]:
    """Clusters of each stratum of a survey."""
    return [] if resampling.stretch is None else [units for units, _, _ in resampling.strata]


def _fingerprint(*values: Any) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(values):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(value: Any) -> Iterator[bytes]:
    """Bytes that differ where values do; a number is the same whether Python's or NumPy's, 1 or 1.0."""
    if is_dataclass(value):
        yield from _pieces(tuple(getattr(value, field.name) for field in fields(value)))
    elif isinstance(value, tuple | list):
        yield f"{len(value)} values;".encode()
        for one in value:
            yield from _pieces(one)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.str} {value.shape};".encode()
        yield value.tobytes()
    elif isinstance(value, int | float | np.number):
        yield f"{float(value)!r};".encode()
    else:
        yield f"{value!r};".encode()


def _read(path: Path, conditions: Mapping[str, Any], batches: Sequence[range], fit: Fit) -> dict[int, Refits]:
    """Read a store, or begin one."""
    with path.open("rb") as file:
        opening = file.read(len(OPENING))
    if not OPENING.startswith(opening):
        raise InputError(f"{path} holds something else than refits of a bootstrap; name another file.")
    lines = read_lines(path)
    if not lines:
        append_line(path, {"bootstrap": dict(conditions)})
        return {}
    _require_same(path, lines[0]["bootstrap"], conditions)
    parts = {}
    for place, line in enumerate(lines[1:], start=2):
        try:
            number, part = _read_batch(line, batches, fit)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            raise InputError(
                f"{path}, line {place}, is damaged; delete that line, and it will be made again."
            ) from None
        parts[number] = part
    return parts


def _require_same(path: Path, found: Mapping[str, Any], conditions: Mapping[str, Any]) -> None:
    for name, words in CONDITIONS.items():
        if found.get(name) != conditions[name]:
            raise InputError(
                f"{path} holds refits made with {words}; name another file, or delete that one to begin anew."
            )


def _read_batch(line: Any, batches: Sequence[range], fit: Fit) -> tuple[int, Refits]:
    """Read a line as it was written; raises some error of Python's where it is not such a line."""
    number, refits = line["batch"], line["refits"]
    size, width, n_penalties = len(batches[range(len(batches)).index(number)]), len(fit.optimum.beta), len(fit.kappas)
    shapes = {"beta": (size, width), "penalized": (size, width), "alpha": (size,), "kappas": (size, n_penalties)}
    shapes["shares"] = (size, 0 if fit.samples is None else len(fit.samples.names))
    arrays = {name: np.array(refits[name], dtype=float) for name in shapes}
    converged = np.array(refits["converged"], dtype=bool)
    if any(arrays[name].shape != shape for name, shape in shapes.items()) or converged.shape != (size,):
        raise ValueError("shapes")
    return int(number), Refits(**arrays, converged=converged)
