"""The entry point of the command line."""

from __future__ import annotations

import sys

from pugam.command_line.signals import Signals

__all__ = ["main"]


def main() -> None:
    """Run the command line; a user's mistake ends in one line on stderr and exit code 2, without a traceback."""
    with Signals() as signals:
        # Libraries take a second to import: not before somebody listens to Ctrl-C.
        from pugam.command_line.running import run

        code = run(signals)
    sys.exit(code)
