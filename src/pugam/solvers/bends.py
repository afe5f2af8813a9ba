"""Terms taken for straight although they bend: seen from the marginal likelihood of each, as if by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pugam.solvers.evidence import Evidence
from pugam.solvers.exploring import ObjectiveAt
from pugam.solvers.pi import PiRange
from pugam.solvers.reml import Choice, select_reml
from pugam.solvers.smoothing import edf_by_column, log_marginal
from pugam.solvers.standpoint import Standpoint
from pugam.solvers.tuning import TUNING
from pugam.terms import Design

__all__ = ["bent_smoothing", "is_better", "look_for_bends"]

Array = NDArray[np.float64]

POSSIBLE_KAPPAS = np.geomspace(*TUNING.kappa_limits, TUNING.possible_kappas)


def look_for_bends(design: Design, at: ObjectiveAt, beta: Array, kappas: Array, pi_range: PiRange) -> Choice:
    """Let terms bend that were taken for straight although the data speak for a bend; keep what REML prefers.

    Far from straight there may be a better choice of smoothing, with a worse one in between: the way that
    Fellner-Schall updates go, step by step, does not lead there. How well other values would do is seen from here.
    """
    for _ in range(TUNING.most_moves):
        (here,) = at(kappas).stand([beta])
        other = bent_smoothing(design, here, kappas, pi_range)
        if (other == kappas).all():
            break
        new = select_reml(design, at, beta, other, pi_range, TUNING.edf_tol)
        if not is_better(design, at, new, (beta, kappas), pi_range):
            break
        beta, kappas = new
    return beta, kappas


def bent_smoothing(design: Design, here: Standpoint, kappas: Array, pi_range: PiRange) -> Array:
    """Smoothing parameters under which straight terms bend, where their marginal likelihood is clearly higher there."""
    degrees = edf_by_column(design, here, here.covariance(pi_range))
    parameters = np.arange(design.layout.size)
    straight = {
        number: parameters[design.layout.coefficients][penalty.columns]
        for number, penalty in enumerate(design.penalties)
        if penalty.alone and degrees[penalty.columns].sum() < TUNING.straight_edf
    }
    free = parameters[design.layout.free(share_fixed=pi_range.fixed)]
    others = np.setdiff1d(free, np.concatenate([*straight.values(), []]))
    bent = kappas.copy()
    for number, block in straight.items():
        roughness = 2.0 * design.penalties[number].diagonal
        term = _evidence_on(here, block, others).canonical(np.arange(len(block)), roughness)
        chosen = float(term.log_marginal(kappas[[number]])[0])
        values = term.log_marginal(POSSIBLE_KAPPAS)
        if values.max() > chosen + TUNING.clearly_better:
            bent[number] = POSSIBLE_KAPPAS[int(np.argmax(values))]
    return bent


def _evidence_on(here: Standpoint, block: NDArray[np.intp], others: NDArray[np.intp]) -> Evidence:
    """Evidence on some coefficients when these others follow."""
    both = np.concatenate([others, block])
    return Evidence(
        here.beta[block],
        here.curvature[block],
        here.information[np.ix_(both, both)],
        here.curvature[both],
        here.gradient[both],
        here.active_constraints[:, both] if len(here.constraints) else here.constraints,
    )


def is_better(design: Design, at: ObjectiveAt, one: Choice, other: Choice, pi_range: PiRange) -> bool:
    """Compare two choices of smoothing, with the parameters they lead to, by the REML criterion."""
    values = []
    for beta, kappas in (one, other):
        (here,) = at(kappas).stand([beta])
        values.append(log_marginal(design, here, kappas, here.free(pi_range)))
    return values[0] > values[1] + TUNING.worth_moving
