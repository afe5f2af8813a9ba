"""The paper's numerical section: its tables and figures, made by this package, next to the printed ones.

Each study takes a `Plan`, writes its tables and figures into a folder, and resumes where an earlier run stopped.
"""

from pugam.studies.catalogue import STUDIES, run_study
from pugam.studies.coverage import table2
from pugam.studies.masked import curves, table4
from pugam.studies.plans import Plan
from pugam.studies.power import table3
from pugam.studies.simulated import basis, figure1, figure2, table1
from pugam.studies.tables import Table

__all__ = [
    "STUDIES",
    "Plan",
    "Table",
    "basis",
    "curves",
    "figure1",
    "figure2",
    "run_study",
    "table1",
    "table2",
    "table3",
    "table4",
]
