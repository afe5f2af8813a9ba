"""Lines and tables as text, HTML and LaTeX."""

import re
from html.parser import HTMLParser

import pytest

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.presentation.blocks import TextTable, in_html, in_text
from pugam.presentation.latex import in_latex

TABLE = TextTable("Terms", ("", "edf", ""), (("s(a_b)", "1.25", "***"), ("x", "12.5", "")))
BLOCKS = ["A <model> of 50% & more", "", TABLE]


class Cells(HTMLParser):
    """Collects text, and complains of tags that are not closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(html):
    cells = Cells()
    cells.feed(html)
    assert cells.open == []
    return cells.texts


def test_text_is_aligned():
    assert in_text(BLOCKS).splitlines() == [
        "A <model> of 50% & more",
        "",
        "",
        "Terms",
        "           edf",
        "  s(a_b)  1.25  ***",
        "  x       12.5",
    ]


def test_html_says_the_same():
    assert read(in_html(BLOCKS)) == ["A <model> of 50% & more", "Terms", "edf", "s(a_b)", "1.25", "***", "x", "12.5"]


def test_latex_says_the_same():
    lines = in_latex(BLOCKS).splitlines()
    assert lines[0] == r"A \textless{}model\textgreater{} of 50\% \& more\\"
    assert r"\begin{tabular}{lrl}" in lines
    assert r"s(a\_b) & 1.25 & *** \\" in lines


@pytest.fixture(scope="module")
def model():
    data = simulate(2, n0=400, n=800, random_state=0)
    return PUGAM("s(x1) + s(x2) + x3", estimate="mode").fit(data.X, data.z)


def test_a_fitted_model_shows_its_verdict_and_summary_in_a_notebook(model, monkeypatch):
    monkeypatch.setattr(model, "verdict_", "weakly determined")
    texts = read(model._repr_mimebundle_()["text/html"])
    assert texts[0] == "pi is weakly determined"
    assert texts[1:] == read(model.summary()._repr_html_())
    assert f"labelled positives n0 = {model.n0_:g}, unlabelled n1 = {model.n1_:g}" in texts


def test_another_one_shows_what_scikit_learn_shows():
    assert "sk-" in PUGAM()._repr_mimebundle_()["text/html"]


def test_a_diagnosis_shows_its_text(model):
    found = model.diagnose()
    assert read(found._repr_html_()) == [str(found)]


def test_every_number_of_a_summary_is_in_its_latex(model):
    summary = model.summary()
    numbers = re.findall(r"\d+\.\d+", str(summary))
    assert numbers
    assert set(numbers) <= set(re.findall(r"\d+\.\d+", summary.to_latex()))
