"""The rows of a fit: those it is made from, and the same ones given again to a copied or stored model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import narwhals as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import SampledRows, SampleRoles, SurveyRows, as_array, read_samples
from pugam.engines import Engine, one_blas_thread
from pugam.errors import InputError, warn_user
from pugam.estimator.options import EngineName, read_engine, read_n_jobs
from pugam.estimator.reading import either, read_new_rows
from pugam.estimator.training import TableRows, TrainingRows, by_survey, is_elsewhere, open_rows
from pugam.estimator.uncertainty import UncertaintyMethods
from pugam.inference import FEWEST_POOLED, pool_shares
from pugam.likelihood import SampleSizes
from pugam.messages import Argument
from pugam.solvers import Fit, Fitted, Settings, Survey, has_enough_rows, sampled_loglik
from pugam.terms import Design

__all__ = [
    "RowMethods",
    "open_engine",
    "require_enough_rows",
    "require_marginal",
    "require_shares",
    "take_roles",
    "take_survey",
    "warn_of_survey",
    "with_pooled_shares",
]


def take_roles(X: Any, roles: SampleRoles) -> tuple[Any, SampleRoles]:
    """Take columns named by their roles out of a table; return the table without them, and the values of each role.

    Where rows are elsewhere, roles stay names.
    """
    if is_elsewhere(X):
        return X, roles
    X, values = _take_columns(X, roles.given)
    return X, roles._replace(**values)


def take_survey(X: Any, groups: Any, strata: Any) -> tuple[Any, Any, Any]:
    """Take the columns of clusters and strata out of a table, where they are named; return the table and both."""
    given = {role: values for role, values in (("groups", groups), ("strata", strata)) if values is not None}
    if given and is_elsewhere(X):
        raise InputError(
            Argument(next(iter(given))), " is for tables in memory: read the file first, as with pandas.read_csv."
        )
    X, values = _take_columns(X, given)
    return X, values.get("groups"), values.get("strata")


def _take_columns(X: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Take those of the columns out of a table that are given by name; return it, and the values of all."""
    named = {role: name for role, name in given.items() if isinstance(name, str)}
    if not named:
        return X, given
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputError(f"X has no names of columns: give {next(iter(named))} as an array, one value for each row.")
    for role, name in named.items():
        if name not in frame.columns:
            raise InputError(Argument(role, name), f" is no column of X; its columns are {', '.join(frame.columns)}.")
    values = {role: as_array(frame[name].to_native()) for role, name in named.items()}
    return frame.drop(list(dict.fromkeys(named.values()))).to_native(), given | values


def require_marginal(settings: Settings, samples: SampledRows | None) -> None:
    """Refuse several samples where pi is not estimated by marginal likelihood."""
    if samples is not None and settings.estimate != "marginal":
        raise InputError(
            "Several samples, audits and known negatives are for pi by marginal likelihood: leave ",
            Argument("pi"),
            ", ",
            Argument("smoothing"),
            ", ",
            Argument("shrinkage"),
            " and ",
            Argument("estimate"),
            " at their defaults; curves have no shape, and the solver is newton.",
        )


def require_enough_rows(engine: Engine, samples: SampledRows | None) -> None:
    """Refuse several samples where curves would have to be shrunken: their shares would be too sure of themselves."""
    if samples is not None and not has_enough_rows(engine.design, engine):
        raise InputError(
            f"{min(engine.n0, engine.n1):g} rows of one label are too few for these terms, and curves cannot be "
            "shrunken where there are several samples, or audits; use fewer terms, or more rows."
        )


def require_shares(how: str, samples: SampledRows | None) -> None:
    """Refuse a way to report shares that there is not, and pooling where there is little to pool."""
    if how not in ("separate", "pooled"):
        raise InputError(Argument("shares"), f" is 'separate' or 'pooled'; got {how!r}.")
    n_samples = 1 if samples is None else len(samples.names)
    if how == "pooled" and n_samples < FEWEST_POOLED:
        raise InputError(
            Argument("shares", "pooled"),
            f" needs at least {FEWEST_POOLED} unlabelled samples, told apart by ",
            Argument("sample"),
            f"; there {'is 1' if n_samples == 1 else f'are {n_samples}'}.",
        )


def with_pooled_shares(fitted: Fitted) -> Fitted:
    """Pool the shares of several samples."""
    found = fitted.fit.samples
    assert found is not None
    pooled = pool_shares(found, fitted.settings.pi_range, fitted.settings.prior)
    return replace(fitted, fit=replace(fitted.fit, samples=replace(found, pooled=pooled)))


