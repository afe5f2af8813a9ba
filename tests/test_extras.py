"""What an installation may lack is named in one sentence, with what to type, before any work is done."""

import sys

import pytest

from pugam import PUGAM, SlowWarning
from pugam.datasets import simulate
from pugam.engines import local
from pugam.errors import InputError
from pugam.extras import LIBRARIES, is_there, load_extra


@pytest.fixture(scope="module")
def model():
    data = simulate(1, n0=300, n=500, random_state=0)
    return PUGAM("x1 + x2", pi=0.4, check=False).fit(data.X, data.z)


@pytest.fixture
def lacks(monkeypatch):
    return lambda extra: monkeypatch.setitem(sys.modules, LIBRARIES[extra][0], None)


@pytest.mark.parametrize("extra", LIBRARIES)
def test_a_library_that_is_missing_is_named_with_what_to_type(lacks, extra):
    lacks(extra)

    with pytest.raises(InputError) as raised:
        load_extra(extra, "This needs")

    _, name, packages = LIBRARIES[extra]
    assert str(raised.value) == f"This needs {name}; install it with pip install {packages}."
    assert not is_there(extra)


def test_a_library_that_is_broken_says_why(monkeypatch, tmp_path):
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs an older NumPy')")
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(
        InputError, match=r"^It is faster with numba, which cannot be imported \(Numba needs an older N"
    ):
        load_extra("fast", "It is faster with")


def test_pictures_need_matplotlib_before_anything_is_computed(lacks, model, monkeypatch):
    lacks("plot")
    monkeypatch.setattr(PUGAM, "diagnose", lambda self: pytest.fail("a diagnosis was made for nothing"))

    for what in ("effects", "diagnosis"):
        with pytest.raises(InputError, match=r"^Pictures need matplotlib; install it with pip install matplotlib\.$"):
            model.plot(what)


def test_studies_say_what_they_need_before_they_begin(lacks, tmp_path):
    from pugam.command_line.study import study

    lacks("plot")

    with pytest.raises(InputError, match="figures, for which they need matplotlib"):
        study("table1", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_demo_does_without_pictures(lacks, model, tmp_path):
    from pugam.command_line.demo import _draw

    lacks("plot")

    assert _draw(model, None, tmp_path) == [
        "Pictures need matplotlib:            install it with pip install matplotlib"
    ]
    assert list(tmp_path.iterdir()) == []


def test_many_rows_without_numba_are_told_what_would_be_faster(lacks):
    lacks("fast")
    local.can_compile.cache_clear()
    data = simulate(1, n0=600, n=1000, random_state=3)
    design = PUGAM(pi=0.4, check=False, interactions=None).fit(data.X, data.z)._fitted("A test").engine.design

    try:
        assert not local.is_local_faster(design, local.MANY_ROWS - 1)
        with pytest.warns(SlowWarning, match=r"much faster with numba; install it with pip install numba"):
            assert not local.is_local_faster(design, local.MANY_ROWS)
    finally:
        local.can_compile.cache_clear()
