"""What was found about a fit, in a saved model: a verdict, and what intervals for pi have to know of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from pugam.inference import Verdict
from pugam.nodes import Node
from pugam.solvers import Fit

__all__ = ["read_judgement", "write_judgement"]

KEYS = ("verdict", "other_pi")
LIMITS = "profile_limits"  # of the mode, where these are reported


def write_judgement(verdict: str | None, fit: Fit) -> dict[str, Any] | None:
    """Write a verdict; nothing where there is none."""
    if verdict is None:
        return None
    limits = {} if fit.profile_limits is None else {LIMITS: list(fit.profile_limits)}
    return dict(zip(KEYS, (verdict, list(fit.neighbours)), strict=True)) | limits


def read_judgement(node: Node, fit: Fit) -> tuple[str | None, Fit]:
    """Read a verdict, if there is one, and what its fit has to know of it."""
    if node.value is None:
        return None, fit
    parts = node.fields(*KEYS, optional=(LIMITS,))
    verdict = parts["verdict"].choice(get_args(Verdict))
    fit = replace(fit, neighbours=tuple(map(_share, parts["other_pi"].items())))
    if LIMITS not in parts:
        return verdict, fit
    lower, upper = map(_share, parts[LIMITS].items(2))
    if not lower <= fit.optimum.pi <= upper:
        raise parts[LIMITS].error("limits with the estimate of pi between them")
    return verdict, replace(fit, profile_limits=(lower, upper))


def _share(node: Node) -> float:
    return node.number(0.0, 1.0, "a share from 0 to 1")