def open_engine(rows: TrainingRows, design: Design, samples: SampledRows | None) -> Any:
    """The engine of rows, which know their samples, and of known negatives beside them."""
    engine: Any = rows.engine(design)
    if samples is None:
        return engine
    negatives: Any = rows.negatives(design)
    if negatives is not None:
        code = SampleSizes.count(samples.codes, None, len(samples.names)).known_negative
        negatives = negatives.coded(np.full(negatives.n_rows, code, dtype=np.int32))
    return engine.coded(samples.codes, negatives)


def _require_same_survey(known: Survey | None, found: SurveyRows | None) -> None:
    """Refuse rows that were drawn otherwise than those of the fit; one that knows of no survey can learn of it."""
    if known is None:
        return
    if found is None or (known.n_clusters, known.n_strata) != (found.n_clusters, found.n_strata):
        raise InputError(
            "These are not the clusters and strata the model was fitted to: give the same ",
            Argument("groups"),
            " and ",
            Argument("strata"),
            " as in the fit.",
        )


def warn_of_survey(survey: SurveyRows | None, known: Survey | None) -> None:
    """Warn where rows were drawn by a survey of which standard errors know nothing."""
    if survey is not None and known is None:
        warn_user(
            "Curves are shrunken, and pi is from rows held out: standard errors and intervals take rows for "
            "independent, whatever ",
            Argument("groups"),
            " and ",
            Argument("strata"),
            " say. Take a bootstrap, which draws whole clusters.",
        )


def _loglik(fit: Fit, engine: Engine) -> float:
    if fit.samples is not None:
        return sampled_loglik(fit, engine)
    optimum = fit.optimum
    return float(engine.sums(np.array([optimum.pi]), optimum.b[None]).value[0])


class RowMethods(UncertaintyMethods):
    """Opens the rows of a fit, and attaches them to a model again."""

    engine: EngineName
    loglik_: float

    def attach(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        z: Any = None,
        sample: Any = None,
        audit: Any = None,
        audit_chance: Any = None,
        negative: Any = None,
        groups: Any = None,
        strata: Any = None,
    ) -> Self:
        """Give a copied or stored model the rows it was fitted to, for a profile, a bootstrap or a diagnosis.

        The arguments are those of `fit`, and have to hold the same rows.

        Examples
        --------
        >>> import pickle
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = pickle.loads(pickle.dumps(PUGAM().fit(data.X, data.z)))
        >>> model.attach(data.X, data.z).pi_interval(method="profile").method
        'profile'
        """
        check_is_fitted(self)
        X, roles = take_roles(X, SampleRoles(sample, audit, audit_chance, negative))
        X, groups, strata = take_survey(X, groups, strata)
        rows, survey = by_survey(self._open_known_rows(X, either(y, z), sample_weight, roles), groups, strata)
        _require_same_survey(self._fit.survey, survey)
        samples = read_samples(rows.roles, rows.positive, rows.kept)
        names = () if self._fit.samples is None else self._fit.samples.names
        if names != (() if samples is None else samples.names):
            raise InputError(
                "These are not the samples the model was fitted to: give the same ",
                Argument("sample"),
                ", ",
                Argument("audit"),
                " and ",
                Argument("negative"),
                " as in the fit.",
            )
        with one_blas_thread():
            engine = open_engine(rows, self._design, samples)
            loglik = _loglik(self._fit, engine)
        if not np.isclose(loglik, self.loglik_, rtol=1e-8, atol=1e-6):
            raise InputError(
                f"These are not the rows the model was fitted to: {engine.n0:g} labelled and {engine.n1:g} unlabelled, "
                f"of log-likelihood {loglik:.6g}, not {self.n0_:g} and {self.n1_:g}, of {self.loglik_:.6g}. Give the "
                "table of the fit; new rows are for predictions."
            )
        self._rows, self._survey = (engine, rows.kept), survey
        self._chances = None if samples is None else samples.chances
        return self

    def _open_known_rows(self, X: Any, z: Any, sample_weight: Any, roles: SampleRoles) -> TrainingRows:
        """Open rows of the fit: by column name where both this X and that of the fit have names, else by position."""
        if is_elsewhere(X):
            return self._open_rows(X, z, sample_weight, roles)
        how = read_engine(self.engine), read_n_jobs(self.n_jobs)
        return TableRows(read_new_rows(self, X), z, sample_weight, *how, roles)

    def _open_rows(self, X: Any, z: Any, sample_weight: Any, roles: SampleRoles) -> TrainingRows:
        return open_rows(X, z, sample_weight, read_engine(self.engine), read_n_jobs(self.n_jobs), roles)
