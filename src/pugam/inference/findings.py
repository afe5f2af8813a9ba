"""Kinds of findings: what may be seen in a fit that a user should know, how much of it, and about which terms."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, Literal

from pugam.inference.intervals import Interval
from pugam.messages import Argument, FittingAlone, Message, Piece, See, filled, first_and_more

Said = tuple[str | Piece, ...]

MOST_NAMES = 3
ADD_INFORMATION = (
    "Fix pi or bound it if you know something about it (",
    Argument("pi", 0.2),
    ", ",
    Argument("pi", (0.1, 0.4)),
    "), or add features that tell positives from negatives.",
)
MORE_STARTS = Argument("n_starts", 40)


@dataclass(frozen=True)
class Finding(ABC):
    """Something seen in a fit: figures, and the sentence that says what they mean and what to do about it."""

    said: ClassVar[Said]

    @property
    def message(self) -> Message:
        """The sentence, with the figures in it."""
        figures = {
            name: first_and_more(value, MOST_NAMES) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
        }
        return Message(*(filled(part, figures) for part in self.said))


@dataclass(frozen=True)
class RanToBoundary(Finding):
    """The estimate of pi is (almost) 0 or 1."""

    end: float
    said: ClassVar[Said] = (
        "The estimate of pi ran to the boundary ({end:g}): these data do not determine it. ",
        *ADD_INFORMATION,
    )


@dataclass(frozen=True)
class RanToBoundaryWithoutPrior(RanToBoundary):
    """The estimate of pi is (almost) 0 or 1, from which no prior kept it."""

    said = (*RanToBoundary.said, " Or use ", Argument("pi_prior", "weak"), ".")


@dataclass(frozen=True)
class OnGivenBound(Finding):
    """The estimate of pi is on an end of the range that the user gave."""

    low: float
    high: float
    said = (
        "The estimate of pi lies on the boundary of the range you gave, {low:g} to {high:g}: the likelihood rises "
        "beyond it. Widen the bounds, or check where they come from.",
    )


@dataclass(frozen=True)
class FlatProfile(Finding):
    """The profile excludes hardly any value of pi."""

    low: float
    high: float
    said = ("The profile of pi is flat: hardly any value from {low:g} to {high:g} is excluded. ", *ADD_INFORMATION)


@dataclass(frozen=True)
class LargeError(Finding):
    """The standard error excludes hardly any value of pi, whatever the profile says."""

    low: float
    high: float
    said = (
        "The standard error of pi is so large that Wald's interval excludes hardly any value from {low:g} to "
        "{high:g}. ",
        *ADD_INFORMATION,
    )


@dataclass(frozen=True)
class OpenEnd(Finding):
    """No value of pi is excluded on one side."""

    end: float
    said = ("The profile of pi does not fall off towards {end:g}: there is no limit on that side. ", *ADD_INFORMATION)


@dataclass(frozen=True)
class LeansOnPrior(Finding):
    """The prior on how far classes are apart says more about pi than the rows do."""

    rows_say: Literal["little", "next to nothing"]
    said = (
        "The data say {rows_say} about pi: the estimate relies mostly on the prior, which says how far apart classes "
        "usually are. ",
        *ADD_INFORMATION,
    )


@dataclass(frozen=True)
class SaysLittle(Finding):
    """Curves were shrunk, and still next to nothing is known about pi."""

    said = (
        "The data say little about pi: the estimate relies mostly on the prior, which says how far apart classes "
        "usually are. Fix or bound pi if you know something about it, or add rows, or features that tell positives "
        "from negatives; ",
        See("diagnosis"),
        " says more.",
    )


@dataclass(frozen=True)
class NoTermVaries(Finding):
    """No term is distinguishable from a constant."""

    n_terms: int
    said = (
        "None of the {n_terms} terms is distinguishable from a constant, but two are needed to identify pi. ",
        *ADD_INFORMATION,
    )


@dataclass(frozen=True)
class OneTermVaries(Finding):
    """A single term is distinguishable from a constant."""

    n_terms: int
    term: str
    said = (
        "Of {n_terms} terms only {term} is distinguishable from a constant, but two are needed to identify pi. ",
        *ADD_INFORMATION,
    )


@dataclass(frozen=True)
class OneTellsAll(Finding):
    """In rows held out, one group of columns says as much as all."""

    columns: tuple[str, ...]
    pvalue: float
    said = (
        "In held-out rows, all columns together predict labels hardly better than {columns} alone (p = {pvalue:.2g}), "
        "but two that matter are needed to identify pi. ",
        *ADD_INFORMATION,
    )


@dataclass(frozen=True)
class OneGroupVaries(Finding):
    """Interactions join all columns whose terms are distinguishable from a constant."""

    terms: tuple[str, ...]
    said = (
        "Interactions join the columns of all terms that are distinguishable from a constant ({terms}), but two groups "
        "of columns without interactions between them are needed to identify pi. ",
        *ADD_INFORMATION,
    )


@dataclass(frozen=True)
class WideInterval(Finding):
    """The interval for pi leaves most questions open."""

    lower: float
    upper: float
    said = (
        "The interval for pi is wide, {lower:.2f} to {upper:.2f}. More unlabelled rows or stronger features narrow it; "
        "until then show results for pi fixed at several values (",
        See("sensitivity"),
        ").",
    )


@dataclass(frozen=True)
class UnevenProfile(Finding):
    """The profile interval is much wider or much narrower than Wald's."""

    ratio: float
    said = (
        "The profile interval is {ratio:.1f} times as wide as Wald's: the likelihood is far from quadratic. Show "
        "results for pi at both ends of the interval (",
        See("sensitivity"),
        ").",
    )


