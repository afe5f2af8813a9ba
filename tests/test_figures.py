"""Every figure quoted in the README and the documentation is found in a table to which its section links.

Figures are numbers with decimals, percentages, and whole numbers from ten on. What code prints on a page (other tests
run it) is a source for the whole page, and for sections that link to that page. What follows from a table by arithmetic
is worked out again here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import stdev

import pytest
from scipy.special import ndtr

ROOT = Path(__file__).parent.parent
FOLDERS = ("docs", "docs/model", "docs/howto")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted((ROOT / folder).glob("*.md")))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
TABLES = (ROOT / "results", ROOT / "benchmarks/results", ROOT / "tests/certified")


def error_of_mean(*values):
    """Standard error of a mean, one value for each table."""
    return stdev(values) / len(values) ** 0.5


ARITHMETIC = {"__builtins__": {}, "round": round, "ndtr": ndtr, "se": error_of_mean}

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
HEADING = re.compile(r"^(?=#{1,6} )", flags=re.MULTILINE)
BLOCK = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
NOT_PROSE = re.compile(r"`[^`\n]*`|\]\([^)]*\)|\$\$.*?\$\$|\$[^$]+\$|https?://\S+|(?:doi|arXiv):\S+", flags=re.DOTALL)
FIGURE = re.compile(r"(?<![\w.^,-])(-?\d{1,3}(?:,\d{3})+|-?\d+\.\d+|-?\d+)(?![\w.,]*\d|th\b|\^)(%?)")
NUMBER = re.compile(r"(-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?)(%?)")
MADE_BY = re.compile(r"^Made by .*", flags=re.MULTILINE)  # commits, dates and versions are no results
SMALLEST_WHOLE, YEARS = 10, range(1900, 2100)
LITERATURE = re.compile(r"#+ (?:Literature|References?)\b")

CHANCES = {"0.45": "a chance, for illustration", "0.9": "another", "11": "the ratio of their odds"}
# What is no result: levels and quantiles, and shares that a reader may choose.
SETTINGS = {"0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.95", "1.96", "3.84"} | {"5%", "95%", "100%"}
# What follows from figures of tables, and how.
DERIVED = {
    "README.md": {
        "450": "9 * 5 * 10",
        "0.015": "0.044 - 0.029",
        "0.007": "se(0.085 - 0.043, 0.056 - 0.040, 0.018 - 0.013, 0.071 - 0.045, 0.025 - 0.020, 0.009 - 0.013)",
        "0.022": "0.051 - 0.029",
        "0.008": "se(0.074 - 0.043, 0.087 - 0.040, 0.019 - 0.013, 0.084 - 0.045, 0.019 - 0.020, 0.021 - 0.013)",
    },
    "docs/start.md": {
        "213": "round(180 + 32.6)",
        "38": "round(23.2 + 14.9)",
        "0.02": "(0.241 * (1 - 0.241) / 466) ** 0.5",
    },
    "docs/large_data.md": {
        "2.25": "3 * 3 * 500 * 500 / 1e6",
        "0.43": "2 * 2.16 / 10",
        "70": "round(92 * 92 * 8 / 1000, -1)",
        "80": "1e9 * 10 * 8 / 1e9",
        "84": "1200 * 70 / 1000",
        "20": "1e9 / 50 / 1e6",
        "4.3": "1000 * 0.43 / 100",
        "100": "100000000 / 1e6",
        "1,200": "round(80e9 / 2**26, -2)",
        "1.4": "1200 * (1 + 1 / 7) / 1000",
        "1.6": "20e6 * 10 * 8 / 1e9",
    },
    "docs/model/uncertainty.md": {"0.037": "0.144 / 2 / 1.96", "0.039": "0.154 / 2 / 1.96"},
    "docs/paper.md": {
        "0.037": "0.144 / 2 / 1.96",
        "0.039": "0.154 / 2 / 1.96",
        "0.003": "0.157 - 0.154",
        "54": "3 * 3 * 6",
        "36": "2 * 3 * 6",
        "18": "3 * 6",
        "48": "1.9 * 3000 / 120",
        "10": "100 * (0.249 * 0.137 * 0.073 * 0.304 * 0.114 * 0.058 * 0.360 * 0.118 * 0.074 / "
        "(0.239 * 0.120 * 0.077 * 0.256 * 0.103 * 0.052 * 0.340 * 0.106 * 0.062)) ** (1 / 9) - 100",
        "6": "100 * (0.248 * 0.138 * 0.072 * 0.814 * 0.534 * 0.420 * 1.525 * 1.115 * 1.099 / "
        "(0.235 * 0.120 * 0.077 * 0.757 * 0.505 * 0.379 * 1.416 * 1.064 * 1.027)) ** (1 / 9) - 100",
        "0.96": "0.238 / 0.249",
        "0.99": "0.136 / 0.137",
        "0.51": "0.156 / 0.304",
        "0.72": "0.082 / 0.114",
        "0.79": "0.046 / 0.058",
        "0.45": "0.162 / 0.360",
        "0.68": "0.080806 / 0.118477",
        "0.75": "0.055990 / 0.074491",
        "0.014": "0.944 - 0.930",
        "0.038": "0.944 - 0.906",
        "40": "round(100 * (0.886 - 0.525) / 0.886, -1)",
        "80": "100 * (0.495 - 0.100) / 0.495",
        "2.25": "3 * 3 * 500 * 500 / 1e6",
        "10.5": "7 * 6 * 500 * 500 / 1e6",
        "1.5": "3000 * 500 / 1e6",
        "17.9": "8.9 + 9.0",
    },
    "docs/howto/clusters.md": {"2400": "60 * 40"},
    "docs/howto/diagnosis.md": {"0.78": "1 - 0.22", "21": "100 * 0.16 / 0.78"},
    "docs/model/identifiability.md": {
        "0.78": "1 - 0.22",
        "0.07": "1 - 0.93",
        "21": "100 * 0.16 / 0.78",
        "0.225": "1 - 0.775",
        "0.250": "1 - 0.750",
    },
    "docs/model/verdicts.md": {
        "49": "69 - 20",
        "53": "31 + 22",
        "42": "0.964 * 28 + 15",
        "43": "28 + 15",
        "82": "27 + 17 + 6 + 15 + 12 + 5",
        "74": "0.815 * 27 + 17 + 6 + 0.933 * 15 + 0.917 * 12 + 0.800 * 5",
        "0.90": "74 / 82",
        "20": "1.00 * 10 + 1.00 * 10",
        "46": "0.957 * 69 - 20",
    },
    "docs/model/shrinkage.md": {"0.977": "ndtr((8 / 2) ** 0.5)"},
    "docs/real_data.md": {
        "0.015": "0.044 - 0.029",
        "0.007": "se(0.085 - 0.043, 0.056 - 0.040, 0.018 - 0.013, 0.071 - 0.045, 0.025 - 0.020, 0.009 - 0.013)",
        "0.003": "se(0.051 - 0.033, 0.062 - 0.037, 0.047 - 0.029, 0.017 - 0.018, "
        "0.008 - 0.011, 0.028 - 0.020, 0.015 - 0.009, 0.019 - 0.016, 0.012 - 0.012)",
        "0.022": "0.043 - 0.021",
        "0.008": "se(0.091 - 0.033, 0.064 - 0.037, 0.092 - 0.029, 0.019 - 0.018, "
        "0.017 - 0.011, 0.028 - 0.020, 0.021 - 0.009, 0.028 - 0.016, 0.026 - 0.012)",
        "0.023": "(0.043 + 0.013 + 0.013) / 3",
        "0.037": "(0.085 + 0.018 + 0.009) / 3",
        "0.038": "(0.074 + 0.019 + 0.021) / 3",
        "0.035": "(0.040 + 0.045 + 0.020) / 3",
        "0.051": "(0.056 + 0.071 + 0.025) / 3",
        "0.063": "(0.087 + 0.084 + 0.019) / 3",
        "0.98": "(1.00 + 1.00 + 0.94) / 3",
        "0.95": "(0.92 + 0.96 + 0.98) / 3",
        "0.15": "(0.17 + 0.14 + 0.13) / 3",
        "0.34": "(0.43 + 0.44 + 0.16) / 3",
        "18": "0.90 * 20",
    },
}
# What is no result either: versions, limits and defaults of the code, counts of what is given.
FACTS = {
    "README.md": {"3.11": "a version", "60": "digits of the certified values"},
    "docs/cheatsheet.md": {"20": "functions, an example"},
    "docs/datasets.md": {
        "4.0": "a licence",
        **dict.fromkeys(map(str, range(10, 18)), "versions of model_error.md"),
        **dict.fromkeys(
            ("134", "132", "135", "105", "107", "94", "106", "85", "88", "99", "104"),
            "earlier versions of model_error.md, in the history",
        ),
        **dict.fromkeys(
            ("0.948", "0.947", "0.941", "0.940", "0.952", "0.944", "0.953", "0.955", "0.949"),
            "the same: coverage of these fits",
        ),
    },
    "docs/from_file_to_report.md": {
        **dict.fromkeys(("569", "212"), "rows of the demo's table"),
        "39.8": "read off the picture above it",
        "130": "an exit code",
        "31": "values of the slider, set in the code",
    },
    "docs/large_data.md": {
        **dict.fromkeys(("131,072", "100,000"), "rows, set in the code"),
        **dict.fromkeys(("92", "64"), "columns of the model, and MiB of a partition"),
    },
    "docs/metrics.md": {"109": "rows of the demo's table", **dict.fromkeys(("400", "1600"), "rows of a simulation")},
    "docs/model_file.md": {
        **dict.fromkeys(("2147483648", "256"), "limits set in the code"),
        "8601": "a standard",
        "0.9": "a version",
    },
    "docs/model/curves.md": {"21": "designs of the simulation"},
    "docs/model/evidence.md": dict.fromkeys(("1.96", "1.64"), "quantiles of a normal variable"),
    "docs/model/fitting.md": {"20": "starts, as in the paper"},
    "docs/model/uncertainty.md": {"21": "designs of a simulation", "15": "curves of another one"},
    "docs/paper.md": {
        "500": "data sets of the paper, and resamples",
        "0.215": "printed in the paper",
        "12": "starts, set in the code",
    },
    "docs/nhanes.md": {"55,081": "people in the survey", "20": "years of age"},
    "docs/presence_only.md": {"50": "a size of cells"},
    "docs/model/verdicts.md": {
        **dict.fromkeys(("600", "500"), "rows, set in benchmarks/many_tables.py"),
        **dict.fromkeys(
            ("45", "0.956", "53", "0.943", "66", "0.955", "67"), "earlier versions of unseen_tables.md, in the history"
        ),
    },
    "docs/model/random_labels.md": CHANCES,
    "docs/howto/labelling.md": CHANCES,
    "docs/model/shrinkage.md": {
        "20": "rows",
        "0.73": "the same of a prior's lower limit, exp(log 8 - 1.96 * 1.2)",
    },
    "docs/real_data.md": {"1.11": "a version"},
    "docs/reliability.md": {
        "41": "calls of tests/bad_input",
        "20,000": "the same in make test-long",
        "80": "columns",
        "50": "different rows, below which folds were dealt otherwise",
        "160": "levels of a test",
        "150": "an identifier, an example",
        "20": "rows in a leaf, set in the code",
        "25": "tables",
    },
    "docs/start.md": {"3.11": "a version", "60": "seconds it takes to read"},
    "docs/howto/clusters.md": dict.fromkeys(("500", "1000"), "a default, and advice"),
    "docs/howto/diagnosis.md": {"20,000": "rows, set in the code"},
    "docs/howto/factors.md": dict.fromkeys(("20", "300"), "levels and rows, set in the code"),
    "docs/howto/kinds.md": {"20": "rows, set in the code"},
    "examples/outliers.py": {"1,700": "images, less one kind", "64": "pixels"},
    "examples/pipeline.py": {"569": "rows of the demo's table"},
    "examples/under_diagnosis.py": {"35": "years, read off the picture"},
}


@dataclass(frozen=True)
class Section:
    """A section's prose, and what stands in the tables it links to; a subsection shares those of its section."""

    prose: str
    values: tuple[float, ...]


