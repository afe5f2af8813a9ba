"""Several unlabelled samples in one fit: shares, differences, audits, predictions, storage, the bootstrap."""

import json
import pickle
from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

from pugam import PUGAM, f, load
from pugam.datasets import simulate
from pugam.errors import InputError, PugamWarning
from pugam.inference import normal_quantile

SHARES, SIZES, N_LABELLED = (0.1, 0.3, 0.6), (400, 500, 600), 800


def make_rows(seed=0, shares=SHARES):
    """Labelled rows, then those of three samples: features, labels, names, classes."""
    parts = []
    for number, (share, size) in enumerate(zip(shares, SIZES, strict=True)):
        n0 = N_LABELLED if number == 0 else 1
        data = simulate(2, n0=n0, n=n0 + size, pi=share, random_state=10 * seed + number)
        kept = np.arange(n0 + size) >= (0 if number == 0 else 1)
        name = np.where(data.z == 1, "none", "abc"[number])
        parts.append(data.X.assign(z=data.z, site=name, y=data.y)[kept])
    rows = pd.concat(parts, ignore_index=True)
    return rows[list(data.X.columns)], rows["z"], rows["site"], rows["y"]


@pytest.fixture(scope="module")
def rows():
    return make_rows()


@pytest.fixture(scope="module")
def model(rows):
    X, z, site, _ = rows
    return PUGAM(check=False).fit(X, z, sample=site)


def test_each_sample_has_its_share(model):
    """Standard errors are about 0.02 to 0.03: four of them are allowed."""
    table = model.shares(model_error=False)
    assert table["sample"].tolist() == ["a", "b", "c", "all"]
    assert table["rows"].tolist() == [*SIZES, sum(SIZES)]
    assert table["pi"][:3].to_numpy() == pytest.approx(SHARES, abs=0.1)
    assert ((table["lower"] < table["pi"]) & (table["pi"] < table["upper"])).all()
    assert table["pi"][3] == pytest.approx(np.average(table["pi"][:3], weights=SIZES), abs=1e-9)
    assert table["pi"][3] == model.pi_


@pytest.mark.long
def test_intervals_are_narrower_than_those_of_separate_fits(model, rows):
    X, z, site, _ = rows
    joint = model.shares(model_error=False)
    for number, name in enumerate("abc"):
        kept = (z == 1) | (site == name)
        alone = PUGAM(check=False).fit(X[kept], z[kept]).pi_interval(model_error=False)
        assert joint["upper"][number] - joint["lower"][number] < 1.02 * (alone.upper - alone.lower)


def test_the_evidence_is_highest_at_the_shares_reported(model):
    """Each curve has its maximum where the fit ended."""
    found = model._fit.samples
    for number, curve in enumerate(found.curves):
        assert curve.places[curve.best] == pytest.approx(found.logits[number], abs=0.02)


def test_a_column_is_as_good_as_an_array_and_is_no_feature(model, rows):
    X, z, site, _ = rows
    named = PUGAM(check=False).fit(X.assign(site=site), z, sample="site")
    assert named.formula_ == model.formula_
    assert named.shares()["pi"].tolist() == model.shares()["pi"].tolist()


def test_intervals_hold_what_others_say_where_the_model_does_not_fit(model):
    """Of all rows together they say 0.15 and 0.6: the samples' shares move with them."""
    doubted = copy(model)
    doubted._fit = replace(model._fit, neighbours=(0.15, 0.6))
    known, found = model.shares(), doubted.shares()
    assert (found["lower"] < known["lower"]).all()
    assert (found["upper"] > known["upper"]).all()
    weights = np.array(SIZES) / sum(SIZES)
    assert weights @ found["upper"][:3] == pytest.approx(0.6, abs=1e-9)
    assert weights @ found["lower"][:3] < 0.15
    pd.testing.assert_frame_equal(doubted.shares(model_error=False), model.shares(model_error=False))


