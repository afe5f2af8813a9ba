"""What a report says of several samples: shares as the model has them, and each row by the share of its own."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

from pugam import PUGAM
from pugam.datasets import simulate
from pugam.inference import AuditedShare, EqualShares
from pugam.presentation.report import collect
from pugam.presentation.report.wording import audit_sentence, equality_sentence


@pytest.fixture(scope="module")
def rows():
    """Labelled rows, then those of two sites, every tenth of which was audited."""
    parts = []
    for number, (site, share) in enumerate({"north": 0.15, "south": 0.6}.items()):
        n0 = 500 if number == 0 else 1
        data = simulate(2, n0=n0, n=n0 + 400, pi=share, random_state=number)
        made = data.X[["x1", "x2", "x3"]].assign(z=data.z, site=site, y=data.y)
        parts.append(made if number == 0 else made[data.z == 0])
    rows = pd.concat(parts, ignore_index=True)
    return rows.assign(audit=rows["y"].where((rows["z"] == 0) & (rows.index % 10 == 0)))


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM(check=True).fit(rows[["x1", "x2", "x3"]], rows["z"], sample=rows["site"], audit=rows["audit"])


@pytest.fixture(scope="module")
def content(model):
    return collect(model, "Two sites", {}, {})


def test_shares_are_those_of_the_model(model, content):
    table = model.shares()
    told = [(one.name, one.rows, one.audited, one.pi.estimate, one.pi.lower, one.verdict) for one in content.samples]
    assert told == list(table.loc[:1, ["sample", "rows", "audited", "pi", "lower", "verdict"]].itertuples(index=False))
    assert content.equal_shares == model.test_shares()
    assert [audit.estimate for audit in content.audits] == model.check_audit()["estimate"].tolist()
    assert "both samples together" in content.plain
    assert dict(content.asked)["Rows"] == "500 labelled positive, 800 unlabelled in 2 samples"


def test_shares_move_together_with_the_slider(content):
    pi = np.array(content.fixed_pi.pi)
    north, south = (np.array(sample.fixed_pi.pi) for sample in content.samples)
    assert (north + south) / 2 == pytest.approx(pi, abs=1e-9)
    assert logit(south) - logit(north) == pytest.approx(logit(south[0]) - logit(north[0]), abs=1e-6)
    for sample in content.samples:
        assert sample.fixed_pi.pi[content.fixed_pi.estimate] == pytest.approx(sample.pi.estimate, abs=1e-9)


def test_rows_have_the_posterior_of_their_own_sample(model, rows, content):
    X, hidden = rows[["x1", "x2", "x3"]], rows["z"] == 0
    own = model.predict_proba(X[hidden], sample=rows["site"][hidden])[:, 1]
    posterior = pd.Series(own, index=rows.index[hidden])
    for row in content.candidates:
        number = int(row.name.split()[1]) - 1
        assert row.sample == rows["site"][number]
        assert row.posterior == pytest.approx(posterior[number], abs=1e-9)
        assert row.with_pi_fixed[content.fixed_pi.estimate] == pytest.approx(posterior[number], abs=1e-9)
        assert row.lower <= row.posterior <= row.upper
    called = content.fixed_pi.called_positive[content.fixed_pi.estimate]
    assert called == pytest.approx(np.mean(own > 0.5), abs=1e-9)
    south = content.samples[1].fixed_pi
    of_south = posterior[rows["site"] == "south"]
    assert south.histogram[south.estimate] == pytest.approx(np.histogram(of_south, 20, (0, 1))[0] / 400, abs=1e-9)


def test_limits_are_those_of_predictions(model, rows, content):
    row = content.candidates[0]
    number = int(row.name.split()[1]) - 1
    limits = model.predict_interval(rows.loc[[number], ["x1", "x2", "x3"]], sample=row.sample).iloc[0]
    assert (row.lower, row.upper) == pytest.approx((limits["lower"], limits["upper"]), abs=1e-9)


def test_the_most_likely_rows_are_listed_for_all_and_for_each_sample_without_those_audited(model, rows, content):
    unseen = (rows["z"] == 0) & rows["audit"].isna()
    own = model.predict_proba(rows.loc[unseen, ["x1", "x2", "x3"]], sample=rows["site"][unseen])[:, 1]
    order = pd.Series(own, index=rows.index[unseen]).sort_values(ascending=False, kind="stable")
    listed = {int(row.name.split()[1]) - 1: row for row in content.candidates}
    assert {number for number, row in listed.items() if row.among_all} == set(order.index[:20])
    for site in ("north", "south"):
        there = order[rows["site"][order.index] == site]
        assert [number for number, row in listed.items() if row.sample == site][:20] == there.index[:20].tolist()


def test_none_are_listed_where_none_are_asked_for(model):
    assert collect(model, "Two sites", {}, {}, n_candidates=0).candidates == ()


def test_sentences_say_what_tests_mean():
    assert equality_sentence(EqualShares(191.3, 2, 1e-40)).startswith("The shares differ: ")
    alike = equality_sentence(EqualShares(0.4, 1, 0.527))
    assert alike.startswith("The data do not tell the shares apart: ")
    assert alike.endswith("chi-square 0.400 on 1 degree of freedom, p = 0.527.")
    audits = [AuditedShare(name, 40, 0.3, 0.2, 0.1, 0.3, pvalue) for name, pvalue in (("a", 0.03), ("all", 0.2))]
    assert audit_sentence(audits) == "The audit agrees with the model (p = 0.200)."
    assert "contradicts the model (a: p = 0.030)" in audit_sentence(audits[:1])
    said = "too sure, not sure enough, or wrong for some combinations of two columns. Report the share"
    assert said in audit_sentence(audits[:1])
