"""Checks the constructor's arguments and turns them into the settings of a fit."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from pugam.data import Table, read_flag
from pugam.engines import EngineName
from pugam.errors import InputError, NotIdentifiableError
from pugam.messages import Argument
from pugam.solvers import EDGE, GRID_SIZE, LINEAR_GRID, SMOOTH_GRID, PiPrior, PiRange, Settings
from pugam.terms import (
    Design,
    Labelling,
    MissingPolicy,
    Term,
    UnseenPolicy,
    choose_terms,
    group_columns,
    parse_formula,
    ti,
)

__all__ = [
    "WEAK_PRIOR",
    "EngineName",
    "EstimateName",
    "ShrinkageName",
    "is_number",
    "make_settings",
    "read_count",
    "read_engine",
    "read_generator",
    "read_labelling",
    "read_missing",
    "read_n_jobs",
    "read_pi_range",
    "read_share",
    "read_shrinkage",
    "read_terms",
    "read_unseen",
    "require_distinct",
    "require_identifiable",
    "require_rows",
    "with_given_pairs",
    "with_labelling",
]

EstimateName = Literal["marginal", "mode"]
ShrinkageName = Literal["auto", "always", "never"]

WEAK_PRIOR = (2.0, 2.0)
LARGEST = 1e20  # of smoothing parameters and tolerances: beyond, even a straight line drowns in rounding
MOST_STARTS = 1000  # all are climbed from at once
STRONGEST_PRIOR = 1e9  # as many rows would be: what is stronger drowns the data in rounding
MAX_ITERATIONS: dict[Any, int] = {"newton": 200, "em": 5000}
GRIDS = {"linear": LINEAR_GRID, "smooth": SMOOTH_GRID, "both": LINEAR_GRID + SMOOTH_GRID[1:]}


def read_terms(terms: Any, table: Table, taken: Mapping[str, str] | None = None, labels: bool = False) -> list[Term]:
    """Read `terms`: None (chosen from the columns), a formula, or a sequence of terms and formulas.

    Columns that are `taken`, by roles such as "groups", are none of the table. Terms may say who gets `labels`.
    """
    if terms is None:
        return choose_terms(table)
    listed = [terms] if isinstance(terms, str | Term) else terms
    if not isinstance(listed, Sequence) or not listed:
        raise InputError(
            f"terms is None, a formula, or a list of terms such as s('x'); got {_in_short(terms)} (pass data to `fit`)."
        )
    specs: list[Term] = []
    for term in listed:
        if isinstance(term, str):
            specs.extend(parse_formula(term))
        elif isinstance(term, Term):
            specs.append(term)
        else:
            raise InputError(f"terms holds {_in_short(term)}, which is not a term; write s('x'), l('x'), f('x').")
    for column in {column: None for spec in specs for column in spec.columns}:
        if column not in table.names:
            _refuse_taken(column, taken or {}, labels)
            table.column(column)  # says which columns there are
    _refuse_overlap([(spec.label, spec.spans) for spec in specs])
    return specs


def _refuse_taken(column: str, taken: Mapping[str, str], labels: bool) -> None:
    if column in taken:
        what = Argument(taken[column], column), " takes it from the features: leave it out of the terms"
        instead = ", or give its values, one for each row, instead of its name (of a file: the name of a copy)."
        if taken[column] == "sample" and not labels:  # shares could not be told from its effect
            instead = f", or let curves vary with it, as in s(age, by={column})."
        raise InputError(f"Column {column!r} is in the model, but ", *what, instead)


def read_labelling(labelling: Any, table: Table, taken: Mapping[str, str] | None = None) -> list[Term]:
    """Read `labelling`: None, or terms that say who is labelled."""
    if labelling is None:
        return []
    return [spec if spec.is_labelling else Labelling(spec) for spec in read_terms(labelling, table, taken, True)]


def with_labelling(specs: Sequence[Term], labelling: Sequence[Term]) -> list[Term]:
    """Put terms that say who is labelled, wherever they were given, behind all others."""
    both = [*specs, *labelling]
    ordered = sorted(both, key=lambda spec: spec.is_labelling)
    _refuse_overlap([(spec.label, spec.spans) for spec in ordered])
    return ordered


def require_distinct(design: Design) -> None:
    """Refuse terms that contain effects of the same columns, as their columns had to show, or no effect at all."""
    if not design.estimated_terms:
        raise InputError("An offset is added as it is, so there is nothing to fit; add a term, as in s(age).")
    _refuse_overlap([(basis.spec.label, basis.spans) for basis in design.bases])


def _refuse_overlap(terms: Sequence[tuple[str, frozenset[frozenset[str]]]]) -> None:
    """Refuse terms that contain effects of the same columns."""
    known: dict[frozenset[str], str] = {}
    for label, spans in terms:
        for columns in sorted(spans, key=len):
            if columns not in known:
                known[columns] = label
                continue
            names = " and ".join(repr(column) for column in sorted(columns))
            what = f"Column {names} stands" if len(columns) == 1 else f"Columns {names} stand"
            raise InputError(
                f"{what} in two terms, {known[columns]} and {label}, whose effects cannot be told apart; keep one."
            )
    _refuse_twice([label for label, _ in terms])


def _refuse_twice(labels: Sequence[str]) -> None:
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise InputError(f"The term {twice} is there twice; keep one.")


def require_identifiable(specs: Sequence[Term], table: Table, pi_range: PiRange, audited: bool = False) -> None:
    """Refuse a model in which pi cannot be determined.

    That takes two groups of columns without interactions between them, or a known pi. Where labels depend on columns,
    these do not count, and an audit does for them.
    """
    labelling = {name for spec in specs if spec.is_labelling for name in spec.columns}
    specs = [spec for spec in specs if not spec.is_labelling]
    if labelling and not audited:
        _require_others(specs, labelling)
    if pi_range.fixed or len(group_columns(spec.columns for spec in specs)) >= 2:
        return
    joining, others = [spec.label for spec in specs if len(spec.columns) > 1], "add a second term"
    if joining:
        what = (
            f"Interactions ({', '.join(joining)}) join all columns of the model, and pi is identified only by two "
            "groups of columns without interactions between them: "
        )
        others = f"{'leave out an interaction, ' if len(specs) > 1 else ''}add a term of another column"
    else:
        what = (
            f"The model has the single term {specs[0].label} (of {len(table.names)} feature(s)): with fewer than two "
            "terms that vary, the share pi of hidden positives cannot be told apart from the shape of the negatives; "
        )
    raise NotIdentifiableError(what, f"{others}, or fix pi, as in ", Argument("pi", 0.3), ".")


def _require_others(specs: Sequence[Term], labelling: set[str]) -> None:
    """Refuse a preference that could not be told from effects: two groups of other columns tell them apart."""
    groups = group_columns(spec.columns for spec in specs)
    outside = [group for group in groups if not group & labelling]
    if len(outside) >= 2:
        return
    raise NotIdentifiableError(
        f"Labels depend on {', '.join(sorted(labelling))}. To tell who is labelled from who is positive takes two "
        f"terms of other columns, without interactions with these, but the model has {'one' if outside else 'none'}: "
        "add terms of other columns, leave out some of those in ",
        Argument("labelling"),
        ", or give the classes of some unlabelled rows, as ",
        Argument("audit"),
        ".",
    )


def require_rows(design: Design, n_rows: int, free_pi: bool) -> None:
    """Refuse fewer rows than parameters that no penalty holds: pi, intercept, slopes and levels."""
    unpenalized = int(np.count_nonzero(~design.is_penalized)) + 1 + int(free_pi)
    if n_rows < unpenalized:
        counts = [np.count_nonzero(~design.is_penalized[block]) for block in design.blocks]
        largest = design.labels[int(np.argmax(counts))]
        raise InputError(
            f"There are fewer rows than parameters: {n_rows} rows for {unpenalized} parameters that no "
            f"smoothing restrains, most of them in {largest}; use fewer terms, or factors with fewer levels."
        )


def read_engine(engine: Any) -> EngineName:
    """Read the name of an engine."""
    if engine in get_args(EngineName):
        return engine  # type: ignore[no-any-return]
    raise InputError(Argument("engine"), f" is {', '.join(map(repr, get_args(EngineName)))}; got {engine!r}.")


def read_missing(missing: Any) -> MissingPolicy:
    """Read what all terms do with missing values."""
    if isinstance(missing, str) and missing in get_args(MissingPolicy):
        return missing  # type: ignore[return-value]
    raise InputError(Argument("missing"), f" is 'error' or 'effect'; got {_in_short(missing)}.")


def read_unseen(unseen: Any) -> UnseenPolicy:
    """Read what all terms do with levels that the fit never saw."""
    if isinstance(unseen, str) and unseen in get_args(UnseenPolicy):
        return unseen  # type: ignore[return-value]
    raise InputError(Argument("unseen"), f" is 'error' or 'zero'; got {_in_short(unseen)}.")


def read_share(pi: Any) -> float:
    """Read a share strictly between 0 and 1."""
    if not is_number(pi) or not 0.0 < pi < 1.0:
        raise InputError(Argument("pi"), f" is a share strictly between 0 and 1; got {pi!r}.")
    return float(pi)


def read_generator(random_state: Any) -> np.random.Generator:
    """Read `random_state`: None (a fixed seed), a whole number, a Generator or a RandomState."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    random_state = 0 if random_state is None else random_state
    if isinstance(random_state, numbers.Integral) and 0 <= int(random_state) < 2**32:
        random_state = np.random.RandomState(int(random_state))
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    raise InputError(
        Argument("random_state"),
        f" is None, a whole number from 0 to 2^32 - 1, or a generator; got {random_state!r}.",
    )


