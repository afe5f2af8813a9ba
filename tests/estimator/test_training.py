"""The rows of a fit, and the engine that is asked for."""

import numpy as np
import pandas as pd
import pytest

from pugam import InputError
from pugam.engines import GpuEngine, MemoryEngine
from pugam.estimator.training import ENGINES, open_rows

X = pd.DataFrame({"x": np.linspace(0.0, 1.0, 10)})
Z = np.arange(10) % 2


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("stream", "engine='stream' is for the path of a file; X is a table in memory: use engine='memory'."),
        ("dask", "engine='dask' is for a Dask data frame, or the path of a Parquet folder; X is"),
        ("abacus", "engine='abacus' is for rows that are elsewhere; X is a table in memory: use engine='memory'."),
    ],
)
def test_an_engine_that_does_not_take_tables_is_refused(engine, message):
    with pytest.raises(InputError) as refusal:
        open_rows(X, Z, None, engine, 1)
    assert str(refusal.value).startswith(message)


def test_a_file_read_whole_asks_for_an_engine_of_tables(tmp_path):
    X.assign(z=Z).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(InputError, match="engine='abacus' is for rows that are elsewhere"):
        open_rows(tmp_path / "rows.csv", "z", None, "abacus", 1)


def test_engines_of_tables_go_by_their_names():
    assert {"auto": MemoryEngine, "memory": MemoryEngine, "gpu": GpuEngine} == ENGINES
