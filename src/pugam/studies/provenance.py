"""Where results come from: the commit, the machine and the time behind every run."""

from __future__ import annotations

import platform
import shlex
import subprocess  # nosec B404 # asks git for the commit, below
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from pugam.engines import serves_many_at_once
from pugam.files import append_line, read_lines, replacing
from pugam.version import __version__

__all__ = ["RunLog", "Session", "describe_machine", "write_runs"]


@dataclass
class Session:
    """One stretch of work on an experiment, until it was done or interrupted."""

    began: str
    command: str
    commit: str
    machine: str
    jobs: int
    replicates: int = 0
    seconds: float = 0.0


class RunLog:
    """The sessions that made the records of an experiment, one line each."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def session(self, jobs: int, engine: str = "auto") -> Iterator[Session]:
        """Time some work; it is logged if it added any replicate, even when it ends by an exception."""
        began = time.perf_counter()
        session = Session(
            time.strftime("%Y-%m-%d %H:%M:%S"), shlex.join(_command()), _commit(), describe_machine(engine), jobs
        )
        try:
            yield session
        finally:
            session.seconds = round(time.perf_counter() - began, 1)
            if session.replicates:
                append_line(self.path, asdict(session))

    def sessions(self) -> list[dict[str, Any]]:
        """Read the sessions so far."""
        return read_lines(self.path)


def describe_machine(engine: str = "auto") -> str:
    """Say what the work ran on, in one line; the GPU too where it is the engine's."""
    import joblib

    parts = [
        f"{joblib.cpu_count()} cores",
        f"{platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}",
        f"NumPy {np.__version__}",
        f"SciPy {scipy.__version__}",
    ]
    return ", ".join([*parts, *(_describe_gpu() if engine == "gpu" else [])])


def _describe_gpu() -> list[str]:
    import torch

    service = ["multi-process service"] if serves_many_at_once() else []
    return [torch.cuda.get_device_name(), *service, f"PyTorch {torch.__version__}"]


def write_runs(folder: Path) -> Path:
    """Write `runs.md`: what made the records in a folder, and how long it took."""
    page, text = folder / "runs.md", ""
    while text != (text := _runs(folder)):  # another study may have been logged, and written of, in between
        with replacing(page) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return page


def _runs(folder: Path) -> str:
    lines = [
        "# How these results were made",
        "",
        "| experiment | replicates | wall time, min | processes | commit | machine | command |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for path in sorted((folder / "records").glob("*.runs.jsonl")):
        for one in RunLog(path).sessions():
            name = path.name.removesuffix(".runs.jsonl")
            cells = (name, one["replicates"], f"{one['seconds'] / 60:.1f}", one["jobs"], one["commit"], one["machine"])
            lines.append(f"| {' | '.join(map(str, cells))} | `{one['command']}` |")
    return "\n".join(lines) + "\n"


def _command() -> list[str]:
    return [Path(sys.argv[0]).name or "python", *sys.argv[1:]]


def _commit() -> str:
    """The commit of the source, where it lies in a checkout of its own; else the version."""
    here = Path(__file__)
    try:
        tracked, commit = (
            subprocess.run(  # nosec B603 B607 # fixed words to the git that the user would call
                ["git", *command], cwd=here.parent, capture_output=True, text=True, check=False
            )
            for command in (["ls-files", "--error-unmatch", here.name], ["describe", "--always", "--dirty"])
        )
    except OSError:
        return f"version {__version__}"
    return commit.stdout.strip() if tracked.returncode == 0 else f"version {__version__}"