def read_count(name: str, value: Any, most: int | None = None) -> int:
    """Read a whole number of at least one, and of no more than memory has room for."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise InputError(Argument(name), f" is a whole number of at least 1; got {value!r}.")
    if most is not None and int(value) > most:
        raise InputError(Argument(name), f" is a whole number of at most {most:,}; got {value!r}.")
    return int(value)


def read_n_jobs(n_jobs: Any) -> int | None:
    """Read `n_jobs`: None, or a whole number other than zero."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise InputError(Argument("n_jobs"), f" is a number of threads, or -1 for all cores; got {n_jobs!r}.")
    return None if n_jobs is None else int(n_jobs)


def read_pi_range(pi: Any) -> PiRange:
    """Read `pi`: None (free), a number (fixed) or a pair (bounded)."""
    if pi is None:
        return PiRange()
    if is_number(pi):
        return PiRange(read_share(pi), read_share(pi))
    if isinstance(pi, Sequence) and len(pi) == 2 and all(is_number(end) for end in pi):
        low, high = (float(np.clip(end, EDGE, 1.0 - EDGE)) for end in pi)
        if pi[0] >= 0.0 and low < high and pi[1] <= 1.0:
            return PiRange(low, high)
    raise InputError(
        Argument("pi"), f" is a number to fix it, or bounds (low, high) within [0, 1]; got {_in_short(pi)}."
    )