@pytest.mark.long
def test_the_order_of_rows_does_not_matter(model, rows):
    X, z, site, _ = rows
    order = np.random.default_rng(0).permutation(len(z))
    other = PUGAM(check=False).fit(X.iloc[order], z.iloc[order], sample=site.iloc[order])
    assert other.shares()["pi"].to_numpy() == pytest.approx(model.shares()["pi"].to_numpy(), abs=1e-3)


def test_one_sample_is_what_it_was(rows):
    X, z, _, _ = rows
    one, plain = (PUGAM(check=False).fit(X, z, sample=sample) for sample in (np.full(len(z), "x"), None))
    assert one.pi_ == plain.pi_
    assert one.coef_.tolist() == plain.coef_.tolist()
    assert one.shares()["sample"].tolist() == ["all"]


def test_differences_and_the_test_of_equal_shares(model):
    difference = model.share_difference("c", "a")
    table = model.shares(model_error=False)
    assert difference.estimate == pytest.approx(table["pi"][2] - table["pi"][0])
    assert difference.lower < 0.5 < difference.upper
    assert difference.pvalue < 1e-10
    assert model.test_shares().pvalue < 1e-10
    back = model.share_difference("a", "c")
    assert (-back.upper, -back.lower) == pytest.approx((difference.lower, difference.upper))
    assert "c - a: 0." in str(difference)
    assert "on 2 df" in str(model.test_shares())


def test_audits_narrow_intervals_and_pull_towards_what_they_found(model, rows):
    X, z, site, y = rows
    audit = np.full(len(z), np.nan)
    drawn = np.random.default_rng(1).choice(np.flatnonzero(z == 0), 300, replace=False)
    audit[drawn] = y[drawn]
    audited = PUGAM(check=False).fit(X, z, sample=site, audit=audit)
    before, now = model.shares(model_error=False), audited.shares(model_error=False)
    assert now["audited"].tolist()[-1] == 300
    assert (now["upper"] - now["lower"] < before["upper"] - before["lower"]).all()
    alone = PUGAM(check=False).fit(X, z, audit=audit)
    assert alone.shares()["sample"].tolist() == ["all"]
    assert alone.pi_interval().upper - alone.pi_interval().lower < 0.25


def test_predictions_take_the_share_of_their_sample(model, rows):
    X = rows[0].iloc[-200:]
    low, high = (model.predict_proba(X, sample=name)[:, 1] for name in "ac")
    assert (low < high).all()
    each = model.predict_proba(X, sample=["a", "c"] * 100)[:, 1]
    assert each.tolist() == np.where(np.arange(200) % 2 == 0, low, high).tolist()


@pytest.mark.parametrize("share", [{"sample": "a"}, {"sample": ["a", "c"] * 100}, {"pi": 0.1}, {}])
def test_classes_and_logits_are_those_of_the_posteriors(model, rows, share):
    X = rows[0].iloc[-200:]
    posterior = model.predict_proba(X, **share)[:, 1]
    assert model.decision_function(X, **share) == pytest.approx(logit(posterior), abs=1e-6)
    assert model.predict(X, **share).tolist() == (posterior > 0.5).astype(int).tolist()


def test_posteriors_at_another_share_follow_bayes_rule(model, rows):
    X, pi = rows[0].iloc[-200:], 0.2
    here, there = (model.predict_proba(X, pi=share)[:, 1] for share in (None, pi))
    move = logit(pi) - logit(model.pi_)
    assert logit(there) == pytest.approx(logit(here) + move, abs=1e-9)
    share = float(model.shares()["pi"][0])
    assert model.predict_proba(X, pi=share)[:, 1] == pytest.approx(model.predict_proba(X, sample="a")[:, 1], abs=1e-12)


