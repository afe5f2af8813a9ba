"""Shares without the model, from audited rows and posteriors: their intervals, and how rows of other weights count."""

import numpy as np
import pytest
from scipy.stats import t

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.errors import VerdictWarning

N = 1600
DATA = simulate(2, n0=400, n=N, random_state=0)
X, Z, Y = DATA.X, np.asarray(DATA.z), np.asarray(DATA.y)
HIDDEN = np.flatnonzero(Z == 0)
LIMITS = ["estimate", "lower", "upper"]


def fit(audited, rows=slice(None), sample_weight=None, **others):
    """Fit some of the rows, of which these were audited."""
    audit = np.where(np.isin(np.arange(N), audited), Y, np.nan)
    model = PUGAM(check=False, interactions=None)
    return model.fit(X.iloc[rows], Z[rows], sample_weight, audit=audit[rows], **others)


def test_where_all_rows_are_audited_the_interval_is_that_of_their_mean():
    """Errors of posteriors and posteriors add up to classes, and vary together."""
    row = fit(HIDDEN).check_audit().iloc[0]
    found, n = Y[HIDDEN], len(HIDDEN)
    half = t.ppf(0.975, n - 1) * np.std(found, ddof=1) / np.sqrt(n)
    assert row["estimate"] == pytest.approx(found.mean(), abs=1e-12)
    assert row["upper"] - row["estimate"] == pytest.approx(half, rel=1e-9)
    assert row["estimate"] - row["lower"] == pytest.approx(half, rel=1e-9)


def test_a_row_of_weight_two_is_two_rows():
    audited, twice = HIDDEN[::8], np.repeat(np.arange(N), 2)
    weighted, doubled = fit(audited, sample_weight=np.full(N, 2.0)), fit(audited, twice)
    one, two = (model.check_audit()[[*LIMITS, "audited", "pvalue"]].iloc[0] for model in (weighted, doubled))
    assert one.to_numpy() == pytest.approx(two.to_numpy(), rel=1e-5)
    assert weighted.shares()["audited"].tolist() == doubled.shares()["audited"].tolist() == [2.0 * len(audited)]


@pytest.mark.long
def test_weights_of_a_survey_count_by_their_squares():
    """One weight for all rows says nothing about how many there are."""
    audited, groups = HIDDEN[::8], np.arange(N)
    plain, weighted = (fit(audited, sample_weight=w, groups=groups).check_audit() for w in (None, np.full(N, 2.0)))
    assert weighted[LIMITS].to_numpy() == pytest.approx(plain[LIMITS].to_numpy(), rel=1e-6)
    uneven = np.where(np.arange(N) % 2 == 0, 5.0, 1.0)
    wider, narrower = (fit(audited, sample_weight=uneven, **how).check_audit() for how in ({"groups": groups}, {}))
    assert np.ptp(wider[LIMITS].to_numpy()) > 1.2 * np.ptp(narrower[LIMITS].to_numpy())


def test_one_audited_row_says_nothing_without_the_model():
    for row in HIDDEN[[0, -1]]:
        found = fit([row]).check_audit().iloc[0]
        assert (found["lower"], found["upper"]) == (0.0, 1.0)
        assert 0.0 <= found["estimate"] <= 1.0
        assert 0.0 <= found["pvalue"] <= 1.0


def test_estimates_and_limits_are_shares():
    """Audited rows about which the model is wrong correct the mean posterior to beyond what a share can be."""
    posterior = PUGAM(check=False, interactions=None).fit(X, Z).predict_proba(X.iloc[HIDDEN])[:, 1]
    for kind, end in ((0, 0.0), (1, 1.0)):
        worst = np.argsort(np.abs(posterior - kind) * (Y[HIDDEN] == kind))[-3:]
        found = fit(HIDDEN[worst]).check_audit().iloc[0]
        assert found["estimate"] == end
        assert 0.0 <= found["lower"] <= found["estimate"] <= found["upper"] <= 1.0


def test_a_verdict_knows_the_audit():
    """Half of the classes that were found out are swapped: nothing but the audit can say so."""
    audit = np.where(np.isin(np.arange(N), HIDDEN[::8]), Y, np.nan)
    model = PUGAM(interactions=None, check=True).fit(X, Z, audit=audit)
    assert model.verdict_ == "well determined"
    assert model.diagnose().audits[0].pvalue == model.check_audit()["pvalue"][0]
    assert "without the model, by 150 rows, p =" in str(model.diagnose())
    audit[HIDDEN[::16]] = 1 - audit[HIDDEN[::16]]
    with pytest.warns(VerdictWarning, match="Audited rows contradict the model"):
        refuted = PUGAM(interactions=None, check=True).fit(X, Z, audit=audit, audit_chance=np.full(N, 0.125))
    assert refuted.verdict_ == "does not fit"
    assert refuted.diagnose().audits[0].estimate == refuted.check_audit()["estimate"][0]