def make_settings(params: dict[str, Any], design: Design) -> Settings:
    """Turn the constructor's arguments into settings, checking each."""
    solver: Any = params["solver"]
    if solver not in ("newton", "em"):
        raise InputError(f"solver is 'newton' or 'em'; got {solver!r}.")
    read_engine(params["engine"])
    return Settings(
        smoothing=_read_smoothing(params["smoothing"], design),
        solver=solver,
        n_starts=GRID_SIZE if params["n_starts"] is None else read_count("n_starts", params["n_starts"], MOST_STARTS),
        tol=_positive_number("tol", params["tol"]),
        max_iter=MAX_ITERATIONS[solver] if params["max_iter"] is None else read_count("max_iter", params["max_iter"]),
        pi_range=read_pi_range(params["pi"]),
        prior=_read_prior(params["pi_prior"]),
        debias=read_flag("debias", params["debias"]),
        estimate=_read_estimate(params, design),
        most_pairs=_read_most_pairs(params["interactions"]),
        grid=_read_grid(params["kappas"]),
    )


def _read_estimate(params: dict[str, Any], design: Design) -> EstimateName:
    """Read `estimate`; marginal likelihood is not for all settings, and the mode takes its place then."""
    estimate: Any = params["estimate"]
    if estimate not in get_args(EstimateName):
        raise InputError(
            Argument("estimate"), f" is {' or '.join(map(repr, get_args(EstimateName)))}; got {estimate!r}."
        )
    usual = {"smoothing": "reml", "solver": "newton", "shrinkage": "auto", "debias": True}
    changed = any(not isinstance(params[name], type(value)) or params[name] != value for name, value in usual.items())
    changed = changed or read_pi_range(params["pi"]).fixed or len(design.constraints) > 0
    return "mode" if changed else estimate