def test_limits_of_rows_of_a_sample_count_that_its_share_is_less_sure(model, rows):
    X = rows[0].iloc[-200:]
    own, all_rows = model.predict_interval(X, sample="a"), model.predict_interval(X)
    assert own["p_positive"].to_numpy() == pytest.approx(model.predict_proba(X, sample="a")[:, 1], abs=1e-12)
    errors, errors_of_all = (
        (frame["se"] / (frame["p_positive"] * (1.0 - frame["p_positive"]))).to_numpy() for frame in (own, all_rows)
    )
    low, high = logit(model.shares(model_error=False).loc[0, ["lower", "upper"]].to_numpy(float))
    share = ((high - low) / (2.0 * normal_quantile(0.95))) ** 2
    assert errors**2 - errors_of_all**2 == pytest.approx(share - model.covariance()[0, 0], abs=1e-6)


def test_the_verdict_on_a_share_is_the_same_whatever_interval_is_shown(model):
    judged = copy(model)
    judged.verdict_ = "well determined"
    tables = [
        judged.shares(level, model_error=error) for level, error in ((0.5, True), (0.95, False), (1 - 1e-15, True))
    ]
    assert tables[-1]["upper"][2] - tables[-1]["lower"][2] > 0.4
    assert all(table["verdict"].tolist() == ["well determined"] * 4 for table in tables)


def test_a_saved_model_knows_its_samples(model, rows, tmp_path):
    X, z, site, _ = rows
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    pd.testing.assert_frame_equal(loaded.shares(), model.shares())
    assert str(loaded.share_difference("b", "a")) == str(model.share_difference("b", "a"))
    assert loaded.attach(X, z, sample=site)._rows[0].codes is not None
    with pytest.raises(InputError, match="not the samples"):
        loaded.attach(X, z)


def test_a_file_whose_evidence_of_a_sample_never_falls_is_refused(model, tmp_path):
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    document["marginal"]["samples"]["factors"][0] = 0.0
    (tmp_path / "model.json").write_text(json.dumps(document))

    with pytest.raises(InputError, match=r"marginal\.samples\.factors\[0\]: expected a positive number; got 0\.0"):
        load(tmp_path / "model.json")


def test_the_bootstrap_draws_within_samples_and_refits_all_shares(model):
    resamples = model.bootstrap(20, random_state=0)
    error = np.std(resamples.pi, ddof=1)
    interval = model.pi_interval(model_error=False)
    assert 0.4 < error / ((interval.upper - interval.lower) / 3.92) < 2.0  # 20 refits know it to 16%
    assert abs(np.mean(resamples.pi) - model.pi_) < 0.03
    shares = model.shares(model_error=False)
    assert resamples.samples == ("a", "b", "c")
    assert np.mean(resamples.shares, axis=0) == pytest.approx(shares["pi"][:3], abs=0.04)
    for number, name in enumerate(resamples.samples):
        found = resamples.interval(0.8, sample=name)  # of 20 refits, two lie beyond each limit
        assert found.estimate == pytest.approx(shares["pi"][number], abs=1e-12)
        width = (shares["upper"] - shares["lower"])[number] * 1.28 / 1.96
        assert 0.4 < (found.upper - found.lower) / width < 2.0
        assert resamples.interval(0.8, "percentile", sample=name).method == "bootstrap, percentile"


def test_a_bootstrap_kept_in_a_file_has_the_shares_too(model, tmp_path):
    plain = model.bootstrap(3, random_state=0)
    for _ in range(2):
        kept = model.bootstrap(3, random_state=0, store=tmp_path / "refits.jsonl")
        assert kept.shares.tobytes() == plain.shares.tobytes()


def test_bootstrap_intervals_of_samples_that_cannot_be_had_are_refused(model, rows):
    resamples = model.bootstrap(3, random_state=0)
    with pytest.raises(InputError, match="no sample 'd'; the samples are 'a', 'b', 'c'"):
        resamples.interval(sample="d")
    with pytest.raises(InputError, match="BCa is for the share of all unlabelled rows"):
        resamples.interval(0.5, "bca", sample="a")
    X, z, sample, _ = rows
    pooled = PUGAM(check=False).fit(X, z, sample=sample, shares="pooled").bootstrap(3, random_state=0)
    with pytest.raises(InputError, match="Refits do not pool shares; intervals for those of single samples are in sh"):
        pooled.interval(0.5, sample="a")
    plain = PUGAM("x1 + x2", check=False).fit(X, z).bootstrap(3, random_state=0)
    with pytest.raises(InputError, match="one unlabelled sample only"):
        plain.interval(0.5, sample="a")


