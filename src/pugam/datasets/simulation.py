"""The paper's simulated data: three settings, with everything that is true about them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.special import expit

from pugam.errors import InputError
from pugam.messages import Argument

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Setting", "Simulation", "simulate"]

Setting = Literal[1, 2, 3]
RandomState = int | np.random.Generator | np.random.RandomState | None

N_FEATURES = 5
FEATURE_NAMES = tuple(f"x{j}" for j in range(1, N_FEATURES + 1))
ROWS_PER_BATCH = 4096

# 1/sinh(pi t) is below 1e-16 beyond t = 12; more nodes move the logit of P(Y = 1) by about 1e-12.
HIGHEST_FREQUENCY = 12.0
N_QUADRATURE_NODES = 400


@dataclass(frozen=True, eq=False)
class _Component:
    """One summand of m(x), and its integral over [0, 1]."""

    function: Callable[[np.ndarray], np.ndarray]
    integral: float

    def scaled(self, factor: float) -> _Component:
        return _Component(lambda x: factor * self.function(x), factor * self.integral)


_LINE = _Component(lambda x: 6 * x, 3.0)
_PARABOLA = _Component(lambda x: 24 * (x - 0.3) ** 2, 8 * (0.7**3 + 0.3**3))
_HYPERBOLA = _Component(lambda x: 1 / (x + 0.1), math.log(11))
_WAVE = _Component(lambda x: -5 * np.cos(5 * x), -math.sin(5))
_EXPONENTIAL = _Component(lambda x: 2 * np.exp(4 * x - 2), math.sinh(2))

_CONSTANTS: dict[int, float] = {1: -16.0, 2: -14.0, 3: -13.0}
_COMPONENTS: dict[int, tuple[_Component, ...]] = {
    1: (_LINE,) * N_FEATURES,
    2: (_PARABOLA,) * N_FEATURES,
    3: (_LINE, _PARABOLA, _HYPERBOLA, _WAVE, _EXPONENTIAL),
}


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated data set and the truth behind it; made by `simulate`.

    Attributes
    ----------
    X : pandas.DataFrame of shape (n, 5)
        The features x1 to x5: the labelled positives first, then the unlabelled rows in random order.
    z : ndarray of int, shape (n,)
        1 for a labelled positive, 0 for an unlabelled row.
    y : ndarray of int, shape (n,)
        The true label, which a fit does not see.
    log_density_ratio : ndarray of shape (n,)
        The true log{g(x)/h(x)} = alpha + sum_j u_j(x_j) at the rows.
    alpha : float
        The true alpha when every u_j integrates to zero over [0, 1].
    setting, pi, zeta
        As asked for. The share of positives among these unlabelled rows scatters around `pi`.

    Examples
    --------
    >>> from pugam.datasets import simulate
    >>> data = simulate(2, n0=250, n=300, pi=0.4, random_state=0)
    >>> data.X.shape, int(data.z.sum()), data.pi
    ((300, 5), 250, 0.4)
    """

    X: pd.DataFrame
    z: np.ndarray
    y: np.ndarray
    log_density_ratio: np.ndarray
    alpha: float
    setting: Setting
    pi: float
    zeta: float

    def effect(self, feature: int | str, x: np.ndarray) -> np.ndarray:
        """Give the true effect u_j, which integrates to zero over [0, 1], at the points x.

        Parameters
        ----------
        feature : int or str
            The paper's j, from 1 to 5, or the name of the column.
        x : array-like
            Points in [0, 1].
        """
        component = _components(self.setting, self.zeta)[_feature_position(feature)]
        return component.function(np.asarray(x, dtype=np.float64)) - component.integral


