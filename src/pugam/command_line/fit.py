"""`pugam fit`: from a file to a model, and to a report if asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from pugam.command_line.columns import AUTO, Features, Roles
from pugam.command_line.fitting import Asked, fit_and_tell, require_interval_of_kinds
from pugam.command_line.options import (
    Decimal,
    Delimiter,
    NegativeFile,
    Quiet,
    UnlabeledFiles,
    read_pi,
    require_at_least,
    require_choice,
    require_level,
    require_suffix,
)
from pugam.command_line.places import require_apart
from pugam.command_line.results import Json, require_json
from pugam.command_line.rows import KindFiles
from pugam.errors import InputError

if TYPE_CHECKING:
    from pugam.estimator import EngineName, EstimateName, ShrinkageName
    from pugam.terms import MissingPolicy, UnseenPolicy

__all__ = ["fit"]

MOST_DIGITS = 9  # of a number of interactions


def fit(
    data: Annotated[
        Path | None, typer.Argument(help="A .csv, .csv.gz or .parquet file, or a folder of Parquet files.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Column of labels: 1 for a labelled positive, 0 or -1 for an unlabelled row.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The value of the label column that marks a labelled positive, if not 1.")
    ] = None,
    positive_file: Annotated[Path | None, typer.Option(help="File of labelled positives, in place of DATA.")] = None,
    unlabeled_file: UnlabeledFiles = None,
    negative_file: NegativeFile = None,
    out: Annotated[Path | None, typer.Option(help="Where to save the model (.json).")] = None,
    report: Annotated[Path | None, typer.Option(help="Where to write a report (.html).")] = None,
    terms: Annotated[
        str | None, typer.Option(help="A formula, as in 's(age) + dose + f(site)'; by default all columns.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Column that is not a feature; may be given several times.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Column of weights: a row of weight 2 counts as two. With --groups or --strata: sampling weights, of "
            "which only the ratios count."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(help="Column of clusters in which rows were drawn: standard errors and bootstraps count them."),
    ] = None,
    strata: Annotated[
        str | None, typer.Option(help="Column of strata in which the clusters of a survey (--groups) were drawn.")
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(help="Column of unlabelled samples, such as sites or years: each has a share of its own."),
    ] = None,
    audit: Annotated[
        str | None,
        typer.Option(help="Column of audits: 1 or 0 for unlabelled rows whose class was found out, empty elsewhere."),
    ] = None,
    audit_chance: Annotated[
        str | None,
        typer.Option(help="Column of the chance with which a row was audited, if it is not the same for all."),
    ] = None,
    negative: Annotated[
        str | None,
        typer.Option(help="Column of known negatives: 1 for them, 0 or empty elsewhere; pi does not count them."),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Column that tells of which kind of positives a labelled row is: each kind has a share of its own. "
            "auto: kinds are found, as clusters of labelled rows."
        ),
    ] = None,
    rare_kinds: Annotated[
        str, typer.Option(help="Kinds of fewer than 20 labelled rows: error, or pooled (taken together as one kind).")
    ] = "error",
    shares: Annotated[
        str,
        typer.Option(
            help="Shares of several samples: separate, or pooled (those of small samples are pulled towards the mean)."
        ),
    ] = "separate",
    id: Annotated[str | None, typer.Option(help="Column of identifiers: no feature, named in the report.")] = None,
    pi: Annotated[str | None, typer.Option(help="Fix the share, as in 0.3, or bound it, as in 0.1,0.4.")] = None,
    smoothing: Annotated[
        str, typer.Option(help="How smooth curves are: reml (one value per term), aic, or a number.")
    ] = "reml",
    shrinkage: Annotated[
        str,
        typer.Option(
            help="Shrink all curves, and take pi from held-out rows: always, never, or auto, where rows are too few "
            "for the columns or leave pi open."
        ),
    ] = "auto",
    estimate: Annotated[
        str, typer.Option(help="How pi is estimated: marginal (by marginal likelihood) or mode (with the curves).")
    ] = "marginal",
    interactions: Annotated[
        str,
        typer.Option(
            help="Interactions of two columns: auto (those that the data clearly ask for), none, a number (at most so "
            "many), or pairs, as in age:bmi,age:dose."
        ),
    ] = "auto",
    labelling: Annotated[
        str | None,
        typer.Option(
            help="What the chance that a positive is labelled depends on, as terms: 's(age) + f(sex)'; by default "
            "labelled rows are a random sample of the positives."
        ),
    ] = None,
    ci: Annotated[
        str | None,
        typer.Option(help="Interval for pi: wald, profile or bootstrap; by default the best that costs nothing."),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of intervals, a probability such as 0.95.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="How often a bootstrap draws rows and fits again.")] = 500,
    store: Annotated[
        Path | None,
        typer.Option(
            help="File that keeps the refits of a bootstrap as they come: stopped or killed, the same command goes on."
        ),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="Rows that lack a value: error, drop (leave them out), or effect (one of their own).")
    ] = "error",
    unseen: Annotated[
        str,
        typer.Option(
            help="Levels in rows to be predicted that the fit never saw: error (refused, unless a term permits them) "
            "or zero (no effect)."
        ),
    ] = "error",
    starts: Annotated[int | None, typer.Option(help="From how many starts to fit; 12 by default.")] = None,
    max_iter: Annotated[int | None, typer.Option(help="How many iterations a fit may take at most.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of random numbers: the same seed gives the same result.")
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            help="Where sums are taken: memory, stream (read in parts), dask (a cluster), gpu, or auto: what suits the "
            "size of the file."
        ),
    ] = "auto",
    jobs: Annotated[
        int | None, typer.Option(help="How many threads to use; by default as many as suit the rows.")
    ] = None,
    json: Json = None,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    quiet: Quiet = False,
) -> None:
    """Estimate the share of positives among unlabelled rows, and what drives it.

    Prints pi with its interval, a table of the terms, and whether pi is determined by the data at all.

    Examples:

    pugam fit patients.csv --label diagnosed --out model.json --report report.html

    pugam fit claims.parquet --label fraud --drop claim_id --terms 's(amount) + s(age) + f(region)'

    pugam fit --positive-file presence.csv --unlabeled-file background.csv --ci profile

    pugam fit --positive-file known.csv --unlabeled-file 2023.csv --unlabeled-file 2024.csv

    pugam fit patients.csv --label diagnosed --kind subtype --rare-kinds pooled --report report.html

    pugam fit patients.csv --label diagnosed --sample clinic --shares pooled --audit checked --negative healthy
    """
    from pugam.estimator import PUGAM

    for path, suffix, flag in ((out, ".json", "--out"), (report, ".html", "--report")):
        if path is not None:
            require_suffix(path, suffix, flag)
    require_json(json)
    files = KindFiles(positive_file, tuple(unlabeled_file or ()), negative_file)
    require_apart({"--out": out, "--report": report, "--store": store, "--json": json}, (data, *files.paths))
    require_level(level)
    require_at_least("--resamples", resamples, 2)
    require_at_least("--seed", seed, 0)
    require_choice("--ci", ci or "wald", "wald", "profile", "bootstrap")
    require_choice("--shrinkage", shrinkage, "auto", "always", "never")
    require_choice("--shares", shares, "separate", "pooled")
    require_choice("--rare-kinds", rare_kinds, "error", "pooled")
    require_choice("--missing", missing, "error", "drop", "effect")
    require_choice("--unseen", unseen, "error", "zero")
    require_interval_of_kinds(kind, ci)
    if store is not None and ci != "bootstrap":
        raise InputError("--store keeps the refits of a bootstrap; give --ci bootstrap, too.")
    dropped = tuple(drop or ())
    of_kind = None if kind == AUTO else kind
    roles = Roles(label, positive, weights, groups, id, dropped, sample, audit, strata, audit_chance, negative, of_kind)
    require_at_least("--starts", starts, 1)
    require_at_least("--max-iter", max_iter, 1)
    model = PUGAM(
        terms,
        n_starts=starts,
        max_iter=max_iter,
        smoothing=_read_smoothing(smoothing),
        shrinkage=cast("ShrinkageName", shrinkage),  # this and other words are checked by the fit
        estimate=cast("EstimateName", estimate),
        interactions=_read_interactions(interactions),
        labelling=labelling,
        missing=cast("MissingPolicy", "error" if missing == "drop" else missing),
        unseen=cast("UnseenPolicy", unseen),
        pi=read_pi(pi),
        random_state=seed,
        engine=cast("EngineName", engine),
        n_jobs=jobs,
        check=True,
    )
    asked = Asked(
        data,
        files,
        roles,
        finds_kinds=kind == AUTO,
        missing=missing,
        shares=shares,
        rare_kinds=rare_kinds,
        ci=ci,
        level=level,
        resamples=resamples,
        store=store,
        out=out,
        report=report,
        json=json,
        delimiter=delimiter,
        decimal=decimal,
        quiet=quiet,
    )
    fit_and_tell(model, Features.of_formula(terms, labelling, model.interactions), asked)


def _read_interactions(text: str) -> str | int | list[tuple[str, ...]] | None:
    """Read `--interactions`: a word, a number, or pairs of columns."""
    if text in ("auto", "none"):
        return None if text == "none" else text
    if text.isdecimal() and len(text) <= MOST_DIGITS:
        return int(text)
    pairs = [tuple(pair.split(":")) for pair in text.split(",")]
    if any(len(pair) != 2 or not all(pair) for pair in pairs):
        raise InputError(f"--interactions is auto, none, a number, or pairs as in age:bmi,age:dose; got {text!r}.")
    return pairs


def _read_smoothing(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
