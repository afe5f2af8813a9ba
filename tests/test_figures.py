"""Every figure quoted in the README and the documentation is found in a table that the page links to."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/model").glob("*.md"))]
PAGES += [*sorted((ROOT / "docs/howto").glob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
TABLES = (ROOT / "results", ROOT / "benchmarks/results")

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
BLOCK = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
NOT_PROSE = re.compile(r"`[^`\n]*`|\]\([^)]*\)|\$\$.*?\$\$|\$[^$]+\$|https?://\S+|(?:doi|arXiv):\S+", flags=re.DOTALL)
FIGURE = re.compile(r"(?<![\w.^-])(-?\d+\.\d+)(?![\w.]*\d)(%?)")
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")
DEMO = "printed by `make demo`, as tests/test_readme.py checks"

# What is no result: levels and quantiles, and shares that a reader may choose.
SETTINGS = {"0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.95", "1.96", "3.84"}
# Figures that stand in no table, by page, and where they come from.
ELSEWHERE = {
    "README.md": {"0.241": DEMO, "0.190": DEMO, "0.305": DEMO, "0.234": DEMO},
    "docs/from_file_to_report.md": {"39.7": "read off the picture above it"},
    "docs/large_data.md": {
        "2.25": "3 settings x 3 sizes x 500 x 500 refits",
        "0.43": "2 x 2.2 s for ten million rows",
        "1.6": "20 million rows x 10 x 8 bytes",
    },
    "docs/model_file.md": {"0.9": "a version"},
    "docs/model/uncertainty.md": dict.fromkeys(("0.037", "0.039"), "0.144 / 3.92 and 0.154 / 3.92 of Table 2"),
    "docs/paper.md": {
        **dict.fromkeys(("0.037", "0.039"), "0.144 / 3.92 and 0.154 / 3.92 of Table 2"),
        "1.14": "0.137 / 0.120 of Table 1",
        "1.15": "0.138 / 0.120 of Table 1",
        "0.215": "printed in the paper",
        "2.25": "3 settings x 3 sizes x 500 x 500 refits",
        "10.5": "7 rows x 6 zetas x 500 x 500 refits",
        "17.9": "8.9 and 9.0 in runs.md",
    },
    "docs/real_data.md": {
        "1.11": "a version",
        **dict.fromkeys(("0.615", "0.478", "0.792", "0.234"), "pugam fit of the demo's table with two terms"),
    },
}


def linked(page: Path) -> set[Path]:
    """The files that a page links to."""
    targets = (target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target)
    return {path for target in targets if (path := (page.parent / target).resolve()).is_file()}


def tables_behind(page: Path) -> list[str]:
    """Texts of the tables that a page links to, or a page of the documentation to which it links."""
    files = linked(page)
    files |= {
        path for other in files if other.suffix == ".md" and other.parent == ROOT / "docs" for path in linked(other)
    }
    found = [path for path in files if path.suffix in (".md", ".csv") and any(top in path.parents for top in TABLES)]
    return [path.read_text(encoding="utf-8") for path in found]


def numbers_in(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


def figures_of(page: Path) -> list[tuple[str, str, str]]:
    """Figures of the prose, each with its percent sign, if any, and the words around it."""
    text = NOT_PROSE.sub(" ", BLOCK.sub(" ", page.read_text(encoding="utf-8")))
    return [
        (figure[1], figure[2], " ".join(text[max(0, figure.start() - 40) : figure.end() + 20].split()))
        for figure in FIGURE.finditer(text)
    ]


def is_among(figure: str, percent: str, values: list[float]) -> bool:
    """Whether one of the values, rounded as the figure is, gives it."""
    digits = len(figure.partition(".")[2])
    scales = (1.0, 100.0) if percent else (1.0,)
    return figure.lstrip("-") in {f"{abs(scale * value):.{digits}f}" for value in values for scale in scales}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_figure_of_a_page_is_in_a_table_it_links_to_or_printed_on_it(page):
    text = page.read_text(encoding="utf-8")
    values = [number for shown in (*tables_behind(page), *BLOCK.findall(text)) for number in numbers_in(shown)]
    explained = SETTINGS | ELSEWHERE.get(str(page.relative_to(ROOT)), {}).keys()

    missing = [
        around
        for figure, percent, around in figures_of(page)
        if figure not in explained and not is_among(figure, percent, values)
    ]

    assert missing == []


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.name)
def test_every_figure_in_the_words_of_an_example_is_in_its_code_or_in_a_table_it_names(script):
    lines = script.read_text(encoding="utf-8").splitlines()
    words = NOT_PROSE.sub(" ", "\n".join(line for line in lines if line.startswith("#")))
    shown = ["\n".join(line for line in lines if not line.startswith("#"))]
    shown += [
        (ROOT / name).read_text(encoding="utf-8") for name in re.findall(r"benchmarks/results/\w+\.md", str(lines))
    ]
    values = [number for text in shown for number in numbers_in(text)]

    figures = [(figure, percent) for figure, percent in FIGURE.findall(words) if figure not in SETTINGS]

    assert [figure for figure in figures if not is_among(*figure, values)] == []


def test_a_figure_that_is_in_no_table_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "It is 0.3971, not `0.1234` or [there](0.5.md).\n\n```python\n>>> 0.397141\n```\n", encoding="utf-8"
    )

    ((figure, percent, around),) = figures_of(page)

    assert (figure, percent, around) == ("0.3971", "", "It is 0.3971, not or [there .")
    assert is_among(figure, percent, [0.39712])
    assert not is_among(figure, percent, [0.3972, 39.71])


def test_explanations_are_of_figures_that_are_there():
    for name, figures in ELSEWHERE.items():
        quoted = {figure for figure, _, _ in figures_of(ROOT / name)}
        assert figures.keys() <= quoted, name
