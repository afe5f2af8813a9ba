"""Real tables with masked labels: the share that is hidden, what a mask may touch, and Table 4 on made-up tables."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from pugam.datasets.real import SPAMBASE_FEATURES, WILT_FEATURES
from pugam.errors import InputError
from pugam.studies import Plan, masked
from pugam.studies.estimates import QUANTITIES
from pugam.studies.printed import MASKED, MASKED_COVERAGE

N_ROWS = 300
FILES = {"wilt.csv": WILT_FEATURES, "spambase.csv": SPAMBASE_FEATURES}


@pytest.fixture(autouse=True)
def no_data_from_elsewhere(monkeypatch):
    def refuse(**arguments):
        raise AssertionError(f"fetch_openml was called with {arguments}.")

    monkeypatch.delenv("PUGAM_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", refuse)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Made-up tables of the right format, three in five rows positive, whose odd columns tell the classes apart."""
    path = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(3)
    for name, features in FILES.items():
        y = (rng.random(N_ROWS) < 0.6).astype(int)
        values = rng.gamma(2.0, size=(N_ROWS, len(features))) + 0.6 * np.outer(y, np.arange(len(features)) % 2 == 0)
        pd.DataFrame(values.round(3), columns=list(features)).assign(y=y).to_csv(path / name, index=False)
    return path


@pytest.fixture(scope="module")
def estimated(folder, tmp_path_factory):
    """The folder of a run of Table 4 at one share, without its bootstrap."""
    plan = Plan(tmp_path_factory.mktemp("table4"), replicates=2, resamples=0, jobs=1, progress=False, data=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masked, "SHARES", (0.7,))
        masked.table4(plan)
    return plan.folder


@pytest.fixture(scope="module")
def estimated_of_wilt(folder, tmp_path_factory):
    """The same of Wilt alone, whose five columns are fitted sooner than the sixteen of Spambase."""
    plan = Plan(tmp_path_factory.mktemp("wilt"), replicates=2, resamples=0, jobs=1, progress=False, data=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masked, "SHARES", (0.7,))
        patch.setattr(masked, "SOURCES", {"Wilt": masked.SOURCES["Wilt"]})
        masked.table4(plan)
    return plan.folder


def data_of(n_positive, n_negative):
    y = np.random.default_rng(0).permutation(np.repeat([1, 0], [n_positive, n_negative]))
    return masked.RealData(pd.DataFrame({"x": np.zeros(len(y))}), y, ())


@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        ((4578, 261), {0.7: 0.840, 0.8: 0.778, 0.9: 0.637}),
        # The paper prints 0.215 for p_z = 0.8, which its own formula and its Err = 0.061 contradict.
        ((2788, 1813), {0.7: 0.316, 0.8: 0.235, 0.9: 0.133}),
    ],
    ids=["Wilt", "Spambase"],
)
def test_the_hidden_share_is_that_of_the_paper(counts, printed):
    for labelled, pi in printed.items():
        assert round(data_of(*counts).share_of_positives(labelled), 3) == pi


def test_the_hidden_share_by_hand():
    """Half of four positives are expected among two plus six rows."""
    assert data_of(4, 6).share_of_positives(0.5) == pytest.approx(0.25)
    assert data_of(4, 6).share_of_positives(0.0) == pytest.approx(0.4)


@pytest.mark.parametrize("labelled", [0.7, 0.8, 0.9])
def test_a_mask_labels_positives_only_and_as_many_as_it_should(labelled):
    """The share among 40000 positives has standard error sqrt(p (1 - p) / 40000) < 0.0023: four of them are allowed."""
    data = data_of(40_000, 10_000)

    mask = data.mask(labelled, np.random.default_rng(5))

    assert not mask[data.y == 0].any()
    assert mask[data.y == 1].mean() == pytest.approx(labelled, abs=4 * math.sqrt(labelled * (1 - labelled) / 40_000))
    # What stays unlabelled has the share that the paper's formula expects; its standard error is below 0.0045.
    assert data.y[~mask].mean() == pytest.approx(data.share_of_positives(labelled), abs=0.018)


def test_masks_differ_between_draws():
    data, rng = data_of(100, 50), np.random.default_rng(5)

    assert (data.mask(0.7, rng) != data.mask(0.7, rng)).any()


def test_spambase_has_sixteen_logarithms_of_which_four_are_smooth(folder):
    raw = pd.read_csv(folder / "spambase.csv")

    data = masked._load("Spambase", folder)

    assert data.X.shape == (N_ROWS, 16)
    np.testing.assert_allclose(data.X["ch!"], np.log(raw["char_freq_!"] + 0.1))
    np.testing.assert_allclose(data.X["CAPMAX"], np.log(raw["capital_run_length_longest"] + 0.1))
    assert len(data.terms) == 16
    smooth = [term.column for term in data.terms if term.label.startswith("s(")]
    assert smooth == ["over", "hpl", "edu", "CAPMAX"]


