"""`pugam report`: a page from a saved model and the rows it was fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from pugam.command_line.attached import attach_rows
from pugam.command_line.columns import AUTO, Roles, remembered
from pugam.command_line.options import (
    Decimal,
    Delimiter,
    NegativeFile,
    Quiet,
    UnlabeledFiles,
    command_given,
    printing_warnings,
    require_level,
    require_suffix,
    say,
)
from pugam.command_line.places import require_apart
from pugam.command_line.rows import KindFiles, Rows
from pugam.command_line.scoring import require_several_kinds
from pugam.command_line.wording import in_flags
from pugam.errors import InputError, warn_user
from pugam.version import __version__

if TYPE_CHECKING:
    from pugam.estimator import PUGAM
    from pugam.inference import Diagnosis, Interval

__all__ = ["level_of_the_fit", "report", "write_report"]


def report(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by pugam fit.")],
    data: Annotated[Path | None, typer.Argument(help="The file it was fitted to.")] = None,
    out: Annotated[Path, typer.Option(help="Where to write the report (.html).")] = Path("report.html"),
    label: Annotated[str | None, typer.Option(help="Column of labels, if it is not the one of the fit.")] = None,
    positive: Annotated[str | None, typer.Option(help="The value that marks a labelled positive.")] = None,
    positive_file: Annotated[Path | None, typer.Option(help="File of labelled positives, in place of DATA.")] = None,
    unlabeled_file: UnlabeledFiles = None,
    negative_file: NegativeFile = None,
    weights: Annotated[str | None, typer.Option(help="Column of row weights.")] = None,
    groups: Annotated[str | None, typer.Option(help="Column of clusters, if it is not that of the fit.")] = None,
    strata: Annotated[str | None, typer.Option(help="Column of strata, if it is not that of the fit.")] = None,
    sample: Annotated[str | None, typer.Option(help="Column of samples, if it is not that of the fit.")] = None,
    audit: Annotated[str | None, typer.Option(help="Column of audits, if it is not that of the fit.")] = None,
    audit_chance: Annotated[
        str | None, typer.Option(help="Column of the chance with which a row was audited, if not that of the fit.")
    ] = None,
    negative: Annotated[
        str | None, typer.Option(help="Column of known negatives, if it is not that of the fit.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Column of kinds of positives, if it is not that of the fit.")
    ] = None,
    id: Annotated[str | None, typer.Option(help="Column of identifiers, to name the most likely positives.")] = None,
    ci: Annotated[
        str | None, typer.Option(help="Interval for pi to show: wald or profile; by default that of the fit.")
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Level of all intervals on the page; by default that of the fit.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    top: Annotated[int, typer.Option(help="How many of the most likely positives to list.", min=0)] = 20,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Write one self-contained HTML page about a fitted model, to read, print or send.

    The rows are those of the fit: a model file holds none of them.

    Examples:

    pugam report model.json patients.csv --out report.html

    pugam report model.json patients.csv --id patient --top 50 --title 'Hidden cases in the north'
    """
    from pugam.estimator import load

    require_suffix(out, ".html", "--out")
    files = KindFiles(positive_file, tuple(unlabeled_file or ()), negative_file)
    require_apart({"--out": out}, (model_file, data, *files.paths))
    if level is not None:
        require_level(level)
    if ci not in (None, "wald", "profile"):
        raise InputError(f"--ci is wald or profile here; got {ci!r}. A model file does not keep a bootstrap.")
    model = load(model_file)
    known = remembered(model)
    _require_kinds(model, known, kind)
    roles = Roles.of_fit(
        known,
        data is not None,
        label=label,
        positive=positive,
        weights=weights,
        groups=groups,
        name=id,
        sample=sample,
        audit=audit,
        strata=strata,
        audit_chance=audit_chance,
        negative=negative,
        kind=kind,
    )
    show = False if quiet else None
    with printing_warnings():
        rows = attach_rows(model, data, roles, files, delimiter, decimal, show)
        command = model.provenance_["command"] or command_given()
        origin = known.get("source") or (data.name if data is not None else "two files")
        with rows.faults_placed():
            kind = cast(Literal["wald", "profile"] | None, ci or _kind_of_the_fit(known))
            interval = model.pi_interval(level or level_of_the_fit(known), kind)
        if known.get("ci") == "bootstrap" and ci is None and interval.method != "fixed":
            warn_user("A model file keeps no bootstrap: the report shows the default interval for pi.")
        version = model.provenance_["pugam"]
        write_report(model, out, rows, origin, command, interval, title, top, show, version=version)
        say(f"Report: {out}")


def _require_kinds(model: PUGAM, known: Mapping[str, Any], kind: str | None) -> None:
    """Refuse kinds of positives that cannot take their rows back, and a column of kinds where there is one kind."""
    require_several_kinds(model, kind)
    if model._kinds is None:
        return
    with_fit = "write the report with the fit, by pugam fit with --kind and --report."
    if not model._kinds.at_once:
        raise InputError(f"Kinds that were fitted in turn cannot take their rows back: {with_fit}")
    if kind is None and known.get("kind") == AUTO:
        raise InputError(f"No column tells the kinds of this model, which its fit found: {with_fit}")
    if kind is None and "kind" not in known:
        told = "The model has several kinds of positives, but its file does not say which column tells them"
        raise InputError(f"{told}; give --kind.")


def _kind_of_the_fit(known: Mapping[str, Any]) -> Literal["profile"] | None:
    """Which interval for pi the fit showed, if a model file is enough to make it again."""
    return "profile" if known.get("ci") == "profile" else None


def level_of_the_fit(known: Mapping[str, Any]) -> float:
    """Its level; what else a file may say there is not ours."""
    level = known.get("level")
    return level if isinstance(level, float) and 0.0 < level < 1.0 else 0.95


def write_report(
    model: PUGAM,
    path: Path,
    rows: Rows,
    origin: str,
    command: str,
    interval: Interval,
    title: str | None = None,
    top: int = 20,
    show: bool | None = None,
    diagnosis: Diagnosis | None = None,
    version: str = __version__,
) -> None:
    """Write the report of a model with its rows; identifiers are shown where a column of them was named."""
    model.report(
        path,
        title=title or f"Hidden positives in {origin}",
        names=rows.names,
        about={"Data": origin},
        repeat={"Command": command, "Version": f"pugam {version}"},
        n_candidates=top,
        interval=interval,
        diagnosis=diagnosis,
        words=in_flags,
        progress=show,
    )
