"""
Under-diagnosis: a case-control study whose controls hide cases
===============================================================

Sleep apnoea is a disease that many people have without knowing. A sleep clinic gives you its diagnosed patients, a
health survey gives you people of the same region. It is tempting to call the first ones cases, the others controls,
and to run a logistic regression. But some of the "controls" are cases that nobody has diagnosed, and every odds ratio
is then too close to 1.

This tutorial treats the survey as what it is, *unlabelled*. It estimates the share pi of undiagnosed cases in it and
the odds ratios of cases against people who are really free of the disease, each with its interval. The people are
made up, so that the truth is known.

Run it with ``python examples/under_diagnosis.py FOLDER``; the report is written into the folder.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pugam import PUGAM

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

# %%
# The made-up people
# ------------------
# Five things are known of everyone: age, body mass index, the girth of the neck in cm, systolic blood pressure and
# whether they smoke. Heavy people have thicker necks and higher pressure, as in life. The log odds of having the
# disease are a sum of five effects, two of them curved: the effect of age rises around 48 and levels off, that of the
# body mass index flattens a little at both ends.


def true_effects(people):
    """Return what each column adds to the log odds of the disease."""
    return {
        "age": 2.0 / (1 + np.exp(-(people["age"] - 48) / 4)),
        "bmi": 3.5 * np.tanh((people["bmi"] - 27) / 9),
        "neck": 0.45 * (people["neck"] - 38),
        "pressure": 0.03 * (people["pressure"] - 130),
        "smoker": people["smoker"].map({"never": 0.0, "former": 0.3, "current": 0.8}).astype(float),
    }


def draw_people(n, rng):
    """Return n people of the region, and whether they have the disease."""
    age = rng.uniform(30, 75, n)
    bmi = np.clip(rng.normal(27 + 0.03 * (age - 50), 4.5), 17, 48)
    people = pd.DataFrame(
        {
            "age": age.round(),
            "bmi": bmi.round(1),
            "neck": (38 + 0.35 * (bmi - 27) + rng.normal(0, 2.6, n)).round(1),
            "pressure": (130 + 0.5 * (age - 50) + 0.8 * (bmi - 27) + rng.normal(0, 13, n)).round(),
            "smoker": rng.choice(["never", "former", "current"], n, p=[0.55, 0.25, 0.2]),
        }
    )
    log_odds = -3.0 + sum(true_effects(people).values())
    return people, (rng.random(n) < 1 / (1 + np.exp(-log_odds))).to_numpy()


rng = np.random.default_rng(0)
survey, ill = draw_people(6000, rng)
region, has_disease = draw_people(20000, rng)
patients = region[has_disease].head(2000)

X = pd.concat([patients, survey], ignore_index=True)
z = np.repeat([1, 0], [len(patients), len(survey)])
print(X.assign(diagnosed=z).groupby("diagnosed").mean(numeric_only=True).round(1))

# %%
# ``z`` is 1 for a patient of the clinic and 0 for a person of the survey: not "healthy", but "nobody knows". ``ill``,
# the truth about the survey, is not shown to the model.
#
# The numbers of people and the effects were chosen after some trials, such that pi is well determined; do not take
# this page for a measure of how well the method does. In the trials, made with ``estimate="mode"``, studies of half the
# size, with other effects, missed pi in one of four cases, and an effect of the body mass index that levels off sharply
# came out as a line in two of six.
#
# Two conditions make this work, and both are about how the rows came about. The patients are a random sample of the
# people who have the disease. The survey is a random sample of the population whose share you want: of people without a
# diagnosis, as here, where those who have one were taken out. In a survey that kept them, pi is the share of all cases,
# diagnosed or not.
#
# The share of undiagnosed cases
# ------------------------------
# Numbers become smooth curves, text becomes a factor. There is nothing to set.

model = PUGAM().fit(X, z)
print("pi:   ", model.pi_interval())
print(f"truth: {ill.mean():.3f}")

# %%
# The controls of this study are a third cases. The summary has the terms with their degrees of freedom and tests.

print(model.summary())

# %%
# Does the rest of the model have anything to say about whether to believe pi? ``diagnose()`` is for that, and it
# belongs before the odds ratios, because they lean on pi.

diagnosis = model.diagnose()
print(diagnosis)

# %%
# From top to bottom: all five terms differ from a constant, where two are needed; no pair of columns supports an
# interaction; pi is not pushed to 0 or 1; and none of the tests of fit objects. A line that begins with ``!`` would be
# a warning, with what to do about it. The pictures behind it:

fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
model.plot("diagnosis", diagnosis=diagnosis, axes=axes)
plt.show()

# %%
# Odds ratios
# -----------
# Now the comparison with the analysis that treats the survey as healthy. ``PUGAM(pi=0.0001)`` is exactly that: with
# no cases among the unlabelled rows the model is an ordinary logistic additive model of ``z``. The two columns differ
# in pi, and hardly in anything else: with pi fixed, curves are smoothed by REML.

naive = PUGAM(model.formula_, pi=0.0001).fit(X, z)

questions = [
    ("age", 40, 65),
    ("bmi", 25, 32),
    ("neck", 36, 40),
    ("pressure", 120, 150),
    ("smoker", "never", "current"),
]
rows = []
for column, a, b in questions:
    pair = true_effects(X.head(2).assign(**{column: [a, b]}))[column]
    rows.append(
        {
            "odds ratio": f"{column}: {b} against {a}",
            "truth": round(np.exp(pair.iloc[1] - pair.iloc[0]), 2),
            "pugam": model.odds_ratio(column, a, b),
            "survey treated as healthy": naive.odds_ratio(column, a, b),
        }
    )
ratios = pd.DataFrame(rows).set_index("odds ratio")


def in_words(ratio):
    """Return an odds ratio with its interval."""
    return f"{ratio.estimate:.2f} ({ratio.lower:.2f} to {ratio.upper:.2f})"


print(ratios.assign(**{name: ratios[name].map(in_words) for name in ratios.columns[1:]}).to_string())

# %%
# The naive odds ratios are far too small, and their narrow intervals leave the truth out. More rows do not help: they
# make a wrong number more precise. The honest intervals are wider because hidden cases cost information.

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
place = np.arange(len(ratios))[::-1]
for name, shift, colour in (("pugam", 0.12, "C0"), ("survey treated as healthy", -0.12, "C1")):
    middle, low, high = (np.array([getattr(r, part) for r in ratios[name]]) for part in ("estimate", "lower", "upper"))
    ax.errorbar(middle, place + shift, xerr=[middle - low, high - middle], fmt="o", color=colour, label=name)
ax.scatter(ratios["truth"], place, marker="|", s=400, color="black", label="truth", zorder=3)
ax.set(xscale="log", xlabel="odds ratio, with 95% interval", yticks=place, yticklabels=ratios.index)
ax.set_title("Odds ratios with hidden cases allowed for, and without", fontsize=10)
ax.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"], minor=False)
ax.minorticks_off()
ax.legend(fontsize=8, markerscale=0.5)
plt.show()

# %%
# Curves
# ------
# An effect curve u_j is what a column adds to the log odds. Its level is arbitrary, so compare heights, not values.
# Curves are centred: each has mean zero over the unlabelled rows. Black is the truth, centred in the same way; the
# broken line is the naive model.

fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, column in zip(axes, ["age", "bmi", "neck"], strict=True):
    curve, flat = model.effect(column), naive.effect(column)
    grid = X.head(1).loc[[0] * len(curve)].assign(**{column: curve["x"].to_numpy()})
    truth = true_effects(grid)[column] - true_effects(X[z == 0])[column].mean()
    ax.fill_between(curve["x"], curve["lower"], curve["upper"], color="C0", alpha=0.25)
    ax.plot(curve["x"], curve["u"], color="C0", label="pugam, 95% band")
    ax.plot(flat["x"], flat["u"], "--", color="C1", label="survey treated as healthy")
    ax.plot(curve["x"], truth, color="black", linewidth=1, label="truth")
    ax.set(xlabel=column, ylabel="effect on the log odds" if column == "age" else "")
axes[0].legend(fontsize=8)
fig.suptitle("Effects on the log odds: estimate, naive estimate and truth", fontsize=10)
plt.show()

# %%
# The rise of age is found. The gentle bend of the body mass index is not: these rows cannot tell it from a line, so
# the model draws nearly a line. Its band leaves the truth out from about 40 on, where rows are few, as does that of age
# below 35. A band says how well a curve is known if it is as smooth as it was taken to be; do not lean on the ends.
#
# ``model.plot().savefig("effects.png")`` draws all of them with bands and a rug; ``model.test("age", null="linear")``
# says whether a curve is more than a line:

print(model.test("age", null="linear"))
print(model.test("bmi", null="linear"))

# %%
# Who should be examined?
# -----------------------
# ``predict_proba`` gives the probability of having the disease, for a person of the survey. A logistic regression of
# ``z`` gives the probability of having been sampled as a patient, which is something else. The Brier score is the
# mean squared distance from the truth, so small is good.

columns = make_column_transformer((OneHotEncoder(drop="first"), ["smoker"]), remainder=StandardScaler())
regression = make_pipeline(columns, LogisticRegression()).fit(X, z)
for name, fitted in (("pugam", model), ("logistic regression of z", regression)):
    probability = fitted.predict_proba(survey)[:, 1]
    print(
        f"{name:25} expects {probability.sum():5.0f} cases among {len(survey)}, Brier score "
        f"{brier_score_loss(ill, probability):.3f}"
    )
print(f"{'truth':25}         {ill.sum():5.0f}")

# %%
# What no diagnosis can see
# -------------------------
# Clinics see severe cases first. Suppose that heavy people are referred more often: of the cases, those with a body
# mass index above 30 are three times as likely to become patients as the others. Then the patients are not a
# random sample of the cases, and the first condition fails.

chance = np.where(region["bmi"] > 30, 0.6, 0.2)
referred = region[has_disease & (rng.random(len(region)) < chance)].head(2000)
X_referred = pd.concat([referred, survey], ignore_index=True)
z_referred = np.repeat([1, 0], [len(referred), len(survey)])

selective = PUGAM().fit(X_referred, z_referred)
print("pi:   ", selective.pi_interval(), "-", selective.diagnose().verdict)
print(f"truth: {ill.mean():.3f}")
print("odds ratio of bmi 32 against 25:", in_words(selective.odds_ratio("bmi", 25, 32)))

# %%
# The interval does not contain the true share, and the verdict is "well determined" all the same: the test of labels
# misses this preference, as it misses many. Ask the clinic how patients reach it. Two remedies follow from what it may
# say.
#
# **The chances of referral are known up to a factor.** Then weights mend it: a patient with a third of the chance
# counts three times as much. Scale the weights to a mean of one.

weight = np.ones(len(X_referred))
weight[z_referred == 1] = 1 / np.where(referred["bmi"] > 30, 0.6, 0.2)
weight[z_referred == 1] /= weight[z_referred == 1].mean()

weighted = PUGAM().fit(X_referred, z_referred, sample_weight=weight)
print("pi:   ", weighted.pi_interval(method="bootstrap", n_resamples=200, random_state=0))
print(f"odds ratio of bmi 32 against 25: {weighted.odds_ratio('bmi', 25, 32).estimate:.2f}")

# %%
# The interval is from a bootstrap because weighted rows are not as many as their weights say. A bootstrap counts
# sampling error alone: this interval does not have the allowance for model error that the other intervals on
# this page have.
#
# **The chances are not known, but the column is.** Say what labelling depends on, and the preference is estimated along
# with the rest:

modelled = PUGAM(labelling="s(bmi)").fit(X_referred, z_referred)
print("pi:   ", modelled.pi_interval(), "-", modelled.verdict_)
print("odds ratio of bmi 32 against 25:", in_words(modelled.odds_ratio("bmi", 25, 32)))

# %%
# The interval contains the true share again. It is wider, as a labelling that is not known costs information.
#
# Where nothing is known of labelling, audit some people of the survey, ``fit(X, z, audit=found)``, or do not report pi
# but bounds, ``model.labelling_bounds([2, 5])``. Limits for pi from elsewhere, ``PUGAM(pi=(0.25, 0.45))``, limit the
# damage.
#
# What to report in a paper
# -------------------------
# * where labelled and unlabelled rows come from, and why the labelled ones may be treated as a random sample of
#   all cases;
# * the numbers of both, n0 and n1;
# * pi with its interval, and what ``diagnose()`` says, warnings included;
# * odds ratios or curves with intervals, and the scale on which effects add up (log odds);
# * how they change when pi is fixed at other values, for example at the ends of the sampling interval:

interval = model.pi_interval(method="profile")
for pi in (interval.lower, interval.upper):
    fixed = PUGAM(model.formula_, pi=pi).fit(X, z)
    print(f"pi fixed at {pi:.3f}: odds ratio of smoking {in_words(fixed.odds_ratio('smoker', 'never', 'current'))}")

# %%
# The report has all of this on one page to send, with a slider for pi.

FOLDER.mkdir(parents=True, exist_ok=True)
model.report(FOLDER / "report.html", title="Undiagnosed sleep apnoea", diagnosis=diagnosis)
print(f"report.html: {(FOLDER / 'report.html').stat().st_size / 1000:.0f} kB")
