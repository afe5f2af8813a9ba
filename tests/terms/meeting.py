"""Terms that meet one column x, and what comes out for other values of it."""

import numpy as np
import pandas as pd

from pugam.data import read_table
from pugam.terms.missing import resolve_term

NUMBERS = np.random.default_rng(4).uniform(2.0, 7.0, 200)
SITES = ["b", "a", "c", "a", "b", "d"]


def column(values, name="x"):
    return read_table(pd.DataFrame({name: values})).column(name)


def meet(term, values):
    return resolve_term(term, [column(values)])


def evaluate(basis, values):
    return basis.columns(basis.encode([column(values)]))


def slopes(basis, values):
    return basis.slopes(basis.encode([column(values)]))
