"""What is fuzzed. Each target has `seeds`, inputs to begin with, `mutated`, one change to an input, and `check`.

`check` raises for anything but a right answer or a documented refusal. Nothing here needs the fuzzer itself.
"""

from fuzz_targets import csv_table, formula, model_file

__all__ = ["TARGETS"]

TARGETS = {"formula": formula, "model": model_file, "csv": csv_table}
