"""Data to try the model on."""

from pugam.datasets.simulation import Simulation, simulate

__all__ = ["Simulation", "simulate"]
