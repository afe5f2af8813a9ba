"""The words of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pugam.inference import ALLOWING, ALPHA, AuditedShare, Diagnosis, EqualShares, Interval, contradicting
from pugam.likelihood import expit
from pugam.messages import Argument, Piece, See, Words, counted
from pugam.presentation.equations import equations
from pugam.presentation.kind_summary import how_fitted
from pugam.presentation.protocol import prior_of
from pugam.presentation.report.formats import number, p_equals
from pugam.solvers import PooledShares
from pugam.version import __version__

if TYPE_CHECKING:
    from pugam.presentation.protocol import FittedModel

__all__ = [
    "CAUTIONS_BESIDE_FIGURES",
    "EXPLANATIONS",
    "audit_sentence",
    "chance_alone",
    "citation",
    "describe_kinds",
    "describe_model",
    "equality_sentence",
    "kinds_sentence",
    "negatives_sentence",
    "of_one_kind",
    "on_page",
    "plain_sentence",
    "pooling_sentence",
    "share_in_short",
    "share_in_words",
    "statistical_sentence",
]

PAPER = (
    "P. Sang, Y. Sun, Q. Tian, D. Zeng and P. Li, Model positive and unlabeled data with a generalized additive "
    "density ratio model"
)
ROUNDING = 0.5
FITTED = "profile empirical likelihood with penalised splines"
PLACES = {
    "diagnosis": "the diagnosis on this page",
    "sensitivity": "the slider on this page",
    "calibration": "the calibration on this page",
    "labelling": "the bounds on this page",
}
# What the page of several kinds of positives has not, and that of one of them has.
PLACES_OF_ONE_KIND = {
    "sensitivity": "the slider in a report on this kind alone, which of_kind in Python gives",
    "labelling": "the bounds in a report on this kind alone, which of_kind in Python gives",
}
METHODS = {
    "wald": "Wald's interval",
    ALLOWING: "Wald's interval from held-out rows, with an allowance for model error",
    "profile": "profile of the likelihood",
    "marginal": "by marginal likelihood, with an allowance for model error",
}
# What a verdict is said by: below it, after the share in words, beside figures that stand alone (odds ratios, and the
# rows that are most likely positive), and of one sample among several.
EXPLANATIONS = {
    "well determined": "The data determine it, provided that the model holds.",
    "weakly determined": "The data say something about it, with reservations: read the remarks before relying on it.",
    "not determined": "Other values fit the data about as well. Do not rely on the estimate alone.",
    "does not fit": "What follows rests on a model that these data contradict. Do not use it: read the remarks first.",
    "fixed": "It was given, not estimated: everything below holds for this value.",
}
CAUTIONS_AFTER_SHARE = {
    "well determined": "",
    "weakly determined": " The data determine this share only weakly: read the warnings before using it.",
    "not determined": " But the data do not determine this share: do not use it without reading the warnings.",
    "does not fit": "",  # said before it
    "fixed": "",
}
CAUTIONS_BESIDE_FIGURES = {
    "well determined": "",
    "weakly determined": " These numbers depend on {share}, which is weakly determined.",
    "not determined": " These numbers depend on {share}, which is not determined{advice}.",
    "does not fit": " These numbers rest on a model that does not fit these data.",
    "fixed": "",
}
OF_ONE_SAMPLE = {
    "well determined": "the data determine it",
    "weakly determined": "known only roughly",
    "not determined": "the data leave it open",
    "does not fit": "rests on a model that does not fit",
    "fixed": "fixed",
}
IN_SHORT = {  # the same where a line has no room
    "well determined": "well known",
    "weakly determined": "weakly known",
    "not determined": "not known",
    "does not fit": "no fit",
    "fixed": "fixed",
}
WITHOUT_LIMITS = ("not determined", "does not fit", "fixed")  # an interval would suggest that it can be relied on
MISFIT = "The model does not fit these data: do not use what it says without reading the warnings. "


def on_page(words: Words) -> Words:
    """Words for those who read a page, made by someone with words of their own: pi is no flag to them."""

    def word(piece: Piece) -> str:
        if isinstance(piece, Argument) and piece.name == "pi" and piece.value is not None:
            return _told_of_pi(piece.value)
        return PLACES[piece.what] if isinstance(piece, See) else words(piece)

    return word


def _told_of_pi(value: object) -> str:
    return "pi from {} to {}".format(*value) if isinstance(value, tuple) else f"pi = {value}"


def of_one_kind(words: Words) -> Words:
    """The same where there are several kinds of positives."""

    def word(piece: Piece) -> str:
        told = PLACES_OF_ONE_KIND.get(piece.what) if isinstance(piece, See) else None
        return words(piece) if told is None else told

    return word


def plain_sentence(
    pi: Interval, n_unlabelled: float, n_rows: int, verdict: str, together: str = "", chance: Interval | None = None
) -> str:
    """What came out, for everyone; with weights, which are not rows, in shares alone.

    `together` says of which samples or kinds this is the share, such as "all 3 samples"; `chance` is the interval for
    sampling error alone, where that of pi allows for more.
    """
    weighted = abs(n_unlabelled - n_rows) > ROUNDING
    said = _taken_in_shares(pi, n_unlabelled, n_rows, verdict) if weighted else _taken(pi, n_unlabelled, verdict)
    if verdict not in WITHOUT_LIMITS:
        said += _limits(pi, chance, None if weighted else n_unlabelled)
    said += CAUTIONS_AFTER_SHARE[verdict]
    if together:
        said = f"{said} This is the share of {together} together; each has one of its own."
    return f"{MISFIT}{said}" if verdict == "does not fit" else said


def _taken(pi: Interval, n_unlabelled: float, verdict: str) -> str:
    positive = f"{pi.estimate * n_unlabelled:,.0f}"
    if verdict == "fixed":
        return (
            f"Of the {n_unlabelled:,.0f} rows without a label, {pi.estimate:.1%} were taken to be positive, about "
            f"{positive}: the share was given, not estimated."
        )
    return (
        f"Of the {n_unlabelled:,.0f} rows without a label, about {positive} are estimated to be positive "
        f"({pi.estimate:.1%})."
    )


def _taken_in_shares(pi: Interval, n_unlabelled: float, n_rows: int, verdict: str) -> str:
    found = "were taken" if verdict == "fixed" else "are estimated"
    return (
        f"Of the {n_rows:,} rows without a label, which count for {n_unlabelled:,.0f}, {pi.estimate:.1%} {found} to be "
        "positive."
    )


def _limits(pi: Interval, chance: Interval | None, n_unlabelled: float | None) -> str:
    """The interval, in rows if these can be counted, and what it would be without an allowance for model error."""
    alone = "" if chance is None else f"; chance alone gives {_between(chance, n_unlabelled)}"
    return f" The {100.0 * pi.level:g}% interval is {_between(pi, n_unlabelled)}{alone}."


def _between(interval: Interval, n_unlabelled: float | None) -> str:
    shares = f"{interval.lower:.1%} to {interval.upper:.1%}"
    if n_unlabelled is None:
        return shares
    return f"{interval.lower * n_unlabelled:,.0f} to {interval.upper * n_unlabelled:,.0f} ({shares})"


def chance_alone(pi: Interval, diagnosis: Diagnosis) -> Interval | None:
    """The interval for sampling error alone, where that of pi allows for more, at its level."""
    wider = diagnosis.allows_for_errors and pi.method in (ALLOWING, "marginal")
    return diagnosis.sampling if wider and diagnosis.sampling.level == pi.level else None


def statistical_sentence(model: FittedModel, pi: Interval, diagnosis: Diagnosis) -> str:
    """What came out, for statisticians."""
    profile = diagnosis.profile_interval
    if profile is None:
        return f"pi was fixed at {model.pi_:.4g}; {_fit(model)}."
    beside = "".join(f"; {_beside(other, pi)}" for other in (diagnosis.wald, profile) if other.method != pi.method)
    given = model._design.labelling_columns
    at_random = f"Given {', '.join(given)}, labelled" if given else "Labelled"
    return (
        f"pi = {pi}, {METHODS.get(pi.method, pi.method)}{beside}; {_fit(model)}. {at_random} rows are taken as a "
        "random sample of the positives, and effects as additive on the log odds."
    )


def _beside(other: Interval, pi: Interval) -> str:
    """Another interval than the one shown."""
    at_level = "" if other.level == pi.level else f" at {100.0 * other.level:g}%"
    without = ", without that allowance" if pi.method in (ALLOWING, "marginal") else ""
    return f"{METHODS[other.method]}{at_level} {other.lower:.3f} to {other.upper:.3f}{without}"


def _fit(model: FittedModel) -> str:
    return (
        f"{FITTED}, n0 = {model.n0_:g} labelled and n1 = {model.n1_:g} "
        f"unlabelled rows, {model.edf_:.1f} effective degrees of freedom"
    )


def share_in_words(verdict: str) -> str:
    """What a verdict says of the share of one sample."""
    return OF_ONE_SAMPLE.get(verdict, verdict)


def share_in_short(verdict: str) -> str:
    """The same in two words."""
    return IN_SHORT.get(verdict, verdict)


def equality_sentence(test: EqualShares) -> str:
    """Whether the samples differ in their shares."""
    said = "The shares differ" if test.pvalue < ALPHA else "The data do not tell the shares apart"
    tested = f"chi-square {number(test.statistic)} on {counted(test.df, 'degree')} of freedom"
    return f"{said}: in a test that all of them are equal, {tested}, {p_equals(test.pvalue)}."


def pooling_sentence(pooled: PooledShares) -> str:
    """Towards what the shares of samples were pulled, and what that means."""
    low, high = (float(expit(pooled.mean + times * pooled.spread)) for times in (-1.0, 1.0))
    return (
        f"Shares are pooled: those of samples with few rows are pulled towards the mean. Their log odds have mean "
        f"{pooled.mean:.2f} and standard deviation {pooled.spread:.2f}: two thirds of such samples have shares from "
        f"{low:.1%} to {high:.1%}."
    )


def negatives_sentence(negatives: float) -> str:
    """What was known of negatives, beside the samples."""
    known = "1 row is" if negatives == 1.0 else f"{negatives:,.6g} rows are"
    return f"In addition, {known} known to be negative; no share counts them."


def audit_sentence(audits: Sequence[AuditedShare]) -> str:
    """Whether audited rows agree with the model; several samples are several chances to differ."""
    against = contradicting(audits, ALPHA)
    if not against:
        return f"The audit agrees with the model ({p_equals(audits[-1].pvalue)})."
    where = ", ".join(f"{audit.sample}: {p_equals(audit.pvalue)}" for audit in against)
    return (
        f"The audit contradicts the model ({where}): for audited rows its probabilities are wrong on average, too "
        "sure, not sure enough, or wrong for some combinations of two columns. "
        "Report the share without the model, and ask what is wrong with it, or with how rows were audited or labelled."
    )


def describe_model(model: FittedModel) -> Iterator[tuple[str, str]]:
    """What was fitted, as pairs of a name and a value."""
    found = model._fit.samples
    samples = "" if found is None or len(found.names) == 1 else f" in {len(found.names)} samples"
    negatives = f", {found.negatives:,.6g} known to be negative" if found is not None and found.negatives else ""
    yield "Rows", f"{model.n0_:,.6g} labelled positive, {model.n1_:,.6g} unlabelled{samples}{negatives}"
    yield "Model", "; ".join(equations(model.terms_))
    yield "Fit", model._inference.describe(prior=prior_of(model))
    pi_range = model._settings.pi_range
    low, high = pi_range.limits
    if pi_range.fixed:
        yield "pi", f"fixed at {model.pi_:.4g}"
    elif (low, high) != (0.0, 1.0):
        yield "pi", f"estimated within {low:g} and {high:g}"


def describe_kinds(model: Any) -> Iterator[tuple[str, str]]:
    """What was fitted where there are several kinds of positives, as pairs of a name and a value."""
    models = model._kinds.models
    written = ["; ".join(equations(one.terms_)) for one in models]
    each = [f"{name}: {said}" for name, said in zip(model.kinds_, written, strict=True)]
    yield "Rows", f"{model.n0_:,.6g} labelled positive, of {len(models)} kinds, {model.n1_:,.6g} unlabelled"
    yield "Model", f"for each kind {written[0]}" if len(set(written)) == 1 else "\n".join(each)
    yield "Fit", f"{how_fitted(model)}; {models[0]._inference.describe(prior=prior_of(model))}"
    yield "pi", "estimated: the sum of the shares of the kinds"


def kinds_sentence(model: Any, pi: Interval) -> str:
    """What came out where there are several kinds of positives, for statisticians."""
    return (
        f"pi = {pi}, the sum of the shares of {len(model.kinds_)} kinds of positives, with limits put together from "
        f"those of the kinds. Each kind has a density ratio of its own to the negatives: {FITTED}, n0 = {model.n0_:g} "
        f"labelled and n1 = {model.n1_:g} unlabelled rows. Labelled rows of a kind are taken as a random sample of "
        "that kind, and effects as additive on the log odds of being of it rather than negative."
    )


def citation() -> str:
    """How to cite the method and the software."""
    return f"{PAPER}. Fitted with pugam {__version__}."
