"""All studies by name, and the way to run one."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pugam.errors import InputError
from pugam.messages import Argument
from pugam.studies.coverage import table2
from pugam.studies.masked import curves, load_tables, table4
from pugam.studies.plans import Plan
from pugam.studies.power import table3
from pugam.studies.provenance import write_runs
from pugam.studies.realdata import realdata, tables_of
from pugam.studies.simulated import basis, figure1, figure2, table1

__all__ = ["STUDIES", "run_study"]

STUDIES: dict[str, Callable[[Plan], Any]] = {
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "figure1": figure1,
    "figure2": figure2,
    "basis": basis,
    "curves": curves,
    "realdata": realdata,
}
UNWRITABLE = (
    *(errno.EEXIST, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
)
BESIDES = ("realdata",)  # is no part of the paper, and takes any tables: not among "all"


def run_study(name: str, plan: Plan) -> list[Path]:
    """Run one study, or all of the paper by the name "all", and return the files it wrote.

    Examples
    --------
    >>> import tempfile
    >>> from pugam.studies import Plan, run_study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sorted(path.name for path in run_study("figure2", Plan(folder, replicates=2, jobs=1)))
    ['figure2.png', 'figure2.svg', 'runs.md']
    """
    if name != "all" and name not in STUDIES:
        raise InputError(f"There is no study {name!r}; there are {', '.join(STUDIES)}, and all.")
    if name in ("all", "table4", "curves"):
        load_tables(plan)  # where there are no data, it is better said at once than hours later
    if name == "realdata":
        tables_of(plan)
    before = _files(plan.folder)
    try:
        for each in [each for each in STUDIES if each not in BESIDES] if name == "all" else [name]:
            STUDIES[each](plan)
        write_runs(plan.folder)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        where = error.filename or plan.folder
        raise InputError(
            f"{where} cannot be written ({error.strerror}); choose another ", Argument("out"), "."
        ) from None
    after = _files(plan.folder)
    return [path for path, written in after.items() if before.get(path) != written]


def _files(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in sorted(folder.glob("*.*")) if path.is_file()}
