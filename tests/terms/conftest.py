"""Makes what these tests share importable; it is no test by itself."""

import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

collect_ignore = ["meeting.py"]
