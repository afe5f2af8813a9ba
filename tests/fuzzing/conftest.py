"""Makes what is fuzzed importable; none of it is a test by itself."""

import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

collect_ignore = ["fuzz.py", "fuzz_targets"]
