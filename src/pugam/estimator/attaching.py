"""The rows of a fit: those it is made from, and the same ones given again to a copied or stored model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import SampleRoles, read_samples, row_index
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.estimator.curves import RowsOfFit
from pugam.estimator.drifting import column_digests
from pugam.estimator.importance import term_moments
from pugam.estimator.options import EngineName, read_engine, read_n_jobs
from pugam.estimator.own_curves import rows_telling
from pugam.estimator.reading import either, read_new_rows
from pugam.estimator.requirements import require_same_survey
from pugam.estimator.roles import open_engine, take_labels, take_roles
from pugam.estimator.training import ELSEWHERE, TableRows, TrainingRows, by_survey, is_elsewhere, open_rows
from pugam.estimator.uncertainty import UncertaintyMethods
from pugam.inference import with_average
from pugam.messages import Argument
from pugam.solvers import Fitted, FittedKind, sampled_loglik

if TYPE_CHECKING:
    from pugam.estimator.pugam import PUGAM

__all__ = ["RowMethods"]


def _loglik(fitted: Fitted) -> float:
    fit, engine = fitted.fit, fitted.engine
    if fit.samples is not None or fit.labelling is not None:
        return sampled_loglik(fitted)
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
        kind: Any = None,
    ) -> Self:
        """Give a copied or stored model the rows it was fitted to, for a profile, a bootstrap or a diagnosis.

        Several kinds of positives take their rows back unless they were fitted in turn.

        Parameters
        ----------
        X, y, sample_weight, z, sample, audit, audit_chance, negative, groups, strata, kind
            As of `fit`, with the same rows as there.

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
        X, z, sample_weight = take_labels(X, either(y, z), sample_weight)
        roles = SampleRoles(sample, audit, audit_chance, negative, groups, strata)
        if self._kinds is not None:
            estimator: Any = self
            estimator._attach_kinds(X, z, sample_weight, kind, roles.given)
            return self
        if kind is not None:
            raise InputError("The model has a single kind of positives; leave ", Argument("kind"), " out.")
        own = None if self._fit.samples is None else self._fit.samples.own_column
        X, roles = take_roles(X, roles, own)
        rows, survey = by_survey(rows_telling(self._open_known_rows(X, z, sample_weight, roles, own), own))
        require_same_survey(self._fit.survey, survey)
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
            loglik = _loglik(FittedKind(engine, self._design, self._settings, self._fit))
        if not np.isclose(loglik, self.loglik_, rtol=1e-8, atol=1e-6):
            raise InputError(
                f"These are not the rows the model was fitted to: {engine.n0:g} labelled and {engine.n1:g} unlabelled, "
                f"of log-likelihood {loglik:.6g}, not {self.n0_:g} and {self.n1_:g}, of {self.loglik_:.6g}. Give the "
                "table of the fit; new rows are for predictions."
            )
        with one_blas_thread():
            self._fit = with_average(FittedKind(engine, self._design, self._settings, self._fit)).fit
        self._rows, self._index, self._survey = RowsOfFit(engine, rows.kept), row_index(X), survey
        self._chances, self._origins = (None, None) if samples is None else (samples.chances, samples.origins)
        return self

    def _open_known_rows(
        self, X: Any, z: Any, sample_weight: Any, roles: SampleRoles, shared: str | None
    ) -> TrainingRows:
        """Open rows of the fit: by column name where both this X and that of the fit have names, else by position."""
        if is_elsewhere(X):
            return self._open_rows(X, z, sample_weight, roles, shared)
        engine, n_jobs = read_engine(self.engine), read_n_jobs(self.n_jobs)
        if engine in ELSEWHERE:  # the fit read a file, or partitions; its rows are in memory now
            engine = "memory"
        return TableRows(read_new_rows(self, X), z, sample_weight, engine, n_jobs, roles)

    def _open_rows(
        self, X: Any, z: Any, sample_weight: Any, roles: SampleRoles, shared: str | None = None
    ) -> TrainingRows:
        return open_rows(X, z, sample_weight, read_engine(self.engine), read_n_jobs(self.n_jobs), roles, shared)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        state.pop("_rows", None)  # data stay where they are
        state.pop("_index", None)
        state.pop("_survey", None)
        state.pop("_chances", None)
        state.pop("_origins", None)
        state.pop("_drawn", None)
        state.pop("_diagnosis", None)
        state.pop("_judged", None)
        if self.__dict__.get("_rows") is not None:  # what a file would remember of them
            state["_column_digests"] = self._fit, column_digests(cast("PUGAM", self))
            state["_term_moments"] = self._fit, term_moments(self)
        return state