def test_the_forest_plot_has_a_line_for_each_sample_and_one_for_all(model):
    (axes,) = model.plot("shares").axes
    assert [label.get_text().split()[0] for label in axes.get_yticklabels()] == ["a", "b", "c", "all"]
    marks = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1]
    assert marks == pytest.approx(model.shares()["pi"].tolist())
    with pytest.raises(InputError, match="takes axes"):
        model.plot("shares", terms=["x1"])


def test_the_summary_lists_the_samples(model):
    text = str(model.summary())
    assert "known negatives" not in text
    assert "pooled" not in text
    assert "Unlabelled samples" in text
    assert "  c     600" in text
    assert f"  {model.test_shares()}\n" in text
    assert text.count("assumes that positives, and negatives, look the same in all samples") == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pi": 0.3}, ("marginal likelihood", "pi")),
        ({"estimate": "mode"}, ("marginal likelihood", "estimate")),
    ],
)
def test_other_estimates_are_refused(rows, options, words):
    X, z, site, _ = rows
    with pytest.raises(InputError) as caught:
        PUGAM(**options).fit(X, z, sample=site)
    for word in words:
        assert word in str(caught.value)


def test_too_few_rows_for_the_columns_are_refused(rows):
    X, z, site, _ = rows
    wide = X.assign(**{f"noise{number}": np.random.default_rng(number).random(len(X)) for number in range(60)})
    with pytest.raises(InputError, match=r"too few rows of one label \(800\)"):
        PUGAM().fit(wide, z, sample=site)


def test_features_that_name_the_samples_are_refused(rows):
    """By the values of a column, in place of its name, it stays a feature; so does a copy of it, as a number."""
    X, z, sample, _ = rows
    told = "Column 'site' tells which sample an unlabelled row is from, .* leave it out of X"
    for named in (sample, np.unique(sample, return_inverse=True)[1].astype(float)):
        with pytest.raises(InputError, match=told):
            PUGAM(check=False).fit(X.assign(site=named), z, sample=sample)
    coarse = np.where(sample == "a", "near", "far")  # two samples are far: it does not tell them apart
    assert PUGAM(["x1", "x2", "x3", f("coarse")], check=False).fit(X.assign(coarse=coarse), z, sample=sample).pi_ > 0.0
    known = X.assign(known=np.where(sample == "a", 0.0, np.where(sample == "b", 0.1, 0.2)))
    assert PUGAM("x1 + x2 + x3 + offset(known)", check=False).fit(known, z, sample=sample).pi_ > 0.0
    with pytest.raises(InputError, match=r"out of the terms, or let curves vary with it, as in s\(age, by=site\)"):
        PUGAM("x1 + x2 + f(site)").fit(X.assign(site=sample), z, sample="site")