@dataclass(frozen=True)
class IntervalsDiffer(Finding):
    """The profile interval is about as wide as Wald's, but lies elsewhere."""

    wald: Interval
    said = (
        "The interval for pi is the profile interval. Wald's interval, {wald.lower:.3f} to {wald.upper:.3f}, assumes "
        "that the likelihood is symmetric, and here it is not.",
    )


@dataclass(frozen=True)
class Separated(Finding):
    """The model doubts the class of hardly any row; one of its terms tells them apart most."""

    term: str
    said = (
        "The terms separate positives from negatives (almost) perfectly, {term} most of all: pi is just the share of "
        "rows on one side, and nothing tells how steep the curves are; do not interpret odds ratios. Look for a column "
        "that gives the labels away, such as an identifier or a date. Use fewer terms, more smoothing, or more rows.",
    )


@dataclass(frozen=True)
class FewStartsNear(Finding):
    """The best optimum may have been found by chance."""

    near: int
    n_starts: int
    said = (
        "Only {near} of {n_starts} starts ended near the best optimum: a better one may have been missed. Use more "
        "starts (",
        MORE_STARTS,
        "), fewer terms, or factors with fewer levels.",
    )


@dataclass(frozen=True)
class StartsApart(Finding):
    """Starts that ended about as high did so at other values of pi."""

    spread: float
    said = (
        "Starts nearly as good as the best ended {spread:.2f} apart in pi: the likelihood has several maxima or a long "
        "ridge. Use more starts (",
        MORE_STARTS,
        "), more smoothing, or fewer terms.",
    )


@dataclass(frozen=True)
class LittleApart(Finding):
    """Positives and negatives differ little in mean log density ratio: as normal features of such a ROC area."""

    distance: float
    area: float
    limit: float = 3.0
    said = (
        "The features separate positives from negatives only weakly: they are {distance:.2f} apart in mean log density "
        "ratio, less than {limit:g} (for normal features, a ROC area of {area:.2f}), so that the estimate of pi "
        "depends on effects adding up exactly as the model says. Add stronger features, bound pi, or show results for "
        "several values of it (",
        See("sensitivity"),
        ").",
    )


@dataclass(frozen=True)
class PerhapsLittleApart(Finding):
    """The same, if pi is at the lower limit of its sampling interval."""

    distance: float
    pi: float
    least: float
    said = (
        "Positives and negatives are {distance:.1f} apart in mean log density ratio if pi is as estimated, but only "
        "{least:.1f} if pi is {pi:.2f}, the lower limit of its sampling interval. In that case the estimate depends on "
        "effects adding up exactly as the model says. Add stronger features, bound pi, or show results for several "
        "values of it (",
        See("sensitivity"),
        ").",
    )


@dataclass(frozen=True)
class RestsOnPairs(Finding):
    """Effects do not add up, and classes overlap: effects of three columns may not add up either."""

    pairs: tuple[str, ...]
    pi: float
    said = (
        "Effects do not add up, and interactions were added: {pairs} (without them pi would be {pi:.3f}). "
        "Where classes overlap, interactions of three or more columns would move pi as well, and the interval does not "
        "allow for that. Add stronger features, bound pi, or show results for several values of it (",
        See("sensitivity"),
        ").",
    )


@dataclass(frozen=True)
class NeedsSmoothness(Finding):
    """Were curves free to bend, pi would be known much less well."""

    reliance: float
    said = (
        "The estimate of pi relies on curves being smooth: if they were free to bend, its standard error would be "
        "{reliance:.1f} times as large. Ask whether smooth curves are plausible here, add a second strong feature, or "
        "fix pi.",
    )


