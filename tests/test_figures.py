"""Every figure quoted in the README and the documentation is found in a table to which its section links.

Figures are numbers with decimals, percentages, and whole numbers from 100 on. What the code on a page prints (other tests
run it) is a source for the whole page. What follows from a table by arithmetic is worked out again here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("docs", "docs/model", "docs/howto")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted((ROOT / folder).glob("*.md")))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
TABLES = (ROOT / "results", ROOT / "benchmarks/results")

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
HEADING = re.compile(r"^(?=#{1,6} )", flags=re.MULTILINE)
BLOCK = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
NOT_PROSE = re.compile(r"`[^`\n]*`|\]\([^)]*\)|\$\$.*?\$\$|\$[^$]+\$|https?://\S+|(?:doi|arXiv):\S+", flags=re.DOTALL)
FIGURE = re.compile(r"(?<![\w.^,-])(-?\d{1,3}(?:,\d{3})+|-?\d+\.\d+|-?\d+)(?![\w.,]*\d)(%?)")
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")
SMALLEST_WHOLE, YEARS = 100, range(1900, 2100)
LITERATURE = re.compile(r"#+ (?:Literature|References)\b")

# What is no result: levels and quantiles, and shares that a reader may choose.
SETTINGS = {"0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.95", "1.96", "3.84"} | {"5%", "95%", "100%"}
# What follows from figures of tables, and how.
DERIVED = {
    "docs/large_data.md": {
        "2.25": "3 * 3 * 500 * 500 / 1e6",
        "0.43": "2 * 2.16 / 10",
        "4.3": "1000 * 0.43 / 100",
        "1,200": "80e9 / 2**26",
        "1.4": "(1200 + 170) / 1000",
        "1.6": "20e6 * 10 * 8 / 1e9",
    },
    "docs/model/uncertainty.md": {"0.037": "0.144 / 3.92", "0.039": "0.154 / 3.92"},
    "docs/paper.md": {
        "0.037": "0.144 / 3.92",
        "0.039": "0.154 / 3.92",
        "1.14": "0.137 / 0.120",
        "1.15": "0.138 / 0.120",
        "2.25": "3 * 3 * 500 * 500 / 1e6",
        "10.5": "7 * 6 * 500 * 500 / 1e6",
        "1.5": "3000 * 500 / 1e6",
        "17.9": "8.9 + 9.0",
    },
}
# What is neither a result nor chosen by the reader: versions, limits in the code, counts of given data.
FACTS: dict[str, set[str]] = {}


@dataclass(frozen=True)
class Section:
    """A section's prose, and what stands in the tables it links to; a subsection shares those of its section."""

    prose: str
    values: tuple[float, ...]


def linked_tables(page: Path, text: str) -> Iterator[Path]:
    """The tables of results to which a text links."""
    for target in LINK.findall(text):
        path = (page.parent / target).resolve()
        if path.suffix in (".md", ".csv") and any(top in path.parents for top in TABLES) and path.is_file():
            yield path


