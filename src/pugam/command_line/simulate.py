"""`pugam simulate`: a file of the paper's simulated data, to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pugam.command_line.options import Quiet, require_table, say
from pugam.files import open_writer

__all__ = ["simulate"]


def simulate(
    out: Annotated[Path, typer.Option(help="Where to write the rows (.csv, .csv.gz, .tsv or .parquet).")],
    setting: Annotated[int, typer.Option(help="Effects: 1 for linear ones, 2 for curved ones, 3 for five kinds.")] = 2,
    n0: Annotated[int, typer.Option(help="How many labelled positives.")] = 1250,
    n: Annotated[int, typer.Option(help="How many rows in all, labelled and unlabelled.")] = 1500,
    pi: Annotated[float, typer.Option(help="Share of positives among the unlabelled.")] = 0.4,
    seed: Annotated[int, typer.Option(help="Seed of random numbers: the same seed gives the same rows.")] = 0,
    truth: Annotated[bool, typer.Option("--truth", help="Add the true label, as column y.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write simulated data as in the paper: features x1 to x5 and the label z.

    Example:

    pugam simulate --setting 2 --n0 1250 --n 1500 --seed 1 --out data.csv
    """
    import pyarrow as pa

    from pugam.datasets import simulate as draw

    require_table(out, "--out")
    data = draw(setting, n0=n0, n=n, pi=pi, random_state=seed)  # type: ignore[arg-type]
    columns = {name: data.X[name].to_numpy() for name in data.X.columns} | {"z": data.z}
    if truth:
        columns["y"] = data.y
    batch = pa.RecordBatch.from_pydict(columns)
    with open_writer(out, batch.schema) as writer:
        writer.write(batch)
    if not quiet:
        say(f"{n:,} rows, {n0:,} of them labelled (z = 1): {out}")
