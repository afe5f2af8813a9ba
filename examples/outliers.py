"""
Outliers among typical observations
===================================

You have a sample of observations known to be typical, checked by hand, and a new batch in which outliers are mixed
with typical ones. How many outliers are there, and which rows should be looked at first?

Detectors of outliers answer the second question with a score. They leave the first one to you: scikit-learn asks for
the share of outliers as an argument, ``contamination``. pugam estimates it, with an interval.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from pugam import PUGAM

# %%
# Which rows are the positives?
# -----------------------------
# The labelled rows have to be a random sample of one class; that class is called positive, whatever it means. Here
# the rows known are the *typical* ones. So a typical row is a positive, pi is the share of typical rows in the batch,
# and **1 - pi is the share of outliers**. ``predict_proba`` has the probability of an outlier in its column 0.
#
# The other way round, with known outliers as positives, would only be right if the known outliers were a random
# sample of all outliers. They seldom are: the next outlier is of a kind that nobody has seen.
#
# Here is a case whose answer is known. Images of the handwritten digits 0 to 8 are typical. Half of them have been
# checked. The other half is in a new batch, together with 100 images that do not belong there: nines.

digits = load_digits()
rng = np.random.default_rng(1)
typical = rng.permutation(np.flatnonzero(digits.target != 9))
nines = rng.permutation(np.flatnonzero(digits.target == 9))[:100]
checked, batch = typical[: len(typical) // 2], np.r_[typical[len(typical) // 2 :], nines]

rows = np.r_[checked, batch]
z = np.repeat([1, 0], [len(checked), len(batch)])
is_nine = digits.target[batch] == 9
print(f"{len(checked)} checked images, {len(batch)} new ones, of which a share of {is_nine.mean():.3f} are nines")

# %%
# The 64 pixels of an image are many for 1,700 rows, and neighbours carry nearly the same information. Ten principal
# components keep what matters. They are computed from all rows and do not look at ``z``, so they give nothing away.

components = PCA(10, random_state=0).fit_transform(digits.data[rows])
X = pd.DataFrame(components, columns=[f"c{i}" for i in range(1, 11)])

# %%
# How many outliers?
# ------------------

model = PUGAM().fit(X, z)
pi = model.pi_interval()
print(f"share of outliers {1 - pi.estimate:.3f} (95% interval {1 - pi.upper:.3f} to {1 - pi.lower:.3f})")
print(f"truth             {is_nine.mean():.3f}")

# %%
# Limits change places when pi becomes 1 - pi. The reported interval of pi allows for negatives that look like
# positives; for outliers that is the upper limit. Outliers are few, so the interval is wide compared with the share:
# what is known about outliers has to come from these hundred rows. ``diagnose()`` says whether it was enough.

print(model.diagnose())

# %%
# With 40 nines in place of 100, little is known about them: the upper limit of their share is many times the lower
# one. The verdict doubts pi, too: at the lower limit of its interval the two classes lie close together. For rare
# outliers, look at the interval of their share, not at the estimate alone.

n_few = len(typical) + 40  # nines come last
scarce = PUGAM().fit(X[:n_few], z[:n_few])
pi = scarce.pi_interval()
print(f"share of outliers {1 - pi.estimate:.3f} (95% interval {1 - pi.upper:.3f} to {1 - pi.lower:.3f})")
print(f"truth             {40 / (n_few - len(checked)):.3f}")
print(scarce.diagnose().verdict)

# %%
# Which rows?
# -----------
# An isolation forest learns what typical rows look like, and calls a row an outlier that lies alone. pugam compares
# the two samples, and calls a row an outlier that lies where the batch has more rows than the checked sample lets
# expect. So does a logistic regression of ``z``, in a simpler way and without knowing about pi. The
# table says how well they rank the batch. A ROC area of 0.5 is chance, 1 is perfect.

new = X[z == 0]
forest = IsolationForest(random_state=0).fit(X[z == 1])
regression = LogisticRegression(max_iter=1000).fit(X, z)
scores = {
    "pugam": model.predict_proba(new)[:, 0],
    "isolation forest": -forest.score_samples(new),
    "logistic regression": regression.predict_proba(new)[:, 0],
}
for name, score in scores.items():
    in_first = is_nine[np.argsort(-score)[:50]].sum()
    print(f"{name:20} ROC area {roc_auc_score(is_nine, score):.2f}, nines among the first fifty: {in_first}")

# %%
# The forest fails because nines are not *alone*. They look like a three, a seven or an eight, in a place where digits
# may well be; there are just too many rows there. Comparing two samples is the right thing here, and an old idea:
# Hido et al. (2011) rank rows by an estimated ratio of densities. A regression of ``z`` ranks well, too.
# What it cannot say is how many outliers there are: its probabilities are about ``z``.
#
# Comparing samples needs outliers that are numerous enough to show in a batch. For a handful of them, or for rows
# that arrive one at a time, a detector that judges each row by itself is what is left.
#
# This case was picked because it shows the difference: of a few that were tried, it is the worst for the forest. Here
# is a kinder one. Even digits are typical, and 100 odd ones of all five kinds are the outliers.

even = rng.permutation(np.flatnonzero(digits.target % 2 == 0))
odd = rng.permutation(np.flatnonzero(digits.target % 2 == 1))[:100]
rows_2, n_checked = np.r_[even, odd], len(even) // 2
z_2 = (np.arange(len(rows_2)) < n_checked).astype(int)
X_2 = pd.DataFrame(PCA(10, random_state=0).fit_transform(digits.data[rows_2]), columns=X.columns)
is_odd = digits.target[rows_2[n_checked:]] % 2 == 1

model_2 = PUGAM().fit(X_2, z_2)
pi = model_2.pi_interval()
print(f"share of outliers {1 - pi.estimate:.3f} (95% interval {1 - pi.upper:.3f} to {1 - pi.lower:.3f})")
print(f"truth             {is_odd.mean():.3f}")
new_2, forest_2 = X_2[z_2 == 0], IsolationForest(random_state=0).fit(X_2[z_2 == 1])
print(f"ROC area: pugam {roc_auc_score(is_odd, model_2.predict_proba(new_2)[:, 0]):.2f}, ", end="")
print(f"isolation forest {roc_auc_score(is_odd, -forest_2.score_samples(new_2)):.2f}")

# %%
# Back to the nines. The first sixteen images of the first two lists, nines framed in red:

fig, panels = plt.subplots(4, 8, figsize=(9, 5), layout="constrained")
for name, half in (("pugam", panels[:2]), ("isolation forest", panels[2:])):
    for place, ax in zip(np.argsort(-scores[name])[:16], half.flat, strict=True):
        ax.imshow(digits.images[batch[place]], cmap="gray_r")
        ax.set_xticks([])
        ax.set_yticks([])
        for side in ax.spines.values():
            side.set(color="C3" if is_nine[place] else "0.8", linewidth=2)
    half[0, 0].set_title(name, fontsize=8)
plt.show()

# %%
# How many to look at
# -------------------
# Probabilities add up. Sorted from the most likely outlier down, their sum says how many outliers the first rows
# hold: a score has no such meaning.

order = np.argsort(-scores["pugam"])
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(np.cumsum(scores["pugam"][order]), label="expected by pugam")
ax.plot(np.cumsum(is_nine[order]), color="black", linewidth=1, label="truth")
ax.set(xlabel="rows looked at", ylabel="outliers found", xlim=(0, 400))
ax.set_title("Outliers among the most suspicious rows", fontsize=10)
ax.legend()
plt.show()

# %%
# What makes a row an outlier
# ---------------------------
# Four components differ from a constant (``diagnose()`` counts them, ``model.summary()`` says which). Where the
# curve of one falls, images become less typical. With columns that have a meaning (a temperature, a dose, an amount)
# this is the answer to "why this one?".

fig, axes = plt.subplots(1, 4, figsize=(12, 3), layout="constrained")
model.plot(terms=["c2", "c3", "c9", "c10"], axes=axes)
plt.show()

# %%
# Reference: Hido, S., Tsuboi, Y., Kashima, H., Sugiyama, M. and Kanamori, T. (2011). Statistical outlier detection
# using direct density ratio estimation. *Knowledge and Information Systems* 26, 309-336.
