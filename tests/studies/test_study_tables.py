"""Pages for readers and sheets for programs say the same: every figure, its error, the printed one and the mark."""

import re

import numpy as np
import pandas as pd
import pytest

from pugam.studies import Table
from pugam.studies.monte_carlo import Comparison, Measured
from pugam.studies.tables import Row

ROWS = (
    Row(
        ("1", "GAET"),
        {
            "bias": Comparison(Measured(-0.39512, 0.21804, 500), -0.4),
            "coverage": Comparison(Measured(0.5, 0.0223607, 500, is_rate=True), 0.97, digits=2),
        },
    ),
    Row(("1", "default"), {"bias": Comparison(Measured(1.25, 0.125, 400), None)}),
    Row(("2", "GAET"), {"width": Comparison(Measured(2 / 3, 0.0004, 500), 0.667)}),
)

PAGE = """\
# A table

| Setting | method | bias | coverage | width |
| --- | --- | --- | --- | --- |
| 1 | GAET | -0.395 ± 0.218 [-0.400] | 0.50 ± 0.02 [0.97] \\* |  |
| 1 | default | 1.250 ± 0.125 |  |  |
| 2 | GAET |  |  | 0.667 ± 0.000 [0.667] |

Each cell: ours ± its Monte-Carlo standard error [the paper's]; * where the two differ by more than three standard \
errors of their difference.

First note.

Second note.
"""

SHEET = f"""\
Setting,method,quantity,value,mc_error,replicates,paper,differs
1,GAET,bias,-0.39512,0.21804,500,-0.4,False
1,GAET,coverage,0.5,0.0223607,500,0.97,True
1,default,bias,1.25,0.125,400,,
2,GAET,width,{2 / 3!r},0.0004,500,0.667,False
"""


@pytest.fixture
def table():
    return Table("example", "A table", ("Setting", "method"), ROWS, ("First note.", "Second note."))


def test_the_page_shows_errors_printed_figures_marks_and_gaps(table):
    assert table.markdown() == PAGE


def test_both_files_are_written(table, tmp_path):
    folder = tmp_path / "not" / "there"

    written = table.write(folder)

    assert written == [folder / "example.md", folder / "example.csv"]
    assert written[0].read_bytes().decode("utf-8") == PAGE
    assert written[1].read_bytes().decode("utf-8") == SHEET


def test_writing_again_replaces_the_files(table, tmp_path):
    (tmp_path / "example.md").write_text("much older and much longer" * 100, encoding="utf-8")

    first = [path.read_bytes() for path in table.write(tmp_path)]
    second = [path.read_bytes() for path in table.write(tmp_path)]

    assert first == second
    assert first[0].decode("utf-8") == PAGE


def test_the_frame_has_one_line_per_figure(table):
    frame = table.frame()

    assert frame.columns.tolist() == [
        *("Setting", "method", "quantity", "value", "mc_error", "replicates", "paper", "differs"),
    ]
    assert frame["quantity"].tolist() == ["bias", "coverage", "bias", "width"]
    assert frame["value"].tolist() == [-0.39512, 0.5, 1.25, 2 / 3]
    assert frame["paper"].isna().tolist() == [False, False, True, False]
    assert frame["differs"].tolist() == [False, True, None, False]


def test_the_sheet_holds_the_frame(table, tmp_path):
    sheet = pd.read_csv(table.write(tmp_path)[1], dtype={"Setting": str})

    pd.testing.assert_frame_equal(sheet, table.frame(), check_dtype=False, check_exact=True)


def test_page_and_sheet_agree(table, tmp_path):
    page, sheet = table.write(tmp_path)
    cells = re.findall(r"(-?[\d.]+) ± ([\d.]+)(?: \[(-?[\d.]+)\])?( \\\*)?", page.read_text(encoding="utf-8"))
    lines = pd.read_csv(sheet)

    assert len(cells) == len(lines)
    for (value, error, printed, mark), line in zip(cells, lines.itertuples(), strict=True):
        digits = len(value.split(".")[1])
        assert float(value) == round(line.value, digits)
        assert float(error) == round(line.mc_error, digits)
        assert (float(printed) if printed else None) == (None if np.isnan(line.paper) else line.paper)
        assert bool(mark) == (str(line.differs) == "True")


def test_differing_cells_are_listed(table):
    assert table.differing == [(("1", "GAET"), "coverage")]


def test_quantities_come_in_the_order_of_their_first_appearance(table):
    assert table.quantities == ["bias", "coverage", "width"]


def test_without_printed_figures_the_legend_speaks_of_none():
    table = Table("ours", "Ours", ("Setting", "method"), ROWS[1:2])

    assert table.markdown().endswith("|\n\nEach cell: the figure ± its Monte-Carlo standard error.\n")
    assert "paper" not in table.markdown()


def test_labels_with_commas_and_quotes_survive_the_sheet(tmp_path):
    label = 'GAET, "bootstrap" basic'
    table = Table("quoted", "Quoted", ("data", "method"), [Row(("Wilt", label), ROWS[1].cells)])

    assert pd.read_csv(table.write(tmp_path)[1])["method"].tolist() == [label]
