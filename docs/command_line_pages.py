"""The reference of the command line as a page, from the same declarations as `pugam VERB --help`."""

import inspect
from pathlib import Path

import typer
from typer.main import get_command

from pugam.command_line.verbs import app

__all__ = ["write"]


def write(folder: Path) -> None:
    """Write `command_line.md` into a folder; a file that would stay the same is left alone."""
    page, text = folder / "command_line.md", _page()
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _page() -> str:
    verbs = get_command(app).commands
    parts = [
        "# The command line",
        "A mistake ends in one line on the error stream and exit code 2, Ctrl-C in one line and 130; no file is ever "
        "left half written. `pugam VERB --help` says the same as this page.",
    ]
    for name, verb in verbs.items():
        parts += [f"## pugam {name}", _described(verb.help), _arguments(verb)]
    return "\n\n".join(parts) + "\n"


def _described(text: str) -> str:
    """The help of a verb, its examples as a block."""
    paragraphs = inspect.cleandoc(text.replace("\b\n", "")).split("\n\n")
    shown = []
    for paragraph in paragraphs:
        is_command = paragraph.lstrip().startswith("pugam ")
        shown.append(f"```text\n{inspect.cleandoc(paragraph)}\n```" if is_command else paragraph)
    return "\n\n".join(shown)


def _arguments(verb) -> str:
    context = typer.Context(verb)
    rows = ["| argument or flag | | default |", "| --- | --- | --- |"]
    for one in verb.params:
        names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
        flags = names if one.param_type_name == "option" else f"`{one.name.upper()}`"
        default = one.get_default(context)
        shown = "" if default in (None, False, ()) or callable(default) else f"`{default}`"
        said = (getattr(one, "help", "") or "").replace("|", "\\|")
        rows.append(f"| {flags} | {said} | {'required' if one.required else shown} |")
    return "\n".join(rows)
