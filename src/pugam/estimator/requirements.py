"""What several samples and surveys ask of a fit, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from pugam.data import SampledRows, SampleRoles, SurveyRows, Table, find_copies, find_giveaways, names_without_rows
from pugam.engines import Engine
from pugam.errors import InputError, SlowWarning, warn_user
from pugam.inference import FEWEST_POOLED, pool_shares
from pugam.messages import Argument, LeavingOut, Message, NamingPositive, Piece, first_of
from pugam.solvers import Fitted, Settings, Survey, are_copies, has_enough_rows
from pugam.terms import Design, Term, columns_read, grouping

__all__ = [
    "require_enough_rows",
    "require_labelling",
    "require_marginal",
    "require_no_names",
    "require_rows_for_labelling",
    "require_same_survey",
    "require_shares",
    "require_words_of_kinds",
    "warn_of_columns",
    "warn_of_samples",
    "warn_of_size",
    "warn_of_survey",
    "warn_of_weights",
    "with_pooled_shares",
]

FEWEST_AUDITED = 10  # of which rows of both classes can be expected
MOST_COLUMNS = 300  # of a term: time grows with their square, or faster
MOST_NAMES = 5  # shown in a message
USUAL_WEIGHTS = 0.5, 1.5  # between which their mean lies where rows count for about one each
LEAST_EQUAL = 0.8  # rows of equal weight that tell as much: with fewer, intervals are narrower by a tenth or more
OUTWEIGHING, NOTICEABLE = 100.0, 0.1  # times the second largest weight, and of all weight of a label
SMALLEST_WEIGHT = float(np.finfo(np.float64).tiny)
MUCH_NARROWER = 1.1  # times, from which it is told
MOSTLY_LABELLED = 0.9  # share of the rows, from which labels may be swapped
AT_DEFAULTS = "pi", "smoothing", "shrinkage", "estimate"  # what marginal likelihood asks for


def require_marginal(settings: Settings, samples: SampledRows | None) -> None:
    """Refuse several samples where pi is not estimated by marginal likelihood."""
    if samples is not None and settings.estimate != "marginal":
        raise InputError(
            "Several samples, audits and known negatives are for pi by marginal likelihood",
            *_at_defaults(settings),
        )


def _at_defaults(settings: Settings) -> tuple[Piece | str, ...]:
    """What to leave as it is, so that pi is estimated by marginal likelihood; the command line has no `debias`."""
    *others, last = AT_DEFAULTS if settings.debias else (*AT_DEFAULTS, "debias")
    first, *more = map(Argument, others)
    named = (first, *(part for one in more for part in (", ", one)), " and ", Argument(last))
    return ": leave ", *named, " at their defaults; curves have no shape, and the solver is newton."


def require_labelling(
    design: Design, settings: Settings, samples: SampledRows | None, survey: SurveyRows | None
) -> None:
    """Refuse terms that say who is labelled where they cannot be fitted."""
    if design.layout.n_preference == 0:
        return
    if settings.estimate != "marginal":
        raise InputError(
            Argument("labelling"),
            " is for pi by marginal likelihood",
            *_at_defaults(settings),
        )
    if survey is not None:
        raise InputError(
            Argument("labelling"),
            " treats rows as independent, so ",
            Argument("groups"),
            " and ",
            Argument("strata"),
            " cannot be used with it; leave them out, and take a bootstrap, which draws whole clusters.",
        )


def require_rows_for_labelling(engine: Engine) -> None:
    """Refuse terms that say who is labelled where curves would have to be shrunken."""
    if engine.design.layout.n_preference and not has_enough_rows(engine.design, engine):
        raise InputError(
            f"There are too few rows of one label ({min(engine.n0, engine.n1):g}) for these terms, and curves "
            "cannot be shrunk where labels depend on columns; use fewer terms, or more rows."
        )


def require_enough_rows(engine: Engine, samples: SampledRows | None) -> None:
    """Refuse several samples where curves would have to be shrunken: their shares would be too sure of themselves."""
    if samples is not None and not has_enough_rows(engine.design, engine):
        raise InputError(
            f"There are too few rows of one label ({min(engine.n0, engine.n1):g}) for these terms, and curves "
            "cannot be shrunk where there are several samples, or audits; use fewer terms, or more rows."
        )


def require_words_of_kinds(kind: Any, rare_kinds: Any, shares: Any) -> None:
    """Refuse unknown words for what becomes of rare kinds and of shares, and those without effect."""
    for name, word, words in (
        ("rare_kinds", rare_kinds, ("error", "pooled")),
        ("shares", shares, ("separate", "pooled")),
    ):
        if not isinstance(word, str) or word not in words:
            raise InputError(Argument(name), f" is {' or '.join(map(repr, words))}; got {word!r}.")
    if kind is None and rare_kinds == "pooled":
        raise InputError(
            Argument("rare_kinds", rare_kinds), " goes with ", Argument("kind"), ", which is not given; give it, too."
        )
    if kind is not None and shares == "pooled":
        raise InputError(
            Argument("shares", shares), " is for samples, and cannot be used with ", Argument("kind"), "; leave it out."
        )


def require_shares(how: str, samples: SampledRows | None) -> None:
    """Refuse to pool shares where there is little to pool."""
    n_samples = 1 if samples is None else len(samples.names)
    if how == "pooled" and n_samples < FEWEST_POOLED:
        needed = Argument("shares", "pooled"), f" needs at least {FEWEST_POOLED} unlabelled samples"
        if n_samples == 1:
            raise InputError(*needed, ", told apart by ", Argument("sample"), "; there is 1.")
        raise InputError(*needed, f"; there are {n_samples}.")  # told apart already, by names or by files


def require_no_names(design: Design, shown: Table, samples: SampledRows | None, numbers: NDArray[np.intp]) -> None:
    """Refuse features that name the samples: shares could not be told from their effects.

    Labels may depend on them, and their effects may be known.
    """
    if samples is None or len(samples.names) == 1:
        return
    codes = samples.codes[numbers]
    hidden = np.flatnonzero(codes > 0)
    own = ((codes[hidden] - 1) % len(samples.names)).tolist()
    specs = [basis.spec for number, basis in enumerate(design.bases) if number not in design.known_terms]
    for name in columns_read([spec for spec in specs if not spec.is_labelling]):
        column = shown.column(name)
        pairs = set(zip(own, column.values[hidden].tolist(), strict=True))
        if len(pairs) == len(samples.names) == len({value for _, value in pairs}) and not column.missing[hidden].any():
            told = f"Column {name!r} tells which sample an unlabelled row is from, so that shares cannot be told from "
            raise InputError(told, "its effect; leave it out", LeavingOut((name,)), ".")


def warn_of_columns(design: Design, labelling: Sequence[Term], shown: Table, positive: NDArray[np.bool_]) -> None:
    """Warn of columns that perhaps tell how the rows were put together, and of copies of others.

    Labels may depend on those given for that.
    """
    allowed = columns_read(labelling)
    for found in find_giveaways(shown, [name for name in design.columns_used if name not in allowed], positive):
        warn_user(found.message)
    _warn_of_copies(design, shown)
    _warn_of_swapped_labels(positive)


def _warn_of_swapped_labels(positive: NDArray[np.bool_]) -> None:
    """Ask whether labels are swapped, where nearly all rows have one."""
    if np.mean(positive) > MOSTLY_LABELLED:
        warn_user(
            f"{100 * np.mean(positive):.0f}% of the rows are labelled positives, and few are unlabelled. Are "
            "labels swapped? Code a labelled positive as 1 and an unlabelled row as 0",
            NamingPositive(()),
            ".",
        )


def _warn_of_copies(design: Design, shown: Table) -> None:
    """Warn of columns that say the same: each alone then looks as if it did not matter."""
    groups = find_copies(shown, design.columns_used)
    if not groups:
        return
    named = " and ".join(map(repr, groups[0][:2]))
    n_more = sum(len(columns) - 1 for columns in groups) - 1
    more = f" ({n_more} more column{'s repeat others' if n_more > 1 else ' repeats another'})" if n_more else ""
    told = f"Columns {named} carry the same information, so their effects cannot be told apart{more}"
    warn_user(Message(told, ": leave one out", LeavingOut(groups[0][1:2]), "."))


def warn_of_size(design: Design) -> None:
    """Warn of terms with so many columns, such as factors of a thousand levels, that the fit takes very long."""
    largest = max(design.bases, key=lambda basis: basis.size)
    if largest.size <= MOST_COLUMNS:
        return
    levels = [axis.column for axis in largest.axes if not axis.is_numeric]
    remedy = f"Group rare levels first ({grouping(levels[0])})" if levels else "Use fewer functions"
    warn_user(
        f"{largest.spec.label} has {largest.size:,} columns: the fit may take an hour or more. {remedy}: up to "
        f"{MOST_COLUMNS} columns take seconds.",
        category=SlowWarning,
    )


def warn_of_samples(
    roles: SampleRoles, samples: SampledRows | None, positive: NDArray[np.bool_], kept: NDArray[np.bool_] | None
) -> None:
    """Warn of samples that have no share, and of audits that found one class alone."""
    empty = names_without_rows(roles, samples, positive, kept)
    if empty:
        shown = first_of(empty, MOST_NAMES, repr)
        what = "Samples " if len(empty) > 1 else "Sample "
        have, share = ("have", "shares") if len(empty) > 1 else ("has", "share")
        warn_user(f"{what}{shown} {have} no unlabelled row of positive weight, and so no {share}.")
    if samples is None:
        return
    n_positive, n_negative = samples.count_audited()
    n_audited = n_positive + n_negative
    if min(n_positive, n_negative) > 0 or n_audited < FEWEST_AUDITED:
        return
    found = "positive" if n_positive else "negative"
    elsewhere = () if n_positive else (", or give them as ", Argument("negative"), " if they are from elsewhere")
    warn_user(
        f"All {n_audited} audited rows are {found}. If that is why they were given, they are not an audit, and make pi "
        "wrong: leave them out",
        *elsewhere,
        ". If they were drawn at random, audit more: an interval without the model needs rows of both classes.",
    )


def with_pooled_shares(fitted: Fitted) -> Fitted:
    """Pool the shares of several samples."""
    found = fitted.fit.samples
    assert found is not None
    pooled = pool_shares(found, fitted.settings.pi_range, fitted.settings.prior)
    return replace(fitted, fit=replace(fitted.fit, samples=replace(found, pooled=pooled)))


def require_same_survey(known: Survey | None, found: SurveyRows | None) -> None:
    """Refuse rows that were drawn otherwise than those of the fit; one that knows of no survey can learn of it."""
    if known is None:
        return
    if found is None or (known.n_clusters, known.n_strata) != (found.n_clusters, found.n_strata):
        raise InputError(
            "These are not the clusters and strata the model was fitted to: give the same ",
            Argument("groups"),
            " and ",
            Argument("strata"),
            " as in the fit.",
        )


def warn_of_survey(
    survey: SurveyRows | None,
    known: Survey | None,
    weights: NDArray[np.float64] | None,
    positive: NDArray[np.bool_],
) -> None:
    """Warn where rows were drawn by a survey of which standard errors know nothing, or have weights as if they were."""
    if survey is None and weights is not None:
        warn_of_weights(weights, positive)
    if survey is not None and known is None:
        warn_user(
            "Curves were shrunk, and pi was estimated from held-out rows: standard errors and intervals treat rows as "
            "independent, whatever ",
            Argument("groups"),
            " and ",
            Argument("strata"),
            " say. Use a bootstrap, which draws whole clusters.",
        )
    if known is not None:
        _warn_of_few_clusters(known)


def _warn_of_few_clusters(survey: Survey) -> None:
    """Warn where limits, which are normal ones, are much narrower than those of Student's t would be."""
    freedom = survey.n_clusters - survey.n_strata
    times = float(stdtrit(freedom, 0.975) / stdtrit(np.inf, 0.975))
    if times < MUCH_NARROWER:
        return
    strata = "" if survey.n_strata == 1 else f" in {survey.n_strata:,} strata"
    warn_user(
        f"{survey.n_clusters:,} clusters{strata} say little about how clusters differ: standard errors rest on "
        f"{freedom} degree{'s' if freedom > 1 else ''} of freedom, for which 95% limits by Student's t would be "
        f"{times:.1f} times as wide as those given. Take smaller clusters, if rows were drawn in them, or do not rely "
        "on the intervals."
    )