def simulate(
    setting: Setting,
    n0: int,
    n: int,
    pi: float = 0.4,
    zeta: float = 1.0,
    random_state: RandomState = None,
) -> Simulation:
    """Simulate data as in the paper's simulation studies (sec:simulation).

    Five features are uniform on [0, 1] and P(Y = 1 | x) = expit{m(x)}, with

    - Setting 1: m(x) = -16 + 6 (zeta x1 + x2 + x3 + x4 + x5)
    - Setting 2: m(x) = -14 + 24 {zeta (x1 - 0.3)^2 + (x2 - 0.3)^2 + ... + (x5 - 0.3)^2}
    - Setting 3: m(x) = -13 + 6 x1 + 24 (x2 - 0.3)^2 + 1 / (x3 + 0.1) - 5 cos(5 x4) + 2 exp(4 x5 - 2)

    Rows are drawn until there are enough of either kind for `n0` labelled positives and `n - n0` unlabelled
    rows, of which a binomial number with probability `pi` are positive.

    Parameters
    ----------
    setting : {1, 2, 3}
        Linear, quadratic or nonlinear effects.
    n0 : int
        Number of labelled positives.
    n : int
        Number of rows in all, more than `n0`.
    pi : float
        Probability that an unlabelled row is positive, between 0 and 1.
    zeta : float
        From 0 to 1: the size of the effect of x1, in Settings 1 and 2 only.
    random_state : int, numpy Generator, numpy RandomState or None
        Where the randomness comes from; the same integer gives the same data.

    Raises
    ------
    InputError
        An argument is out of range.

    Examples
    --------
    >>> from pugam.datasets import simulate
    >>> data = simulate(setting=2, n0=1250, n=1500, random_state=1)
    >>> data.X.shape, int(data.z.sum())
    ((1500, 5), 1250)
    >>> f"{data.alpha:.3f}"
    '0.764'
    >>> [round(float(u), 2) for u in data.effect("x1", [0.0, 0.3, 1.0])]
    [-0.8, -2.96, 8.8]
    """
    setting, zeta = _checked_setting(setting, zeta)
    n0, n_unlabelled = _checked_sizes(n0, n)
    pi = _checked_number("pi", pi)
    if not 0 < pi < 1:
        raise InputError(Argument("pi"), f" must lie between 0 and 1, both excluded; got {pi!r}.")
    generator = _as_generator(random_state)

    n_hidden = int(generator.binomial(n_unlabelled, pi))
    order = generator.permutation(n_unlabelled)
    positives, negatives = _draw_groups(
        generator, setting, zeta, n_positive=n0 + n_hidden, n_negative=n_unlabelled - n_hidden
    )
    features = np.vstack([positives[:n0], np.vstack([positives[n0:], negatives])[order]])
    hidden = np.repeat([1, 0], [n_hidden, n_unlabelled - n_hidden])[order]

    return Simulation(
        X=_as_frame(features),
        z=np.repeat([1, 0], [n0, n_unlabelled]),
        y=np.concatenate([np.ones(n0, dtype=hidden.dtype), hidden]),
        log_density_ratio=_logit_positive(features, setting, zeta) - _logit_share(setting, zeta),
        alpha=_true_alpha(setting, zeta),
        setting=setting,
        pi=pi,
        zeta=zeta,
    )


def _components(setting: int, zeta: float) -> tuple[_Component, ...]:
    first, *others = _COMPONENTS[setting]
    return (first.scaled(zeta), *others)


def _logit_positive(features: np.ndarray, setting: int, zeta: float) -> np.ndarray:
    """m(x), the logit of P(Y = 1 | x)."""
    components = _components(setting, zeta)
    effects = [component.function(features[:, j]) for j, component in enumerate(components)]
    return np.asarray(_CONSTANTS[setting] + np.sum(effects, axis=0))


def _true_alpha(setting: int, zeta: float) -> float:
    integrals = sum(component.integral for component in _components(setting, zeta))
    return _CONSTANTS[setting] + integrals - _logit_share(setting, zeta)


