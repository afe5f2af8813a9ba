"""Hidden malignant tumours: scikit-learn's breast cancer table with half of the malignant labels masked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MaskedTable", "load_tumours"]

COLUMNS = ("mean radius", "mean texture", "mean smoothness", "mean concave points", "mean symmetry")
SHARE_LABELLED, SEED = 0.5, 1


@dataclass(frozen=True, eq=False)
class MaskedTable:
    """A table of positives, some of them labelled, and negatives; made by `load_tumours`.

    Attributes
    ----------
    X : pandas.DataFrame
    z : bool array
        Who is a labelled positive.
    y : bool array
        Who is positive, which a fit does not see.

    Examples
    --------
    >>> from pugam.datasets import load_tumours
    >>> table = load_tumours()
    >>> int(table.y.sum()), int(table.z.sum())
    (212, 103)
    """

    X: pd.DataFrame
    z: NDArray[np.bool_]
    y: NDArray[np.bool_]


def load_tumours() -> MaskedTable:
    """Load five features of 569 tumours, of which 212 are malignant and 103 of these diagnosed.

    Examples
    --------
    >>> from pugam.datasets import load_tumours
    >>> tumours = load_tumours()
    >>> tumours.X.shape, int(tumours.z.sum())
    ((569, 5), 103)
    """
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer(as_frame=True)
    malignant = (table.target == 0).to_numpy()
    diagnosed = malignant & (np.random.default_rng(SEED).random(len(malignant)) < SHARE_LABELLED)
    return MaskedTable(table.data[list(COLUMNS)], diagnosed, malignant)
