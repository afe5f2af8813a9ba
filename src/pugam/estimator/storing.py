"""What is stored of a fitted estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pugam.estimator.drifting import column_digests
from pugam.estimator.importance import term_moments
from pugam.storage import Provenance, StoredKinds, StoredModel, kinds_to_json, to_json

if TYPE_CHECKING:
    from pugam.estimator.pugam import PUGAM

__all__ = ["stored_form", "stored_text"]

FOR_READERS = ("prevalence_", "label_frequency_", "alpha_", "loglik_", "edf_", "aic_", "converged_", "at_boundary_")


def stored_form(model: PUGAM, provenance: Provenance) -> StoredModel:
    """Take from a fitted model what it needs to come back."""
    interval = model.pi_interval()
    names = getattr(model, "feature_names_in_", None)
    return StoredModel(
        parameters=model._fitted_with,
        design=model._design,
        fit=model._fit,
        verdict=model.verdict_,
        covariance=model._covariance,
        n0=model.n0_,
        n1=model.n1_,
        classes=model.classes_,
        n_features=model.n_features_in_,
        feature_names=None if names is None else tuple(names),
        library=model._library,
        provenance=provenance,
        summary={
            "formula": model.formula_,
            "pi": interval.estimate,
            "pi_lower": interval.lower,
            "pi_upper": interval.upper,
            "level": interval.level,
            **{name.rstrip("_"): getattr(model, name) for name in FOR_READERS},
        },
        columns=column_digests(model),
        moments=term_moments(model),
    )


def stored_text(model: PUGAM, provenance: Provenance) -> str:
    """The text of a saved model, of one kind of positives or of several."""
    fits = model._kinds
    if fits is None:
        return to_json(stored_form(model, provenance))
    return kinds_to_json(
        StoredKinds(
            parameters=model._fitted_with,
            names=fits.names,
            models=tuple(stored_form(one, provenance) for one in fits.models),
            shares=tuple(fits.shares.tolist()),
            correlation=fits.correlation,
            n_unlabelled=fits.n_unlabelled,
            n_sweeps=fits.n_sweeps,
            settled=fits.settled,
            found=fits.found,
            provenance=provenance,
        )
    )
