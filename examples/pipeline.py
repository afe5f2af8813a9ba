"""
A scikit-learn pipeline, validated without negatives
====================================================

``PUGAM`` is a scikit-learn estimator. It goes to the end of a ``Pipeline``, behind transformers of columns, and into
``cross_val_score`` and ``GridSearchCV``. One thing needs care: there are no negatives. Scores that compare
predictions with the label ``z`` prefer models that find nothing. This tutorial shows by how much, and what to use
instead: ``PUGAM.score`` and the scorers of ``pugam.metrics``.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import sklearn.metrics
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pugam import PUGAM, metrics

# %%
# The data
# --------
# 569 tumours, of which the true kind is known. To have something to find, half of the malignant labels are hidden:
# ``z`` is 1 for a tumour that has been diagnosed as malignant, 0 for one that has not been examined. 2% of the
# measurements are lost as well, so that the pipeline has something to do.

rng = np.random.default_rng(0)
table = load_breast_cancer(as_frame=True)
y = table.target.to_numpy() == 0  # malignant; used below only to compare with the truth
z = (y & (rng.random(len(y)) < 0.5)).astype(int)
X = table.data.mask(rng.random(table.data.shape) < 0.02)
print(f"{z.sum()} diagnosed, {(z == 0).sum()} not examined, {X.isna().sum().sum()} values missing")

# %%
# The pipeline
# ------------
# Radius, perimeter and area carry nearly the same information: one principal component stands for them. Four more
# columns are used as they are, with the gaps filled. ``set_output(transform="pandas")`` keeps the names, so that
# effects have names, too.

columns = ColumnTransformer(
    [
        (
            "size",
            make_pipeline(SimpleImputer(), StandardScaler(), PCA(1)),
            ["mean radius", "mean perimeter", "mean area"],
        ),
        ("shape", SimpleImputer(), ["mean texture", "mean smoothness", "mean concave points", "mean symmetry"]),
    ],
    verbose_feature_names_out=False,
).set_output(transform="pandas")

model = make_pipeline(columns, PUGAM()).fit(X, z)
print(model)

# %%
# The last step is the fitted ``PUGAM``, with all that it can say. ``pca0`` is the component for size.

gam = model[-1]
pi = gam.pi_interval()
print("pi:   ", pi)
print(f"truth: {y[z == 0].mean():.3f}")
print(gam.formula_)

# %%
# pugam could have done some of this itself: ``s("mean texture", missing="effect")`` gives gaps an effect of their
# own, factors need no coding, and smooth terms no scaling. Pipelines are for the rest: components, ratios, text.
#
# Why scores against the label mislead
# ------------------------------------
# Three models: the pipeline; a logistic regression of ``z``; and one that calls nobody ill. Each row is predicted by
# a model that was fitted without it. Folds are stratified by ``z``, so that each has labelled rows.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
models = {
    "pugam": model,
    "logistic regression of z": make_pipeline(columns, StandardScaler(), LogisticRegression()),
    "nobody is ill": DummyClassifier(strategy="constant", constant=0),
}
posteriors = {
    name: cross_val_predict(fitted, X, z, cv=folds, method="predict_proba")[:, 1] for name, fitted in models.items()
}
unlabelled = z == 0
accuracy = pd.DataFrame(
    {
        name: {
            "against z": sklearn.metrics.accuracy_score(z, posterior > 0.5),
            "corrected": metrics.accuracy_score(z, posterior > 0.5, pi=pi.estimate),
            "truth": sklearn.metrics.accuracy_score(y[unlabelled], posterior[unlabelled] > 0.5),
        }
        for name, posterior in posteriors.items()
    }
).T
print(accuracy.round(3))

# %%
# Against ``z``, the model that calls nobody ill wins, and pugam comes last: every hidden tumour that it finds counts
# as an error. The corrected score needs ``z`` and pi, and comes close to the truth, which nobody would have. It turns
# the order round.
#
# The ROC area is kinder. It ranks models rightly, as hidden positives lower it for all of them by the same rule, but
# its value is too small: even perfect probabilities cannot reach 1.

area = pd.DataFrame(
    {
        name: {
            "against z": sklearn.metrics.roc_auc_score(z, posterior),
            "corrected": metrics.roc_auc_score(z, posterior, pi=pi.estimate),
            "truth": sklearn.metrics.roc_auc_score(y[unlabelled], posterior[unlabelled]),
        }
        for name, posterior in posteriors.items()
    }
).T
print(area.round(3))

# %%
# A good area does not make a good decision. The regression ranks tumours nearly as well as pugam, yet at one half it
# finds few of the malignant ones, because its probabilities are those of having been *diagnosed*.

fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
for ax, name in zip(axes, ["pugam", "logistic regression of z"], strict=True):
    found = [posteriors[name][unlabelled & (y == kind)] for kind in (False, True)]
    ax.hist(found, bins=20, range=(0, 1), stacked=True, color=["0.75", "C3"], label=["benign", "malignant (hidden)"])
    ax.axvline(0.5, color="black", linewidth=1)
    ax.set(title=name, xlabel="predicted probability, rows not examined", yscale="log")
axes[0].legend(fontsize=8)
plt.show()

# %%
# Cross-validation
# ----------------
# ``metrics.scorer(name, pi=...)`` is what ``scoring=`` takes. Give all models the same pi. Without ``pi``, a scorer
# takes the ``pi_`` of each fitted model, and refuses models that have none.

scoring = {name: metrics.scorer(name, pi=pi.estimate) for name in ("roc_auc", "f1", "recall", "neg_brier_score")}
found = {
    name: cross_validate(fitted, X, z, cv=folds, scoring=scoring)
    for name, fitted in models.items()
    if name != "nobody is ill"
}
print(pd.DataFrame({name: {key: found[name][f"test_{key}"].mean() for key in scoring} for name in found}).T.round(3))

# %%
# pi itself is an estimate, so quote scores at both ends of its interval, too. A score above 1 says that pi cannot be
# so large with these predictions, or that rows are few.

for value in (pi.lower, pi.estimate, pi.upper):
    calls = posteriors["pugam"] > 0.5
    print(
        f"pi = {value:.3f}: precision {metrics.precision_score(z, calls, pi=value):.2f}, "
        f"F1 {metrics.f1_score(z, calls, pi=value):.2f}, recall {metrics.recall_score(z, calls, pi=value):.2f}"
    )

# %%
# Choosing a model
# ----------------
# Between two ``PUGAM`` models no pi is needed. Their own ``score`` is the mean log-likelihood of the labels: it is
# proper, it needs no negatives, and ``GridSearchCV`` takes it by default. Here it has to choose between straight
# lines and curves, and between a fit by the mode that shrinks nothing (``shrinkage="never"``) and the default, in which
# every effect is shrunk. The names of the terms are those that the first step of the pipeline gives; ``pugam__`` is the
# name that ``make_pipeline`` gave to the last step.

names = [f"`{name}`" for name in columns.fit(X).get_feature_names_out()]
grid = {
    "pugam__terms": [" + ".join(names), " + ".join(f"s({name}, k=10)" for name in names)],
    "pugam__shrinkage": ["never", "auto"],
}
search = GridSearchCV(model, grid, cv=folds).fit(X, z)

results = pd.DataFrame(search.cv_results_)
results["terms"] = np.where(results["param_pugam__terms"] == grid["pugam__terms"][0], "lines", "curves")
results = results.rename(columns={"param_pugam__shrinkage": "shrinkage", "mean_test_score": "score"})
print(results[["terms", "shrinkage", "score"]].round(4).to_string(index=False))

# %%
# What the best one says about pi:

print(search.best_estimator_[-1].pi_interval())

# %%
# Differences of this size mean little beside their scatter over folds; take the simpler model when in doubt:

scatter = np.array([search.cv_results_[f"split{i}_test_score"] for i in range(5)])
print("standard error of the difference from the best:")
difference = scatter - scatter[:, [search.best_index_]]
print((difference.std(axis=0, ddof=1) / np.sqrt(5)).round(4))

# %%
# In short
# --------
# * Never report accuracy, precision or F1 against ``z``.
# * Choose between ``PUGAM`` models by ``score``, between models of any kind by ``metrics.scorer("roc_auc", pi=...)``
#   at one pi.
# * Say how good the winner is by corrected scores at pi and at both ends of its interval.
# * Score rows that the model has not seen, of both kinds.
#
# Where the formulas come from: the page :doc:`Scores without negatives </docs/metrics>`.
