"""Several models of the same rows, side by side, and tests of those that are special cases of others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pugam.data import make_frame
from pugam.errors import InputError
from pugam.inference.hypotheses import HypothesisTest, Null
from pugam.inference.intervals import Interval
from pugam.messages import in_lines
from pugam.solvers import Fit, Fitted
from pugam.terms import Basis, Design

__all__ = ["ComparedModel", "ModelComparison", "NestedTest", "require_same_rows", "what_is_left_out"]

CONDITIONS = "Wald tests in the larger model: they hold if it fits, and not for terms chosen by their p-values."
SHRUNKEN = "AIC and BIC do not compare shrunken curves fairly: use cross-validation."


@dataclass(frozen=True)
class ComparedModel:
    """A model in a line; `evidence` is None where pi is not by marginal likelihood, `verdict` where it has none."""

    name: str
    formula: str
    loglik: float
    evidence: float | None
    edf: float
    aic: float
    bic: float
    pi: Interval
    verdict: str | None
    is_shrunken: bool = False


@dataclass(frozen=True)
class NestedTest:
    """A test that a model does as well as a larger one; `test` is in the larger one, of what the other leaves out."""

    smaller: str
    larger: str
    test: HypothesisTest


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison:
    """Models of the same rows; print it to read it.

    Attributes
    ----------
    compared : tuple of ComparedModel
    nested : tuple of NestedTest
        One for each pair of neighbours of which one is a special case of the other.
    library : str
        In which frames are made.
    """

    compared: tuple[ComparedModel, ...]
    nested: tuple[NestedTest, ...]
    library: str

    @property
    def models(self) -> Any:
        """Frame with one line for each model: log-likelihood, evidence, edf, AIC, BIC, pi with limits, verdict."""
        lines = self.compared
        numbers = {name: [getattr(line, name) for line in lines] for name in ("loglik", "edf", "aic", "bic")}
        limits = {"pi": "estimate", "lower": "lower", "upper": "upper"}
        texts = {name: [getattr(line, name) or "" for line in lines] for name in ("name", "formula", "verdict")}
        columns = {
            "model": np.array(texts["name"], dtype=object),
            "formula": np.array(texts["formula"], dtype=object),
            **{name: np.array(values) for name, values in numbers.items()},
            "evidence": np.array([math.nan if line.evidence is None else line.evidence for line in lines]),
            **{name: np.array([getattr(line.pi, end) for line in lines]) for name, end in limits.items()},
            "verdict": np.array(texts["verdict"], dtype=object),
        }
        return make_frame(self.library, columns)

    @property
    def tests(self) -> Any:
        """Frame with one line for each test: smaller and larger model, null hypothesis, statistic, df, pvalue."""
        columns = {
            "smaller": np.array([line.smaller for line in self.nested], dtype=object),
            "larger": np.array([line.larger for line in self.nested], dtype=object),
            "null": np.array([line.test.hypothesis for line in self.nested], dtype=object),
            "statistic": np.array([line.test.statistic for line in self.nested], dtype=float),
            "df": np.array([line.test.df for line in self.nested], dtype=float),
            "pvalue": np.array([line.test.pvalue for line in self.nested], dtype=float),
        }
        return make_frame(self.library, columns)

    def __str__(self) -> str:
        return in_lines(_lines(self))

    __repr__ = __str__


def require_same_rows(
    one: Fitted | None, other: Fitted | None, counts: Sequence[tuple[float, float]], fits: tuple[Fit, Fit]
) -> None:
    """Refuse models of different rows; of a model that has lost its rows, only their numbers are known.

    Parameters
    ----------
    counts : pairs of float
        Labelled and unlabelled rows, by weight, of both models.
    fits : pair of Fit
        Of both models, which know their samples also where the rows are lost.
    """
    (n0, n1), (other_n0, other_n1) = counts
    if not np.allclose(counts[0], counts[1], rtol=1e-9):
        raise InputError(
            f"These models were fitted to different rows and cannot be compared: one to {n0:g} labelled and {n1:g} "
            f"unlabelled ones, the other to {other_n0:g} and {other_n1:g}. Fit both to the rows that both can use."
        )
    _require_same_samples(*fits)
    if one is None or other is None:
        return
    if not _are_same(one, other):
        raise InputError(
            "These models were fitted to different rows, though to as many, or to the same in another order, and "
            "cannot be compared: fit both to the same table."
        )


def _require_same_samples(one: Fit, other: Fit) -> None:
    """Refuse models whose likelihoods are of different things, though the rows may be the same."""
    (samples, labelling), (other_samples, other_labelling) = ((fit.samples, fit.labelling) for fit in (one, other))
    if (samples is None) != (other_samples is None) or (labelling is None) != (other_labelling is None):
        raise InputError(
            "One of these models knows of samples, audits, known negatives or a labelling that the other does not, and "
            "their likelihoods cannot be compared: fit both with the same."
        )
    if samples is None or other_samples is None:
        return
    known, others = (
        [*found.rows.tolist(), *found.audited.tolist(), found.negatives] for found in (samples, other_samples)
    )
    if samples.names != other_samples.names or not np.allclose(known, others, rtol=1e-9):
        raise InputError(
            "These models know of different samples, audits or known negatives, and their likelihoods cannot be "
            "compared: fit both with the same."
        )


def _are_same(one: Fitted, other: Fitted) -> bool:
    """Whether labels, weights and the values of common terms are the same, in the same order."""
    engines = one.engine, other.engine
    weights = [np.ones(engine.n_rows) if engine.weights is None else engine.weights for engine in engines]
    labels = [engine.positive if engine.codes is None else engine.codes for engine in engines]
    if not np.array_equal(labels[0], labels[1]) or not np.array_equal(weights[0], weights[1]):
        return False
    shown = [dict(zip(kept.design.labels, kept.engine.shown.encoded, strict=True)) for kept in (one, other)]
    common = [label for label in shown[0] if label in shown[1]]
    return all(np.array_equal(shown[0][label], shown[1][label], equal_nan=True) for label in common)


def what_is_left_out(larger: Design, smaller: Design) -> tuple[list[int], Null] | None:
    """Which terms of a model another one lacks, or has as lines; None where it is not a special case, or is both."""
    lines = {basis.spec.columns for basis in smaller.bases if _is_line(basis)}
    known = {basis.spec for basis in larger.bases}
    others = [basis for basis in smaller.bases if basis.spec not in known]
    specs = {basis.spec for basis in smaller.bases}
    missing = [number for number, basis in enumerate(larger.bases) if basis.spec not in specs]
    straight = [number for number in missing if _bends(larger.bases[number], lines)]
    absent = [number for number in missing if number not in straight]
    covered = {larger.bases[number].spec.columns for number in straight}
    if any(larger.bases[number].size == 0 for number in missing):  # no special case of what is known is to leave it out
        return None
    if not missing or (straight and absent) or any(basis.spec.columns not in covered for basis in others):
        return None
    return (straight, "linear") if straight else (absent, "zero")


def _is_line(basis: Basis) -> bool:
    return basis.size == 1 and len(basis.axes) == 1 and basis.axes[0].is_numeric


def _bends(basis: Basis, lines: set[tuple[str, ...]]) -> bool:
    """Whether a term bends where the other model has a line."""
    return basis.spec.columns in lines and basis.bends is not None and bool(basis.bends.any())


def _lines(found: ModelComparison) -> Iterator[str]:
    """Tell what was found."""
    width = max(len(line.name) for line in found.compared)
    for line in found.compared:
        yield f"{line.name:{width}}  {line.formula}"
    has_evidence = any(line.evidence is not None for line in found.compared)
    evidence = "    evidence" if has_evidence else ""
    yield f"{'':{width}}      loglik{evidence}     edf        AIC        BIC  pi"
    for line in found.compared:
        shown = "" if not has_evidence else f"  {'' if line.evidence is None else f'{line.evidence:.2f}':>10}"
        pi, verdict = (
            f"{line.pi.estimate:.3f} ({line.pi.lower:.3f} to {line.pi.upper:.3f})",
            line.verdict or "not checked",
        )
        numbers = f"{line.edf:6.1f}  {line.aic:9.1f}  {line.bic:9.1f}"
        yield f"{line.name:{width}}  {line.loglik:10.2f}{shown}  {numbers}  {pi}, {verdict}"
    for pair in found.nested:
        yield f"{pair.smaller} in {pair.larger}: {pair.test}"
    if found.nested:
        yield CONDITIONS
    if any(line.is_shrunken for line in found.compared):
        yield f"! {SHRUNKEN}"
