"""What these tests share lies in the package `misuse` next to them: calls, how they end, a likelihood of its own."""

import sys
from pathlib import Path

import pytest

from pugam import PUGAM

collect_ignore = ["misuse"]

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)


@pytest.fixture(autouse=True, scope="module")
def _checked():
    """Whatever is fitted here is looked at from all sides, as by default."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PUGAM.__init__.__kwdefaults__, "check", True)
        yield
