"""What 500 bootstrap refits cost, in cold fits at the same smoothing, on one core; and whether they are right.

usage: python benchmarks/bootstrap.py
"""

from __future__ import annotations

import numpy as np
from reporting import best_time, write_table

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import make_resampling

N_RESAMPLES = 500
N_CHECKED = 20
SEED = 1


def measure(setting: int, n: int) -> list[object]:
    data = simulate(setting, n0=5 * n // 6, n=n, random_state=setting)
    model = PUGAM(estimate="mode", check=False, n_jobs=1).fit(data.X, data.z)
    cold = PUGAM(smoothing=model.smoothing_, check=False, n_jobs=1)
    cold_time = best_time(lambda: cold.fit(data.X, data.z), 7)
    refits = model.bootstrap(N_RESAMPLES, random_state=SEED, progress=False)
    time = best_time(lambda: model.bootstrap(N_RESAMPLES, random_state=SEED, progress=False), 3)
    return [setting, n, 1e3 * cold_time, time, time / cold_time, f"{difference(model, refits, data):.1g}"]


def difference(model: PUGAM, refits: object, data: object) -> float:
    """Largest difference in pi to fits of their own, from cold starts, with the resampled counts as weights."""
    engine = model._rows[0]
    seed = int(np.random.default_rng(np.random.RandomState(SEED).randint(2**31 - 1)).integers(2**63))
    samples = (~engine.positive).astype(int)
    counts = make_resampling(samples, engine.weights, None, seed).counts(range(N_CHECKED))
    bounds = {basis.spec.column: (basis.lower, basis.upper) for basis in model._design.bases}
    terms = " + ".join(f"s({name}, bounds=({low!r}, {high!r}))" for name, (low, high) in bounds.items())
    alone = [
        PUGAM(terms, smoothing=model.smoothing_, tol=1e-6, check=False, n_jobs=1).fit(data.X, data.z, row)
        for row in counts
    ]
    return max(abs(one.pi_ - pi) for one, pi in zip(alone, refits.pi, strict=False))


def main() -> None:
    write_table(
        "bootstrap",
        f"{N_RESAMPLES} bootstrap refits against cold fits at the same smoothing, one core, p = 5",
        ["Setting", "n", "one cold fit, ms", "500 refits, s", "refits in cold fits", "largest difference in pi"],
        [measure(setting, n) for setting in (1, 2, 3) for n in (1500, 4500)],
        f"Best of 7 and of 3. Differences to {N_CHECKED} weighted fits of their own. Targets: at most 60, and 1e-6.",
    )


if __name__ == "__main__":
    main()
