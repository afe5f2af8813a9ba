"""A whole call as a user makes it: a table, labels, weights, options, and what is asked of the fit afterwards."""

import warnings
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from misuse.columns import AWKWARD, HOPELESS, LEVELS, PLAIN, make_column
from misuse.containers import ARRAYS, FRAMES, INDICES, NAMES, NO_TABLES, frame_of, make_container, named
from misuse.labels import LABELS, WEIGHTS, WRONG_LABELS, WRONG_WEIGHTS
from pugam import f, l, s
from pugam.terms import format_formula

__all__ = ["Call", "Made", "calls", "diverse_calls"]


@dataclass(frozen=True)
class Made:
    """What is passed: the arguments of the constructor, those of `fit`, X as a pandas frame, and rows to predict."""

    options: dict
    X: object
    z: object
    weights: object
    frame: object
    new_rows: object


@dataclass(frozen=True)
class Call:
    """A call in words; its repr makes it again.

    Attributes
    ----------
    columns, container, names, index, labels, weights, terms : str
        Keys of the dictionaries with these.
    apart : float
        By how much positives lie higher in each column.
    labelling, rows : str
        Who is labelled, and whether rows repeat.
    options : tuple of (name, value)
        Of the constructor.
    new_rows : str
        What is predicted besides the rows of the fit.
    look : str
        A costly look at the fit, or another fit that must come out alike.
    """

    seed: int
    n_rows: int
    columns: tuple[str, ...]
    apart: float = 1.0
    labelling: str = "usual"
    rows: str = "as drawn"
    container: str = "pandas"
    names: str = "usual"
    index: str = "usual"
    labels: str = "integers"
    weights: str = "none"
    terms: str = "chosen"
    options: tuple = ()
    new_rows: str = "one"
    look: str = "none"

    def make(self):
        """Make the data; the same ones every time."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self._make()

    def _make(self):
        rng = np.random.default_rng(self.seed)
        n = self.n_rows
        positive, labelled = LABELLINGS[self.labelling](rng, n)
        order = ROWS[self.rows](n)
        made = []
        for kind in self.columns:
            x = (rng.normal(size=n) + self.apart * positive)[order]
            made.append(make_column(kind, x, rng, made[0] if made else x, labelled))
        frame = named(made, self.names, self.index)
        labels = {**LABELS, **WRONG_LABELS}[self.labels](labelled, rng)
        weights = {**WEIGHTS, **WRONG_WEIGHTS}[self.weights](labelled, rng)
        options = dict(self.options)
        names = self._term_names(frame)
        terms = TERMS[self.terms](names, self.columns) if all(names) else None
        if terms is not None:
            options["terms"] = terms
        X, new = (make_container(self.container, table) for table in (frame, NEW_ROWS[self.new_rows](frame)))
        return Made(options, X, labels, weights, frame, new)

    def _term_names(self, frame):
        """What the terms have to call the columns."""
        if self.container not in FRAMES:
            return [f"x{j}" for j in range(len(self.columns))]
        return [str(name) for name in frame_of(self.container, frame).columns]


def _usual(rng, n, share=0.5, known=0.5):
    positive = rng.random(n) < share
    labelled = positive & (rng.random(n) < known)
    if n > 1:  # of each kind one at least
        first, second = rng.choice(n, 2, replace=False)
        positive[first] = labelled[first] = True
        labelled[second] = False
    return positive, labelled


def _only(value):
    def label(rng, n):
        positive, _ = _usual(rng, n)
        labelled = np.full(n, not value)
        labelled[rng.integers(n)] = value
        return positive | labelled, labelled

    return label


LABELLINGS = {
    "usual": _usual,
    "mostly positive": lambda rng, n: _usual(rng, n, 0.9, 0.6),
    "few hidden": lambda rng, n: _usual(rng, n, 0.5, 0.95),
    "few positives": lambda rng, n: _usual(rng, n, 0.2, 0.4),
    "all known": lambda rng, n: _usual(rng, n, 0.5, 1.0),
    "all positive": lambda rng, n: _usual(rng, n, 1.0, 0.5),
    "at random": lambda rng, n: (rng.random(n) < 0.5, _usual(rng, n, 1.0, 0.5)[1]),
    "upside down": lambda rng, n: (lambda known: (~known[1], known[1]))(_usual(rng, n)),
    "one labelled": _only(True),
    "one unlabelled": _only(False),
}
ROWS = {
    "as drawn": lambda n: np.arange(n),
    "each twice": lambda n: np.arange(n) // 2,
    "five kinds": lambda n: np.arange(n) % 5,
    "all alike": lambda n: np.zeros(n, dtype=int),
}


def _numeric(kind):
    text = ("text with gaps", "categories with gaps", "names", "boolean with gaps")
    return kind not in LEVELS and kind not in text


def _each(smooth, level=f, only=slice(None)):
    def terms(names, kinds):
        made = [smooth(name) if _numeric(kind) else level(name) for name, kind in zip(names, kinds, strict=True)]
        return made[only]

    return terms


def _mixed(names, kinds):
    made = [s(name, k=5) if j % 2 else l(name) for j, name in enumerate(names)]
    return [term if _numeric(kind) else f(term.column) for term, kind in zip(made, kinds, strict=True)]


TERMS = {
    "chosen": lambda names, kinds: None,
    "smooth": _each(lambda name: s(name, k=6)),
    "linear": _each(l),
    "lines and curves": _mixed,
    "formula": lambda names, kinds: format_formula(_mixed(names, kinds)),
    "bare names": lambda names, kinds: "+".join(f"`{name}`" for name in names),
    "with gaps": _each(lambda name: s(name, k=5, missing="effect"), lambda name: f(name, missing="effect")),
    "lines with gaps": _each(lambda name: l(name, missing="effect"), lambda name: f(name, "effect", "zero")),
    "levels": _each(f),
    "levels with gaps": _each(lambda name: f(name, missing="effect", unseen="zero")),
    "logarithms": _each(lambda name: s(name, k=6, scale="log")),
    "knots at quantiles": _each(lambda name: s(name, k=7, knots="quantile")),
    "bounds": _each(lambda name: s(name, k=5, bounds=(-1.0, 1.5))),
    "bounds, quantiles, logarithms": _each(lambda name: s(name, 6, (0, 2), "quantile", "effect", "log")),
    "bounds elsewhere": _each(lambda name: s(name, k=5, bounds=(1e6, 1e6 + 1))),
    "bounds next to each other": _each(lambda name: s(name, k=5, bounds=(1.0, 1.0 + 2.0**-52))),
    "wide bounds": _each(lambda name: s(name, k=5, bounds=(-1e299, 1e299))),
    "fewest functions": _each(lambda name: s(name, k=3)),
    "many functions": _each(lambda name: s(name, k=60)),
    "the first": _each(lambda name: s(name, k=4), only=slice(1)),
    "the first two": _each(s, only=slice(2)),
    "curves of all": lambda names, kinds: [s(name, k=4) for name in names],
    "an unknown one": lambda names, kinds: [s("height"), *map(l, names)],
    "twice": lambda names, kinds: [*map(l, names), *map(s, names)],
    "a formula of nonsense": lambda names, kinds: "s(" + "+".join(map(str, names)),
    "a number": lambda names, kinds: 7,
    "none": lambda names, kinds: [],
}
GOOD_TERMS = ("smooth", "linear", "lines and curves", "formula", "with gaps", "lines with gaps", "fewest functions")

OPTIONS = {
    "smoothing": (1.0, 1.0, 1e-4, 100.0, "reml", "aic", 0.0, 1e-300, 1e12),
    "solver": ("newton", "newton", "em"),
    "n_starts": (1, 2, 3, 15),
    "tol": (1e-4, 1e-8, 1e-2, 1e-13),
    "max_iter": (1, 3, 30),
    "pi": (0.3, 0.99, 1e-9, (0.1, 0.4), (0.0, 0.9), (0.6, 1), (0.29999, 0.3)),
    "pi_prior": (None, None, (1, 1), (2, 5), (1.0, 50.0), (1e6, 1e6)),
    "debias": (False,),
    "shrinkage": ("never", "never", "always"),
    "kappas": ("linear", "smooth", (1.0,), (1e-300, 1e19)),
    "random_state": (0, 7),
    "n_jobs": (1, 2, -1),
    "engine": ("memory",),
}
WRONG_OPTIONS = {
    "smoothing": ("gcv", None, True, -1.0, float("nan"), float("inf"), (1.0, 2.0), 1e300),
    "solver": ("lbfgs", None),
    "n_starts": (0, -3, 1.5, "many", None),
    "tol": (0.0, -1.0, float("nan"), float("inf"), "small", None, 1e300),
    "max_iter": (0, 2.5, float("inf")),
    "pi": (0, 1, 1.5, float("nan"), "half", (0.5, 0.2), (0.1, 0.2, 0.3), True),
    "pi_prior": ("strong", (0, 1), (float("nan"), 2), (2, float("inf")), 3, (1e300, 1.0)),
    "debias": ("no", None, 2),
    "shrinkage": ("sometimes", None, True),
    "kappas": ("rough", (), (0.0,), (float("nan"),), 3),
    "random_state": (-1, "seed", 1.5),
    "n_jobs": (0, "two", 1.5),
    "engine": ("spark", None, "stream", "dask"),
}


def _spoilt(frame, value):
    """Three rows, the first column replaced."""
    few = frame.iloc[:3].copy()
    few.isetitem(0, [value] * len(few))
    return few


def _stretched(frame, factor):
    """Three rows, floating-point numbers far away."""
    few = frame.iloc[:3].copy()
    for place, dtype in enumerate(few.dtypes):
        if dtype == np.float64:
            few.isetitem(place, factor * (1.0 + few.iloc[:, place].clip(-1e3, 1e3)))
    return few


NEW_ROWS = {
    "one": lambda frame: frame.iloc[:1],
    "far out": lambda frame: _stretched(frame, 1e3),
    "too far out": lambda frame: _stretched(frame, 1e300),
    "gaps": lambda frame: _spoilt(frame, np.nan),
    "infinite": lambda frame: _spoilt(frame, np.inf),
    "other levels": lambda frame: _spoilt(frame, "other"),
    "shuffled columns": lambda frame: frame.iloc[:3, ::-1],
    "lacking": lambda frame: frame.iloc[:3, 1:],
    "none": lambda frame: frame.iloc[:0],
}
LOOKS = ("none",) * 5 + ("diagnosis", "held out", "weights", "columns", "units", "units", "container", "profile")


def _one_of(pick, *parts):
    """Pick from lists of keys, each as often as its weight says."""
    place = pick(range(sum(weight for _, weight in parts)))
    for keys, weight in parts:
        if place < weight:
            return pick(list(keys))
        place -= weight
    raise AssertionError


def _pick_options(pick):
    """Options that mostly make sense."""
    chosen = {}
    if pick(range(4)):
        chosen["smoothing"] = pick(OPTIONS["smoothing"])
        if chosen["smoothing"] == "aic":
            chosen["kappas"] = pick(OPTIONS["kappas"])
    names = [name for name in OPTIONS if name != "kappas"]
    for name in [pick(names) for _ in range(pick(range(5)))]:
        chosen.setdefault(name, pick(OPTIONS[name]))
    if pick(range(30)) == 29:
        name = pick(list(WRONG_OPTIONS))
        chosen[name] = pick(WRONG_OPTIONS[name])
    if chosen.get("solver") == "em":  # which is slow
        chosen.setdefault("n_starts", 2)
        chosen.setdefault("max_iter", 300)
    return tuple(chosen.items())


def _pick_terms(pick, columns):
    """Terms; where values are missing, mostly some that bear it."""
    if any("gap" in kind or "None" in kind for kind in columns) and pick(range(4)):
        return pick([terms for terms in TERMS if "with gaps" in terms])
    return _one_of(pick, (["chosen"], 45), (GOOD_TERMS, 42), (TERMS, 13))


def make_call(pick):
    """Make up a call: most of what is in it is good or awkward, some of it impossible. `pick` takes one of a list."""
    n_columns = _one_of(pick, ([1], 3), ([2], 40), ([3], 35), ([4, 5], 20))
    n_rows = _one_of(
        pick, ([1, 2, 3], 2), (range(4, 12), 7), (range(12, 40), 25), (range(40, 121), 45), (range(121, 400), 20)
    )
    columns = tuple(_one_of(pick, (PLAIN, 62), (LEVELS, 10), (AWKWARD, 25), (HOPELESS, 1)) for _ in range(n_columns))
    return Call(
        seed=pick(range(10**6)),
        n_rows=n_rows,
        columns=columns,
        apart=_one_of(pick, ([1.0, 2.0], 70), ([0.0, 0.3, -1.0], 20), ([6.0, 1000.0], 10)),
        labelling=_one_of(pick, (["usual"], 60), (LABELLINGS, 40)),
        rows=_one_of(pick, (["as drawn"], 85), (["each twice", "five kinds"], 14), (["all alike"], 1)),
        container=_one_of(pick, (["pandas"], 40), (FRAMES, 15), (ARRAYS, 42), (NO_TABLES, 2)),
        names=_one_of(pick, (["usual"], 75), (NAMES, 25)),
        index=_one_of(pick, (["usual"], 80), (INDICES, 20)),
        labels=_one_of(pick, (["integers"], 50), (LABELS, 46), (WRONG_LABELS, 3)),
        weights=_one_of(pick, (["none"], 55), (["counts", "uneven"], 15), (WEIGHTS, 26), (WRONG_WEIGHTS, 3)),
        terms=_pick_terms(pick, columns),
        options=_pick_options(pick),
        new_rows=pick(list(NEW_ROWS)),
        look=pick(LOOKS),
    )


@st.composite
def calls(draw):
    """Draw calls that Hypothesis makes simpler where they fail; many of them are much alike."""
    return make_call(lambda options: draw(st.sampled_from(options)))


def diverse_calls():
    """Draw calls that have nothing in common."""
    return st.randoms(use_true_random=True).map(lambda random: make_call(random.choice))
