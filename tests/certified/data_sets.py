"""The six data sets, how they are drawn, and which models are fitted to them; needs the standard library alone.

Numbers come from a linear congruential generator in whole numbers, so that every machine draws the same ones.
"""

from dataclasses import dataclass

__all__ = ["DATA_SETS", "DataSet", "Factor", "Fit", "Linear", "Smooth"]

MILLION = 10**6


@dataclass(frozen=True)
class Smooth:
    """A cubic spline of k functions in a column; `points` are where its effect is certified, the first a reference."""

    column: str
    k: int
    kappa: str
    points: tuple[str, ...]
    bounds: tuple[str, str] | None = None
    knots: str = "even"
    kind: str = "smooth"


@dataclass(frozen=True)
class Linear:
    """A straight line in a column."""

    column: str
    points: tuple[str, ...]
    kind: str = "linear"


@dataclass(frozen=True)
class Factor:
    """One effect per level of a column."""

    column: str
    points: tuple[str, ...]
    kind: str = "factor"


@dataclass(frozen=True)
class Fit:
    """The prior Beta(a, b) on pi, if any, and whether the bias of smoothing is taken out of pi."""

    prior: tuple[str, str] | None = ("2", "2")
    debias: bool = False


@dataclass(frozen=True)
class DataSet:
    """Rows, as text, with the model and the fits to be certified."""

    name: str
    difficulty: str
    rows: list
    terms: tuple
    fits: dict

    @property
    def weighted(self):
        """Whether the rows have weights."""
        return "weight" in self.rows[0]


class Draws:
    """Knuth's 64-bit linear congruential generator; what is drawn are whole numbers, in millionths."""

    def __init__(self, seed):
        self.state = seed
        for _ in range(10):
            self.uniform()

    def uniform(self):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 32) * MILLION >> 32

    def bell(self, mean, spread):
        """Nearly normal, the sum of twelve uniform ones; mean and spread in hundredths."""
        centred = sum(self.uniform() for _ in range(12)) - 6 * MILLION
        return 10**4 * mean + centred * spread // 100


