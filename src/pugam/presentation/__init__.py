"""Pictures and pages made from a fitted model."""

from pugam.presentation.diagnosis_plots import plot_diagnosis
from pugam.presentation.effect_plots import plot_effects
from pugam.presentation.summary import Summary, summarize

__all__ = ["Summary", "plot_diagnosis", "plot_effects", "summarize"]