def _read_most_pairs(interactions: Any) -> int:
    """Read how many interactions may be added."""
    if isinstance(interactions, str) and interactions == "auto":
        return sys.maxsize
    if interactions is None or isinstance(interactions, list | tuple):
        return 0
    if isinstance(interactions, numbers.Integral) and not isinstance(interactions, bool) and int(interactions) >= 0:
        return int(interactions)
    raise _wrong_interactions(interactions)


def _wrong_interactions(interactions: Any) -> InputError:
    return InputError(
        Argument("interactions"),
        f" is 'auto', None, a number, or a list of pairs of columns; got {_in_short(interactions)}.",
    )


def with_given_pairs(specs: Sequence[Term], interactions: Any) -> list[Term]:
    """Add the interactions that were given as pairs of columns, unless they are among the terms already."""
    if not isinstance(interactions, list | tuple):
        return list(specs)
    if not all(_is_pair(pair) for pair in interactions):
        raise _wrong_interactions(interactions)
    kinds = {spec.columns[0]: spec for spec in specs if len(spec.columns) == 1}
    joined = frozenset().union(*(spec.spans for spec in specs))
    given = [ti(*(_side(kinds.get(name), name) for name in pair)) for pair in interactions]
    return [*specs, *(spec for spec in given if not spec.spans <= joined)]


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(name, str) for name in pair)


def _side(term: Term | None, name: str) -> str | Term:
    """One side of an interaction: levels and lines as the terms have them, other columns as curves."""
    return term if term is not None and term.is_margin and term.missing == "error" else name


def read_shrinkage(shrinkage: Any, settings: Settings, design: Design) -> ShrinkageName:
    """Read `shrinkage`; "auto" is never where smoothing was not left to REML, or effects are known."""
    if shrinkage not in get_args(ShrinkageName):
        raise InputError(
            Argument("shrinkage"), f" is {', '.join(map(repr, get_args(ShrinkageName)))}; got {shrinkage!r}."
        )
    if shrinkage == "always" and design.known_terms:
        raise InputError(
            f"{design.labels[design.known_terms[0]]} is known, but ",
            Argument("shrinkage", "always"),
            " finds one steepness of all effects; leave it at ",
            Argument("shrinkage", "auto"),
            ", or leave out the offset.",
        )
    by_reml = isinstance(settings.smoothing, str) and settings.smoothing == "reml"
    return "never" if shrinkage == "auto" and (design.known_terms or not by_reml) else shrinkage


