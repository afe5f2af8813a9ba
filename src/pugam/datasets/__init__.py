"""Data to try the model on."""

from pugam.datasets.real import LabelledTable, load_spambase, load_wilt
from pugam.datasets.simulation import Simulation, simulate
from pugam.datasets.tumours import MaskedTable, load_tumours

__all__ = ["LabelledTable", "MaskedTable", "Simulation", "load_spambase", "load_tumours", "load_wilt", "simulate"]
