"""Data to try the model on."""

from pugam.datasets.real import LabelledTable, load_spambase, load_wilt
from pugam.datasets.simulation import Simulation, simulate

__all__ = ["LabelledTable", "Simulation", "load_spambase", "load_wilt", "simulate"]
