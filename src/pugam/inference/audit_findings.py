"""What an audit found beside the model, and what is said where it refutes the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pugam.data import ALL_ROWS
from pugam.inference.findings import Finding, Said

__all__ = ["AuditRefutes", "AuditedShare", "contradicting", "find_refuted"]


@dataclass(frozen=True)
class AuditedShare:
    """What audited rows of a sample say, beside the model.

    Attributes
    ----------
    sample : str
    audited : float
        How many rows were audited, by weight.
    pi : float
        By the model, which knows the audited rows.
    estimate, lower, upper : float
        Without it.
    pvalue : float
        Of the hypothesis that posteriors, made without the audit, are right for audited rows: on average, in how sure
        they are, and where two columns meet.
    """

    sample: str
    audited: float
    pi: float
    estimate: float
    lower: float
    upper: float
    pvalue: float


@dataclass(frozen=True)
class AuditRefutes(Finding):
    """Posteriors are wrong for rows whose class was found out."""

    where: tuple[str, ...]
    pvalue: float
    audited: float
    estimate: float
    lower: float
    upper: float
    said: ClassVar[Said] = (
        "Audited rows contradict the model ({where}, p = {pvalue:.2g}): its posteriors are wrong where somebody "
        "looked. Report the share without the model, {estimate:.3f} (95% interval {lower:.3f} to {upper:.3f}) by "
        "{audited:g} audited rows. Ask whether labelled rows are a random sample of the positives, whether effects "
        "add up, and whether rows were audited as the fit was told.",
    )


def contradicting(audits: Sequence[AuditedShare], level: float) -> list[AuditedShare]:
    """Audits that refute the model, at a level for all of them together: several samples are several chances."""
    return [audit for audit in audits if audit.pvalue < level / len(audits)]


def find_refuted(audits: Sequence[AuditedShare], level: float) -> Iterator[Finding]:
    """Tell of audited rows that refute the model, with the share of all audited samples without it."""
    against = sorted(contradicting(audits, level), key=lambda audit: audit.pvalue)
    if against:
        last = audits[-1]
        where = tuple("all samples" if audit.sample == ALL_ROWS else audit.sample for audit in against)
        where = where if len(audits) > 1 else ("test of posteriors",)
        yield AuditRefutes(where, against[0].pvalue, last.audited, last.estimate, last.lower, last.upper)