def _as_frame(features: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(features, columns=list(FEATURE_NAMES))


def _draw_groups(
    generator: np.random.Generator, setting: int, zeta: float, n_positive: int, n_negative: int
) -> tuple[np.ndarray, np.ndarray]:
    """The first rows of Group 1 and of Group 0, in the order in which they were drawn."""
    groups: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    found = np.zeros(2, dtype=int)
    while found[0] < n_positive or found[1] < n_negative:
        # One more uniform per row decides its label: the rows do not depend on the size of a batch.
        uniforms = generator.random((ROWS_PER_BATCH, N_FEATURES + 1))
        features = uniforms[:, :N_FEATURES]
        is_positive = uniforms[:, N_FEATURES] < expit(_logit_positive(features, setting, zeta))
        groups[0].append(features[is_positive])
        groups[1].append(features[~is_positive])
        found += [is_positive.sum(), (~is_positive).sum()]
    return np.vstack(groups[0])[:n_positive], np.vstack(groups[1])[:n_negative]


@cache
def _logit_share(setting: int, zeta: float) -> float:
    """The logit of P(Y = 1), by which m(x) and the log density ratio differ.

    With phi_j(t) = E exp{i t f_j(X_j)} and expit(s) = 1/2 + int_0^inf sin(ts) / sinh(pi t) dt,

        P(Y = 1) = E expit{c + sum_j f_j(X_j)} = 1/2 + int_0^inf Im{e^(itc) prod_j phi_j(t)} / sinh(pi t) dt,

    so that a five-fold integral becomes two simple ones.
    """
    nodes, weights = np.polynomial.legendre.leggauss(N_QUADRATURE_NODES)
    x, x_weights = (nodes + 1) / 2, weights / 2
    t, t_weights = HIGHEST_FREQUENCY * x, HIGHEST_FREQUENCY * x_weights
    transform = np.exp(1j * t * _CONSTANTS[setting])
    for component in _components(setting, zeta):
        transform *= np.exp(1j * np.outer(t, component.function(x))) @ x_weights
    share = 0.5 + float(t_weights @ (transform.imag / np.sinh(np.pi * t)))
    return math.log(share) - math.log1p(-share)


def _feature_position(feature: int | str) -> int:
    if feature in FEATURE_NAMES:
        return FEATURE_NAMES.index(feature)
    if isinstance(feature, int | np.integer) and not isinstance(feature, bool) and 1 <= feature <= N_FEATURES:
        return int(feature) - 1
    raise InputError(f"The features are {', '.join(FEATURE_NAMES)}, or 1 to {N_FEATURES}; got {feature!r}.")


def _checked_setting(setting: object, zeta: object) -> tuple[Setting, float]:
    if isinstance(setting, bool) or setting not in get_args(Setting):
        raise InputError(Argument("setting"), f" must be 1, 2 or 3; got {setting!r}.")
    size = _checked_number("zeta", zeta)
    if not 0 <= size <= 1:
        raise InputError(f"zeta must lie between 0 and 1; got {zeta!r}.")
    if setting == 3 and size != 1:
        raise InputError(f"zeta changes Settings 1 and 2 only; got zeta={zeta!r} with Setting 3.")
    return int(setting), size  # type: ignore[call-overload]


def _checked_sizes(n0: object, n: object) -> tuple[int, int]:
    n_labelled, n_rows = _checked_integer("n0", n0), _checked_integer("n", n)
    if n_labelled < 1:
        raise InputError(Argument("n0"), f", the number of labelled positives, must be at least 1; got {n0!r}.")
    if n_rows <= n_labelled:
        raise InputError(
            Argument("n"),
            " counts all rows and must exceed ",
            Argument("n0"),
            ", so that some rows are unlabelled; got ",
            Argument("n0", n0),
            ", ",
            Argument("n", n),
            ".",
        )
    return n_labelled, n_rows - n_labelled


def _checked_integer(name: str, value: object) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(Argument(name), f" must be an integer; got {value!r}.") from None


def _checked_number(name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(Argument(name), f" must be a number; got {value!r}.") from None


def _as_generator(random_state: object) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint64))
    try:
        return np.random.default_rng(random_state)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(
            Argument("random_state"),
            f" must be None, an integer of at least 0 or a NumPy generator; got {random_state!r}.",
        ) from None
