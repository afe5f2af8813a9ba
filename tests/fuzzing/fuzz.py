"""Fuzzes one target with Atheris: `python tests/fuzzing/fuzz.py {formula,model,csv} --seconds 600`.

Stops at the first input that breaks something, and leaves it as `crash-...` in the folder of --found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
MOST_BYTES = {"formula": 1 << 13, "model": 1 << 17, "csv": 1 << 18}
HANG_SECONDS = 10
MOST_MEMORY_MB = 3000


def main() -> None:
    """Run the fuzzer on a target, from its seeds and what was found before."""
    import atheris

    arguments = _read_arguments()
    with atheris.instrument_imports(include=["pugam"]):
        from fuzz_targets import TARGETS

    target = TARGETS[arguments.target]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = Random(seed)
        # One change in four is libFuzzer's own, which knows what was compared with what.
        changed = atheris.Mutate(data, most) if rng.random() < 0.25 else target.mutated(data, rng)
        return changed[:most]

    with tempfile.TemporaryDirectory() as grown:
        for number, seed in enumerate(target.seeds()):
            Path(grown, f"seed-{number}").write_bytes(seed)
        options = [
            f"-max_total_time={arguments.seconds}",
            f"-max_len={MOST_BYTES[arguments.target]}",
            f"-timeout={HANG_SECONDS}",
            f"-rss_limit_mb={MOST_MEMORY_MB}",
            f"-artifact_prefix={arguments.found}/",
            f"-seed={arguments.seed}",
            "-print_final_stats=1",
            "-len_control=0",
        ]
        known = HERE / "corpus" / arguments.target
        folders = [grown, *([str(known)] if known.is_dir() else [])]
        atheris.Setup([sys.argv[0], *options, *folders], target.check, custom_mutator=mutate)
        atheris.Fuzz()


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=tuple(MOST_BYTES))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--found", type=Path, default=Path("."), help="Folder for inputs that break something.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
