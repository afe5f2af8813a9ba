"""What verbs share that fit a model to the rows of files: rows are read, the model is fitted, kept and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pugam.command_line.columns import AUTO, Features, Roles
from pugam.command_line.large import open_large, require_all_rows, require_one_file
from pugam.command_line.options import command_given, printing_warnings, say
from pugam.command_line.reports import write_report
from pugam.command_line.results import fit_found, write_json
from pugam.command_line.rows import KindFiles, Rows, drop_gaps, read_rows
from pugam.command_line.stopping import StoppedError
from pugam.command_line.wording import in_flags
from pugam.errors import InputError
from pugam.progress import Waiting

if TYPE_CHECKING:
    from pugam.estimator import PUGAM
    from pugam.inference import Diagnosis, Interval

__all__ = ["Asked", "fit_and_tell", "require_interval_of_kinds"]

HOW = {
    "fixed": "given",
    "wald, with an allowance for model error": "interval from held-out rows, with an allowance for model error",
    "marginal": "interval by marginal likelihood, with an allowance for model error",
    "kinds": "shares of all kinds of positives added up",
}


@dataclass(frozen=True)
class Asked:
    """Which rows a model is fitted to, and what is wanted beside it.

    Attributes
    ----------
    data, files : where the rows are
    roles : what their columns are for
    finds_kinds : whether kinds of positives are found
    missing : "error", "drop" or "effect"
    shares, rare_kinds, ci, level, resamples, store
        As the flags of a fit.
    out, report, json : where to write the model, a report, and what was found for a program; None for none of them
    """

    data: Path | None
    files: KindFiles
    roles: Roles
    finds_kinds: bool = False
    missing: str = "error"
    shares: Any = "separate"
    rare_kinds: Any = "error"
    ci: Any = None
    level: float = 0.95
    resamples: int = 500
    store: Path | None = None
    out: Path | None = None
    report: Path | None = None
    json: Path | None = None
    delimiter: str | None = None
    decimal: str = "."
    quiet: bool = False

    @property
    def origin(self) -> str:
        """Where the rows are from, without folders."""
        return self.files.origin if self.data is None else self.data.name

    @property
    def show(self) -> bool | None:
        """Whether to show progress."""
        return False if self.quiet else None

    @property
    def remembered(self) -> dict[str, Any]:
        """What other verbs need to know to read the same rows, or fit the same model, again."""
        roles = self.roles
        known = {"label": roles.label, "positive": roles.positive, "weights": roles.weights, "id": roles.name}
        kinds = {"kind": AUTO} if self.finds_kinds else roles.of_kinds
        usual = {"shares": "separate", "rare_kinds": "error"}
        chosen = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        shown = {"missing": self.missing, "ci": self.ci, "level": self.level}
        return {"source": self.origin} | known | roles.of_rows | kinds | chosen | shown


def fit_and_tell(model: PUGAM, features: Features, asked: Asked) -> None:
    """Fit a model to rows of files, write what is wanted, and print pi, the terms, and how sure all that is."""
    with printing_warnings():
        rows = _open_rows(model, features, asked)
        what = "in parts" if rows.in_parts else f"{rows.X.num_rows:,} rows"
        with Waiting(f"fitting {what}", asked.show), rows.faults_placed():
            X, told = _naming_samples(rows, asked.roles.sample, features)
            kinds = {"kind": AUTO} if asked.finds_kinds else {}
            model.fit(X, rows.z, rows.weights, shares=asked.shares, rare_kinds=asked.rare_kinds, **told, **kinds)
        for one in (model, *model._models):
            one._library = "pandas"  # whoever loads the model has asked for no Arrow tables
        with rows.faults_placed():
            interval = model.pi_interval(asked.level, asked.ci, **_bootstrapped(model, asked))
        # Files come before words: what is printed may go to a program that stops listening.
        if asked.out is not None:
            model.save(asked.out, command=command_given(), data=asked.remembered)
        diagnosis = model.diagnose()
        if asked.report is not None:
            made = asked.origin, command_given(), interval
            write_report(model, asked.report, rows, *made, show=asked.show, diagnosis=diagnosis)
        write_json(asked.json, fit_found(model, interval, diagnosis))
    with printing_warnings():  # those of the fit come before its verdict: a column that gives labels away is its reason
        _tell(model, interval, diagnosis, asked)


def _open_rows(model: PUGAM, features: Features, asked: Asked) -> Rows:
    """Read rows into memory, or open a file to be read in parts."""
    data, files, roles, how = asked.data, asked.files, asked.roles, (asked.delimiter, asked.decimal)
    require_one_file(files, model.engine)
    large = None if files else open_large(data, roles, features, model.engine, model.n_jobs, *how)
    if large is not None:
        if asked.finds_kinds or roles.kind is not None:
            raise InputError("--kind is for tables in memory; give --engine memory if the rows fit into it.")
        require_all_rows(asked.missing)
        return large
    with Waiting("reading", asked.show):
        rows = read_rows(data, roles, features, files, *how)
        if asked.missing == "drop":
            rows, model.terms = drop_gaps(rows, model.terms, features.columns)
    return rows


def _naming_samples(rows: Rows, column: str | None, features: Features) -> tuple[Any, dict[str, Any]]:
    """Features and roles of rows, with samples as a column of the features, by its name: curves may vary with it."""
    import pyarrow as pa

    if column is None or (rows.in_parts and column not in features.columns):
        return rows.X, dict(rows.roles)
    there = rows.in_parts or column in rows.X.column_names
    X = rows.X if there else rows.X.append_column(column, pa.array(rows.roles["sample"], from_pandas=True))
    return X, {**rows.roles, "sample": column}


def _tell(model: PUGAM, interval: Interval, diagnosis: Diagnosis, asked: Asked) -> None:
    for line in _caveat(diagnosis):
        say(line, strong=True, aside=True)
    say(f"pi = {interval}", strong=True)
    how = HOW.get(interval.method, f"{interval.method} interval")
    surveyed = model._kinds is None and model._fit.survey is not None
    meant = "unlabelled rows of the survey" if surveyed else f"{model.n1_:,.6g} unlabelled rows"
    say(f"share of positives among the {meant}, {how}")
    if not asked.quiet:
        say(f"\n{model.summary(asked.level, interval).told(in_flags)}\n\n{diagnosis.in_words(interval, in_flags)}\n")
        for what, path in (("Model", asked.out), ("Report", asked.report)):
            if path is not None:
                say(f"{what}: {path}")


def require_interval_of_kinds(kind: str | None, ci: str | None) -> None:
    """Refuse intervals that there are of one kind of positives only, before anything is read."""
    if kind is not None and ci not in (None, "wald"):
        raise InputError(f"--ci {ci} is of one kind of positives; leave --kind or --ci out.")


def _caveat(diagnosis: Diagnosis) -> Iterator[str]:
    """Say first, however quiet the command is, that pi is not well determined, and the first reason."""
    caveat = diagnosis.caveat(n_reasons=1)
    if caveat is not None:
        yield f"! {caveat.told(in_flags)}"


def _bootstrapped(model: PUGAM, asked: Asked) -> dict[str, Any]:
    """Resamples, where they are asked for; half of them are not what was asked for, and Ctrl-C means the end."""
    if asked.ci != "bootstrap":
        return {}
    bootstrap = model.bootstrap(asked.resamples, progress=asked.show, store=asked.store)
    if bootstrap.interrupted and asked.store is not None:
        raise StoppedError(
            f"Stopped; the refits that are done are kept in {asked.store}. The same command goes on from there."
        )
    if bootstrap.interrupted:
        raise KeyboardInterrupt
    return {"bootstrap": bootstrap}
