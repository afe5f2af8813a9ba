"""Labels and weights in: who is a labelled positive, and how much each row counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from pugam.data.arrays import as_array, holds_times, is_missing
from pugam.errors import InputError, RowError, warn_user
from pugam.messages import Argument, NamingPositive, counted, first_of

__all__ = ["Labels", "read_labels", "read_weights", "require_both_kinds"]

MOST_CHARACTERS_SHOWN = 40
Z, WEIGHTS = Argument("z"), Argument("sample_weight")
CODING = "Code a labelled positive as 1 and an unlabelled row as 0 (or -1, or True and False)"
MOST_VALUES_LISTED = 3
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-30, 1e30  # beyond, sums and products of weights would overflow or vanish


@dataclass(frozen=True, eq=False)
class Labels:
    """Which rows are labelled positive.

    Attributes
    ----------
    positive : ndarray of bool, shape (n_rows,)
        True for a labelled positive, False for an unlabelled row.
    classes : ndarray of shape (2,)
        The user's codes for unlabelled and positive, in the user's dtype: [0, 1], [-1, 1] or [False, True].
    """

    positive: np.ndarray
    classes: np.ndarray


def read_labels(z: Any, n_rows: int, need_both: bool = True) -> Labels:
    """Check the labels and tell the labelled positives from the unlabelled rows.

    Parameters
    ----------
    z : array-like of shape (n_rows,)
        1 for a labelled positive, 0 or -1 for an unlabelled row; booleans work too. A list, a NumPy array,
        a pandas or polars series, or an Arrow array.
    n_rows : int
        How many rows the table has.
    need_both : bool
        Refuse labels of one kind only, as a fit must.

    Raises
    ------
    InputError
        z has gaps, other values, another length than the table, or rows of one kind only.

    Examples
    --------
    >>> from pugam.data import read_labels
    >>> labels = read_labels([1, -1, -1], n_rows=3)
    >>> labels.positive
    array([ True, False, False])
    >>> labels.classes
    array([-1,  1])
    """
    if z is None:
        raise InputError(
            "PUGAM requires y to be passed, but the target y is None; pass the labels z, as in fit(X, z): 1 for a "
            "labelled positive, 0 for an unlabelled row."
        )
    codes = _typed(_one_label_per_row(_native_array(z), n_rows))
    _require_allowed(codes)
    positive = codes == 1
    if need_both:
        require_both_kinds(positive)
    unlabelled_code = codes[np.argmin(positive)]
    return Labels(positive, np.array([unlabelled_code, codes[np.argmax(positive)]], dtype=codes.dtype))


def read_weights(sample_weight: Any, n_rows: int, need_some: bool = True) -> np.ndarray | None:
    """Check the weights of the rows.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), float or None
        Finite, not negative, not all zero. A single number counts for every row.
    n_rows : int
        How many rows the table has.
    need_some : bool
        Refuse weights that are zero at every row, as a fit must.

    Returns
    -------
    ndarray of float64, shape (n_rows,), or None where none were given

    Raises
    ------
    InputError
        The weights cannot be used; the message names the row.
    """
    if sample_weight is None:
        return None
    weights = _weight_numbers(_native_array(sample_weight))
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise InputError(WEIGHTS, f" must be 1-d, one weight per row; got shape {weights.shape}.")
    if len(weights) != n_rows:
        raise InputError(
            WEIGHTS, f" has {counted(len(weights), 'weight')} but X has {counted(n_rows, 'row')}; give one per row."
        )
    refused = ~np.isfinite(weights) | (weights < 0)
    if refused.any():
        row = int(np.argmax(refused))
        raise RowError(
            WEIGHTS,
            " must be finite and not negative; ",
            row,
            f" has {weights[row]}. Give a row that should not count the weight 0.",
        )
    extreme = (weights > LARGEST_WEIGHT) | ((weights < SMALLEST_WEIGHT) & (weights > 0))
    if extreme.any():
        row = int(np.argmax(extreme))
        raise RowError(
            WEIGHTS,
            f" must lie between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, or be 0; ",
            row,
            f" has {weights[row]:g}. Scale the weights to a mean of one.",
        )
    if need_some and not weights.any():
        raise InputError(WEIGHTS, " is zero at every row; at least one row must count.")
    return weights


def _native_array(values: Any) -> np.ndarray:
    pyarrow = nw.dependencies.get_pyarrow()
    if pyarrow is not None and isinstance(values, pyarrow.Array):
        values = pyarrow.chunked_array([values])
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return as_array(values)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return series.to_numpy()
    return as_array(np.fromiter(series.to_list(), dtype=object, count=len(series)))


def _one_label_per_row(codes: np.ndarray, n_rows: int) -> np.ndarray:
    if codes.ndim == 2 and codes.shape[1] == 1:
        _warn_about_column_vector()
        codes = codes.ravel()
    if codes.ndim != 1:
        raise InputError(Z, f" must be 1-d, one label per row; got shape {codes.shape}.")
    if len(codes) != n_rows:
        raise InputError(
            Z, f" has {counted(len(codes), 'label')} but X has {counted(n_rows, 'row')}; give one label per row."
        )
    return codes


def _warn_about_column_vector() -> None:
    # Imported here because scikit-learn imports pandas.
    from sklearn.exceptions import DataConversionWarning

    warn_user(
        "A column-vector y was passed when a 1d array was expected. "
        "Please change the shape of y to (n_samples, ), for example using ravel().",
        category=DataConversionWarning,
    )


def _typed(codes: np.ndarray) -> np.ndarray:
    """Refuse gaps, and find the type of labels that came as objects."""
    if codes.dtype.kind in "biu":
        return codes
    if codes.dtype.kind == "c":
        raise InputError(Z, f" holds complex numbers. {CODING}.")
    if holds_times(codes):
        raise InputError(Z, f" holds dates or times. {CODING}.")
    gaps = np.isnan(codes) if codes.dtype.kind == "f" else np.array([is_missing(code) for code in codes])
    if gaps.any():
        row = int(np.argmax(gaps))
        raise RowError(Z, " contains NaN: the label of ", row, f" is missing. {CODING}, or leave the row out.")
    return codes if codes.dtype.kind == "f" else _inferred(codes)


def _inferred(codes: np.ndarray) -> np.ndarray:
    inferred = np.asarray(codes.tolist())
    if inferred.dtype.kind in "biuf":
        return inferred
    unknown = np.array([code not in (-1, 0, 1) for code in codes.tolist()])
    if unknown.any():
        raise _unknown_codes(codes, unknown)
    return codes.astype(np.float64)


def _require_allowed(codes: np.ndarray) -> None:
    if codes.dtype.kind == "b":
        return
    infinite = np.isinf(codes)
    if infinite.any():
        raise RowError(Z, " contains infinity at ", int(np.argmax(infinite)), f". {CODING}.")
    fractional = codes != np.round(codes)
    if fractional.any():
        row = int(np.argmax(fractional))
        raise RowError("Unknown label type: continuous; ", Z, f" holds {codes[row]} at ", row, f". {CODING}.")
    unknown = ~np.isin(codes, (-1, 0, 1))
    if unknown.any():
        raise _unknown_codes(codes, unknown)
    if np.isin((-1, 0), codes).all():
        raise _two_codes(codes)


def _two_codes(codes: np.ndarray) -> RowError:
    zero, minus = (int(np.argmax(codes == code)) for code in (0, -1))
    last = f"). Only binary classification is supported. {CODING}."
    return RowError(Z, " marks unlabelled rows both by 0 (", zero, ") and by -1 (", minus, last)


def _unknown_codes(codes: np.ndarray, unknown: np.ndarray) -> InputError:
    distinct = list(dict.fromkeys(codes[unknown].tolist()))
    listed = first_of(distinct, MOST_VALUES_LISTED, repr)
    return RowError(
        Z,
        f" holds {listed} (first at ",
        int(np.argmax(unknown)),
        f"). Only binary classification is supported. {CODING}",
        NamingPositive(_written(codes)),
        ".",
    )


def _written(codes: np.ndarray) -> tuple[object, ...]:
    """The first values there are, as a user would write them."""
    distinct = list(dict.fromkeys(codes.tolist()))[:MOST_VALUES_LISTED]
    return tuple(int(value) if isinstance(value, float) and value.is_integer() else value for value in distinct)


def require_both_kinds(positive: np.ndarray) -> None:
    """Refuse rows of one kind only."""
    if positive.all():
        raise InputError(Z, " has only one class: every row is a labelled positive. Add the unlabelled rows, coded 0.")
    if not positive.any():
        raise InputError(Z, " has only one class: no row is a labelled positive. Code the labelled positives as 1.")


def _weight_numbers(weights: np.ndarray) -> np.ndarray:
    numbers = _as_numbers(weights)
    if numbers is not None:
        return numbers
    told = " must be numbers without gaps, one per row"
    if weights.ndim != 1:
        raise InputError(WEIGHTS, f"{told}.")
    row = next((row for row in range(len(weights)) if _as_numbers(weights[row : row + 1]) is None), 0)
    value = weights[row : row + 1].tolist()[0]
    raise RowError(
        WEIGHTS, f"{told}; ", row, f" has {'none' if is_missing(value) else repr(value)[:MOST_CHARACTERS_SHOWN]}."
    )


def _as_numbers(weights: np.ndarray) -> np.ndarray | None:
    """Weights as floats; none where one of them is no number."""
    try:
        if weights.dtype.kind != "c" and not holds_times(weights):  # whose other part would be lost, or would be days
            return weights.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    return None
