"""Which picture a report makes of what it shows of a term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pugam.presentation.report.content import Curves, Effect, Map, Shown
from pugam.presentation.report.curves_charts import draw_curves
from pugam.presentation.report.drawing import Card
from pugam.presentation.report.effect_charts import draw_effect
from pugam.presentation.report.map_charts import draw_map

__all__ = ["draw_card"]

DRAWERS: dict[type, Callable[[Any], Card]] = {Effect: draw_effect, Curves: draw_curves, Map: draw_map}


def draw_card(shown: Shown) -> Card:
    """Draw what is shown of a term."""
    return DRAWERS[type(shown)](shown)
