"""`pugam study`: the paper's tables and figures, and a study of any real tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from pugam.command_line.options import say
from pugam.command_line.stopping import StoppedError
from pugam.errors import InputError
from pugam.extras import MATPLOTLIB, load_extra

if TYPE_CHECKING:
    from pugam.estimator import EngineName

__all__ = ["study"]


def study(
    name: Annotated[str, typer.Argument(help="Which study to run.")],
    out: Annotated[Path, typer.Option(help="Folder for tables, figures and the records to resume from.")] = Path(
        "results"
    ),
    replicates: Annotated[
        int | None, typer.Option(help="Data sets, or maskings, per cell; 500 by default, in realdata 10.")
    ] = None,
    resamples: Annotated[int, typer.Option(help="How often every bootstrap draws rows and fits again.")] = 500,
    jobs: Annotated[int | None, typer.Option(help="How many processes to use; one per core by default.")] = None,
    engine: Annotated[
        str, typer.Option(help="Where the work is done: auto, memory, gpu, or dask (replicates on a cluster).")
    ] = "auto",
    seed: Annotated[
        int | None, typer.Option(help="Seed of random numbers: the same seed gives the same tables.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with wilt.csv and spambase.csv; else PUGAM_DATA, else OpenML. For realdata a folder of any "
            "CSV files of numbers whose last column is y, 1 or 0; else PUGAM_DATA."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Reproduce a table or figure of the paper, next to the printed figures.

    The studies are table1, table2, table3, table4, figure1, figure2, basis and curves; all runs every one of them.

    Another, which is not in the paper and not part of all, is realdata: it hides labels of real tables, yours or ours,
    and tells how well the share of positives is found.

    A run that was stopped, by Ctrl-C or otherwise, goes on where it was when the same command is given again.

    Examples:

    pugam study table1 --replicates 50 --out trial

    pugam study all --out results --data tables

    pugam study realdata --out results --data tables
    """
    load_extra(MATPLOTLIB, "Studies draw figures, for which they need")
    from pugam.studies import Plan, run_study
    from pugam.studies.plans import DEFAULT_SEED

    if data is not None and out.exists() and data.exists() and out.samefile(data):
        raise InputError(f"--out {out} is the folder to be read; give another one.")
    plan = Plan(
        out=out,
        replicates=replicates,
        resamples=resamples,
        jobs=jobs,
        engine=cast("EngineName", engine),  # checked by the plan
        seed=DEFAULT_SEED if seed is None else seed,
        data=data,
        progress=False if quiet else None,
    )
    try:
        written = run_study(name, plan)
    except KeyboardInterrupt:
        raise StoppedError(
            f"Stopped; what is done is kept in {out / 'records'}. The same command goes on from there."
        ) from None
    for path in written:
        say(str(path))
