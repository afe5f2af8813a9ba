"""`pugam predict --unscorable empty`: a row that cannot be scored says why, and all others are scored."""

import numpy as np
import pandas as pd
import pytest

from pugam import PUGAM


@pytest.fixture(scope="module")
def rows(make_rows):
    table = make_rows(150, 400)
    return table[["x1", "x2"]].assign(site=np.array(["north", "south"])[np.arange(400) % 2], z=table["z"])


@pytest.fixture(scope="module")
def model(rows):
    return PUGAM("x1 + x2 + f(site)", pi=0.4, check=False).fit(rows, rows["z"])


@pytest.fixture
def new(empty_folder, rows, model):
    """A file whose second and fourth rows cannot be scored."""
    model.save("model.json")
    new = rows.head(6).astype({"x2": object})
    new.loc[1, "x2"] = None
    new.loc[3, "site"] = "east"
    new.to_csv("new.csv", index=False)
    return "new.csv"


@pytest.mark.parametrize("target", ["scored.csv", "scored.parquet"])
def test_rows_without_a_score_say_why(pugam_says, rows, model, new, target):
    code, _, err = pugam_says("predict", "model.json", new, "--unscorable", "empty", "--interval", "--out", target)
    scored = pd.read_csv(target) if target.endswith("csv") else pd.read_parquet(target)

    assert code == 0
    assert err == (
        "! 2 of 6 rows have no score, see column not_scored: x2 is missing (1 row), site 'east' was not seen in the "
        "fit (1 row).\n"
    )
    for name in ("p_positive", "log_density_ratio", "p_se", "p_lower", "p_upper"):
        assert scored[name].isna().tolist() == [False, True, False, True, False, False]
    assert scored["not_scored"].dropna().tolist() == ["x2 is missing", "site 'east' was not seen in the fit"]
    assert scored["p_positive"][0] == pytest.approx(model.predict_proba(rows.head(1))[0, 1], abs=1e-12)


def test_a_worklist_holds_scored_rows_only(pugam_says, new):
    code, out, _ = pugam_says("predict", "model.json", new, "--unscorable", "empty", "--top", "6", "--out", "top.csv")
    listed = pd.read_csv("top.csv")

    assert code == 0
    assert len(listed) == 4
    assert listed["p_positive"].is_monotonic_decreasing
    assert "Review 4 rows" in out


def test_sorted_rows_without_a_score_come_last(pugam_says, new):
    pugam_says("predict", "model.json", new, "--unscorable", "empty", "--sort", "--out", "sorted.csv")

    assert pd.read_csv("sorted.csv")["p_positive"].isna().tolist() == [False] * 4 + [True] * 2


def test_a_file_in_which_no_row_can_be_scored_is_written_all_the_same(pugam_says, new):
    pd.read_csv(new).assign(site="east").to_csv("elsewhere.csv", index=False)
    code, _, err = pugam_says("predict", "model.json", "elsewhere.csv", "--unscorable", "empty", "--out", "none.csv")

    assert code == 0
    assert "6 of 6 rows have no score" in err
    assert pd.read_csv("none.csv")["p_positive"].isna().all()


def test_where_all_rows_have_a_score_nothing_is_said(pugam_says, rows, new):
    rows.head(3).to_csv("good.csv", index=False)
    code, _, err = pugam_says("predict", "model.json", "good.csv", "--unscorable", "empty", "--out", "all.csv")

    assert (code, err) == (0, "")
    assert pd.read_csv("all.csv")["not_scored"].isna().all()


def test_without_the_flag_the_file_is_refused(pugam_says, new):
    code, _, err = pugam_says("predict", "model.json", new, "--out", "scored.csv")

    assert code == 2
    assert "new.csv, line 3" in err


def test_a_word_that_is_no_policy_is_refused(pugam_says, new):
    code, _, err = pugam_says("predict", "model.json", new, "--unscorable", "nan", "--out", "scored.csv")

    assert (code, err) == (2, "pugam: --unscorable is error or empty; got 'nan'.\n")


@pytest.mark.parametrize(
    ("flags", "said"),
    [(["--unseen", "maybe"], "--unseen is error or zero"), (["--missing", "no"], "--missing is error")],
)
def test_policies_of_a_fit_are_checked(pugam_says, rows, empty_folder, flags, said):
    rows.to_csv("rows.csv", index=False)
    code, _, err = pugam_says("fit", "rows.csv", "--label", "z", *flags)

    assert code == 2
    assert said in err


def test_a_fit_that_permits_unseen_levels_scores_them(pugam_says, rows, new):
    rows.to_csv("rows.csv", index=False)
    terms = ["--terms", "x1 + f(site)", "--pi", "0.4"]
    pugam_says("fit", "rows.csv", "--label", "z", *terms, "--unseen", "zero", "--out", "lenient.json", "-q")

    code, _, err = pugam_says("predict", "lenient.json", new, "--out", "scored.csv")

    assert code == 0
    assert err == "! 1 row has a level of site that the fit did not see ('east'); it counts as average there.\n"
    assert pd.read_csv("scored.csv")["p_positive"].notna().all()


def test_the_refusal_of_a_level_names_both_ways_out(pugam_says, rows, new):
    rows.head(1).assign(site="east").to_csv("east.csv", index=False)

    code, _, err = pugam_says("predict", "model.json", "east.csv", "--out", "scored.csv")

    assert code == 2
    assert "leave such rows without a score (--unscorable empty), or fit again with --unseen zero" in err


def test_the_refusal_of_a_gap_names_ways_out_that_the_verb_has(pugam_says, rows, new):
    rows.assign(x2=rows["x2"].where(rows.index != 3)).to_csv("gap.csv", index=False)

    said = "leave such rows without a score (--unscorable empty), or fill or drop them"
    assert said in pugam_says("predict", "model.json", "gap.csv", "--out", "scored.csv")[2]
    code, _, err = pugam_says("report", "model.json", "gap.csv", "--label", "z", "--out", "report.html")
    assert code == 2
    assert "in gap.csv, line 5; fill or drop them" in err


def test_an_explanation_says_why_there_is_none(pugam_says, new):
    code, out, _ = pugam_says("explain", "model.json", new, "--unscorable", "empty")

    assert code == 0
    assert "row 2: no score, since x2 is missing" in out
    assert "row 4: no score, since site 'east' was not seen in the fit" in out
    assert out.count("p_positive") == 4


def test_a_table_of_explanations_has_a_line_for_rows_without_one(pugam_says, new):
    code, _, _ = pugam_says("explain", "model.json", new, "--unscorable", "empty", "--out", "explained.csv")
    found = pd.read_csv("explained.csv").set_index("row")

    assert code == 0
    assert found.loc[2, "not_scored"] == "x2 is missing"
    assert np.isnan(found.loc[2, "contribution"])
    assert found.loc[1, "not_scored"].isna().all()