@dataclass(frozen=True)
class LabelsDisagree(Finding):
    """The model does not predict the labels."""

    pvalue: float
    said = (
        "Predicted and observed labels disagree (p = {pvalue:.2g}): effects may not add up, or labelled positives may "
        "not be a random sample of all positives. Look at ",
        See("calibration"),
        "; add interactions of features, as in ti(x, y), or ask how the labels came about.",
    )


@dataclass(frozen=True)
class PairsDoNotAddUp(Finding):
    """Products of columns say something that the sum of their effects does not."""

    pvalue: float
    pairs: tuple[str, ...]
    said = (
        "Effects do not add up (score test of all pairs of columns, p = {pvalue:.2g}): above all those of {pairs}. "
        "Estimates of pi and of effects may be far off, and intervals of effects do not allow for this. Add "
        "interactions of these columns, as in ti(x, y), and look at the diagnosis again.",
    )


@dataclass(frozen=True)
class LabelsPrefer(Finding):
    """Among rows that are surely positive, labels go by some columns; a term of the first as `labelling` takes it."""

    pvalue: float
    columns: tuple[str, ...]
    term: str
    said = (
        "Labelled positives do not look like a random sample of the positives (score test, p = {pvalue:.2g}): "
        "whether a positive is labelled seems to depend on {columns}. Estimates of pi are then usually too small, and "
        "intervals do not allow for this. Say what labelling depends on (",
        Argument("labelling", "{term}"),
        "), audit some unlabelled rows, or show how far off pi could be (",
        See("labelling"),
        "). If you are sure that labelling was random, look for interactions of these columns.",
    )


@dataclass(frozen=True)
class PairsHidePreference(LabelsPrefer):
    """The same without the interactions that were added."""

    pairs: tuple[str, ...]
    said = (
        *LabelsPrefer.said[:-1],
        "). The test is that of the model without {pairs}, which were added and may only stand in for the preference.",
    )


@dataclass(frozen=True)
class BoostingSeesMore(Finding):
    """Trees predict labels of rows that they have not seen better than the model allows."""

    pvalue: float
    said = (
        "Boosted trees predict the labels better than the model says they can (p = {pvalue:.2g}): effects may not add "
        "up, or have another shape, or labelled positives may not be a random sample of all positives. Add interactions"
        " of features, as in ti(x, y), give curves more freedom (a larger k), or ask how labels came about.",
    )


@dataclass(frozen=True)
class CurvesDiffer(Finding):
    """Curves are not the same in all samples."""

    pvalue: float
    terms: tuple[str, ...]
    remedy: str
    said = (
        "Curves are not the same in all samples (score test, p = {pvalue:.2g}): {terms}. Negatives look different "
        "there, so shares may be far off. {remedy}, or fit the samples one by one: each with its own labelled rows, if "
        "they name their sample, and with all labelled rows only if these come from one common source",
        FittingAlone(),
        ". Or make the column a feature instead of a sample.",
    )


@dataclass(frozen=True)
class RunawayLevels(Finding):
    """Nothing holds the effects of some levels."""

    levels: tuple[str, ...]
    said = (
        "The effects of some levels grow without bound: {levels}. All rows of such a level count as positive, or all "
        "as negative. Merge these levels with others, or leave the column out.",
    )


@dataclass(frozen=True)
class OneSidedLevels(Finding):
    """Some levels have no labelled rows, or no unlabelled ones."""

    levels: tuple[str, ...]
    said = (
        "Some levels have no labelled rows, or only labelled ones: {levels}. Only the prior says how large their "
        "effects are, and pi counts nearly all rows of such a level as negative, or as positive. Ask how the labels "
        "came about; merge these levels with others, or leave the column out.",
    )


@dataclass(frozen=True)
class OpenTerms(Finding):
    """Effects of some terms can change at will, alone or together."""

    terms: tuple[str, ...]
    said = (
        "These data do not determine some effects: {terms}. Either terms carry the same information, or a term has "
        "more functions than its values can tell apart. Leave one out, or use more smoothing or a smaller k. For rows "
        "like these the sum of the effects is determined, but not each effect.",
    )


@dataclass(frozen=True)
class NotConverged(Finding):
    """The climb did not end at an optimum."""

    max_iter: int
    said: ClassVar[Said] = (
        "The fit did not converge within {max_iter} iterations. Try a larger ",
        Argument("max_iter"),
        ", fewer terms, or more smoothing.",
    )


@dataclass(frozen=True)
class EmNotConverged(NotConverged):
    """The climb of the slower solver did not end at an optimum."""

    said = (*NotConverged.said[:-1], ", ", Argument("solver", "newton"), ", fewer terms, or more smoothing.")
