"""`pugam refit`: the model of a file, fitted again to new rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from pugam.command_line.columns import AUTO, Features, Roles, remembered
from pugam.command_line.fitting import Asked, fit_and_tell
from pugam.command_line.options import (
    Decimal,
    Delimiter,
    NegativeFile,
    Quiet,
    UnlabeledFiles,
    require_choice,
    require_suffix,
    say,
)
from pugam.command_line.places import require_apart
from pugam.command_line.reports import level_of_the_fit
from pugam.command_line.results import Json, require_json
from pugam.command_line.rows import KindFiles
from pugam.errors import InputError
from pugam.files import open_file

if TYPE_CHECKING:
    from pugam.estimator import PUGAM

__all__ = ["refit"]


def refit(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by pugam fit.")],
    data: Annotated[
        Path | None, typer.Argument(help="New rows, with labels: a file like the one it was fitted to.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where to save the new model (.json).")] = None,
    report: Annotated[Path | None, typer.Option(help="Where to write a report (.html).")] = None,
    label: Annotated[str | None, typer.Option(help="Column of labels, if it is not that of the fit.")] = None,
    positive: Annotated[str | None, typer.Option(help="The value that marks a labelled positive.")] = None,
    positive_file: Annotated[Path | None, typer.Option(help="File of labelled positives, in place of DATA.")] = None,
    unlabeled_file: UnlabeledFiles = None,
    negative_file: NegativeFile = None,
    missing: Annotated[
        str | None,
        typer.Option(help="Rows that lack a value, if not as in the fit: drop (leave them out), or effect."),
    ] = None,
    unseen: Annotated[
        str | None,
        typer.Option(help="Levels in rows to be predicted that this fit never saw, if not as in the fit: zero."),
    ] = None,
    json: Json = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Fit a saved model again, to new rows: the same settings, terms, and roles of columns.

    Terms that were chosen from columns and interactions that were found are taken as they are, so that both models can
    be compared. Curves, levels and smoothing are those of the new rows.

    Examples:

    pugam refit may.json june.csv --out june.json

    pugam refit may.json --positive-file known.csv --unlabeled-file june.csv --out june.json --report june.html
    """
    from pugam.estimator import load, same_settings

    for path, suffix, flag in ((out, ".json", "--out"), (report, ".html", "--report")):
        if path is not None:
            require_suffix(path, suffix, flag)
    require_json(json)
    require_choice("--missing", missing or "drop", "drop", "effect")
    require_choice("--unseen", unseen or "zero", "zero")
    files = KindFiles(positive_file, tuple(unlabeled_file or ()), negative_file)
    require_apart({"--out": out, "--report": report, "--json": json}, (model_file, data, *files.paths))
    if data is not None and data.suffix == ".json" and model_file.suffix != ".json":
        raise InputError("The model comes first: pugam refit MODEL DATA.")
    old = load(model_file)
    known = remembered(old)
    in_files = {name for path in files.paths for name in open_file(path, delimiter, decimal).names}
    roles, finds_kinds = _roles(old, known, data, label, positive, files, in_files), known.get("kind") == AUTO
    asked = Asked(
        data,
        files,
        roles,
        finds_kinds=finds_kinds,
        missing=missing or known.get("missing", "error"),
        shares=known.get("shares", "separate"),
        rare_kinds=known.get("rare_kinds", "error") if finds_kinds or roles.kind is not None else "error",
        ci="profile" if known.get("ci") == "profile" else None,
        level=level_of_the_fit(known),
        out=out,
        report=report,
        json=json,
        delimiter=delimiter,
        decimal=decimal,
        quiet=quiet,
    )
    again = same_settings(old)
    if missing == "effect":
        again.set_params(missing=missing)
    if unseen is not None:
        again.set_params(unseen=unseen)
    fit_and_tell(again, Features.of_model(old), asked)
    say(f"before: pi = {old.pi_interval(asked.level)} among {old.n1_:,.6g} unlabelled rows")


def _roles(
    old: PUGAM,
    known: Mapping[str, Any],
    data: Path | None,
    label: str | None,
    positive: str | None,
    files: KindFiles,
    in_files: Collection[str],
) -> Roles:
    """The roles of columns in the fit, but for what files tell; those of a fit in Python are not known."""
    roles = _less_told(Roles.as_in_fit(known, data is not None, label, positive), files, in_files)
    if old._kinds is not None and "kind" not in known:
        raise _forgotten("several kinds of positives", "--kind")
    samples = None if old._kinds is not None else old._fit.samples
    if samples is None:
        return roles
    if len(samples.names) > 1 and roles.sample is None and len(files.unlabelled) < 2:
        raise _forgotten("samples", "--sample", "an --unlabeled-file for each" if files else None)
    if samples.negatives and roles.negative is None and files.negative is None:
        raise _forgotten("known negatives", "--negative", "--negative-file" if files else None)
    if np.any(samples.audited) and roles.audit is None:
        raise _forgotten("audits", "--audit")
    return roles


def _less_told(roles: Roles, files: KindFiles, in_files: Collection[str]) -> Roles:
    """Forget columns that files now stand for; one that is there, too, would say something else."""
    told = {
        "--negative-file": roles.negative if files.negative is not None else None,
        "Several --unlabeled-file": roles.sample if len(files.unlabelled) > 1 else None,
    }
    for flag, column in told.items():
        if column in in_files:
            what = "which rows are known negatives" if flag == "--negative-file" else "the samples"
            raise InputError(
                f"{flag} would tell {what}, but column {column!r} of the files does, as in the fit; give one of them."
            )
    return roles.without([column for column in told.values() if column is not None])


def _forgotten(what: str, flags: str, remedy: str | None = None) -> InputError:
    if remedy is not None:
        return InputError(f"The model has {what}, but these files do not tell them; give {remedy}, too.")
    return InputError(
        f"The model has {what}, but its file does not say which column tells them; use pugam fit with {flags}."
    )
