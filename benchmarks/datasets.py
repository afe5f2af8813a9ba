"""Rows, columns and classes of the real tables.

usage: python benchmarks/datasets.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from division import CHOOSE_ON, REPORT_ON
from held_to_its_word import load
from reporting import write_table

USES = dict.fromkeys(CHOOSE_ON, "to choose on") | dict.fromkeys(REPORT_ON, "to report on")


def main(folder: Path) -> None:
    rows: list[list[object]] = []
    for name in sorted(USES):
        table = load(folder, name)
        rows.append([name, len(table.y), table.X.shape[1], int(table.y.sum()), int((1 - table.y).sum()), USES[name]])
    sloths, survey = pd.read_csv(folder / "bradypus.csv"), pd.read_csv(folder / "nhanes.csv.gz")
    rows.append(["bradypus", len(sloths), sloths.shape[1] - 1, int(sloths["y"].sum()), "not known", "tutorial"])
    rows.append(["nhanes", len(survey), survey.shape[1], "not a column", "not a column", "tutorial"])
    write_table(
        "datasets",
        "Real tables: rows, columns and classes",
        ["table", "rows", "features", "positive", "negative", "use"],
        rows,
        "Use: as in benchmarks/division.py. bradypus has recorded presences and background points, nhanes what people "
        "were told and what was measured.",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
