"""How rows were drawn by a survey, in a saved model."""

from __future__ import annotations

from typing import Any

from pugam.nodes import Node
from pugam.solvers import Survey
from pugam.storage.matrices import read_symmetric, require_weighted_squares, write_symmetric

__all__ = ["read_survey", "write_survey"]

KEYS = ("rows", "clusters", "strata", "score_variance")


def write_survey(survey: Survey) -> dict[str, Any]:
    """Write how much the score varies over surveys."""
    values = [survey.n_rows, survey.n_clusters, survey.n_strata, write_symmetric(survey.score_variance)]
    return dict(zip(KEYS, values, strict=True))


def read_survey(node: Node | None, size: int) -> Survey | None:
    """Read how much the score of so many parameters varies; None where rows were drawn singly."""
    if node is None:
        return None
    parts = node.fields(*KEYS)
    score_variance = read_symmetric(parts["score_variance"], size)
    require_weighted_squares(parts["score_variance"], score_variance)
    n_strata = parts["strata"].whole(1)
    n_clusters = parts["clusters"].whole(n_strata + 1)
    return Survey(parts["rows"].whole(1), n_clusters, n_strata, score_variance)
