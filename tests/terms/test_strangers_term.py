"""Kinds of terms made outside the package: nothing in it has to change for a model to use them in all ways.

CONTRIBUTING, "Add a kind of term", follows this file.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import matplotlib
import numpy as np
import pandas as pd
import pytest

import pugam.terms.term as registry
from pugam import PUGAM, InputError, load
from pugam.data import Column, require_numeric
from pugam.likelihood import expit
from pugam.terms import (
    MISSING,
    Axis,
    Basis,
    Comparison,
    Option,
    Penalty,
    PiecewiseBasis,
    Term,
    check_choice,
    check_column,
    complete_numbers,
    number_axis,
    observed_range,
    parse_formula,
    read_range,
    register_term,
    unit_interval,
    whole_number,
)

matplotlib.use("Agg")

GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"
QUARTILES = (0.25, 0.5, 0.75)
N_LABELLED, N_UNLABELLED, PI = 700, 900, 0.4
FEWEST_AND_MOST_STEPS = 2, 1000
FORMULA = "step(age, cuts=(30.5, 50)) + s(dose, k=6)"


# A kind of term that has all it needs: constants between cuts


@dataclass(frozen=True)
class Step(Term):
    """What a user asks for: a function that is constant between cuts, by default the quartiles."""

    column: str
    cuts: tuple[float, ...] | None = None
    missing: str = "error"

    function: ClassVar[str] = "step"
    kind: ClassVar[str] = "step"
    purpose: ClassVar[str] = "for steps"
    options: ClassVar = {
        "cuts": Option((tuple,), "numbers, as in cuts=(30, 50)", lambda node: tuple(node.numbers().tolist())),
        "missing": MISSING,
    }

    def __post_init__(self):
        check_column(self.column)
        check_choice(self.label, "missing", self.missing, ("error", "effect"))

    @property
    def columns(self):
        return (self.column,)

    def resolve(self, columns):
        (column,) = columns
        values = require_numeric(column, self.label)
        lower, upper = observed_range(self, column, values)
        cuts = np.quantile(values, QUARTILES) if self.cuts is None else np.array(self.cuts, dtype=float)
        if not (np.diff([lower, *cuts, upper]) > 0.0).all():
            raise InputError(f"{self.label}: cuts must rise between {lower:g} and {upper:g}; got {cuts.tolist()}.")
        return StepBasis(self, lower, upper, cuts)

    def restore(self, found, shelf):
        parts = found.fields("lower", "upper", "cuts")
        return StepBasis(self, *read_range(parts["lower"], parts["upper"]), parts["cuts"].numbers())


@dataclass(frozen=True, eq=False)
class StepBasis(Basis):
    """What became of it in the data: the coefficients are the rises at the cuts."""

    spec: Step
    lower: float
    upper: float
    cuts: np.ndarray

    @property
    def size(self):
        return len(self.cuts)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return (number_axis(self.spec.column, self.lower, self.upper),)

    def encode(self, columns):
        return complete_numbers(columns[0], self.spec)

    @property
    def _means(self):
        """Of the model columns over the range: an effect is to integrate to zero."""
        return (self.upper - self.cuts) / (self.upper - self.lower)

    def columns(self, encoded):
        return (encoded[:, None] >= self.cuts) - self._means

    def found(self, shelf):
        return {"lower": self.lower, "upper": self.upper, "cuts": self.cuts.tolist()}

    # What it need not have: lines of a summary

    def comparisons(self):
        for cut, weights in zip(self.cuts, np.eye(self.size), strict=True):
            yield Comparison(f"from {cut:g}", weights)

    @property
    def is_tested_jointly(self):
        return True


# A kind that makes use of more: many even steps under a penalty on rises, summed as quickly as splines


@dataclass(frozen=True)
class Stairs(Term):
    """A function of k even steps whose rises are penalised."""

    column: str
    k: int = 10
    missing: str = "error"

    function: ClassVar[str] = "stairs"
    kind: ClassVar[str] = "stairs"
    purpose: ClassVar[str] = "for many steps"
    options: ClassVar = {"k": whole_number("k", 10, *FEWEST_AND_MOST_STEPS), "missing": MISSING}

    def __post_init__(self):
        check_column(self.column)
        check_choice(self.label, "missing", self.missing, ("error", "effect"))
        least, most = FEWEST_AND_MOST_STEPS
        if not (isinstance(self.k, int) and least <= self.k <= most):
            raise InputError(f"{self.label}: k is the number of steps, from {least} to {most}; got {self.k!r}.")

    @property
    def columns(self):
        return (self.column,)

    def resolve(self, columns):
        (column,) = columns
        return self._between(*observed_range(self, column, require_numeric(column, self.label)))

    def restore(self, found, shelf):
        parts = found.fields("lower", "upper")
        return self._between(*read_range(parts["lower"], parts["upper"]))

    def _between(self, lower, upper):
        return StairsBasis(self, lower, upper, np.linspace(lower, upper, self.k + 1)[1:-1])


class StairsBasis(StepBasis):
    """Steps with a penalty, and pieces for fast sums."""

    @cached_property
    def penalties(self):
        return (Penalty(np.ones(self.size)),)

    @cached_property
    def orders(self):
        """No rise is rougher than another, however they are numbered."""
        return np.zeros(self.size, dtype=np.intp)

    @cached_property
    def pieces(self):
        inner = unit_interval(self.cuts, self.lower, self.upper)
        breaks = np.concatenate([[0.0], inner, [1.0]])
        constants = np.tri(self.size + 1, self.size, -1) - self._means  # one row for each step
        with_tails = np.vstack([constants[0], constants, constants[-1]])
        return PiecewiseBasis(breaks, np.append(0.0, breaks), with_tails[None], np.zeros(self.size))

    def places(self, encoded):
        return unit_interval(encoded, self.lower, self.upper)

    def found(self, shelf):
        return {"lower": self.lower, "upper": self.upper}

    def comparisons(self):
        return iter(())

    @property
    def is_tested_jointly(self):
        return False


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Make both kinds known for the tests of this file only."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_FUNCTIONS", "_KINDS"):
            patch.setattr(registry, name, dict(getattr(registry, name)))
        register_term(Step)
        register_term(Stairs)
        yield


def true_effect(age):
    return np.select([age < 30.5, age < 50.0], [-1.0, 1.5], 0.0)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(8)
    pool = pd.DataFrame({"age": rng.uniform(20.0, 70.0, 20_000), "dose": rng.normal(size=20_000)})
    positive = rng.random(len(pool)) < expit(true_effect(pool["age"]) + 1.5 * pool["dose"] - 0.5)
    hidden = round(PI * N_UNLABELLED)
    parts = [pool[positive][: N_LABELLED + hidden], pool[~positive][: N_UNLABELLED - hidden]]
    labels = np.arange(N_LABELLED + N_UNLABELLED) < N_LABELLED
    return pd.concat(parts, ignore_index=True).assign(z=labels.astype(int))


@pytest.fixture(scope="module")
def features(rows):
    return rows[["age", "dose"]]


@pytest.fixture(scope="module")
def model(rows, features):
    return PUGAM(FORMULA, pi=PI).fit(features, rows["z"])


def test_formulas_read_it_and_write_it():
    (term, _) = parse_formula(FORMULA)
    assert term == Step("age", cuts=(30.5, 50))
    assert parse_formula(term.formula) == [term]
    assert Step("age").formula == "step(age)"


def test_unknown_options_and_strange_cuts_are_refused(rows, features):
    with pytest.raises(InputError, match="width"):
        parse_formula("step(age, width=3)")
    with pytest.raises(InputError, match=r"step\(age\): cuts must rise between 20"):
        PUGAM("step(age, cuts=(50, 30)) + dose").fit(features, rows["z"])


@pytest.mark.parametrize(("option", "message"), [("k=0", "k is the number of steps"), ("k=-3", "got -3")])
def test_limits_of_options_are_checked_by_the_term(option, message):
    with pytest.raises(InputError, match=message):
        parse_formula(f"stairs(age, {option})")
    with pytest.raises(InputError, match="missing must be 'error' or 'effect'; got 'efect'"):
        parse_formula("stairs(age, missing='efect')")


def test_a_fit_finds_the_steps(model):
    rises = model.coef_[:2]
    # More than three standard errors, which are 0.29 and 0.24.
    np.testing.assert_allclose(rises, [2.5, -1.5], atol=1.0)


def test_effects_are_constant_between_cuts(model):
    frame = model.effect("age", grid=[21.0, 30.0, 31.0, 49.0, 51.0, 69.0])
    u = frame["u"].to_numpy()
    np.testing.assert_array_equal(u[::2], u[1::2])
    np.testing.assert_allclose(np.diff(u[::2]), model.coef_[:2])
    assert (frame["lower"] < frame["u"]).all()
    assert (frame["u"] < frame["upper"]).all()
    wide = model.effect("age", grid=[21.0, 31.0], simultaneous=True)
    assert (wide["upper"] > frame["upper"].iloc[[0, 2]].to_numpy()).all()
    with pytest.raises(InputError, match="no derivative"):
        model.effect("age", derivative=True)


def test_odds_ratios_and_tests(model):
    ratio = model.odds_ratio("age", 25.0, 40.0)
    assert np.log(ratio.estimate) == pytest.approx(model.coef_[0])
    assert ratio.lower < ratio.estimate < ratio.upper
    test = model.test("step(age)")
    assert test.pvalue < 1e-6


def test_the_summary_lists_its_comparisons(model):
    text = str(model.summary())
    assert "step(age)" in text
    assert "from 30.5" in text
    assert "from 50" in text


def test_it_is_drawn(model):
    figure = model.plot(order="formula")
    assert [axes.get_title() for axes in figure.axes] == ["step(age)", "s(dose)"]
    figure.canvas.draw()


def test_the_report_shows_it(model, tmp_path):
    model.report(tmp_path / "report.html", progress=False)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "step(age)" in page
    assert 'id="effect-0"' in page


def test_saved_and_loaded_it_predicts_the_same(model, features, tmp_path):
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.terms_ == model.terms_
    np.testing.assert_array_equal(again.predict_proba(features), model.predict_proba(features))
    pd.testing.assert_frame_equal(again.effect("age"), model.effect("age"))


def test_without_an_expression_it_is_not_exported(model, tmp_path):
    with pytest.raises(InputError, match=r"step\(age\) cannot be written as a formula"):
        model.export(tmp_path / "scorer.py")


def test_the_bootstrap_refits_it(model):
    resamples = model.bootstrap(20, random_state=0, progress=False)
    spread = resamples.coef[:, :2].std(axis=0)
    errors = np.sqrt(np.diag(model.covariance())[-len(model.coef_) :][:2])
    # A standard deviation of 20 refits has a standard error of 16%.
    assert (np.abs(np.log(spread / errors)) < 0.8).all()


def test_rows_without_a_value_have_an_effect_of_their_own(rows, features, tmp_path):
    gaps = features.assign(age=features["age"].where(np.arange(len(features)) % 9 > 0))
    model = PUGAM("step(age, missing='effect') + s(dose, k=6)", pi=PI, smoothing=0.1).fit(gaps, rows["z"])
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(gaps), model.predict_proba(gaps))


def test_pieces_give_the_model_columns():
    values = np.array([-5.0, 0.0, 0.9, 3.0, 9.99, 10.0, 15.0])
    basis = Stairs("age", k=4).resolve([Column("age", "numeric", np.array([0.0, 4.0, 10.0]))])
    np.testing.assert_array_equal(basis.pieces(basis.places(values)), basis.columns(values))


def test_the_smoothing_of_penalised_steps_is_chosen(rows, features, tmp_path):
    model = PUGAM("stairs(age) + s(dose, k=6)", pi=PI).fit(features, rows["z"])
    ages = np.array([25.0, 40.0, 60.0])
    u = model.effect("age", grid=ages)["u"].to_numpy()
    assert 1.0 < u[1] - u[0] < 3.5
    assert -2.5 < u[2] - u[1] < -0.5
    assert 0.0 < model.smoothing_["age"] < np.inf
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict(features), model.predict(features))


def test_the_example_of_the_guide_is_complete(rows, features, tmp_path):
    (example,) = re.findall(
        r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    exec(example, {"__name__": "jump"})

    model = PUGAM("jump(age, at=50) + s(dose, k=6)", pi=PI).fit(features, rows["z"])
    low, high = model.effect("age", grid=[49.0, 51.0])["u"]
    assert high - low == pytest.approx(model.coef_[0])
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict(features), model.predict(features))
    jump = model.terms_[0].__class__
    for at in ("old", True):
        with pytest.raises(InputError, match="at is a number"):
            jump("age", at=at)
    for at in (400, features["age"].min(), np.nan, -np.inf):
        with pytest.raises(InputError, match=r"jump\(age\): at lies above the smallest value, 20.*, up to the largest"):
            PUGAM([jump("age", at=float(at)), "s(dose)"], pi=PI).fit(features, rows["z"])


def test_a_kind_replaces_itself_alone(registered):
    @dataclass(frozen=True)
    class Smooth(Step):
        function: ClassVar[str] = "s"
        kind: ClassVar[str] = "smooth"

    Smooth.__qualname__ = "Smooth"
    for function, kind in (("s", "smooth"), ("s", "other"), ("other", "smooth")):
        Smooth.function, Smooth.kind = function, kind
        with pytest.raises(InputError, match="There is a kind of term"):
            register_term(Smooth)
    assert type(parse_formula("s(age)")[0]) is registry.find_function("s") is not Smooth

    again = type("Step", (Step,), {"__module__": Step.__module__, "__qualname__": Step.__qualname__})
    assert register_term(again) is registry.find_function("step")
    register_term(Step)