def linked_files(page: Path, text: str) -> Iterator[Path]:
    """The tables of results and pages of the documentation to which a text links."""
    for target in LINK.findall(text):
        path = (page.parent / target).resolve()
        if path.suffix in (".md", ".csv") and path.is_file():
            yield path


def numbers_in(text: str) -> list[float]:
    """All numbers of a text, percentages as shares."""
    found = NUMBER.finditer(MADE_BY.sub("", text))
    return [float(number[1].replace(",", "")) / (100.0 if number[2] else 1.0) for number in found]


def numbers_of(path: Path) -> list[float]:
    """All numbers of a table; those that code prints on a page."""
    text = path.read_text(encoding="utf-8")
    is_table = any(top in path.parents for top in TABLES)
    return numbers_in(text if is_table else " ".join(BLOCK.findall(text)))


def sections_of(page: Path) -> Iterator[Section]:
    text = page.read_text(encoding="utf-8")
    printed = numbers_of(page)
    above: list[Path] = []
    for part in HEADING.split(BLOCK.sub(" ", text)):
        if LITERATURE.match(part):
            continue
        own = list(linked_files(page, part))
        if not part.startswith("###"):
            above = own
        values = [number for path in {*own, *above} for number in numbers_of(path)]
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
    scale = 100.0 if percent else 1.0
    return bare in {f"{abs(scale * value):.{digits}f}" for value in values}