def decimal(number, places, unit=6):
    """Write number / 10^unit with so many decimals, the others cut off."""
    whole, rest = divmod(abs(number) // 10 ** (unit - places), 10**places)
    sign = "-" if number < 0 and (whole or rest) else ""
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def draw_rows(n0, n1, hidden, draw):
    """Labelled positives, then unlabelled rows of which the first `hidden` are positive too."""
    labels = [("1", True)] * n0 + [("0", number < hidden) for number in range(n1)]
    return [{"z": z, **draw(positive)} for z, positive in labels]


def two_smooths():
    draws = Draws(5)

    def draw(positive):
        x1 = draws.bell(90, 80) if positive else draws.bell(-70, 100)
        x2 = draws.bell(20, 60) if positive else draws.bell(0, 150)
        return {"x1": decimal(x1, 3), "x2": decimal(x2, 3)}

    return draw_rows(80, 120, 48, draw)


def pi_near_zero():
    draws = Draws(4)

    def draw(positive):
        x1 = draws.bell(150, 80) if positive else draws.bell(-90, 100)
        x2 = draws.bell(120, 100) if positive else draws.bell(-80, 100)
        return {"x1": decimal(x1, 3), "x2": decimal(x2, 2)}

    return draw_rows(60, 140, 3, draw)


def pi_near_one():
    draws = Draws(4)

    def draw(positive):
        x1 = draws.bell(80, 100) if positive else draws.bell(-250, 60)
        x2 = draws.bell(0, 100) if positive else draws.bell(220, 60)
        return {"x1": decimal(x1, 3), "x2": decimal(x2, 3)}

    rows = draw_rows(80, 120, 112, draw)
    rows[0].update(x1="-3.500", x2="3.000")  # a positive beyond the negatives, which could be cut off otherwise
    return rows


def nearly_separated():
    draws = Draws(13)

    def draw(positive):
        x1 = draws.bell(500, 60) if positive else draws.bell(-200, 60)
        x2 = draws.bell(120, 60) if positive else draws.bell(-120, 60)
        return {"x1": decimal(x1, 2), "x2": decimal(x2, 2)}

    rows = draw_rows(40, 50, 18, draw)
    rows[0].update(x1="-1.70", x2="-0.90")  # without this one the curves would grow without bound
    return rows


def collinear():
    draws = Draws(5)

    def draw(positive):
        x = draws.bell(80, 80) if positive else draws.bell(-60, 100)
        mass = x + draws.bell(0, 100) // 1000  # 10^12 times the dose, but for a thousandth
        height = draws.bell(100, 70) if positive else draws.bell(-40, 120)
        return {
            "dose": decimal(x, 11, unit=12),
            "mass": decimal(MILLION * mass, 0),
            "height": decimal(10**12 + 100 * height, 1),
        }

    return draw_rows(90, 110, 50, draw)


def weighted():
    draws = Draws(6)

    def draw(positive):
        number = draws.uniform() * 10 // MILLION
        site = ("ABBBCCCDDD" if positive else "AAAABBBCCD")[number]
        x1 = draws.bell(100, 90) if positive else draws.bell(-60, 100)
        x2 = draws.bell(60, 100) if positive else draws.bell(-40, 100)
        weight = MILLION // 4 * (1 + draws.uniform() * 8 // MILLION)
        return {"site": site, "x1": decimal(x1, 3), "x2": decimal(x2, 2), "weight": decimal(weight, 2)}

    rows = draw_rows(70, 110, 45, draw)
    # Rows of no weight, far outside or of a level of their own: as if they were not there.
    rows[5].update(site="E", x1="99.000", weight="0.00")
    rows[150].update(x2="-55.00", weight="0.00")
    return rows


DATA_SETS = (
    DataSet(
        "two_smooths",
        "easy",
        two_smooths(),
        (
            Smooth("x1", 8, "0.01", ("-1.5", "-0.5", "0.75", "1.5")),
            Smooth("x2", 10, "0.001", ("-2.5", "-1.25", "0.25", "2")),
        ),
        {"weak prior": Fit(), "no prior": Fit(prior=None), "bias taken out": Fit(debias=True)},
    ),
    DataSet(
        "weighted",
        "easy",
        weighted(),
        (
            Factor("site", ("A", "B", "C", "D")),
            Smooth("x1", 9, "0.02", ("-2.1", "-1", "0.25", "2", "2.6"), bounds=("-2", "2.5")),
            Linear("x2", ("-1.5", "2")),
        ),
        {"prior (1.5, 3)": Fit(prior=("1.5", "3")), "bias taken out": Fit(debias=True)},
    ),
    DataSet(
        "pi_near_zero",
        "easy",
        pi_near_zero(),
        (Smooth("x1", 7, "0.1", ("-2", "-1", "1", "2.5")), Linear("x2", ("-2.5", "2"))),
        {"no prior": Fit(prior=None)},
    ),
    DataSet(
        "pi_near_one",
        "nasty",
        pi_near_one(),
        (
            Smooth("x1", 9, "0.2", ("-2.5", "-1", "0.75", "2"), knots="quantile"),
            Smooth("x2", 6, "0.2", ("-1.5", "0", "1.5", "2.5")),
        ),
        {"prior (40, 2)": Fit(prior=("40", "2"))},
    ),
    DataSet(
        "nearly_separated",
        "nasty",
        nearly_separated(),
        (Linear("x1", ("-2", "5.5")), Smooth("x2", 8, "0.01", ("-2", "-0.5", "0.5", "2"))),
        {"weak prior": Fit(), "no prior": Fit(prior=None)},
    ),
    DataSet(
        "collinear",
        "nasty",
        collinear(),
        (
            Linear("dose", ("-0.000001", "0.000002")),
            Linear("mass", ("-1000000", "2000000")),
            Smooth("height", 8, "0.01", ("999900", "1000050", "1000150")),
        ),
        {"weak prior": Fit()},
    ),
)
