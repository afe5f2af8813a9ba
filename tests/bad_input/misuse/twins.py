"""Other calls that have to come out alike: rows twice or of weight two, columns in another order or other units, ..."""

import warnings

import numpy as np
import pandas as pd

from misuse.containers import ARRAYS
from pugam import PUGAM

__all__ = ["check_twin"]

SMALLEST, LARGEST = 1e-100, 1e100  # ranges that can be multiplied
UNITS = (-1024.0, 0.5, 2.0**-20)  # powers of two, which round nothing
# In log-likelihood, as both fits end where hardly more can be gained; EM's less exactly. Where curves are hardly held,
# there are many maxima: rounding, or one of few starts, may choose between those that are nearly as high. Where nothing
# holds them, it may choose any.
NEARLY = {"newton": 2e-3, "em": 0.2}
NONE, WEAK, FEW, AS_HIGH = 1e-12, 1e-3, 6, 3.0  # two of smoothing; starts; log-likelihood


def check_twin(call, made, model):
    """Make the other call that `call.look` asks for, and compare."""
    if call.look == "container" and call.container in ARRAYS:
        check_container(made, model)
    # With given smoothing both have the same objective; chosen smoothing is only nearly the same.
    if isinstance(model.smoothing, str) or model.shrinkage_ is not None or not model.converged_:
        return
    if call.look == "weights":
        check_weights(made, model)
    elif call.look == "columns":
        check_columns(made, model)
    elif call.look == "units" and "bounds" not in call.terms:
        check_units(made, model)


def check_container(made, model):
    """The same numbers in a plain data frame give the same fit."""
    values = np.ma.MaskedArray.filled(made.X, np.nan) if isinstance(made.X, np.ma.MaskedArray) else np.asarray(made.X)
    if values.dtype.kind != "f":
        return
    plain = pd.DataFrame(values.astype(np.float64), columns=[f"x{j}" for j in range(values.shape[1])])
    other = fit_quietly(made, plain, made.z, made.weights)
    assert other.pi_ == model.pi_
    np.testing.assert_array_equal(other.coef_, model.coef_)


def check_weights(made, model):
    """Every row twice is as every weight doubled."""
    plain = plain_call(made, model)
    if plain is None:
        return
    X, z, weights = plain
    weights = np.ones(len(z)) if weights is None else weights
    doubled = fit_quietly(made, X, z, 2.0 * weights)
    twice = fit_quietly(made, X.loc[np.repeat(X.index, 2)], np.repeat(z, 2), np.repeat(weights, 2))
    compare(doubled, twice, "rows twice")


def check_columns(made, model):
    """The order of the columns does not matter."""
    plain = plain_call(made, model)
    if plain is None:
        return
    X, z, weights = plain
    compare(model, fit_quietly(made, X.iloc[:, ::-1], z, weights), "columns in another order")


def check_units(made, model):
    """The units of the features do not matter, nor which way they count."""
    plain = plain_call(made, model)
    if plain is None:
        return
    X, z, weights = plain
    for place, dtype in enumerate(X.dtypes):
        if dtype == np.float64 and SMALLEST < _span(X.iloc[:, place]) < LARGEST:
            X.isetitem(place, X.iloc[:, place] * UNITS[place % len(UNITS)])
    compare(model, fit_quietly(made, X, z, weights), "other units")


def plain_call(made, model):
    """The call with a pandas frame and arrays; None where it is not made of plain ones."""
    if not isinstance(made.X, pd.DataFrame) or not isinstance(made.z, np.ndarray) or made.z.ndim != 1:
        return None
    if made.weights is not None and (not isinstance(made.weights, np.ndarray) or made.weights.max() > 1e6):
        return None
    return made.X.reset_index(drop=True), made.z, made.weights


def fit_quietly(made, X, z, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return PUGAM(**made.options).fit(X, z, weights)


def compare(one, other, what):
    if not (one.converged_ and other.converged_):
        return
    heights = [model._fit.penalized.value for model in (one, other)]
    near = NEARLY[one.solver] * max(1.0, one.tol / 1e-4) + 1e-8 * abs(heights[0])
    smoothing = min(one.smoothing_.values(), default=1.0)
    if smoothing < NONE:
        return
    if smoothing < WEAK or (one.n_starts or FEW) < FEW:
        near = max(near, AS_HIGH)
    assert abs(heights[0] - heights[1]) < near, f"{what}: {heights[0]} and {heights[1]}"


def _span(column):
    return float(column.max()) / 2.0 - float(column.min()) / 2.0
