"""A kind of term that the package does not have: two columns, no pieces, and penalties that share functions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pugam.data import require_numeric
from pugam.terms import Basis, Penalty, Term, number_axis
from pugam.terms.gaps import complete_numbers
from pugam.terms.options import MISSING, read_range
from pugam.terms.term import read_column

ALONG_FIRST = np.array([0.0, 0.0, 1.0, 4.0, 0.0, 3.0])
ALONG_SECOND = np.array([0.0, 0.0, 1.0, 0.0, 4.0, 2.0])


@dataclass(frozen=True)
class Surface(Term):
    """A polynomial surface over two numeric columns."""

    first: str
    second: str
    missing: str = "error"

    function = "surface"
    kind = "surface"
    purpose = "for a surface"
    options = {"missing": MISSING}  # noqa: RUF012

    @property
    def columns(self):
        return self.first, self.second

    def resolve(self, columns):
        values = [require_numeric(column, self.label) for column in columns]
        return SurfaceBasis(self, tuple((float(x.min()), float(x.max())) for x in values))

    def restore(self, found, shelf):
        return SurfaceBasis(
            self, tuple(read_range(*ends.items(2)) for ends in found.fields("ranges")["ranges"].items(2))
        )

    @classmethod
    def of_arguments(cls, arguments, options):
        return cls(*arguments, **options)

    def to_plain(self):
        return {"kind": self.kind, "columns": list(self.columns), **self._plain_options()}

    @classmethod
    def from_plain(cls, node):
        parts = node.fields("kind", "columns", optional=tuple(cls.options))
        return cls(*map(read_column, parts["columns"].items(2)), **cls._read_options(parts))


@dataclass(frozen=True)
class SurfaceBasis(Basis):
    """u, v, uv, u^2 - 1/3, v^2 - 1/3 and u^2 v, where u and v are the columns scaled to [-1, 1]."""

    spec: Surface
    ranges: tuple

    @property
    def size(self):
        return 6

    @property
    def axes(self):
        return tuple(number_axis(name, *ends) for name, ends in zip(self.spec.columns, self.ranges, strict=True))

    @cached_property
    def penalties(self):
        return Penalty(ALONG_FIRST, "first"), Penalty(ALONG_SECOND, "second")

    def encode(self, columns):
        return np.column_stack([complete_numbers(column, self.spec) for column in columns])

    def columns(self, encoded):
        scaled = [2.0 * (x - low) / (high - low) - 1.0 for x, (low, high) in zip(encoded.T, self.ranges, strict=True)]
        u, v = scaled
        return np.column_stack([u, v, u * v, u**2 - 1.0 / 3.0, v**2 - 1.0 / 3.0, u**2 * v])

    def found(self, shelf):
        return {"ranges": [list(ends) for ends in self.ranges]}
