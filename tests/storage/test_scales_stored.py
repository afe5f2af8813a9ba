"""A logarithmic scale survives saving, to the last bit, and is checked on load."""

import json

import numpy as np
import pytest

import pugam
from pugam import PUGAM, InputError, s


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    positive = np.repeat([1.0, 0.0], [300, 200])
    X = np.exp(rng.normal(size=(500, 2)) + positive[:, None])
    X[:, 1] = 50.0 - X[:, 1]
    return X, (np.arange(500) < 200).astype(int)


@pytest.fixture
def saved(rows, tmp_path):
    model = PUGAM([s("x0", scale="log"), s("x1", scale="log")], smoothing=0.01).fit(*rows)
    model.save(tmp_path / "model.json")
    return model, tmp_path / "model.json"


def test_predictions_come_back_to_the_last_bit(saved, rows):
    model, path = saved
    beyond = np.vstack([rows[0], [[-3.0, 80.0], [1e4, -1e4]]])

    loaded = pugam.load(path)

    assert [basis.scale.mirrored for basis in loaded._design.bases] == [False, True]
    np.testing.assert_array_equal(loaded.log_density_ratio(beyond), model.log_density_ratio(beyond))
    np.testing.assert_array_equal(
        np.asarray(loaded.effect("x1", derivative=True)), np.asarray(model.effect("x1", derivative=True))
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"shift": 1e9, "mirrored": False}, "outside the range"),
        ({"shift": -1e9, "mirrored": True}, "outside the range"),
        ({"shift": "far", "mirrored": False}, "shift"),
        ({"mirrored": False}, "shift"),
        ("log", "logarithm"),
    ],
)
def test_a_scale_that_cannot_be_is_refused(saved, change, said):
    _, path = saved
    document = json.loads(path.read_text(encoding="utf-8"))
    document["terms"][0]["found"]["logarithm"] = change
    path.write_text(json.dumps(document), encoding="utf-8")

    with pytest.raises(InputError, match=said):
        pugam.load(path)