def unexplained(page: Path, name: str) -> list[str]:
    explained = SETTINGS | DERIVED.get(name, {}).keys() | FACTS.get(name, {}).keys()
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
    value = eval(expression, ARITHMETIC)  # ours, and arithmetic alone
    known = tuple(number for section in sections_of(ROOT / name) for number in section.values)
    operands = set(re.findall(r"\d+\.\d+", expression)) - SETTINGS - DERIVED[name].keys()

    assert is_among(figure, "", (float(value),))
    assert [operand for operand in operands if not is_among(operand, "", known)] == []


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.name)
def test_every_figure_in_the_words_of_an_example_is_in_its_code_or_in_a_table_it_names(script):
    lines = script.read_text(encoding="utf-8").splitlines()
    words = NOT_PROSE.sub(" ", "\n".join(line for line in lines if line.startswith("#")).partition("# Reference")[0])
    shown = ["\n".join(line for line in lines if not line.startswith("#"))]
    shown += [
        (ROOT / name).read_text(encoding="utf-8") for name in re.findall(r"benchmarks/results/\w+\.md", str(lines))
    ]
    values = tuple(number for text in shown for number in numbers_in(text))

    explained = SETTINGS | FACTS.get(f"examples/{script.name}", {}).keys()
    figures = [(figure, percent) for figure, percent, _ in figures_in(words) if figure + percent not in explained]

    assert [figure for figure in figures if not is_among(*figure, values)] == []


def test_a_figure_that_is_in_no_table_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\nIt is 0.3971, not `0.1234` or [there](0.5.md), in 42% of 1,200 or 345 since 1999.\n\n"
        "```python\n>>> 0.397141\n```\n\n## Literature\n\n- A journal 7, 222-333.\n",
        encoding="utf-8",
    )

    section = next(section for section in sections_of(page) if section.prose.startswith("#"))

    assert [(figure, percent) for figure, percent, _ in figures_in(section.prose)] == [
        ("0.3971", ""),
        ("42", "%"),
        ("1,200", ""),
        ("345", ""),
    ]
    assert section.values == (0.397141,)
    assert len(unexplained(page, "page")) == 3  # 0.3971 is printed
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
    for name in {name for name in DERIVED.keys() | FACTS.keys() if name.endswith(".md")}:
        quoted = {
            figure + sign
            for section in sections_of(ROOT / name)
            for figure, percent, _ in figures_in(section.prose)
            for sign in {"", percent}
        }
        assert DERIVED.get(name, {}).keys() | FACTS.get(name, {}).keys() <= quoted, name
