"""
When labels prefer some positives
=================================

A fit treats labelled rows as a random sample of the positives (SCAR). Often they are not: the fraud that is found is
the fraud that somebody looked for. This tutorial follows one table through that trouble: how to see it, how to model
it, what an audit adds, and what to report when none of this can be done.

Run it with ``python examples/selective_labels.py FOLDER``; the picture of the bounds is written into the folder.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pugam import PUGAM

N_LABELLED, N_UNLABELLED, SHARE, PREFERENCE, N_AUDITED = 1500, 2000, 0.4, 10.0, 150

# %%
# A table of claims
# -----------------
# Of the unlabelled claims 0.4 are fraudulent. Fraud has larger amounts, comes sooner after the contract began, has more
# changes to the file, and comes from customers who live farther away and have claimed before. Investigators look at
# large amounts first: from the smallest amount to the largest, a fraudulent claim becomes ten times as likely to have
# been found.


def make_claims(rng, count, fraud):
    """Draw claims, fraudulent or not."""
    centres = np.array([1.5, -1.5, 1.5, 1.0, 1.0]) * fraud
    columns = ["amount", "delay", "changes", "distance", "claims"]
    return pd.DataFrame(rng.normal(size=(count, len(columns))) + centres, columns=columns)


def make_table(seed):
    """Return features, labels, and who is fraudulent."""
    rng = np.random.default_rng(seed)
    fraud = make_claims(rng, 20 * N_LABELLED, True)
    place = fraud["amount"].rank(pct=True)
    found = fraud[rng.random(len(fraud)) < PREFERENCE ** (place - 1.0)].head(N_LABELLED)
    n_hidden = rng.binomial(N_UNLABELLED, SHARE)
    hidden = [make_claims(rng, n_hidden, True), make_claims(rng, N_UNLABELLED - n_hidden, False)]
    y = np.repeat([1, 1, 0], [N_LABELLED, n_hidden, N_UNLABELLED - n_hidden])
    return pd.concat([found, *hidden], ignore_index=True), (np.arange(len(y)) < N_LABELLED).astype(int), y


X, z, y = make_table(seed=1)

# %%
# What the ordinary fit says
# --------------------------
# Its estimate is too small, and its interval does not know why. But the rows contradict labels completely at random,
# and the test says which column labelling depends on: among claims that are surely fraudulent, the amount still tells
# labelled from unlabelled ones. That takes claims that are surely fraudulent. Where features tell fraud less well, the
# test may see nothing, and the estimate is too small all the same. And interactions may absorb the preference: without
# ``interactions=None`` this fit adds so many that no column is left to be tested.

plain = PUGAM(interactions=None).fit(X, z)
print(plain.pi_interval())
tested = plain.test_labelling()
print(f"labels at random: p = {tested.pvalue:.1g}; they seem to go by {', '.join(tested.leading)}")
print(plain.verdict_)

# %%
# Say what labels depend on
# -------------------------
# With ``labelling="s(amount)"`` the preference is estimated along with everything else: labels are random given the
# amount (SAR), not completely at random. That takes two features at
# least that matter and have no part in the preference: here there are four. The truth is inside the interval
# again.

model = PUGAM(labelling="s(amount)").fit(X, z)
print(model.pi_interval())
print(model.verdict_)

# %%
# Audit some claims
# -----------------
# Some unlabelled claims, drawn at random, are looked into. What they show of pi does not depend on how others were
# labelled.

rng = np.random.default_rng(2)
audit = np.full(len(z), np.nan)
looked_at = rng.choice(np.flatnonzero(z == 0), N_AUDITED, replace=False)
audit[looked_at] = y[looked_at]
audited = PUGAM(labelling="s(amount)").fit(X, z, audit=audit)
print(audited.pi_interval())

# %%
# If you cannot do either
# -----------------------
# Then say how wrong pi could be. If no fraudulent claim is more than ``gamma`` times as likely to be found as another,
# pi lies in the range that ``labelling_bounds`` gives. Here chances vary 10-fold, and its limits are wide. Clear cases
# are usually found more often. Then the ordinary estimate is a lower bound, and the upper limit is what counts.

bounds = plain.labelling_bounds([1.0, 2.0, 10.0])
print(bounds)
print(f"pi may be {SHARE} if chances vary {bounds.gamma_for(SHARE, sampling=False):.1f}-fold")

# %%
# What to report
# --------------
# With an audit: the audited estimate. Without one: the estimate that models the preference, the columns it depends on,
# and why you believe that other features play no part in it. If you cannot name the columns: bounds, with the ``gamma``
# they rest on, and who was asked about it.


def main(folder):
    """Draw pi against how much chances vary."""
    folder.mkdir(parents=True, exist_ok=True)
    figure = plain.plot("labelling")
    figure.savefig(folder / "bounds.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
