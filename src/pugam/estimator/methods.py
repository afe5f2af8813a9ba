"""What a fitted model can be asked for: each kind of question has a module of its own.

The classes below are listed, or inherited by those that are: each needs answers of the one it derives from. Rows
(`attaching.py`) and verdicts (`judging.py`) derive from uncertainty, which derives from curves. Kinds of positives
derive from worklists, these from predictions, samples, labelling and verdicts, in that order.
"""

from __future__ import annotations

from pugam.estimator.again import AgainMethods
from pugam.estimator.attaching import RowMethods
from pugam.estimator.checking import CheckMethods
from pugam.estimator.comparing import ComparisonMethods
from pugam.estimator.drifting import DriftMethods
from pugam.estimator.explaining import ExplanationMethods
from pugam.estimator.exporting import ExportMethods
from pugam.estimator.importance import ImportanceMethods
from pugam.estimator.outputs import OutputMethods
from pugam.estimator.positives import KindMethods

__all__ = ["FittedMethods"]


class FittedMethods(
    RowMethods,
    KindMethods,
    ExplanationMethods,
    ImportanceMethods,
    CheckMethods,
    ComparisonMethods,
    AgainMethods,
    DriftMethods,
    OutputMethods,
    ExportMethods,
):
    """All methods of a fitted model; `PUGAM` itself has the parameters, and fits."""
