"""What was found about a fit, in a saved model: a verdict, and what others say of pi where the model does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pugam.inference import Verdict
from pugam.nodes import Node

__all__ = ["read_judgement", "write_judgement"]

KEYS = ("verdict", "other_pi")


def write_judgement(verdict: str | None, others: Sequence[float]) -> dict[str, Any] | None:
    """Write a verdict; nothing where there is none."""
    return None if verdict is None else dict(zip(KEYS, (verdict, list(others)), strict=True))


def read_judgement(node: Node) -> tuple[str | None, tuple[float, ...]]:
    """Read a verdict, if there is one."""
    if node.value is None:
        return None, ()
    parts = node.fields(*KEYS)
    others = tuple(item.number(0.0, 1.0, "a share from 0 to 1") for item in parts["other_pi"].items())
    return parts["verdict"].choice(get_args(Verdict)), others
