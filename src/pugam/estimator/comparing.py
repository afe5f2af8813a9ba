"""Models of the same rows, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from sklearn.utils.validation import check_is_fitted

from pugam.data import read_names
from pugam.engines import one_blas_thread
from pugam.errors import InputError
from pugam.inference import ComparedModel, ModelComparison, NestedTest, require_same_rows, what_is_left_out
from pugam.solvers import Fitted

__all__ = ["ComparisonMethods"]


class ComparisonMethods:
    """Compares models; `self` is the whole estimator."""

    def anova(self: Any, *others: Any, names: Sequence[str] | None = None, level: float = 0.95) -> ModelComparison:
        """Compare this model with others of the same rows: log-likelihood, evidence, AIC, BIC, pi; tests where nested.

        Where one of two neighbours is a special case of the other, with some terms left out or with lines in place of
        curves, Wald's test in the larger model says whether that is enough. A likelihood ratio of penalised fits has no
        chi-square distribution and is not tested. Evidence, the logarithm of the marginal likelihood behind pi, is
        there where pi is estimated by it; the larger the better.

        Parameters
        ----------
        *others : PUGAM
            Fitted models, of the same rows in the same order; of a stored model only the numbers of rows, and of those
            in its samples, are compared.
        names : sequence of str, optional
            What to call this model and the others; by default model 1, model 2, ...
        level : float
            Of the intervals for pi.

        Returns
        -------
        ModelComparison
            To be printed; with the frames `models` and `tests`.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=1500, random_state=0)
        >>> small, large = (PUGAM(terms, check=False).fit(data.X, data.z) for terms in ("x1 + x2", "x1 + s(x2)"))
        >>> found = small.anova(large)
        >>> found.tests["null"].tolist()
        ['s(x2) linear']
        >>> bool(found.models["aic"][0] > found.models["aic"][1])
        True
        """
        models = [self, *others]
        if not others or not all(isinstance(model, ComparisonMethods) for model in models):
            raise InputError("anova compares this model with one or several other fitted PUGAM models; give them.")
        for model in models:
            check_is_fitted(model)
        labels = (
            [f"model {number}" for number in range(1, 1 + len(models))] if names is None else read_names("names", names)
        )
        if len(set(labels)) != len(models):
            raise InputError(f"names has to hold a name of its own for each of {len(models)} models; got {labels!r}.")
        for model in others:
            counts = [(one.n0_, one.n1_) for one in (self, model)]
            require_same_rows(_rows_of(self), _rows_of(model), counts, (self._fit, model._fit))
        with one_blas_thread():
            lines = tuple(_line(model, name, level) for model, name in zip(models, labels, strict=True))
            tests = tuple(_tests(list(zip(models, labels, strict=True))))
        return ModelComparison(lines, tests, self._library)


def _rows_of(model: Any) -> Fitted | None:
    return None if getattr(model, "_rows", None) is None else model._fitted("A comparison")


def _line(model: Any, name: str, level: float) -> ComparedModel:
    return ComparedModel(
        name,
        model.formula_,
        float(model.loglik_),
        model._inference.evidence,
        float(model.edf_),
        float(model.aic_),
        -2.0 * float(model.loglik_) + math.log(model.n0_ + model.n1_) * float(model.edf_),
        model.pi_interval(level),
        model.verdict_,
        model.shrinkage_ is not None,
    )


def _tests(named: Sequence[tuple[Any, str]]) -> Iterator[NestedTest]:
    """Test neighbours of which one is a special case of the other, with pi treated alike."""
    for first, second in pairwise(named):
        for (larger, its_name), (smaller, other_name) in ((first, second), (second, first)):
            left_out = what_is_left_out(larger._design, smaller._design)
            if left_out is not None and larger._settings.pi_range == smaller._settings.pi_range:
                yield NestedTest(other_name, its_name, larger._wald_test(*left_out))
