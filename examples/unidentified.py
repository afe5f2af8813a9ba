"""
When pi is not determined
=========================

The share pi of hidden positives is estimated from rows in which nobody is known to be negative. That works if two
features or more tell positives from negatives. This tutorial has one such feature and one of pure noise. pi is then
not determined by the rows, however many there are, and the thing to learn is how to notice, and what to do.

Run it with ``python examples/unidentified.py FOLDER``; the picture of the profile is written into the folder.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pugam import PUGAM

N_LABELLED, N_UNLABELLED, SHARE = 1500, 1500, 0.4

# %%
# One feature that matters
# ------------------------
# Positives differ from negatives in ``dose`` alone, where they are 1.5 standard deviations higher. ``noise`` has the
# same distribution in both.


def make_table(seed):
    """Return features, and labels of the first rows."""
    rng = np.random.default_rng(seed)
    hidden = rng.binomial(N_UNLABELLED, SHARE)
    y = np.repeat([1, 0], [N_LABELLED + hidden, N_UNLABELLED - hidden])
    X = pd.DataFrame({"dose": rng.normal(size=len(y)) + 1.5 * y, "noise": rng.normal(size=len(y))})
    return X, (np.arange(len(y)) < N_LABELLED).astype(int)


X, z = make_table(seed=0)
model = PUGAM().fit(X, z)
diagnosis = model.diagnose()
print(diagnosis)

# %%
# Why --- The labelled rows show g, the density of positives, and the unlabelled ones the mixture f = pi g + (1 - pi)
# h. With a single feature, take any pi below the truth: h = (f - pi g) / (1 - pi) is a density, too, and log g/h some
# curve. It fits as well as the true one. With two features that matter, log g/h for a wrong pi is no longer a *sum*
# of two curves, which is what the model demands. That is how pi is identified, and why effects have to add up.
#
# So these rows could have come from pi = 0.2, with other negatives. Why does the interval above leave 0.2 out? Because
# of the prior. Marginal likelihood expects curves to be nearly straight, and for a smaller pi the curve of ``dose``
# has to bend. The true one happens to be straight, so the interval is right, but nothing in the rows says so. The
# diagnosis counts the terms that are distinguishable from a constant, at the 5% level for all of them together (Holm).
# It finds one, and two are needed: the verdict is *not determined* however narrow the interval.
#
# Usually it notices when only one feature matters, not always: among many columns of noise one may pass for a second
# feature. Check in ``model.summary()`` that at least two terms are strong.
#
# A profile holds pi at many values, fits the curves to each, and draws how much worse the fit becomes. On the left is
# that of marginal likelihood. On the right is that of ``estimate="mode"``, whose curves bend more freely: a small pi
# agrees with the rows, too.

mode = PUGAM(estimate="mode").fit(X, z)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
model.plot("profile", diagnosis=diagnosis, axes=axes[0])
mode.plot("profile", axes=axes[1])
for ax, name in zip(axes, ["marginal likelihood", "mode"], strict=True):
    ax.set(title=name, xlim=(0, 0.6))
plt.show()

# %%
# What to do
# ----------
# **Look for a second feature.** Nothing else gives pi from the rows.
#
# **Say what you know about pi.** A survey, a registry or a small sample with known truth may give it, or bounds for
# it. With pi known, one feature is enough for its odds ratio:

known = PUGAM(pi=SHARE).fit(X, z)
ratio = known.odds_ratio("dose", 0.0, 1.0)
print(f"with pi = {SHARE}: odds ratio of dose 1 against 0 {ratio} (truth {np.exp(1.5):.2f})")

# %%
# **Show results for several values of pi.** The ranking of rows does not need pi, and here hardly changes with it;
# odds ratios do.

for pi in (0.2, 0.3, 0.4, 0.5):
    held = PUGAM(pi=pi).fit(X, z)
    print(f"with pi = {pi}: odds ratio of dose 1 against 0 {held.odds_ratio('dose', 0.0, 1.0)}")

# %%
# What not to do: report the estimate of pi above with its interval and without the words that come with it. A table
# with one strong and one weak feature is a milder case of the same; ``diagnose()`` then says *weakly determined*.


def main(folder):
    """Keep the picture of the profiles."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "flat_profile.png", dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
