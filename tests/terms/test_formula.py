"""Reading and writing formulas: what is accepted, where the caret stands, and the round trip."""

from __future__ import annotations

import time
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugam.errors import FormulaError
from pugam.terms import Factor, Interaction, Linear, Product, Smooth, Tensor, Term, s, te
from pugam.terms.formula import MAX_FORMULA_LENGTH, SHOWN_SENTENCE_LENGTH, format_formula, parse_formula
from pugam.terms.tokens import SHOWN_WIDTH


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("income", [Linear("income")]),
        ("l(dose)", [Linear("dose")]),
        ("s(age)+f(site)", [Smooth("age"), Factor("site")]),
        (
            "s(age, k=12, knots='quantile', bounds=(0, 100), missing='effect') + l(dose)"
            " + f(site, unseen='zero') + income",
            [
                Smooth("age", 12, (0, 100), "quantile", "effect"),
                Linear("dose"),
                Factor("site", unseen="zero"),
                Linear("income"),
            ],
        ),
        ("s(age, 12)", [Smooth("age", 12)]),
        ("s(age, 12, knots='quantile')", [Smooth("age", 12, knots="quantile")]),
        ("s(age, bounds=[-1.5e-3, +.5E2])", [Smooth("age", bounds=(-0.0015, 50.0))]),
        ("s(age, bounds=(- 2, 3.))", [Smooth("age", bounds=(-2, 3.0))]),
        ('f(site, missing="effect")', [Factor("site", missing="effect")]),
        (" s ( age ,\n\tk = 12 )\n + dose ", [Smooth("age", 12), Linear("dose")]),
        ("body.mass + s(größe_2) + आयु", [Linear("body.mass"), Smooth("größe_2"), Linear("आयु")]),
        (
            "s(`body mass index`) + f('x 1') + l(\"a  b\")",
            [Smooth("body mass index"), Factor("x 1"), Linear("a  b")],
        ),
        ("`2nd visit` + 'a+b'", [Linear("2nd visit"), Linear("a+b")]),
        (r"`a\`b` + 'it\'s' + 'a\\b' + 'c\d'", [Linear(name) for name in ("a`b", "it's", "a\\b", "c\\d")]),
        ("s(s) + l + f(k)", [Smooth("s"), Linear("l"), Factor("k")]),
    ],
)
def test_formula_is_read(formula: str, terms: list[Term]) -> None:
    assert parse_formula(formula) == terms


