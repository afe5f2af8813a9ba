"""A diagnosis in words, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pugam.inference.verdict import fits
from pugam.messages import Words

if TYPE_CHECKING:
    from pugam.inference.diagnosis import Diagnosis
    from pugam.inference.intervals import Interval

__all__ = ["describe"]


def describe(found: Diagnosis, interval: Interval, words: Words) -> Iterator[str]:
    """Tell what was found with this interval for pi, in the words of one kind of reader."""
    profile, calibration, sensitivity = found.profile_interval, found.calibration, found.sensitivity
    doubted = "" if fits(found) else " by a model that does not fit"
    yield f"pi is {found.verdict}{doubted}: {interval}"
    if profile is not None:
        yield f"  profile      {100 * profile.level:g}% interval {profile.lower:.3f} to {profile.upper:.3f}"
    vary = f"{found.n_distinguishable} of {len(found.terms)} distinguishable from a constant"
    joined = found.n_groups < found.n_distinguishable
    groups = f", {found.n_groups} without interactions between them" if joined else ""
    yield f"  terms        {vary}{'' if profile is None else f'{groups} (two are needed)'}"
    if found.starts:
        near = f"{found.starts_near} of {len(found.starts)}"
        yield f"  starts       {near} near the best, within {found.starts_spread:.3f} in pi"
    if profile is not None:
        yield f"  boundary     {'on it' if found.at_boundary else 'not reached'}"
        inflated = f"not knowing the curves inflates the variance of pi {found.inflation:.2g} times"
        yield f"  information  condition number {found.condition:.2g}; {inflated}"
    if found.ridge is not None:
        yield f"  shrinkage    curves shrunken by a ridge of {found.ridge:g}"
    elif profile is not None:
        free = f"with curves free to bend, the standard error of pi would grow {found.reliance:.2f} times"
        yield f"  smoothness   {free}"
    apart = f"classes {found.distance:.1f} apart in mean log density ratio"
    yield f"  separation   {'(almost) perfect' if found.separated else 'none'}; {apart}"
    test = f"chi-square {calibration.statistic:.3g} on {calibration.df:g} df, p = {calibration.pvalue:.2g}"
    yield f"  calibration  {test}"
    called = f"{sensitivity.share_positive[0]:.3f} to {sensitivity.share_positive[-1]:.3f}"
    along = f"pi fixed at values from {sensitivity.pi[0]:.3f} to {sensitivity.pi[-1]:.3f}"
    yield f"  sensitivity  {along}: {called} of the unlabelled called positive"
    for message in found.messages_beside(interval):
        yield f"  ! {message.told(words)}"