def test_what_is_not_there_is_named(model, rows):
    X, z, _, _ = rows
    with pytest.raises(InputError, match="no sample 'd'; the samples are 'a', 'b', 'c'"):
        model.predict_proba(X, sample="d")
    with pytest.raises(InputError, match="no sample 'd'; the samples are 'a', 'b', 'c'"):
        model.share_difference("a", "d")
    with pytest.raises(InputError, match="Sample 'a' is named twice; name two samples to compare"):
        model.share_difference("a", "a")
    names = ["a"] * (len(X) - 1)
    with pytest.raises(InputError, match=f"sample is 'd' in row {len(X) - 1}, but the samples of the fit are 'a', 'b'"):
        model.predict_proba(X, sample=[*names, "d"])
    with pytest.raises(InputError, match="sample is missing in row 0; name the sample of every row"):
        model.predict_proba(X, sample=[None, *names])
    with pytest.raises(InputError, match=f"one name, or one for each of {len(X)} rows"):
        model.predict_proba(X, sample=names)
    with pytest.raises(InputError, match=r"one for each of 2 rows; got shape \(2, 1\)"):
        model.predict_proba(X[:2], sample=[["a"], ["b"]])
    lists = np.empty(2, dtype=object)
    lists[:] = [["a"], ["b"]]
    with pytest.raises(InputError, match=r"sample is \['a'\] in row 0; name a sample by one text or number"):
        model.predict_proba(X[:2], sample=lists)
    with pytest.raises(InputError, match="given twice"):
        model.predict_interval(X, pi=0.2, sample="a")
    with pytest.raises(InputError, match="given twice"):
        model.predict_proba(X, pi=0.2, sample="a")
    with pytest.raises(InputError, match="given twice"):
        model.predict(X, pi=0.2, sample="a")
    with pytest.raises(InputError, match="is not a column of X"):
        PUGAM().fit(X, z, sample="region")
    with pytest.raises(InputError, match="as an array"):
        PUGAM().fit(X.to_numpy(), z, sample="region")
    with pytest.raises(InputError, match="one unlabelled sample only; tell samples apart by sample in the fit"):
        PUGAM(check=False).fit(X, z).test_shares()


def test_a_sample_may_be_a_column_of_new_rows(model, rows):
    X, z, sample, _ = rows
    X, sample = X[z == 0], sample[z == 0]
    by_column = model.predict_proba(X.assign(site=sample), sample="site")
    assert (by_column == model.predict_proba(X, sample=sample)).all()
    named_a = model.predict_proba(X.assign(a="c"), sample="a")  # a sample's own name comes first
    assert (named_a == model.predict_proba(X, sample="a")).all()


def test_a_sample_without_unlabelled_rows_has_no_share(rows):
    X, z, sample, _ = rows
    named = np.where(z == 1, np.where(np.arange(len(z)) % 2 == 0, "d", "a"), sample)
    words = "Sample 'd' has no unlabelled row of positive weight, and so no share"
    with pytest.warns(PugamWarning, match=words):
        model = PUGAM("x1 + x2", check=False, interactions=None).fit(X, z, sample=named)
    assert model.shares()["sample"].tolist() == ["a", "b", "c", "all"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (0, r"All 30 audited rows are negative.*leave them out, or give them as negative if they are from elsewhere"),
        (1, r"All 30 audited rows are positive.*leave them out\. If they were drawn at random, audit more"),
    ],
)
def test_an_audit_of_one_class_is_doubted(rows, kind, words):
    X, z, _, y = rows
    audit = np.full(len(z), np.nan)
    audit[np.flatnonzero((z == 0) & (y == kind))[:30]] = kind
    with pytest.warns(PugamWarning, match=words):
        PUGAM("x1 + x2", check=False, interactions=None).fit(X, z, audit=audit)


def audited_rows(rows, count, seed=1):
    """Classes of so many unlabelled rows drawn at random, missing for all others."""
    _, z, _, y = rows
    audit = np.full(len(z), np.nan)
    drawn = np.random.default_rng(seed).choice(np.flatnonzero(z == 0), count, replace=False)
    audit[drawn] = y[drawn]
    return audit


def test_an_audit_that_agrees_is_not_rejected(rows):
    X, z, site, y = rows
    model = PUGAM(check=False).fit(X, z, sample=site, audit=audited_rows(rows, 300))
    table = model.check_audit()
    assert table["sample"].tolist() == ["a", "b", "c", "all"]
    assert table["audited"].sum() == 600
    assert (table["pvalue"] > 0.001).all()
    assert table["lower"][3] < y[z == 0].mean() < table["upper"][3]


