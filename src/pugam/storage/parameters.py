"""The constructor's arguments in a saved model, as plain values."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from pugam.engines import EngineName
from pugam.errors import InputError
from pugam.nodes import LARGEST, Node
from pugam.terms import MissingPolicy, Term, UnseenPolicy
from pugam.terms.term import read_term

__all__ = ["read_parameters", "write_parameters"]

MOST_SEED = 2**32 - 1
POSITIVE = "a positive number"
NOT_NEGATIVE = "a number that is not negative"
TINY = 5e-324  # the smallest positive number


def write_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Write the arguments; what is no plain value is turned into one, a generator into null."""
    unknown = set(parameters) ^ set(READERS)
    if unknown:
        raise InputError(f"The model cannot be saved: the file has no place for {', '.join(sorted(unknown))}.")
    given = {name: _plain(parameters[name]) for name in READERS}
    return {name: value for name, value in given.items() if name not in OPTIONAL or value != OPTIONAL[name]}


def read_parameters(node: Node) -> dict[str, Any]:
    """Read the arguments, each checked by itself; whether they fit the terms is for the estimator to say."""
    parts = node.fields(*(name for name in READERS if name not in OPTIONAL), optional=tuple(OPTIONAL))
    return {name: read(parts[name]) if name in parts else OPTIONAL[name] for name, read in READERS.items()}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, Term):
        return value.to_plain()
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | np.ndarray):
        return [_plain(item) for item in value]
    kind = type(value).__name__
    raise InputError(f"The model cannot be saved: a parameter holds a {kind}, which is not a plain value.")


def _read_terms(node: Node) -> Any:
    if node.value is None or isinstance(node.value, str):
        return node.value
    if isinstance(node.value, dict):
        return read_term(node)
    if not isinstance(node.value, list) or not node.value:
        raise node.error("null, a formula, a term, or a list of terms and formulas")
    return [item.text() if isinstance(item.value, str) else read_term(item) for item in node.items()]


def _read_smoothing(node: Node) -> Any:
    if isinstance(node.value, str):
        return node.choice(("reml", "aic"))
    if isinstance(node.value, dict):
        return {term: _read_kappa(kappa) for term, kappa in node.entries().items()}
    return node.number_as_written(0.0, LARGEST, f'"reml", "aic", {NOT_NEGATIVE}, or one for each term')


def _read_kappa(node: Node) -> Any:
    if isinstance(node.value, list):
        return tuple(kappa.number_as_written(0.0, LARGEST, NOT_NEGATIVE) for kappa in node.items())
    return node.number_as_written(0.0, LARGEST, NOT_NEGATIVE)


def _read_pi(node: Node) -> Any:
    if node.value is None:
        return None
    if not isinstance(node.value, list):
        return node.number_as_written(TINY, 1.0 - 2**-53, "null, a share strictly between 0 and 1, or two bounds")
    low, high = (end.number_as_written(0.0, 1.0, "a share from 0 to 1") for end in node.items(2))
    if not low < high:
        raise node.error("two bounds, the lower one first")
    return low, high


def _read_prior(node: Node) -> Any:
    if node.value is None or isinstance(node.value, str):
        return node.choice((None, "weak"))
    a, b = (part.number_as_written(1.0, LARGEST, "a number of at least 1") for part in node.items(2))
    return a, b


def _read_kappas(node: Node) -> Any:
    if isinstance(node.value, str):
        return node.choice(("both", "linear", "smooth"))
    if node.value == []:
        raise node.error("at least one number")
    return [item.number_as_written(TINY, LARGEST, POSITIVE) for item in node.items()]


def _read_interactions(node: Node) -> Any:
    if node.value is None or isinstance(node.value, str):
        return node.choice((None, "auto"))
    if not isinstance(node.value, list):
        return node.whole(0)
    return [tuple(name.text() for name in pair.items(2)) for pair in node.items()]


def _read_count(node: Node) -> int | None:
    return None if node.value is None else node.whole(1)


def _read_seed(node: Node) -> int | None:
    return None if node.value is None else node.whole(0, MOST_SEED)


def _read_n_jobs(node: Node) -> int | None:
    if node.value is None:
        return None
    if node.value == 0:
        raise node.error("null, or a whole number other than 0")
    return node.whole(-(2**31), 2**31)


def _read_verbose(node: Node) -> int | bool:
    return node.flag() if isinstance(node.value, bool) else node.whole(-(2**31), 2**31)


READERS: dict[str, Callable[[Node], Any]] = {
    "terms": _read_terms,
    "smoothing": _read_smoothing,
    "solver": lambda node: node.choice(("newton", "em")),
    "n_starts": _read_count,
    "tol": lambda node: node.number_as_written(TINY, LARGEST, POSITIVE),
    "max_iter": _read_count,
    "pi": _read_pi,
    "pi_prior": _read_prior,
    "debias": lambda node: node.flag(),
    "shrinkage": lambda node: node.choice(("auto", "always", "never")),
    "estimate": lambda node: node.choice(("marginal", "mode")),
    "interactions": _read_interactions,
    "labelling": _read_terms,
    "missing": lambda node: node.choice(get_args(MissingPolicy)),
    "unseen": lambda node: node.choice(get_args(UnseenPolicy)),
    "kappas": _read_kappas,
    "engine": lambda node: node.choice(get_args(EngineName)),
    "random_state": _read_seed,
    "n_jobs": _read_n_jobs,
    "check": lambda node: node.flag(),
    "verbose": _read_verbose,
}
OPTIONAL = {"labelling": None, "missing": "error", "unseen": "error"}  # left out where nothing else is given
