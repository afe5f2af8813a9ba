"""`pugam anova`: saved models of the same rows, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pugam.command_line.options import in_one_line, printing_warnings, require_level, say
from pugam.errors import InputError

__all__ = ["anova"]


def anova(
    model_files: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Two or more models saved by pugam fit, of the same rows.")
    ],
    level: Annotated[float, typer.Option(help="Level of the intervals for pi, a probability such as 0.95.")] = 0.95,
) -> None:
    """Compare models of the same rows: log-likelihood, evidence, AIC, BIC, pi, and a test where one is a special case.

    For models of different rows, such as those of two months, there is pugam compare.

    Examples:

    pugam anova lines.json curves.json

    pugam anova small.json large.json larger.json
    """
    from pugam.estimator import load

    require_level(level)
    if len(model_files) < 2:
        raise InputError("pugam anova compares two models or more; give another file.")
    first, *others = (load(path) for path in model_files)
    for model, path in zip((first, *others), model_files, strict=True):
        if model._kinds is not None:
            raise InputError(f"{path}: the model has several kinds of positives, each with a fit of its own.")
    with printing_warnings():
        found = first.anova(*others, names=_names(model_files), level=level)
    for line in str(found).splitlines():
        say(in_one_line(line))


def _names(paths: Sequence[Path]) -> list[str]:
    """Names of files, and their numbers beside names that several have."""
    known = Counter(path.stem for path in paths)
    return [path.stem if known[path.stem] == 1 else f"{path.stem} ({n})" for n, path in enumerate(paths, 1)]
