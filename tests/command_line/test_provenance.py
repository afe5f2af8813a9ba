"""What a model file says of the data of its fit may be anything: no verb stumbles over it."""

import json
from pathlib import Path

import pytest

from pugam import PUGAM

ROLES = ("label", "positive", "weights", "id", "groups", "strata", "sample", "audit", "negative", "kind")
OTHERS = ("source", "missing", "ci", "level", "shares", "rare_kinds", "unheard of")
VALUES = (0, 7, -1e308, True, False, None, "", "no such column", "\x1b[2J\n<b>", "x" * 10_000)


@pytest.fixture(scope="module")
def rows(make_rows):
    return make_rows(80, 200)


@pytest.fixture(scope="module")
def document(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.json"
    model = PUGAM("x1 + x2", smoothing=0.1, shrinkage="never", estimate="mode", check=False)
    model.fit(rows, rows["z"]).save(path, command="pugam fit", data={"label": "z", "source": "rows.csv"})
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def _quick_pages(monkeypatch):
    monkeypatch.setattr("pugam.command_line.reports.write_report", lambda *arguments, **options: None)


LONG = [pytest.param("refit", marks=pytest.mark.long), pytest.param("drift", marks=pytest.mark.long)]


@pytest.mark.usefixtures("_quick_pages")
@pytest.mark.parametrize("verb", ["report", *LONG])
@pytest.mark.parametrize("name", [*ROLES, *OTHERS])
def test_no_verb_ends_in_a_traceback(pugam_says, rows, document, verb, name):
    rows.to_csv("rows.csv", index=False)
    for value in VALUES if verb == "report" else VALUES[1:-1:3]:
        provenance = {**document["provenance"], "data": {**document["provenance"]["data"], name: value}}
        Path("model.json").write_text(json.dumps({**document, "provenance": provenance}), encoding="utf-8")

        code, _, err = pugam_says(verb, "model.json", "rows.csv")

        assert code in (0, 2)
        assert code == 0 or err.startswith("pugam: ")


@pytest.mark.parametrize(
    ("name", "value"), [("command", "\x00<script>\ud83d"), ("pugam", "9" * 100), ("source", "<b>")]
)
def test_a_page_shows_whatever_a_file_says(pugam_says, rows, document, name, value):
    rows.to_csv("rows.csv", index=False)
    told = document["provenance"]
    changed = {**told, name: value} if name in told else {**told, "data": {**told["data"], name: value}}
    Path("model.json").write_text(json.dumps({**document, "provenance": changed}), encoding="utf-8")

    code, _, err = pugam_says("report", "model.json", "rows.csv")

    assert code in (0, 2), err
