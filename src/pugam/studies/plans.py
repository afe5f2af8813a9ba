"""How a study is to be run, and what is done in each of its replicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pugam.errors import InputError
from pugam.estimator import EngineName, read_engine
from pugam.messages import Argument
from pugam.studies.monte_carlo import PRINTED_REPLICATES
from pugam.studies.records import Record

__all__ = ["DEFAULT_SEED", "Experiment", "Plan"]

DEFAULT_SEED = 20261115


@dataclass(frozen=True)
class Plan:
    """How a study is to be run.

    Attributes
    ----------
    out : Path or str
        Folder for tables and figures; the records, from which a run resumes, go to its folder `records`.
    replicates : int, optional
        None for as many as each study is meant to have: 500 in those of the paper.
    resamples : int
        Of every bootstrap; 0 leaves out what rests on one where something else remains.
    jobs : int, optional
        Processes; None for one a core. Results do not depend on it.
    engine : str
        Of every fit.
    seed : int
        Every replicate draws from a generator of its own, made of this, its cell and its number.
    data : Path or str, optional
        Folder of the real tables; see `pugam.datasets.load_wilt`.
    progress : bool, optional
        Show a progress bar; None shows one on a terminal.

    Examples
    --------
    >>> from pugam.studies import Plan
    >>> Plan("results", replicates=50, jobs=2).folder
    PosixPath('results')
    """

    out: Path | str = "results"
    replicates: int | None = None
    resamples: int = 500
    jobs: int | None = None
    engine: EngineName = "auto"
    seed: int = DEFAULT_SEED
    data: Path | str | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        if read_engine(self.engine) == "stream":
            raise InputError(
                Argument("engine", "stream"),
                " is for a large file; the data of a study are small: use ",
                Argument("engine", "auto"),
                ".",
            )
        for name, least in (("replicates", 2), ("resamples", 0), ("jobs", 1), ("seed", 0)):
            value = getattr(self, name)
            fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least
            if not fits and not (name in ("jobs", "replicates") and value is None):
                raise InputError(Argument(name), f" is a whole number of at least {least}; got {value!r}.")

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return Path(self.out)


@dataclass(frozen=True)
class Experiment:
    """What is done in every replicate of a cell.

    Attributes
    ----------
    name : str
        Names the file of records.
    replicate : callable
        Takes a cell, a generator and the plan, and returns the record.
    stream : str
        Experiments with the same stream draw the same data in cells of the same name.
    conditions : callable, optional
        Gives what the records depend on, apart from the seed and the version of the package.
    replicates : int
        Of each cell, where the plan leaves it open.
    """

    name: str
    replicate: Callable[[Any, np.random.Generator, Plan], Record]
    stream: str
    conditions: Callable[[Plan], dict[str, Any]] = lambda plan: {}
    replicates: int = PRINTED_REPLICATES