def _read_smoothing(smoothing: Any, design: Design) -> Any:
    if isinstance(smoothing, str) and smoothing in ("reml", "aic"):
        return smoothing
    if is_number(smoothing):
        return np.full(len(design.penalties), _positive_number(Argument("smoothing"), smoothing, zero=True))
    if isinstance(smoothing, dict):
        return _smoothing_of_terms(smoothing, design)
    raise InputError(Argument("smoothing"), f" is 'reml', 'aic', a number, or a number per term; got {smoothing!r}.")


def _smoothing_of_terms(smoothing: dict[Any, Any], design: Design) -> np.ndarray:
    """Read one smoothing parameter, or a tuple of several, for each term that has any."""
    penalized = {penalty.term for penalty in design.penalties}
    numbers_given = [design.index(str(term)) for term in smoothing]
    useless = [design.labels[number] for number in numbers_given if number not in penalized]
    if useless or len(set(numbers_given)) < len(numbers_given):
        what = f"a value for {useless[0]}, which has none" if useless else "two values for one term"
        raise InputError(f"smoothing gives {what}; give one value to each smooth term.")
    values = dict(zip(numbers_given, smoothing.values(), strict=True))
    lacking = [design.labels[number] for number in sorted(penalized) if number not in values]
    if lacking:
        raise InputError(f"smoothing gives no value for {', '.join(lacking)}; name every smooth term.")
    kappas = np.zeros(len(design.penalties))
    for number, given in values.items():
        places, label = design.penalties_of(number), design.labels[number]
        several = list(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) else [given]
        if len(several) == 1:
            several = several * len(places)
        if len(several) != len(places):
            raise InputError(f"smoothing of {label} is one number, or {len(places)} of them; got {given!r}.")
        kappas[list(places)] = [_positive_number(f"smoothing of {label}", kappa, zero=True) for kappa in several]
    return kappas


def _read_prior(prior: Any) -> PiPrior:
    if prior is None:
        return PiPrior()
    a, b = WEAK_PRIOR if isinstance(prior, str) and prior == "weak" else _pair("pi_prior", prior)
    if not (1.0 <= a <= STRONGEST_PRIOR and 1.0 <= b <= STRONGEST_PRIOR):
        raise InputError(
            f"pi_prior (a, b) stands for a Beta(a, b) density and needs a, b >= 1, of at most {STRONGEST_PRIOR:g}; "
            f"got {prior!r}. A share that is known is fixed by pi."
        )
    return PiPrior(a - 1.0, b - 1.0)


def _read_grid(kappas: Any) -> tuple[float, ...]:
    if isinstance(kappas, str) and kappas in GRIDS:
        return GRIDS[kappas]
    if isinstance(kappas, Sequence | np.ndarray) and not isinstance(kappas, str) and len(kappas) > 0:
        return tuple(_positive_number("each of kappas", kappa) for kappa in kappas)
    raise InputError(f"kappas is 'both', 'linear', 'smooth' or a list of numbers; got {kappas!r}.")


def _pair(name: str, value: Any) -> tuple[float, float]:
    if isinstance(value, Sequence) and len(value) == 2 and all(is_number(part) for part in value):
        return float(value[0]), float(value[1])
    raise InputError(f"{name} is 'weak', None or a pair of numbers (a, b); got {value!r}.")


def _positive_number(name: str | Argument, value: Any, zero: bool = False) -> float:
    if not is_number(value) or not math.isfinite(value) or value < 0.0 or (value == 0.0 and not zero):
        raise InputError(name, f" is a {'non-negative' if zero else 'positive'} number; got {value!r}.")
    if value > LARGEST:
        raise InputError(name, f" is a number of at most {LARGEST:g}; got {value!r}.")
    return float(value)


def _in_short(value: Any) -> str:
    return shown if len(shown := repr(value)) < 40 else f"a value of type {type(value).__name__}"


def is_number(value: Any) -> bool:
    """Whether a value is a real number, and no boolean."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
