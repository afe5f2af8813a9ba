"""Lines and tables of a summary in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pugam.presentation.blocks import Block

__all__ = ["in_latex"]

_LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "'": "\\textquotesingle{}",
    '"': "\\textquotedbl{}",
    "`": "\\textasciigrave{}",
}
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def in_latex(blocks: Iterable[Block]) -> str:
    r"""Write blocks as LaTeX that needs `\usepackage{booktabs, textcomp}`: paragraphs and tabulars."""
    return "\n".join(map(_latex, blocks)) + "\n"


def _latex(block: Block) -> str:
    if isinstance(block, str):
        return f"{_latex_text(block)}\\\\" if block.strip("-") else ""
    sides = "".join(block.side(place)[0] for place in range(len(block.header)))
    header, *body = (f"{' & '.join(map(_latex_text, row))} \\\\" for row in (block.header, *block.body))
    lines = [
        "",
        rf"\medskip\noindent\textbf{{{_latex_text(block.title)}}}\\",
        rf"\begin{{tabular}}{{{sides}}}",
        *(r"\toprule", header, r"\midrule", *body, r"\bottomrule"),
        r"\end{tabular}",
        "",
    ]
    return "\n".join(lines)


def _latex_text(text: str) -> str:
    return _SPECIAL.sub(lambda found: _LATEX[found[0]], text)