@pytest.mark.long
def test_table4_from_end_to_end(make_plan, folder, monkeypatch):
    monkeypatch.setattr(masked, "SHARES", (0.7,))
    plan = make_plan(data=folder, resamples=5)

    table = masked.table4(plan)

    pis = {}
    for name in ("Wilt", "Spambase"):
        y = pd.read_csv(folder / f"{name.lower()}.csv")["y"]
        pis[name] = 0.3 * y.sum() / (0.3 * y.sum() + (y == 0).sum())
    methods = ["GAET", "linear", "default"]
    assert [row.labels for row in table.rows] == [
        (name, "0.7", f"{pis[name]:.3f}", method) for name in pis for method in methods
    ]
    assert table.quantities == [*QUANTITIES, "coverage"]
    for row in table.rows:
        name, _, _, method = row.labels
        if method == "default":
            assert tuple(row.cells) == (*QUANTITIES, "coverage")
            assert {cell.printed for cell in row.cells.values()} == {None}
        else:
            assert tuple(cell.printed for cell in row.cells.values()) == MASKED[name, 0.7, method]

    lines = (plan.folder / "records" / "masking.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    records = [json.loads(line) for line in lines]
    sheet = pd.read_csv(plan.folder / "table4.csv").set_index(["data", "method", "quantity"])["value"]
    for name, pi in pis.items():
        of_name = [each["record"] for each in records if each["cell"] == [name, 0.7]]
        assert len(of_name) == 2
        errors = np.array([record["linear"]["pi"] for record in of_name]) - pi
        assert sheet[name, "linear", "bias"] == pytest.approx(100 * errors.mean())
        covered = [record["interval"][0] <= pi <= record["interval"][1] for record in of_name]
        assert sheet[name, "default", "coverage"] == np.mean(covered)

    coverage = pd.read_csv(plan.folder / "table4_coverage.csv")
    assert coverage["interval"].tolist() == ["percentile", "basic", "normal"] * 2
    assert coverage["paper"].tolist() == [MASKED_COVERAGE[name, 0.7] for name in pis for _ in range(3)]


def test_without_resamples_there_is_no_bootstrap_in_table4(estimated_of_wilt):
    assert sorted(path.name for path in estimated_of_wilt.glob("*.csv")) == ["table4.csv"]
    assert not (estimated_of_wilt / "records" / "masked_intervals.jsonl").exists()


def test_records_of_other_data_are_refused(make_plan, folder, estimated_of_wilt, tmp_path, monkeypatch):
    monkeypatch.setattr(masked, "SHARES", (0.7,))
    monkeypatch.setattr(masked, "SOURCES", {"Wilt": masked.SOURCES["Wilt"]})
    shutil.copytree(estimated_of_wilt, make_plan().folder)
    other = tmp_path / "other"
    other.mkdir()
    pd.read_csv(folder / "wilt.csv").iloc[:-1].to_csv(other / "wilt.csv", index=False)

    with pytest.raises(InputError, match=r"masking\.jsonl holds records made with Wilt = "):
        masked.table4(make_plan(data=other, resamples=0))


@pytest.mark.long
def test_breakdowns_of_the_bootstrap_are_told(make_plan, folder, estimated, monkeypatch):
    def break_down(cell, rng, plan):
        if not broken:
            broken.append(cell)
            raise np.linalg.LinAlgError("no way up")
        return masked._resample(cell, rng, plan)

    broken = []
    monkeypatch.setattr(masked, "SHARES", (0.7,))
    monkeypatch.setattr(masked, "MASKED_INTERVALS", replace(masked.MASKED_INTERVALS, replicate=break_down))
    plan = make_plan(data=folder, resamples=5)
    shutil.copytree(estimated, plan.folder)  # what is estimated already is not estimated again

    masked.table4(plan)

    page = (plan.folder / "table4_coverage.md").read_text(encoding="utf-8")
    assert "1 of 4 replicates broke down and are left out: LinAlgError: no way up" in page


def test_curves_are_drawn_with_a_panel_for_each_term(make_plan, folder, monkeypatch):
    monkeypatch.setattr(masked, "SOURCES", {"Wilt": masked.SOURCES["Wilt"]})
    plan = make_plan(data=folder)

    drawn = masked.curves(plan)

    assert list(drawn) == ["Wilt"]
    assert len([ax for ax in drawn["Wilt"].axes if ax.get_visible()]) == len(WILT_FEATURES)
    assert (plan.folder / "curves_wilt.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (plan.folder / "curves_wilt.svg").read_bytes()
    sheet = pd.read_csv(plan.folder / "curves_wilt.csv")
    assert sheet["term"].unique().tolist() == [f"s({name})" for name in WILT_FEATURES]
    assert np.isfinite(sheet["u"]).all()
    assert (sheet["lower"] <= sheet["u"]).all()
    assert (sheet["u"] <= sheet["upper"]).all()


@pytest.mark.parametrize("study", [masked.table4, masked.curves])
def test_without_data_nothing_is_run(make_plan, tmp_path, study):
    plan = make_plan(data=tmp_path / "nowhere")

    with pytest.raises(InputError, match=r"There is no folder '.*nowhere'"):
        study(plan)

    assert not plan.folder.exists()


def test_table4_runs_nothing_while_one_table_is_missing(make_plan, tmp_path, folder):
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "wilt.csv").write_bytes((folder / "wilt.csv").read_bytes())
    plan = make_plan(data=tmp_path / "half")

    with pytest.raises(InputError, match=r"There is no file spambase\.csv in the folder"):
        masked.table4(plan)

    assert not plan.folder.exists()
