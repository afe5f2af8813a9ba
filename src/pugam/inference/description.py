"""A diagnosis in words, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pugam.inference.opinions import ROUGH, agree
from pugam.inference.verdict import fits, headline
from pugam.messages import Words, all_of, counted

if TYPE_CHECKING:
    from pugam.inference.diagnosis import Diagnosis
    from pugam.inference.intervals import Interval
    from pugam.solvers import Search

__all__ = ["assumed_of_samples", "describe"]


def assumed_of_samples(have_common_curves: bool) -> str:
    """Say what shares of samples rest on."""
    negatives = "negatives" if have_common_curves else "negatives along common terms"
    return f"assumes that positives, and {negatives}, look the same in all samples"


def describe(found: Diagnosis, interval: Interval, words: Words) -> Iterator[str]:
    """Tell what was found with this interval for pi, in the words of one kind of reader."""
    profile, calibration, sensitivity = found.profile_interval, found.calibration, found.sensitivity
    yield f"{_headline(found)}: {interval}"
    if profile is not None:
        limits = f"{100 * profile.level:g}% interval {profile.lower:.3f} to {profile.upper:.3f}"
        above = "the one above allows for model error"
        yield f"  profile      {limits}{f' if the model holds; {above}' if found.allows_for_errors else ''}"
    yield f"  terms        {_describe_terms(found)}"
    if found.search is not None and found.search.n_pairs:
        yield f"  interactions {_describe_search(found.search)}"
    if found.starts:
        near = f"{found.starts_near} of {len(found.starts)}"
        yield f"  starts       {near} near the best, within {found.starts_spread:.3f} in pi"
    if profile is not None:
        yield f"  boundary     {'on it' if found.at_boundary else 'not reached'}"
        inflated = f"not knowing the curves inflates the variance of pi {found.inflation:.2g} times"
        yield f"  information  condition number {found.condition:.2g}; {inflated}"
    if found.ridge is not None:
        yield f"  shrinkage    curves shrunk (ridge {found.ridge:g})"
    elif profile is not None:
        free = f"with curves free to bend, the standard error of pi would be {found.reliance:.2f} times as large"
        yield f"  smoothness   {free}"
    apart = f"classes {found.distance:.1f} apart in mean log density ratio"
    yield f"  separation   {'(almost) perfect' if found.separated else 'none'}; {apart}"
    test = f"chi-square {calibration.statistic:.3g} on {calibration.df:g} df, p = {calibration.pvalue:.2g}"
    yield f"  calibration  {test}"
    yield from _describe_fit(found)
    called = f"{sensitivity.share_positive[0]:.3f} to {sensitivity.share_positive[-1]:.3f}"
    along = f"pi fixed at values from {sensitivity.pi[0]:.3f} to {sensitivity.pi[-1]:.3f}"
    yield f"  sensitivity  {along}: {called} of the unlabelled called positive"
    for message in found.messages:
        yield f"  ! {message.told(words)}"


def _describe_terms(found: Diagnosis) -> str:
    """How many vary, and whether they identify pi, where it is not fixed."""
    vary = f"{found.n_distinguishable} of {len(found.terms)} distinguishable from a constant"
    if found.profile_interval is None:
        return vary
    if found.beyond_one is not None and (found.ridge is not None or not found.terms_identify):
        alone = f"{' and '.join(found.beyond_one.columns)} alone"
        return f"{vary}; all together against {alone}, in held-out rows: p = {found.beyond_one.pvalue:.2g}"
    joined = found.n_groups < found.n_distinguishable and not found.pairs_added
    groups = f", {found.n_groups} without interactions between them" if joined else ""
    return f"{vary}{groups} (two are needed)"


def _headline(found: Diagnosis) -> str:
    """The verdict; of a model that does not fit, pi comes after that."""
    if found.verdict == "does not fit":
        return f"{headline(found.verdict)}. pi"
    return headline(found.verdict) + ("" if fits(found) else " by a model that does not fit")


def _describe_search(search: Search) -> str:
    """Tell which interactions were looked for and added."""
    looked = f"of {counted(search.n_pairs, 'pair')} of columns"
    if not search.added:
        return f"none added, {looked}"
    return f"{len(search.added)} added, {looked}; without them pi would be {search.pi:.3f}"


def _describe_fit(found: Diagnosis) -> Iterator[str]:
    """Tell of the tests of fit that were made."""
    pairs, omnibus, bound = found.pair_test, found.omnibus, found.best_bin
    if pairs is not None:
        count = counted(len(pairs.pairs), "pair")
        test = f"chi-square {pairs.statistic:.3g} on {pairs.df:g} df, p = {pairs.pvalue:.2g}"
        yield f"  additivity   {test} (products of {count} of columns)"
    if found.labelling is not None:
        chosen = found.labelling
        count = counted(len(chosen.columns), "column")
        test = f"chi-square {chosen.statistic:.3g} on {chosen.df:g} df, p = {chosen.pvalue:.2g}"
        yield f"  labelling    {test} (preferences by {count})"
    without = None if found.without_pairs is None else found.without_pairs.labelling
    if without is not None:
        yield f"               p = {without.pvalue:.2g} without the interactions that were added"
    if found.curves is not None:
        joint = found.curves.joint
        test = f"chi-square {joint.statistic:.3g} on {joint.df:g} df, p = {joint.pvalue:.2g}"
        yield f"  same curves  {test} (in {all_of(len(found.curves.samples), 'sample')})"
    if found.positives is not None:
        same = found.positives
        one, other = (f"{test.statistic:.3g} on {test.df:.3g} df" for test in (same.of_columns, same.of_ratio))
        test = f"chi-square {one}, along the density ratio {other}, p = {same.pvalue:.2g}"
        yield f"  positives    {test} (labelled rows of {len(same.samples)} samples look alike)"
    if found.curves is not None or found.positives is not None:
        yield f"  samples      {assumed_of_samples(found.curves is not None)}"
    if found.audits:
        last = found.audits[-1]
        limits = f"{last.estimate:.3f} (95% interval {last.lower:.3f} to {last.upper:.3f})"
        yield f"  audit        {limits} without the model, by {last.audited:g} rows, p = {last.pvalue:.2g}"
    if omnibus is not None:
        yield f"  boosting     z = {omnibus.statistic:.2f}, p = {omnibus.pvalue:.2g} (what trees find in the residuals)"
    if bound is not None:
        yield f"  upper bound  pi is at most {bound.upper:.3f} without any model"
    if found.opinions:
        said = ", ".join(f"{opinion.pi:.3f} by {opinion.method}" for opinion in found.opinions)
        yield f"  others       {said}, without the model: {_compared(found)}"


def _compared(found: Diagnosis) -> str:
    """Say whether others find what the model finds, and if not, how many of them."""
    off = [opinion for opinion in found.opinions if not agree((opinion,), found.wald)]
    if not off:
        return "they agree" if len(found.opinions) > 1 else "it agrees"
    both = "both lie" if len(off) > 1 else "one lies" if len(found.opinions) > 1 else "it lies"
    return f"{both} outside the interval by more than {ROUGH:g}"