def numbers_in(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


def sections_of(page: Path) -> Iterator[Section]:
    text = page.read_text(encoding="utf-8")
    printed = [number for block in BLOCK.findall(text) for number in numbers_in(block)]
    above: list[Path] = []
    for part in HEADING.split(BLOCK.sub(" ", text)):
        if LITERATURE.match(part):
            continue
        own = list(linked_tables(page, part))
        if not part.startswith("###"):
            above = own
        tables = {*own, *above}
        values = [number for path in tables for number in numbers_in(path.read_text(encoding="utf-8"))]
        yield Section(NOT_PROSE.sub(" ", part), (*printed, *values))


def figures_in(prose: str) -> list[tuple[str, str, str]]:
    """Figures of the prose, each with its percent sign, if any, and the words around it."""
    return [
        (found[1], found[2], " ".join(prose[max(0, found.start() - 40) : found.end() + 20].split()))
        for found in FIGURE.finditer(prose)
        if is_figure(found[1], found[2])
    ]


def is_figure(number: str, percent: str) -> bool:
    if percent or "." in number or "," in number:
        return True
    return abs(int(number)) >= SMALLEST_WHOLE and int(number) not in YEARS


def is_among(figure: str, percent: str, values: tuple[float, ...]) -> bool:
    """Whether one of the values, rounded as the figure is, gives it."""
    bare = figure.lstrip("-").replace(",", "")
    digits = len(bare.partition(".")[2])
    scales = (1.0, 100.0) if percent else (1.0,)
    return bare in {f"{abs(scale * value):.{digits}f}" for value in values for scale in scales}


def unexplained(page: Path, name: str) -> list[str]:
    explained = SETTINGS | DERIVED.get(name, {}).keys() | FACTS.get(name, set())
    return [
        around
        for section in sections_of(page)
        for figure, percent, around in figures_in(section.prose)
        if not {figure, figure + percent} & explained and not is_among(figure, percent, section.values)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_in_a_table_its_section_links_to_or_printed_on_the_page(name):
    assert unexplained(ROOT / name, name) == []


@pytest.mark.parametrize(("name", "figure"), [(name, figure) for name, found in DERIVED.items() for figure in found])
def test_what_is_derived_follows_from_tables(name, figure):
    expression = DERIVED[name][figure]
    value = eval(expression, {"__builtins__": {}})  # ours, and arithmetic alone
    page = ROOT / name
    values = [value for section in sections_of(page) for value in section.values]
    text = page.read_text(encoding="utf-8")

    assert is_among(figure, "", (value,))
    for operand in re.findall(r"\d+\.\d+", expression):
        assert is_among(operand, "", tuple(values)) or operand in DERIVED[name] or operand in text, operand


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.name)
def test_every_figure_in_the_words_of_an_example_is_in_its_code_or_in_a_table_it_names(script):
    lines = script.read_text(encoding="utf-8").splitlines()
    words = NOT_PROSE.sub(" ", "\n".join(line for line in lines if line.startswith("#")))
    shown = ["\n".join(line for line in lines if not line.startswith("#"))]
    shown += [
        (ROOT / name).read_text(encoding="utf-8") for name in re.findall(r"benchmarks/results/\w+\.md", str(lines))
    ]
    values = tuple(number for text in shown for number in numbers_in(text))

    figures = [(figure, percent) for figure, percent, _ in figures_in(words) if figure + percent not in SETTINGS]

    assert [figure for figure in figures if not is_among(*figure, values)] == []


def test_a_figure_that_is_in_no_table_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\nIt is 0.3971, not `0.1234` or [there](0.5.md), in 42% of 1,200 or 345 since 1999.\n\n"
        "```python\n>>> 0.397141\n```\n\n## Literature\n\n- A journal 7, 222-333.\n",
        encoding="utf-8",
    )

    (section,) = sections_of(page)

    assert [(figure, percent) for figure, percent, _ in figures_in(section.prose)] == [
        ("0.3971", ""),
        ("42", "%"),
        ("1,200", ""),
        ("345", ""),
    ]
    assert section.values == (0.397141,)
    assert [around.split()[-1] for around in unexplained(page, "page")] != []
    assert is_among("0.3971", "", section.values)
    assert not is_among("0.3971", "", (0.3972, 39.71))
    assert is_among("42", "%", (0.418,))
    assert is_among("1,200", "", (1200.0,))


def test_a_table_is_a_source_for_the_section_that_links_to_it_and_its_parts_alone():
    sections = {section.prose.split("\n")[0]: section.values for section in sections_of(ROOT / "docs/paper.md")}
    table3 = numbers_in((ROOT / "results/table3.md").read_text(encoding="utf-8"))

    assert set(table3) <= set(sections["## Table 3: tests of u_1 = 0"])
    assert not set(table3) <= set(sections["## Table 2: coverage of intervals for pi"])


def test_explanations_are_of_figures_that_are_there():
    for name in DERIVED.keys() | FACTS.keys():
        quoted = {
            figure + sign
            for section in sections_of(ROOT / name)
            for figure, percent, _ in figures_in(section.prose)
            for sign in {"", percent}
        }
        assert DERIVED.get(name, {}).keys() | FACTS.get(name, set()) <= quoted, name
