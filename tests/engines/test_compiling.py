"""Compiled loops where compiled code cannot be kept: an installation without leave to write, a full disk."""

import errno

import pytest
from numba.core import caching

from pugam.engines.compiling import compiled


def double(x):
    return 2.0 * x


def test_a_function_is_compiled_where_there_is_no_place_to_keep_it(monkeypatch):
    for kind in (caching.CacheImpl, *caching.CacheImpl.__subclasses__()):
        monkeypatch.setattr(kind, "_locator_classes", [])

    assert compiled(double)(4.0) == 8.0


@pytest.mark.parametrize("what", ["save", "load"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), EOFError("cut off")])
def test_a_function_is_compiled_where_files_cannot_be_written_or_read(monkeypatch, what, error):
    def fail(*arguments):
        raise error

    monkeypatch.setattr(caching.IndexDataCacheFile, what, fail)

    assert compiled(double)(4.0) == 8.0
