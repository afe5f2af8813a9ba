"""How well the answer of a method agrees with the true labels."""

from __future__ import annotations

import numpy as np

from pugam.studies.answers import Answer
from pugam.studies.records import Record

__all__ = ["judge"]

LOWEST = 1e-6  # posteriors are taken for no surer than this: one that is sure and wrong would decide all


def judge(answer: Answer, y: np.ndarray) -> Record:
    """Hold an answer against the true labels of the unlabelled rows."""
    share = float(y.mean())
    record: Record = {"share": share, "warned": bool(answer.warned), "flagged": bool(answer.flagged)}
    if answer.pi is not None:
        record |= {"pi": _finite("pi", answer.pi), "deviation": float(answer.pi) - share}
    if answer.interval is not None:
        record["interval"] = [float(limit) for limit in answer.interval]
    if answer.posterior is not None:
        record |= _judge_posterior(np.asarray(answer.posterior, dtype=float), y)
    return record


def _judge_posterior(posterior: np.ndarray, y: np.ndarray) -> Record:
    from sklearn.metrics import roc_auc_score

    if posterior.shape != y.shape:
        raise ValueError(f"There are {len(y)} unlabelled rows, but the posterior has shape {posterior.shape}.")
    of_truth = np.clip(np.where(y == 1, posterior, 1.0 - posterior), LOWEST, 1.0 - LOWEST)
    return {
        "Err": float(np.mean((posterior > 0.5) != (y == 1))),
        "auc": float(roc_auc_score(y, posterior)),
        "log_score": _finite("the log score", float(-np.mean(np.log(of_truth)))),
    }


def _finite(name: str, value: float) -> float:
    if not np.isfinite(value):
        raise ValueError(f"{name} is {value}.")
    return float(value)
