"""When pi is not determined: one informative feature and one of pure noise, and what `diagnose` has to say.

usage: python examples/unidentified.py [FOLDER]      (default: demo)
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from pugam import PUGAM

N_LABELLED, N_UNLABELLED, SHARE = 1500, 1500, 0.4


def make_table(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Positives differ from negatives in `dose` alone; `noise` is the same for both."""
    rng = np.random.default_rng(seed)
    hidden = rng.binomial(N_UNLABELLED, SHARE)
    y = np.repeat([1, 0], [N_LABELLED + hidden, N_UNLABELLED - hidden])
    X = pd.DataFrame({"dose": rng.normal(size=len(y)) + 1.5 * y, "noise": rng.normal(size=len(y))})
    return X, (np.arange(len(y)) < N_LABELLED).astype(int)


def main(folder: Path) -> None:
    """Fit and diagnose; then do what the diagnosis advises."""
    X, z = make_table(seed=0)
    model = PUGAM().fit(X, z)
    diagnosis = model.diagnose()
    print(diagnosis)
    known = PUGAM(pi=SHARE).fit(X, z)
    ratio = known.odds_ratio("dose", 0.0, 1.0)
    print(f"\nWith pi known to be {SHARE}: odds ratio of dose 1 against 0 {ratio} (truth {np.exp(1.5):.2f})")
    folder.mkdir(parents=True, exist_ok=True)
    model.plot("profile", diagnosis=diagnosis).savefig(folder / "flat_profile.png", dpi=120)
    print(f"The flat profile of pi: {folder / 'flat_profile.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
