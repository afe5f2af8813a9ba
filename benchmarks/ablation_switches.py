"""The heuristics of a fit, each with what takes it away: the only place that knows where they live in the solvers."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from unittest import mock

import numpy as np

from pugam.solvers import STAGES, Tuning, tuning
from pugam.solvers.held_out import HeldOutRows
from pugam.solvers.smoothing import edf_by_term

NEVER = 10**12  # more rows, columns or functions than any case has


def stay(*arguments: Any) -> Any:
    """Return parameters and smoothing parameters, the only arrays among the arguments, as they came."""
    return tuple(argument for argument in arguments if isinstance(argument, np.ndarray))


def nothing(*arguments: Any) -> None:
    return None


def no(*arguments: Any) -> bool:
    return False


def yes(*arguments: Any) -> bool:
    return True


def smoothed_once(design: Any, here: Any, kappas: Any, pi_range: Any, edf_tol: float) -> Any:
    """Keep smoothing parameters as they are after one update, with the degrees of freedom seen from there."""
    return kappas, edf_by_term(design, here, here.covariance(pi_range))


def all_rows(design: Any) -> int:
    return NEVER


def each_row_its_own(engine: Any, number: int) -> Any:
    return np.random.default_rng(number).permutation(engine.n_rows)


@contextmanager
def tuned(**changes: Any) -> Iterator[None]:
    """Fit with other numbers of `Tuning` in here."""
    other = replace(tuning.TUNING, **changes)
    with ExitStack() as stack:
        for module in [module for name, module in sys.modules.items() if name.startswith("pugam")]:
            if isinstance(getattr(module, "TUNING", None), Tuning):
                stack.enter_context(mock.patch.object(module, "TUNING", other))
        yield


class WithoutSteepness(HeldOutRows):
    """Share and intercept from held-out rows, the steepness as the shrunken curves have it."""

    def adjust(self, *arguments: Any, **options: Any) -> Any:
        as_fitted = math.log(self._place[1])
        with tuned(log_steepness=(as_fitted, as_fitted)):
            return super().adjust(*arguments, **options)

    def _hessian(self, point: Any, observed: bool) -> Any:
        hessian = super()._hessian(point, observed)
        hessian[2, 2] += 1e9  # known, not estimated
        return hessian


@dataclass(frozen=True)
class Heuristic:
    """One heuristic.

    Attributes
    ----------
    name : str
    path : str
        Where it can change anything: in every fit ("any"), where a "smoothed" or a "shrunken" fit is made, where both
        are ("both"), where only a shrunken one is, for want of rows ("short"), where columns may get logarithms
        ("logged"), where columns are many ("wide"), or where rows are ("long").
    patches : dict
        Names in the package, and what takes their places.
    numbers : dict
        Other values of `Tuning`.
    meant_for : tuple of str
        Groups of cases in which it is meant to save time.
    """

    name: str
    path: str
    patches: dict[str, Any]
    meant_for: tuple[str, ...] = ()
    numbers: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def taken_away(self) -> Iterator[None]:
        """Fit without it in here."""
        with ExitStack() as stack:
            for name, stand_in in self.patches.items():
                stack.enter_context(mock.patch(f"pugam.{name}", stand_in))
            stack.enter_context(tuned(**self.numbers))
            yield


BENDS = {"solvers.strategy.look_for_bends": stay}
WAVES = {"solvers.strategy.look_for_waves": stay}
HIGHER = {"solvers.strategy.look_for_higher": stay}
TABLES, PAPER, COLUMNS, ROWS = "tables", "paper", "many columns", "many rows"
EVERYWHERE = (TABLES, PAPER, COLUMNS, ROWS)

HEURISTICS = (
    Heuristic("second look for bends", "smoothed", BENDS),
    Heuristic("second look for higher maxima", "smoothed", HIGHER),
    Heuristic("second look for waves", "smoothed", WAVES),
    Heuristic("all three second looks", "smoothed", BENDS | WAVES | HIGHER),
    Heuristic("starts that differ in steepness", "any", {}, numbers={"start_steepness": (3.0,)}),
    Heuristic(
        "rehearsal on a sample of many rows",
        "long",
        {"solvers.strategy.STAGES": tuple(stage for stage in STAGES if stage.name != "rehearse")},
        (ROWS,),
    ),
    Heuristic("several updates of smoothing a pass", "long", {"solvers.reml._settled": smoothed_once}, (ROWS,)),
    Heuristic("joining climbs", "any", {}, EVERYWHERE, {"one_hill": 0.0}),
    Heuristic(
        "fit with a coarse basis first, if columns are many",
        "wide",
        {},
        (COLUMNS,),
        {"many_columns": NEVER},
    ),
    Heuristic("coarse basis in pilots", "smoothed", {}, EVERYWHERE, {"pilot_functions": NEVER}),
    Heuristic(
        "coarse basis in second looks",
        "smoothed",
        {},
        EVERYWHERE,
        {"most_functions": NEVER, "coarse_columns": NEVER},
    ),
    Heuristic(
        "sample of rows in pilots and second looks",
        "smoothed",
        {"solvers.strategy.enough_rows": all_rows, "solvers.lookout.enough_rows": all_rows},
        EVERYWHERE,
    ),
    Heuristic("Aitken's stretch", "smoothed", {}, EVERYWHERE, {"longest_stretch": 1.0}),
    Heuristic("logarithms", "logged", {"terms.design.Design.with_logarithms": nothing}),
    Heuristic("shrinking at once, for want of rows", "short", {"solvers.strategy.has_enough_rows": yes}, (TABLES,)),
    Heuristic("shrinking where pi is in doubt", "both", {"solvers.strategy.is_doubtful": no}),
    Heuristic("held-out steepness", "shrunken", {"solvers.shrinkage.HeldOutRows": WithoutSteepness}),
    Heuristic(
        "prior on separation", "shrunken", {"solvers.shrinkage.HeldOutRows": partial(HeldOutRows, separation=False)}
    ),
    Heuristic("tighter ridge on what bends more", "shrunken", {}, numbers={"ridge_growth": 1.0}),
    Heuristic("rows that are alike in one fold", "shrunken", {"solvers.shrinkage.kinds_of_rows": each_row_its_own}),
)