def test_an_audit_refutes_a_model_whose_share_is_wrong(rows):
    """Audited rows that are all negative: the posteriors of most say otherwise."""
    X, z, _, _ = rows
    audit = np.where(np.isnan(audited_rows(rows, 100)), np.nan, 0.0)
    audit = np.where((np.arange(len(z)) % 2 == 0) & ~np.isnan(audit), audit, np.nan)
    table = PUGAM(check=False).fit(X, z, audit=audit).check_audit()
    assert table["pvalue"][0] < 1e-3
    assert table["estimate"][0] < table["pi"][0]


def test_rows_audited_by_their_rank_count_by_their_chances(rows):
    """Rows of large x1 are audited five times as often: without their chances the correction is of other rows."""
    X, z, _, y = rows
    chance = np.where(X["x1"] > 0.5, 0.5, 0.1)
    drawn = (np.random.default_rng(2).random(len(z)) < chance) & (z == 0)
    model = PUGAM(check=False).fit(X, z, audit=np.where(drawn, y, np.nan), audit_chance=chance)
    table = model.check_audit()
    assert table["lower"][0] < y[z == 0].mean() < table["upper"][0]
    without = PUGAM(check=False).fit(X, z, audit=np.where(drawn, y, np.nan)).check_audit()
    assert without["estimate"][0] != table["estimate"][0]


def test_a_file_whose_shares_are_not_those_of_all_rows_is_refused(model, tmp_path):
    """Their mean by rows is pi, up to rounding, in all fits: with audits, weights, own curves and pooled shares."""
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    document["marginal"]["samples"]["logits"][1] += 1e-6
    (tmp_path / "model.json").write_text(json.dumps(document))

    with pytest.raises(
        InputError, match=r"marginal\.samples: expected samples whose shares have the mean 0\.\d+, which"
    ):
        load(tmp_path / "model.json")


def test_without_an_audit_there_is_nothing_to_check(model):
    for one in (model, pickle.loads(pickle.dumps(model))):  # to fetch the rows would lead nowhere
        with pytest.raises(InputError, match="No row was audited"):
            one.check_audit()


@pytest.mark.parametrize("count", [0, pytest.param(200, marks=pytest.mark.long)])
def test_curves_stay_where_pi_is_fixed_next_to_the_estimate(rows, count):
    X, z, site, _ = rows
    audit = audited_rows(rows, count) if count else None
    model = PUGAM(check=False).fit(X, z, sample=site, audit=audit)
    near = model.sensitivity([model.pi_ - 1e-4, model.pi_ + 1e-4])
    errors = np.sqrt(model.covariance().diagonal())[2:]
    assert np.abs((near.coef - model.coef_) / errors).max() < 2e-3


def test_the_histogram_of_posteriors_counts_rows_by_the_share_of_their_sample(model, rows):
    X, z, site, _ = rows
    (axes,) = model.plot("posterior").axes
    own = model.predict_proba(X[z == 0], sample=site[z == 0])[:, 1]
    heights = [patch.get_height() for patch in axes.patches if hasattr(patch, "get_height")]
    expected = np.histogram(own, bins=len(heights), range=(0.0, 1.0))[0]
    assert heights == pytest.approx(expected.tolist())


def with_negatives(rows, count=300):
    """The rows, and behind them known negatives: features, labels, names of samples, who is a known negative."""
    X, z, site, _ = rows
    more = simulate(2, n0=1, n=1 + 2 * count, pi=0.01, random_state=4)
    known = more.X[(more.z == 0) & (more.y == 0)].iloc[:count]
    labels, names = np.append(z, np.zeros(count)), np.append(site, np.full(count, "none"))
    return pd.concat([X, known], ignore_index=True), labels, names, np.arange(len(labels)) >= len(z)


@pytest.fixture(scope="module")
def beside(rows):
    X, z, site, negative = with_negatives(rows)
    return PUGAM(check=False).fit(X, z, sample=site, negative=negative)


