"""Lines and tables of a summary, and how they are written: as text, and in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from pugam.messages import printable

__all__ = ["Block", "TextTable", "in_html", "in_text"]

_CELL = "padding: 0.15em 0.8em; text-align: {side}"


@dataclass(frozen=True)
class TextTable:
    """A titled table whose cells are text: a name first, numbers, and a remark last."""

    title: str
    header: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]

    def side(self, place: int) -> str:
        """On which side cells of a column stand: names and remarks on the left, numbers on the right."""
        return "left" if place in (0, len(self.header) - 1) else "right"


Block = str | TextTable


def in_text(blocks: Iterable[Block]) -> str:
    """Write blocks as text of fixed width, an empty line before each table."""
    return "\n".join(line for block in blocks for line in _text_lines(block))


def _text_lines(block: Block) -> Iterator[str]:
    if isinstance(block, str):
        yield printable(block)
        return
    yield ""
    yield printable(block.title)
    rows = [tuple(map(printable, row)) for row in (block.header, *block.body)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if block.side(place) == "left" else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()


def in_html(blocks: Iterable[Block]) -> str:
    """Write blocks as a piece of HTML, for a notebook or a page of one's own."""
    return f'<div class="pugam">{"".join(map(_html, blocks))}</div>'


def _html(block: Block) -> str:
    if isinstance(block, str):
        return f"<div>{escape(block)}</div>" if block.strip("-") else "<br>"
    rows = [_html_row(block, block.header, "th"), *(_html_row(block, row, "td") for row in block.body)]
    caption = f'<caption style="text-align: left; font-weight: bold">{escape(block.title)}</caption>'
    return f'<table style="margin: 0.6em 0">{caption}{"".join(rows)}</table>'


def _html_row(table: TextTable, row: Sequence[str], tag: str) -> str:
    styles = (_CELL.format(side=table.side(place)) for place in range(len(row)))
    cells = (f'<{tag} style="{style}">{escape(cell)}</{tag}>' for style, cell in zip(styles, row, strict=True))
    return f"<tr>{''.join(cells)}</tr>"
