"""A check of the terms of a fit, as of R's `gam.check`: functions enough, labels as predicted, terms told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pugam.data import make_frame
from pugam.inference.basis_checks import BasisCheck, check_bases
from pugam.inference.calibration import Calibration
from pugam.inference.concurvity import Concurvity, measure_concurvity
from pugam.inference.findings import Finding, LabelsDisagree, Said
from pugam.inference.kinds import profile_of
from pugam.inference.rows_tested import choose_rows
from pugam.inference.verdict import SMALLEST_CALIBRATION
from pugam.messages import Words, in_lines, in_python
from pugam.solvers import Fitted, edf_by_term

__all__ = ["SaysTheSame", "TermChecks", "TooFewFunctions", "check_fit"]

SMALLEST_BASIS_PVALUE = 0.01  # of all terms that are tested, corrected for their number
LARGEST_CONCURVITY = 0.8  # of the effect as estimated, above which another term could say it as well
MARK = "!"


@dataclass(frozen=True)
class TooFewFunctions(Finding):
    """Residuals still vary along columns whose terms have too few functions to follow."""

    terms: tuple[str, ...]
    pvalue: float
    k: int
    said: ClassVar[Said] = (
        "Too few functions: residuals still vary along {terms} (smallest p = {pvalue:.2g}). Fit again with a larger k, "
        "of {k} or so.",
    )


@dataclass(frozen=True)
class SaysTheSame(Finding):
    """Most of a term's effect could be said by others as well."""

    term: str
    nearest: str
    share: float
    said: ClassVar[Said] = (
        "{share:.0%} of the effect of {term} could as well be that of other terms, above all {nearest}: these rows "
        "hardly tell them apart. Leave one of them out and see what changes, pi above all.",
    )


@dataclass(frozen=True, eq=False, repr=False)
class TermChecks:
    """What was found about the terms of a fit; print it to read it.

    Attributes
    ----------
    bases : tuple of BasisCheck
        Of each term that bends, whether it has functions enough.
    calibration : Calibration
        Predicted against observed labels.
    concurvity_shares : Concurvity
        How much of each term the others explain.
    findings : tuple of Finding
        What was seen that should worry.
    library : str
        In which frames are made.
    """

    bases: tuple[BasisCheck, ...]
    calibration: Calibration
    concurvity_shares: Concurvity
    findings: tuple[Finding, ...]
    library: str

    @property
    def smooth(self) -> Any:
        """Frame with the columns term, k, edf, statistic, df and pvalue: is k large enough?"""
        names = {"term": "term", "size": "k", "edf": "edf", "statistic": "statistic", "df": "df", "pvalue": "pvalue"}
        columns = {shown: [getattr(line, name) for line in self.bases] for name, shown in names.items()}
        return make_frame(self.library, {name: np.array(values) for name, values in columns.items()})

    @property
    def concurvity(self) -> Any:
        """Frame with the columns term, worst, observed, estimate and nearest: could other terms say the same?"""
        found = self.concurvity_shares
        columns = {"worst": found.worst, "observed": found.observed, "estimate": found.estimate}
        texts = {name: np.array(getattr(found, name), dtype=object) for name in ("terms", "nearest")}
        return make_frame(self.library, {"term": texts["terms"], **columns, "nearest": texts["nearest"]})

    @property
    def residuals(self) -> Any:
        """Frame with the columns predicted, observed, se and rows: labels, in bins of the prediction."""
        found = self.calibration
        columns = {"predicted": found.predicted, "observed": found.observed, "se": found.se, "rows": found.weight}
        return make_frame(self.library, columns)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was seen that should worry, each with a remedy."""
        return tuple(str(finding.message) for finding in self.findings)

    def told(self, words: Words) -> str:
        """Return what was found in the words of one kind of reader."""
        return in_lines(_lines(self, words))

    def __str__(self) -> str:
        return self.told(in_python)

    __repr__ = __str__


def check_fit(fitted: Fitted, library: str) -> TermChecks:
    """Check the terms of a fit."""
    penalized, profile = fitted.fit.penalized, profile_of(fitted)
    edf = edf_by_term(fitted.design, penalized, penalized.covariance(fitted.settings.pi_range))
    bases = check_bases(choose_rows(profile), np.asarray(edf))
    calibration, shares = profile.calibrate(), measure_concurvity(fitted.engine, fitted.fit.optimum.theta)
    return TermChecks(bases, calibration, shares, tuple(_findings(bases, calibration, shares)), library)


def _findings(bases: tuple[BasisCheck, ...], calibration: Calibration, shares: Concurvity) -> Iterator[Finding]:
    tested = [line for line in bases if line.pvalue == line.pvalue]
    coarse = sorted((line for line in tested if _is_coarse(line, len(tested))), key=lambda line: line.pvalue)
    if coarse:
        yield TooFewFunctions(tuple(line.term for line in coarse), coarse[0].pvalue, 2 * (1 + coarse[0].size))
    if calibration.pvalue < SMALLEST_CALIBRATION:
        yield LabelsDisagree(calibration.pvalue)
    for term, nearest, share in zip(shares.terms, shares.nearest, shares.observed, strict=True):
        if share > LARGEST_CONCURVITY:
            yield SaysTheSame(term, nearest, float(share))


def _is_coarse(line: BasisCheck, n_tested: int) -> bool:
    return line.pvalue < SMALLEST_BASIS_PVALUE / max(n_tested, 1)


def _lines(found: TermChecks, words: Words) -> Iterator[str]:
    """Tell what was found."""
    shares, test = found.concurvity_shares, found.calibration
    width = max(len(term) for term in shares.terms)
    n_tested = sum(line.pvalue == line.pvalue for line in found.bases)
    if found.bases:
        yield "Is k large enough? A small p means that residuals vary along the column faster than the term can."
        yield f"  {'':{width}}    k'    edf         p"
        for line in found.bases:
            mark = f"  {MARK}" if _is_coarse(line, n_tested) else ""
            shown = "not tested" if line.pvalue != line.pvalue else f"{line.pvalue:.3g}"
            yield f"  {line.term:{width}}  {line.size:4d}  {line.edf:5.2f}  {shown:>8}{mark}"
    yield "Do labels turn out as predicted?"
    mark = f"  {MARK}" if test.pvalue < SMALLEST_CALIBRATION else ""
    yield f"  chi-square {test.statistic:.3g} on {test.df:g} df, p = {test.pvalue:.2g}{mark}"
    yield "Could other terms stand in for a term? From 0 (not at all) to 1 (completely)."
    yield f"  {'':{width}}  worst  observed  estimate  nearest"
    rows = zip(shares.terms, shares.worst, shares.observed, shares.estimate, shares.nearest, strict=True)
    for term, worst, observed, estimate, nearest in rows:
        mark = f"  {MARK}" if observed > LARGEST_CONCURVITY else ""
        yield f"  {term:{width}}  {worst:5.2f}  {observed:8.2f}  {estimate:8.2f}  {nearest}{mark}"
    for finding in found.findings:
        yield f"{MARK} {finding.message.told(words)}"