def test_known_negatives_narrow_intervals_and_are_no_unlabelled_rows(model, beside):
    before, now = model.shares(model_error=False), beside.shares(model_error=False)
    assert now["sample"].tolist() == ["a", "b", "c", "all"]
    assert now["rows"].tolist() == before["rows"].tolist()
    assert beside.n1_ == sum(SIZES)
    assert now["pi"][:3].to_numpy() == pytest.approx(SHARES, abs=0.08)
    assert (now["upper"] - now["lower"] < before["upper"] - before["lower"]).all()
    assert beside._fit.samples.negatives == 300
    assert "\nknown negatives: 300 rows\n" in str(beside.summary())


def test_rows_that_are_all_known_leave_no_share_to_estimate(rows, tmp_path):
    X, z, _, _ = rows
    table = X.assign(z=z, known=1 - z)
    table.to_parquet(tmp_path / "rows.parquet")
    for where, labels in ((X.assign(known=1 - z), z), (tmp_path / "rows.parquet", "z")):
        engine = "memory" if labels is z else "stream"
        with pytest.raises(InputError, match="negative leaves no unlabelled row"):
            PUGAM(engine=engine).fit(where, labels, negative="known")


def test_the_fit_is_where_the_likelihood_with_known_negatives_is_highest(beside):
    """Its slope along each share, curves following, is nothing beside its standard error."""
    found = beside._fit.samples
    for number, curve in enumerate(found.curves):
        assert curve.places[curve.best] == pytest.approx(found.logits[number], abs=0.02)


def test_a_loaded_model_takes_known_negatives_back(beside, rows, tmp_path):
    X, z, site, negative = with_negatives(rows)
    beside.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json").attach(X, z, sample=site, negative=negative)
    assert loaded._fit.samples.negatives == 300
    assert loaded.shares()["pi"].tolist() == beside.shares()["pi"].tolist()
    with pytest.raises(InputError, match="not the rows"):
        load(tmp_path / "model.json").attach(X[~negative], z[~negative], sample=site[~negative])


@pytest.mark.long
def test_the_bootstrap_draws_known_negatives_among_themselves(beside):
    resamples = beside.bootstrap(3, random_state=0)
    assert len(set(resamples.pi)) == 3
    again = beside.bootstrap(3, random_state=0)
    assert again.pi.tolist() == resamples.pi.tolist()


@pytest.mark.long
def test_groups_are_drawn_beside_a_single_known_negative(rows):
    X, z, site, negative = with_negatives(rows, count=1)
    model = PUGAM(check=False, interactions=None).fit(X, z, sample=site, negative=negative)
    resamples = model.bootstrap(3, groups=np.arange(len(z)), progress=False)
    assert len(set(resamples.pi)) == 3


@pytest.mark.long
def test_a_weight_of_two_is_a_known_negative_twice(rows):
    X, z, site, negative = with_negatives(rows, count=60)
    weights = np.where(negative, 2.0, 1.0)
    twice = np.append(np.arange(len(z)), np.flatnonzero(negative))
    one = PUGAM(check=False).fit(X, z, weights, sample=site, negative=negative)
    two = PUGAM(check=False).fit(X.iloc[twice], z[twice], sample=site[twice], negative=negative[twice])
    assert one.shares()["pi"].to_numpy() == pytest.approx(two.shares()["pi"].to_numpy(), rel=1e-6)


