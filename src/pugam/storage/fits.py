"""Where a fit ended and how it got there, in a saved model."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pugam.layout import Layout
from pugam.likelihood import expit
from pugam.nodes import Node
from pugam.solvers import Optimum, StartRecord
from pugam.storage.matrices import read_symmetric, require_weighted_squares, write_symmetric

__all__ = ["OPTIMUM_KEYS", "read_optimum", "read_starts", "write_optimum", "write_starts"]

Array = NDArray[np.float64]

OPTIMUM_KEYS = (
    "logit_pi",
    "intercept",
    "objective",
    "loglik",
    "n_iter",
    "converged",
    "history",
    "gradient",
    "curvature",
    "information",
)
MOST_STARTS = 100_000  # which take much more memory than text
START_KEYS = tuple(field.name for field in fields(StartRecord))


def write_optimum(optimum: Optimum) -> dict[str, Any]:
    """Write an optimum without its coefficients."""
    values = [
        optimum.logit_pi,
        optimum.intercept,
        float(optimum.value),
        float(optimum.loglik),
        int(optimum.n_iter),
        bool(optimum.converged),
        [float(value) for value in optimum.history],
        optimum.gradient.tolist(),
        optimum.curvature.tolist(),
        write_symmetric(optimum.information),
    ]
    return dict(zip(OPTIMUM_KEYS, values, strict=True))


def read_optimum(parts: dict[str, Node], theta: Array, layout: Layout, constraints: Array) -> Optimum:
    """Read an optimum that has these coefficients, in this order, and the rows of the constraints they keep to."""
    logit_pi = parts["logit_pi"].number()
    if not 0.0 < float(expit(np.array(logit_pi))) < 1.0:
        raise parts["logit_pi"].error("the logit of a share strictly between 0 and 1")
    information = read_symmetric(parts["information"], layout.size)
    require_weighted_squares(parts["information"], information)
    return Optimum(
        beta=layout.join(logit_pi, parts["intercept"].number(), theta),
        value=parts["objective"].number(),
        loglik=parts["loglik"].number(),
        gradient=parts["gradient"].numbers(layout.size),
        information=information,
        curvature=parts["curvature"].penalties(layout.size),
        layout=layout,
        observed=False,  # a fit keeps the expected information, and the observed one apart from it
        n_iter=parts["n_iter"].whole(0),
        converged=parts["converged"].flag(),
        history=tuple(parts["history"].numbers().tolist()),
        constraints=constraints,
    )


def write_starts(starts: tuple[StartRecord, ...]) -> dict[str, list[Any]]:
    """Write the starts as a table, column by column."""
    records = [asdict(start) for start in starts]
    return {key: [record[key] for record in records] for key in START_KEYS}


def read_starts(node: Node) -> tuple[StartRecord, ...]:
    """Read the table of starts."""
    parts = node.fields(*START_KEYS)
    parts["kappa"].items()  # says that it is no list
    size = len(parts["kappa"].value)
    if size > MOST_STARTS:
        raise parts["kappa"].error(f"a list of at most {MOST_STARTS} starts")
    columns = zip(*(parts[key].items(size) for key in START_KEYS), strict=True)
    return tuple(
        StartRecord(
            kappa.number(0.0, what="a number that is not negative"),
            pi_start.number(0.0, 1.0, "a share from 0 to 1"),
            pi.number(0.0, 1.0, "a share from 0 to 1"),
            objective.number(),
            n_iter.whole(0),
            converged.flag(),
        )
        for kappa, pi_start, pi, objective, n_iter, converged in columns
    )
