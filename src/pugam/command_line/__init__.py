"""The command line: `pugam VERB ...`."""

from pugam.command_line.main import main

__all__ = ["main"]