@pytest.mark.long
def test_rows_from_a_file_in_parts_give_what_they_give_in_memory(rows, tmp_path):
    X, z, site, negative = with_negatives(rows, count=60)
    audit = np.where((z == 0) & ~negative & (np.arange(len(z)) % 9 == 0), 1.0, np.nan)
    audit[::2] = np.where(np.isnan(audit[::2]), np.nan, 0.0)
    audit[z == 1] = np.nan
    table = X.assign(z=z, site=site, checked=audit, known=negative.astype(float))
    roles = {"sample": "site", "audit": "checked", "negative": "known"}
    table.to_parquet(tmp_path / "rows.parquet")
    streamed = PUGAM(check=False, engine="stream").fit(tmp_path / "rows.parquet", "z", **roles)
    read = PUGAM(check=False, engine="memory").fit(tmp_path / "rows.parquet", "z", **roles)
    memory = PUGAM(check=False).fit(table.drop(columns="z"), z, **roles)
    assert streamed._rows[0].name == "stream"
    assert read.shares()["pi"].to_pylist() == memory.shares()["pi"].tolist()
    for name in ("rows", "audited", "pi", "lower", "upper"):
        assert streamed.shares()[name].to_numpy() == pytest.approx(memory.shares()[name].to_numpy(), rel=1e-7)
    assert streamed.check_audit()["estimate"].to_numpy() == pytest.approx(memory.check_audit()["estimate"].to_numpy())
    assert streamed.bootstrap(2, random_state=0).pi == pytest.approx(memory.bootstrap(2, random_state=0).pi, rel=1e-6)


@pytest.mark.parametrize("engine", ["memory", pytest.param("stream", marks=pytest.mark.long)])
def test_known_negatives_without_weight_are_none(model, rows, engine, tmp_path):
    X, z, site, negative = with_negatives(rows, count=20)
    weights = np.where(negative, 0.0, 1.0)
    table = X.assign(z=z, site=site, known=negative.astype(int), weight=weights)
    together = PUGAM(check=False).fit(X[~negative], z[~negative])
    for roles, alone in (({"sample": "site"}, model), ({}, together)):
        table.drop(columns=[] if roles else "site").to_parquet(tmp_path / "rows.parquet")
        known = {"sample_weight": "weight", "negative": "known", **roles}
        found = PUGAM(engine=engine, check=False).fit(tmp_path / "rows.parquet", "z", **known)
        assert found.pi_ == pytest.approx(alone.pi_, rel=1e-6)
        assert (found._fit.samples is None) == (alone._fit.samples is None)


def test_a_labelled_row_cannot_be_a_known_negative(rows):
    X, z, _, _ = rows
    with pytest.raises(InputError, match="negative says that a labelled row is negative, row 0"):
        PUGAM(check=False).fit(X, z, negative=np.arange(len(z)) == 0)


def test_a_column_of_a_file_that_is_not_there_is_named(rows, tmp_path):
    X, z, site, _ = rows
    X.assign(z=z, site=site).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(InputError, match="sites"):
        PUGAM(check=False).fit(tmp_path / "rows.csv", "z", sample="sites")
    with pytest.raises(InputError, match=r"^sample of rows in a file is the name of one of its columns, as in fit"):
        PUGAM(check=False).fit(tmp_path / "rows.csv", "z", sample=site)


def weak_rows():
    data = simulate(2, n0=400, n=1600, random_state=0)
    return data.X, data.z


@pytest.mark.long
def test_the_interval_of_all_rows_is_as_skewed_with_samples_as_without():
    """Two halves drawn at random say of all rows what these say by themselves; limits differ by errors of both."""
    X, z = weak_rows()
    halves = np.random.default_rng(0).permutation(len(z)) % 2
    alone, split = (
        PUGAM("s(x1) + s(x2)", interactions=None, check=False).fit(X, z, sample=sample).pi_interval(model_error=False)
        for sample in (None, halves)
    )
    assert (split.lower, split.upper) == pytest.approx((alone.lower, alone.upper), abs=0.03)
    assert alone.estimate - alone.lower > 1.2 * (alone.upper - alone.estimate)


@pytest.mark.long
def test_the_prior_counts_once_however_many_samples_there_are():
    """Eight random parts: the share of all stays within its interval, which gets hardly narrower."""
    X, z = weak_rows()
    model = PUGAM("s(x1) + s(x2)", interactions=None, check=False)
    alone, split = (
        model.fit(X, z, sample=sample).pi_interval(model_error=False)
        for sample in (None, np.random.default_rng(0).permutation(len(z)) % 8)
    )
    assert alone.lower < split.estimate < alone.estimate
    assert split.upper - split.lower > 0.8 * (alone.upper - alone.lower)
