"""Names and levels that do things to a terminal are shown as text, whatever verb meets them."""

import shutil

import numpy as np
import pytest

from pugam import PUGAM, f, s

HOSTILE = "x\x1b]0;gone\x07\r\n! pi = 1.000\x9b2J\u202e"


@pytest.fixture(scope="module")
def rows(make_rows):
    rows = make_rows(80, 200).rename(columns={"x2": HOSTILE})
    return rows.assign(site=np.where(np.arange(200) % 3, HOSTILE, "b"), patient=[f"{HOSTILE}{k}" for k in range(200)])


@pytest.fixture(scope="module")
def saved(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.json"
    PUGAM([s("x1"), s(HOSTILE), f("site")], interactions=None).fit(rows, rows["z"]).save(path, data={"label": "z"})
    return path


@pytest.fixture
def files(rows, saved):
    shutil.copy(saved, "model.json")
    moved = rows.assign(**{HOSTILE: rows[HOSTILE] + 3.0, "site": HOSTILE + "new"})
    rows.to_parquet("rows.parquet", index=False)
    moved.to_parquet("moved.parquet", index=False)
    moved.assign(**{HOSTILE: HOSTILE}).to_parquet("text.parquet", index=False)


def is_harmless(*texts):
    lines = [line for text in texts for line in text.split("\n")]
    return all(line.isprintable() and not line.startswith("! pi = 1.000") for line in lines)


def test_a_fit_shows_them_as_text(pugam_says, files):
    code, out, err = pugam_says("fit", "rows.parquet", "--label", "z", "--id", "patient", "--out", "own.json")

    assert code == 0
    assert is_harmless(out, err)
    assert r"\x1b]0;gone\x07" in out


COMMANDS = {
    "predict": "predict model.json rows.parquet --out scored.csv",
    "no score": "predict model.json moved.parquet --out scored.csv",
    "reasons": "predict model.json moved.parquet --out scored.csv --unscorable empty",
    "text for numbers": "predict model.json text.parquet --out scored.csv",
    "explain": "explain model.json rows.parquet --id patient --row PATIENT",
    "drift": "drift model.json moved.parquet --out drift.csv",
    "compare": "compare model.json model.json",
    "refit": "refit model.json rows.parquet --out again.json",
    "label": "fit rows.parquet --label site",
    "sample": "fit rows.parquet --label z --sample site --drop patient",
    "drop": "fit rows.parquet --label z --drop HOSTILE --drop HOSTILEx",
    "formula": "fit rows.parquet --label z --terms HOSTILE",
    "file": "fit HOSTILE.csv --label z",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_every_verb_shows_them_as_text(pugam_says, files, command):
    words = [word.replace("HOSTILE", HOSTILE).replace("PATIENT", f"{HOSTILE}7") for word in command.split()]

    code, out, err = pugam_says(*words)

    assert code in (0, 2)
    assert is_harmless(out, err)
