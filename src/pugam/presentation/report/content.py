"""What a report says, as plain values: the page is made of these alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pugam.inference import AuditedShare, EqualShares, Interval, RatioInterval, Yields
from pugam.presentation.steps import Step
from pugam.presentation.surfaces import Surface
from pugam.solvers import PooledShares

__all__ = [
    "Bounds",
    "Candidate",
    "Content",
    "Curves",
    "Diagnostics",
    "Effect",
    "FixedPi",
    "Folding",
    "Kind",
    "Map",
    "Ratio",
    "Reasons",
    "Sample",
    "Shown",
    "TermLine",
    "Yield",
    "plain_numbers",
]


def plain_numbers(values: Any) -> tuple[float, ...]:
    """Return numbers as plain values."""
    return tuple(np.asarray(values, dtype=float).tolist())


@dataclass(frozen=True)
class FixedPi:
    """The model with pi fixed along a grid, for the slider; K values, in rising order.

    Attributes
    ----------
    pi : K values, the estimate among them
    estimate : int
        Which of them is the estimate.
    deviance : K values
        How far the fit falls behind; beyond `limit` pi lies outside its 95% interval. Empty where pi was fixed.
    limit : float
    called_positive : K values
        Share of the unlabelled rows with a posterior above one half.
    histogram : K lists
        Share of the unlabelled rows in each of B equal bins of the posterior, from 0 to 1.
    """

    pi: tuple[float, ...]
    estimate: int
    deviance: tuple[float, ...]
    limit: float
    called_positive: tuple[float, ...]
    histogram: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Effect:
    """A term's effect on the log odds of being positive, along a number or at levels.

    Attributes
    ----------
    label, column : str
        The term as `s(age)`, and its column.
    x : grid of numbers, or names of levels
    u, lower, upper : as many values, at the estimate
    with_pi_fixed : K lists of as many values
        The effect with pi fixed along the grid of the slider.
    rug : numbers
        Marks of a rug, each for several rows of the column; empty for levels.
    missing : bool
        Whether the last place of x, which is then the text "missing", stands for missing values.
    notes : texts
        What the picture does not show.
    """

    label: str
    column: str
    x: tuple[float | str, ...]
    u: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    with_pi_fixed: tuple[tuple[float, ...], ...]
    rug: tuple[float, ...] = ()
    missing: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_curve(self) -> bool:
        """Whether the effect is one of a number, drawn as a curve; levels are drawn as points with bars."""
        return isinstance(self.x[0], float)


@dataclass(frozen=True)
class Curves:
    """A term's effects along one column, for several values or levels of others.

    Attributes
    ----------
    label, column : str
        The term and what is shown of it, and the column along which that is.
    by : str
        The columns that tell the curves apart.
    names : their values, one for each curve
    curves : effects, all along the same numbers
    far : for each curve, whether no rows are near each of its places
    notes : texts
        What the picture does not show.
    """

    label: str
    column: str
    by: str
    names: tuple[str, ...]
    curves: tuple[Effect, ...]
    far: tuple[tuple[bool, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Map:
    """A term's effect over the plane of two columns, at the estimate.

    Attributes
    ----------
    label : str
    columns : names of the two
    surface : Surface
        The effect, with its limits, over the plane; which rows lie there.
    largest : float
        The largest effect on all maps of the term, which have the same colours.
    notes : texts
        What the picture does not show.
    """

    label: str
    columns: tuple[str, str]
    surface: Surface
    largest: float
    notes: tuple[str, ...] = ()


Shown = Effect | Curves | Map


@dataclass(frozen=True)
class TermLine:
    """A line of the table of terms: degrees of freedom, test of no effect, test of a straight line (smooth terms).

    `importance` is the standard deviation of the effect over the unlabelled rows; NaN where that is not known, and for
    terms that say who is labelled.
    """

    label: str
    edf: float
    statistic: float
    pvalue: float
    pvalue_linear: float | None
    importance: float = math.nan


@dataclass(frozen=True)
class Folding:
    """How many pictures of effects are open, and how many of the last ones are folded as showing no effect.

    Those in between are folded as well, as less important. `flat` are the terms that show no effect.
    """

    n_open: int
    n_flat: int = 0
    flat: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ratio:
    """A line of the table of odds ratios: of a column at `b` against `a`; `where` says at which values of others."""

    column: str
    a: str
    b: str
    ratio: RatioInterval
    where: str = ""


@dataclass(frozen=True)
class Reasons:
    """Why a row is likely positive: log odds of the average unlabelled row, of this row, and the steps between.

    The steps are terms, the largest first, others taken together, and averaging last, where there is any.
    """

    baseline: float
    logit: float
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Yield:
    """A line of the table of cut-offs: what a review of so many rows is expected to find."""

    reviewed: int
    threshold: float
    found: Interval
    precision: Interval
    recall: Interval


@dataclass(frozen=True)
class Candidate:
    """An unlabelled row that is likely positive.

    `name` is its number in the data, "row 17", or its identifier where that was asked for; `with_pi_fixed` its
    posterior with pi fixed along the grid of the slider. Where there are several samples, `sample` is the name of its
    own, and `among_all` says whether it is also one of the most likely of all rows. `reasons` are None for rows far
    down a long list. Where there are several kinds of positives, `kind` is the likeliest one with its posterior, and
    there are neither limits nor reasons.
    """

    name: str
    posterior: float
    lower: float
    upper: float
    with_pi_fixed: tuple[float, ...]
    sample: str = ""
    among_all: bool = True
    reasons: Reasons | None = None
    kind: tuple[str, float] | None = None


@dataclass(frozen=True)
class Sample:
    """The share of one of several unlabelled samples.

    Attributes
    ----------
    name : str
    rows, audited : float
        How many rows it has, by weight, and how many of them were audited.
    pi : Interval
    verdict : str
    fixed_pi : FixedPi
        Its share and its rows where the slider stands, without deviances: all shares move together.
    """

    name: str
    rows: float
    audited: float
    pi: Interval
    verdict: str
    fixed_pi: FixedPi


@dataclass(frozen=True)
class Diagnostics:
    """What `diagnose` found: a verdict, its lines of text, and the points of two pictures.

    `profile_pi` and `profile_deviance` are empty where pi was fixed; calibration is predicted against observed shares
    of labelled rows with the standard errors of the latter.
    """

    verdict: str
    text: str
    profile_pi: tuple[float, ...]
    profile_deviance: tuple[float, ...]
    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    se: tuple[float, ...]
    pvalue: float


@dataclass(frozen=True)
class Kind:
    """One of several kinds of positives: its share, and what its fit says of terms.

    Attributes
    ----------
    name : str
    rows : float
        How many labelled rows are of this kind, by weight.
    pi : Interval
        For its share among all unlabelled rows.
    verdict : str
    effects, terms, ratios, folding, diagnostics
        As of a report of this kind alone; its diagnosis is of its share among rows of no other kind.
    """

    name: str
    rows: float
    pi: Interval
    verdict: str
    effects: tuple[Shown, ...]
    terms: tuple[TermLine, ...]
    ratios: tuple[Ratio, ...]
    folding: Folding
    diagnostics: Diagnostics


@dataclass(frozen=True)
class Bounds:
    """The range of pi if the chance of a positive to be labelled varies at most Gamma-fold; K values of Gamma, rising.

    Attributes
    ----------
    gamma, lower, upper, lower_limit, upper_limit, without_model : K values
        As of `LabellingBounds`.
    said : some of these values of Gamma
        Those that are in the table.
    given : tuple of str
        The columns that labelling depends on by the model.
    """

    gamma: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    lower_limit: tuple[float, ...]
    upper_limit: tuple[float, ...]
    without_model: tuple[float, ...]
    said: tuple[float, ...]
    given: tuple[str, ...] = ()

    @property
    def rows(self) -> list[tuple[float, ...]]:
        """Gamma, range and limits of those in the table."""
        lines = zip(
            self.gamma, self.lower, self.upper, self.lower_limit, self.upper_limit, self.without_model, strict=True
        )
        return [row for row in lines if row[0] in self.said]


@dataclass(frozen=True)
class Content:
    """A whole report.

    Attributes
    ----------
    title : str
    asked : pairs of a name and a value
        What was fitted: data, rows, labels, model, how.
    pi : Interval
    plain, statistical : str
        What came out in a sentence for everyone, and in one for statisticians.
    warnings : texts, each with its remedy
    effects, terms, ratios, candidates : sequences, any of which but effects may be empty
        Of effects and terms the most important come first. Where there are several kinds of positives, each of them has
        effects, terms and ratios of its own, and these are empty.
    folding : Folding
        Which of the effects are folded.
    n_unlabelled : float
    fixed_pi : FixedPi
    diagnostics : Diagnostics
    summary : str
        The whole summary as printed in a terminal.
    cite : str
    repeat : pairs of a name and a value
        How to repeat it: command, version, date.
    samples : Samples, none where they are not told apart
    equal_shares : EqualShares, optional
        The test that they have the same share.
    pooled : PooledShares, optional
        The distribution that their shares come from, where they were pooled.
    negatives : float
        Known negatives, by weight.
    audits : what audited rows say, beside the model; none where no row was audited
    bounds : Bounds, optional
        What pi could be if labels were not given at random; None where it was fixed.
    yields, review : what reviews of the likeliest rows are expected to find: lines of a table, and a curve
    kinds : Kinds, none where there is a single kind of positives
    """

    title: str
    asked: tuple[tuple[str, str], ...]
    pi: Interval
    plain: str
    statistical: str
    warnings: tuple[str, ...]
    effects: tuple[Shown, ...]
    terms: tuple[TermLine, ...]
    ratios: tuple[Ratio, ...]
    candidates: tuple[Candidate, ...]
    n_unlabelled: float
    fixed_pi: FixedPi
    diagnostics: Diagnostics
    summary: str
    cite: str
    repeat: tuple[tuple[str, str], ...]
    samples: tuple[Sample, ...] = ()
    equal_shares: EqualShares | None = None
    pooled: PooledShares | None = None
    negatives: float = 0.0
    audits: tuple[AuditedShare, ...] = ()
    bounds: Bounds | None = None
    yields: tuple[Yield, ...] = ()
    review: Yields | None = None
    folding: Folding | None = None
    kinds: tuple[Kind, ...] = ()

    @property
    def has_audits(self) -> bool:
        """Whether some rows of several samples were audited."""
        return any(sample.audited > 0.0 for sample in self.samples)
