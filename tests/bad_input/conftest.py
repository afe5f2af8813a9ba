"""What these tests share lies in the package `misuse` next to them: calls, how they end, a likelihood of its own."""

import sys
from pathlib import Path

collect_ignore = ["misuse"]

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)
