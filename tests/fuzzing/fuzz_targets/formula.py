"""Formulas: text is read as terms that come back from their own text, or refused with a caret under the fault."""

from __future__ import annotations

from random import Random

from fuzz_targets.change import spliced
from fuzz_targets.messages import require_sentence
from pugam.command_line.columns import Features
from pugam.command_line.wording import in_flags
from pugam.errors import FormulaError
from pugam.terms import columns_read, format_formula, parse_formula

__all__ = ["check", "mutated", "seeds"]

SEEDS = (
    "s(age)",
    "s(age, k=12) + l(dose) + f(site)",
    "s(age, 8, bounds=(0, 1e2), knots='quantile', missing=\"effect\", scale='log') + dose",
    "f(`body mass`, unseen='zero') + \"a\\\"b\" + 'c\\\\'",
    "l(x, missing='effect') + s(y, bounds=[-1.5, +2])",
    "été + s(x.1) + `9`",
    "y ~ s(x) * z",
    "s(x, k=(1, 2)",
)
WORDS = (
    "s( l( f( ) , = + - ~ * : ` ' \" \\ ( [ ] 0 9 . e 1e308 1e-400 12 k= bounds= knots= missing= scale= unseen= 'even' "
    "'quantile' 'effect' 'error' 'zero' 'log' 'linear' 'auto' x age \\` \\' \\\\ é ß \u0301 \u2028 \u00b2 \u0661 x.y _ "
    "😀 \n \r \t \0 \x1b[2J \x85 \ud800"
)
PIECES = tuple(word.encode("utf-8", "surrogatepass") for word in (*WORDS.split(" "), " ", " + ", "9" * 299, "9" * 301))

MOST_CHARACTERS = 400


def seeds() -> list[bytes]:
    """Formulas right and wrong."""
    return [seed.encode() for seed in SEEDS]


def mutated(data: bytes, rng: Random) -> bytes:
    """Change a formula by a word of its language, or anyhow."""
    return spliced(data, PIECES, rng)


def check(data: bytes) -> None:
    """Read bytes as a formula; half characters, as broken file names bring them, come through."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        terms = parse_formula(text)
    except FormulaError as error:
        _require_caret(error)
        return
    assert terms
    written = format_formula(terms)
    assert parse_formula(written) == terms, f"{written!r} is read as other terms"
    assert format_formula(parse_formula(written)) == written
    assert Features.of_formula(text).columns == columns_read(terms)


def _require_caret(error: FormulaError) -> None:
    sentence, formula, caret = str(error).split("\n")
    require_sentence(sentence)
    assert len(sentence) <= MOST_CHARACTERS, f"a sentence of {len(sentence)} characters"
    assert caret.strip() == "^"
    assert len(caret) - 1 <= len(formula)
    require_sentence(error.told(in_flags))
