"""A report on a fitted model: one HTML page that explains itself and needs nothing else."""

from pugam.presentation.report.collecting import collect
from pugam.presentation.report.content import Content
from pugam.presentation.report.kinds import collect_kinds
from pugam.presentation.report.page import render

__all__ = ["Content", "collect", "collect_kinds", "render"]