def warn_of_weights(weights: NDArray[np.float64], positive: NDArray[np.bool_]) -> None:
    """Warn of weights that count as numbers of rows, and hardly can be; whole numbers are taken to be just that."""
    low, high = USUAL_WEIGHTS
    by_label = {"labelled": weights[positive], "unlabelled": weights[~positive]}
    for label, some in by_label.items():
        _warn_of_one_row(label, some)
    if are_copies(weights):
        return
    drawn = "say how rows were drawn, by ", Argument("groups"), " or ", Argument("strata")
    if not low <= weights.mean() <= high:
        total = _in_full(float(weights.sum()))
        warn_user(
            f"Weights add up to {total} for {len(weights):,} rows: they count as repeated rows, in intervals and "
            "tests. If they are sampling weights, divide them by their mean, or ",
            *drawn,
            ".",
        )
        return
    label, equal = min(((label, _equal_rows(some)) for label, some in by_label.items()), key=lambda found: found[1])
    if equal < LEAST_EQUAL:
        n_rows = np.count_nonzero(by_label[label])
        warn_user(
            f"Weights vary: {n_rows:,} {label} rows tell about as much as {equal * n_rows:.0f} rows of equal weight "
            "do, but each counts as so many rows as its weight says. If these are sampling weights, intervals are too "
            "narrow: ",
            *drawn,
            " (the same for all rows, if there are no strata).",
        )


def _equal_rows(weights: NDArray[np.float64]) -> float:
    """As many rows of equal weight tell as much (Kish), as a share of the rows that count."""
    shares = weights / max(float(weights.sum()), SMALLEST_WEIGHT)
    return 1.0 / max(float(np.count_nonzero(weights) * np.sum(shares**2)), 1.0)


def _warn_of_one_row(label: str, weights: NDArray[np.float64]) -> None:
    """Warn of a row that outweighs all others by far: its weight may be a slip."""
    if len(weights) < 2:
        return
    second, largest = np.partition(weights, -2)[-2:]
    if largest > OUTWEIGHING * second and largest > NOTICEABLE * weights.sum():
        one, next_largest = (_in_full(float(weight)) for weight in (largest, second))
        warn_user(
            f"One {label} row has a weight of {one}, and the next largest weight is {next_largest}: that row counts as "
            f"{100.0 * largest / weights.sum():.0f}% of the {label} rows. Is its weight right?"
        )


def _in_full(number: float) -> str:
    return f"{number:,.0f}" if 100.0 <= number < 1e12 else f"{number:.3g}"