BAD_FORMULAS = [
    ("", 0, "The formula is empty"),
    (" \n\t ", 0, "The formula is empty"),
    ("g(age)", 0, "s(column) for a smooth, ti(columns) for an interaction"),
    ("x + tp(a, b)", 4, "tp() is not a kind of term"),
    ("s(age, n=3)", 7, "it has k, bounds, knots, missing, scale, by, unseen, cyclic, shape."),
    ("l(age, k=3)", 7, "it has missing."),
    ("f(age, knots='even')", 7, "it has missing, unseen."),
    ("s(age", 5, "s( is never closed"),
    ("s(age,", 6, "s( is never closed"),
    ("s(", 2, "s( is never closed"),
    ("s(age + l(dose)", 6, "a comma or a closing )"),
    ("s(age * dose)", 6, "a comma or a closing )"),
    ("s(age k=3)", 6, "a comma or a closing )"),
    ("age)", 3, "No parenthesis is open"),
    ("(age + dose)", 0, "Terms do not stand in parentheses by themselves"),
    ("`s`(age)", 3, "Terms do not stand in parentheses by themselves"),
    ("age dose", 4, "A + is missing"),
    ("s(age)s(dose)", 6, "A + is missing"),
    ("age `b c`", 4, "A + is missing"),
    ("age 3", 4, "A + is missing"),
    ("age +", 4, "missing after this +"),
    ("age + + dose", 6, "missing before this +"),
    ("+ age", 0, "missing before this +"),
    ("z ~ s(age)", 2, "The label is given to fit"),
    ("~ s(age)", 0, "The label is given to fit"),
    ("age - dose", 4, "always has an intercept: leave out the - and"),
    ("-age", 0, "always has an intercept: leave out the - and"),
    ("age * dose", 4, "Write x + y + x:y"),
    ("age:s(dose)", 3, "Before and behind a colon stand names of columns"),
    ("age:3", 3, "Before and behind a colon stand names of columns"),
    ("s(age):dose", 6, "Terms are added with +"),
    ("age + 1", 6, "A model always has an intercept: leave this number out"),
    ("0 + age", 0, "A model always has an intercept: leave this number out"),
    ("age + 2", 6, "A number is not a term"),
    (".", 0, "without a formula all of them are terms"),
    ("s(age) + .", 9, "without a formula all of them are terms"),
    ("2nd_visit", 0, "in backticks"),
    ("s(`age)", 2, "needs a closing `"),
    ("x + 'age\\'", 4, "needs a closing '"),
    ("age $ dose", 4, "'$' has no place here"),
    ("age\u200b", 3, "'\\u200b' has no place here"),
    ("age, dose", 3, "',' has no place here"),
    ("age = 3", 4, "'=' has no place here"),
    ("s()", 2, "takes the name of a column first"),
    ("s(3)", 2, "takes the name of a column first"),
    ("s(k=3)", 2, "takes the name of a column first"),
    ("s(log(age))", 2, "cannot be transformed"),
    ("s(age, dose)", 0, "a surface of several columns is te(age, dose), their interaction alone ti(age, dose)"),
    ("l(age, dose)", 0, "give each column a term of its own"),
    ("f(age, 3)", 0, "its options by name"),
    ("s(age, 'quantile')", 0, "takes one column"),
    ("s(age, k)", 0, "takes one column"),
    ("s(age, k=5, 12)", 12, "written as name=value"),
    ("s(age,)", 6, "written as name=value"),
    ("s(age, k=5, k=6)", 12, "already given"),
    ("s(age, 5, k=6)", 0, "its options by name"),
    ("s(age, k='5')", 9, "k takes a whole number"),
    ("s(age, k=5.5)", 9, "k takes a whole number"),
    ("s(age, 5.5)", 0, "an integer of at least 3; got 5.5."),
    ("s(age, k=(5, 6))", 9, "k takes a whole number"),
    ("s(age, k=)", 9, "k takes a whole number"),
    ("s(age, k=-'a')", 9, "k takes a whole number"),
    ("s(age, k=", 9, "k takes a whole number"),
    ("s(age, knots=5)", 13, 'knots takes quoted text, as in knots="quantile"'),
    ("s(age, knots=even)", 13, "knots takes quoted text"),
    ("s(age, knots=`even`)", 13, "knots takes quoted text"),
    ("s(age, bounds=5)", 14, "bounds takes two numbers"),
    ("s(age, bounds=(5))", 16, "bounds takes two numbers"),
    ("s(age, bounds=(0, inf))", 18, "bounds takes two numbers"),
    ("s(age, bounds=(0, 1, 2))", 0, "bounds are two numbers (low, high); got (0, 1, 2)."),
    ("s(age, bounds=(0, 1])", 19, "bounds takes two numbers"),
    ("s(age, bounds=((0, 1)))", 15, "bounds takes two numbers"),
    ("s(age, bounds=(0, 1", 19, "bounds takes two numbers"),
    ("x + s(age, k=2)", 4, "an integer of at least 3; got 2."),
    ("x + s(age, knots='odd')", 4, "knots must be 'even' or 'quantile'; got 'odd'."),
    ("x + s(age, bounds=(5, 1))", 4, "low < high"),
    ("x + s(age, bounds=(0, 1e999))", 4, "must be finite"),
    ("x + ``", 4, "takes the name of a column as text"),
    ("age\n\t +  dose\n - x", 11, "always has an intercept: leave out the - and"),
    ("  age  dose  ", 4, "A + is missing"),
    ("`a \n b` * c", 6, "Write x + y + x:y"),
]


@pytest.mark.parametrize(("formula", "column", "fragment"), BAD_FORMULAS)
def test_error_says_what_and_points_where(formula: str, column: int, fragment: str) -> None:
    sentence, shown, caret = _parts_of_error(formula)
    assert fragment in sentence
    assert sentence.endswith(".")
    assert caret == " " * column + "^"
    assert shown == " ".join(formula.split()).replace("\u200b", "\ufffd")


def test_long_formula_is_cut_around_the_caret() -> None:
    good = " + ".join(f"x{number}" for number in range(1000))
    sentence, shown, caret = _parts_of_error(f"{good} * y + {good}")
    assert "Write x + y + x:y" in sentence
    assert len(shown) == SHOWN_WIDTH
    assert shown[0] == shown[-1] == "…"
    assert shown[len(caret) - 1] == "*"


def test_number_beyond_any_use_is_refused() -> None:
    sentence, _, caret = _parts_of_error(f"s(age, k={'9' * 301})")
    assert "more than 300 digits" in sentence
    assert len(caret) == 10


def test_unwieldy_names_are_shortened_in_the_sentence() -> None:
    name = "n" * 5000
    for formula in (f"{name}(x)", f"s(x, {name}=1)"):
        assert len(_parts_of_error(formula)[0]) <= SHOWN_SENTENCE_LENGTH
    assert len(_parts_of_error(f"s({name}, k=2)")[0]) <= SHOWN_SENTENCE_LENGTH


# Whatever is longer than a formula may be is refused before it is read.
PIECES = ["(", "s(", "`", "s(x, bounds=(", "x + ", " ", "9", "\\`", "x.", "s(x,"]


