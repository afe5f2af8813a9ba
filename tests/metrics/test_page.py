"""The page on scores: what it shows is what its commands print."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


# Scores do not depend on verdicts, which take twice as long as the fits.
@pytest.mark.parametrize("with_verdicts", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_commands_on_the_page_print_what_stands_below_them(with_verdicts, request):
    if with_verdicts:
        request.getfixturevalue("checked")
    failed, attempted = doctest.testfile(str(PAGE), module_relative=False)

    assert attempted > 15
    assert failed == 0
