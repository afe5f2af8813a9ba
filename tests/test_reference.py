"""The reference of the documentation holds every public name, and each has an example."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import pugam
from pugam import PUGAM

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs/reference"
PAGES = [*ROOT.glob("*.md"), *(page for page in ROOT.glob("docs/**/*.md") if "gallery" not in page.parts)]
WRITTEN_WITH_THE_SITE = {"command_line.md"}  # what it says, `pugam VERB --help` says, too
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MODULES = ("pugam", "pugam.metrics", "pugam.datasets", "pugam.studies")
IN_WORDS = {"pugam.__version__", "pugam.studies.STUDIES"}  # a text and a mapping, which have no docstring


def public_names():
    for module in map(import_module, MODULES):
        yield from (f"{module.__name__}.{name}" for name in module.__all__)
    for name, _ in inspect.getmembers(PUGAM, callable):
        inherited = hasattr(BaseEstimator, name) or (name.startswith("set_") and name.endswith("_request"))
        if not name.startswith("_") and not inherited:
            yield f"pugam.PUGAM.{name}"


def listed_names():
    for page in REFERENCE.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```\{eval-rst\}\n(.*?)```", text, flags=re.DOTALL):
            module = re.search(r"currentmodule:: (\S+)", text).group(1)
            yield from (f"{module}.{name}" for name in re.findall(r"^   (\w[\w.]*)$", block, flags=re.MULTILINE))


@pytest.mark.parametrize("name", sorted({*public_names()} - IN_WORDS))
def test_a_public_name_has_an_example(name):
    found = pugam
    for part in name.split(".")[1:]:
        found = getattr(found, part, None) or import_module(f"pugam.{part}")

    assert ">>> " in inspect.getdoc(found)


def test_the_reference_lists_every_public_name_and_no_other():
    assert {*listed_names()} == {*public_names()} - IN_WORDS


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_of_the_repository(page):
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = {target for target in LINK.findall(text) if "://" not in target and not target.startswith("mailto:")}

    assert [name for name in sorted(targets - WRITTEN_WITH_THE_SITE) if not (page.parent / name).exists()] == []