@pytest.mark.parametrize(
    ("piece", "size"),
    [
        *((piece, MAX_FORMULA_LENGTH) for piece in PIECES),
        *(pytest.param(piece, 5_000_000, marks=pytest.mark.long) for piece in PIECES),
    ],
)
def test_huge_formula_is_refused_without_delay(piece: str, size: int) -> None:
    formula = piece * (size // len(piece))
    started = time.process_time()
    with pytest.raises(FormulaError):
        parse_formula(formula + "(")
    assert time.process_time() - started < 10


def test_formula_over_the_limit_says_so() -> None:
    assert "100001 characters" in _parts_of_error("x" * (MAX_FORMULA_LENGTH + 1))[0]


@pytest.mark.parametrize(
    ("term", "formula"),
    [
        (Linear("dose"), "l(dose)"),
        (Smooth("body.mass", k=10, knots="quantile"), 's(body.mass, knots="quantile")'),
        (Smooth("x", 5, (-1, 2.5), "even", "effect"), 's(x, k=5, bounds=(-1.0, 2.5), missing="effect")'),
        (Factor("body mass"), "f(`body mass`)"),
        (Factor("a`b"), 'f("a`b")'),
        (Factor('a`"b'), "f('a`\"b')"),
        (Factor("a`\"'b\\"), "f(`a\\`\"'b\\\\`)"),
        (Factor("1st"), "f(`1st`)"),
    ],
)
def test_term_is_written(term: Term, formula: str) -> None:
    assert format_formula([term]) == formula
    assert parse_formula(formula) == [term]


@pytest.mark.parametrize("spec", [Smooth, Linear, Factor])
def test_every_option_of_a_term_can_be_written(spec: type[Term]) -> None:
    values: dict[str, object] = {
        "k": 7,
        "bounds": (0, 1),
        "knots": "quantile",
        "missing": "effect",
        "scale": "log",
        "by": "y",
        "unseen": "zero",
        "shape": "increasing",
        "cyclic": False,  # what a cyclic term is written like, its own tests check: it has even knots
    }
    options = {field.name: values[field.name] for field in fields(spec) if field.name != "column"}
    term = spec("x", **options)  # type: ignore[arg-type]
    assert parse_formula(format_formula([term])) == [term]


column_names = st.text(st.characters(), min_size=1) | st.text("ab`\"'\\ .+1\n", min_size=1)
missing_policies = st.sampled_from(["error", "effect"])
finite_numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**18), 10**18)
bounds_pairs = st.tuples(finite_numbers, finite_numbers).filter(lambda ends: float(ends[0]) < float(ends[1]))
term_specs = st.one_of(
    st.builds(
        Smooth,
        column_names,
        st.integers(4, 10**6),
        st.none() | bounds_pairs,
        st.sampled_from(["even", "quantile"]),
        missing_policies,
    ),
    st.builds(Linear, column_names, missing_policies),
    st.builds(Factor, column_names, missing_policies, st.sampled_from(["error", "zero"])),
)
several_columns = st.lists(column_names, min_size=2, max_size=3, unique=True).map(tuple)
margins = st.lists(term_specs.map(lambda term: replace(term, missing="error")), min_size=2, max_size=3)
several_margins = margins.filter(lambda terms: len({term.column for term in terms}) == len(terms)).map(tuple)
joint_terms = st.one_of(
    st.builds(Product, several_columns),
    st.builds(Tensor, several_margins, missing_policies),
    st.builds(Interaction, several_margins, st.sampled_from(["error", "zero"])),
    several_columns.map(lambda columns: te(*columns)),
    several_columns.map(lambda columns: s(columns[0], by=columns[1], unseen="zero")),
)


@given(st.lists(term_specs | joint_terms, min_size=1, max_size=5))
def test_written_terms_are_read_back(terms: list[Term]) -> None:
    assert parse_formula(format_formula(terms)) == terms


WORDS = ["s(", "l(", "f(", "te(", "ti(", "by", "k", "bounds", "knots", "'even'", "(0, 1)", "7", "1e9", "x"]
formula_pieces = st.sampled_from([*WORDS, *")+,=[]-:`\"'\\ \n~."])


@given(st.text() | st.lists(formula_pieces | st.text(max_size=2), max_size=20).map("".join))
def test_any_text_is_read_or_refused_with_a_caret(text: str) -> None:
    try:
        terms = parse_formula(text)
    except FormulaError as error:
        sentence, shown, caret = str(error).splitlines()
        assert sentence.endswith(".")
        assert len(caret) <= len(shown) + 1
        assert caret.strip() == "^"
    else:
        assert parse_formula(format_formula(terms)) == terms


def _parts_of_error(formula: str) -> list[str]:
    """The sentence, the formula as shown and the caret's line of the error that a formula raises."""
    with pytest.raises(FormulaError) as raised:
        parse_formula(formula)
    parts = str(raised.value).split("\n")
    assert len(parts) == 3
    return parts
