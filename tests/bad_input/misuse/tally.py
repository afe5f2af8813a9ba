"""Many calls, counted by how they ended: for the long run, and by hand.

usage: python -m misuse.tally [SHARDS [PROCESSES]]   (in tests/bad_input; writes benchmarks/results/bad_input.md)
"""

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from misuse.calls import diverse_calls
from misuse.outcome import check_call

__all__ = ["CALLS_IN_SHARD", "N_SHARDS", "Tally", "count_shard"]

N_SHARDS, CALLS_IN_SHARD, FIRST_SEED = 40, 500, 1000
MOST_FAULTS_SHOWN = 20


@dataclass
class Tally:
    """How calls ended.

    Attributes
    ----------
    ends : Counter
        Of "fit", "fit with a warning", "refusal" and "fault".
    said : Counter
        Of (end, what was said), names and numbers left out.
    faults : list of (call, what is wrong)
    distinct : set of str
    """

    ends: Counter = field(default_factory=Counter)
    said: Counter = field(default_factory=Counter)
    faults: list = field(default_factory=list)
    distinct: set = field(default_factory=set)

    def add(self, call):
        """Make a call, and count how it ends."""
        self.distinct.add(repr(call))
        try:
            outcome = check_call(call)
        except Exception as fault:  # all of them are to be seen, not only the first
            self.ends["fault"] += 1
            self.faults.append((call, f"{type(fault).__name__}: {fault}"))
            return
        self.ends[outcome.kind] += 1
        self.said.update({(outcome.kind, message) for message in outcome.said})

    def take(self, other):
        """Add the counts of another."""
        self.ends += other.ends
        self.said += other.said
        self.faults += other.faults
        self.distinct |= other.distinct

    def __str__(self):
        total = sum(self.ends.values())
        ends = ", ".join(f"{count} {end} ({count / total:.0%})" for end, count in self.ends.most_common())
        lines = [f"{total} calls, {len(self.distinct)} different ones: {ends}"]
        lines += [f"{count:6d}  {end}: {message}" for (end, message), count in self.said.most_common()]
        for call, fault in self.faults[:MOST_FAULTS_SHOWN]:
            lines += ["", f"fault: {fault}", f"    {call!r}"]
        return "\n".join(lines)

    def table(self, seconds):
        """The counts in Markdown."""
        total = sum(self.ends.values())
        lines = [f"{total} calls, {len(self.distinct)} of them different, {seconds / total:.2f} s each.", ""]
        lines += ["| end | calls | share |", "| --- | ---: | ---: |"]
        lines += [f"| {end} | {count} | {count / total:.1%} |" for end, count in self.ends.most_common()]
        lines += [
            "",
            "| calls | end | what was said (TERM, NAME and N stand for names and numbers) |",
            "| ---: | --- | --- |",
        ]
        lines += [
            f"| {count} | {end} | {message.replace('|', '/')} |" for (end, message), count in self.said.most_common()
        ]
        return "\n".join(lines) + "\n"


def count_shard(shard):
    """Make the different calls of a shard, and count them."""
    tally = Tally()

    @seed(FIRST_SEED + shard)
    @settings(
        max_examples=CALLS_IN_SHARD,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(call=diverse_calls())
    def make_all(call):
        tally.add(call)

    make_all()
    return tally


def main(n_shards=N_SHARDS, processes=2):
    total, start = Tally(), time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        for tally in pool.map(count_shard, range(n_shards)):
            total.take(tally)
            for call, fault in tally.faults:
                print(f"fault: {fault}\n    {call!r}", file=sys.stderr)
            print(f"{time.perf_counter() - start:.0f} s: {dict(total.ends)}", file=sys.stderr, flush=True)
    print(total)
    results = Path(__file__).resolve().parents[3] / "benchmarks" / "results" / "bad_input.md"
    heading = "# Calls as users make them, good and bad ones\n\n"
    command = f"`cd tests/bad_input && python -m misuse.tally {n_shards} {processes}`: "
    results.write_text(heading + command + total.table(processes * (time.perf_counter() - start)), encoding="utf-8")
    sys.exit(bool(total.faults))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
