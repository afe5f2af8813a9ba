"""Pictures and pages made from a fitted model."""

from pugam.presentation.plots import plot_effects

__all__ = ["plot_effects"]
