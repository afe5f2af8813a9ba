"""The paper's method on Wilt at each smoothing parameter: bias and se of pi, errors of classification, AIC.

usage: python benchmarks/wilt_smoothing.py FOLDER [MASKINGS]      (default: 100)

The maskings are the first of `pugam study table4` at p_z = 0.7. The paper does not say which smoothing parameters it
tries on real data; the last rows show what Akaike's criterion makes of three grids of six.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from joblib import Parallel, delayed
from reporting import write_table

from pugam.studies.estimates import outcome
from pugam.studies.masked import KAPPAS, MASKING, load_tables, paper_model
from pugam.studies.monte_carlo import mean_of, spread_of
from pugam.studies.plans import Plan
from pugam.studies.printed import MASKED
from pugam.studies.workers import generator_of

CELL = ("Wilt", 0.7)
POWERS = range(-12, 0)
GRIDS = {
    "that of Settings 2 and 3": tuple(10.0**power for power in range(-6, 0)),
    "that of Table 4": KAPPAS[CELL[0]],
    "rougher still": tuple(10.0**power for power in range(-12, -6)),
}
MEASURED = ("pi", "FP", "FN", "Err", "AIC")


def fits(folder: str, number: int) -> list[list[float]]:
    """Estimate, errors and AIC at each smoothing parameter, for one masking."""
    plan = Plan(data=folder)
    data = load_tables(plan)[CELL[0]]
    found = []
    for power in POWERS:
        rng = generator_of(MASKING, CELL, number, plan.seed)
        labelled = data.mask(CELL[1], rng)
        model = paper_model(CELL[0], rng, plan).set_params(smoothing=10.0**power)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(data.X, labelled)
        record = outcome(model, data.X[~labelled], data.y[~labelled])
        found.append([*(record[name] for name in MEASURED[:-1]), model.aic_])
    return found


def main() -> None:
    folder, maskings = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    found = np.array(Parallel(n_jobs=-1)(delayed(fits)(folder, number) for number in range(maskings)))
    pi = load_tables(Plan(data=folder))[CELL[0]].share_of_positives(CELL[1])
    lowest = found[:, :, -1].min(axis=1, keepdims=True)
    kappas = np.array([10.0**power for power in POWERS])
    rows = [
        [f"10^{power}", *_row(found[:, place, :-1], pi), f"{np.mean(found[:, place, -1] - lowest[:, 0]):.1f}"]
        for place, power in enumerate(POWERS)
    ]
    for name, grid in GRIDS.items():
        offered = np.isclose(kappas[:, None], grid, atol=0.0).any(axis=1)
        chosen = np.where(offered, found[:, :, -1], np.inf).argmin(axis=1)
        best = found[np.arange(maskings), chosen]
        label = f"AIC's choice of 10^{np.log10(min(grid)):.0f} to 10^{np.log10(max(grid)):.0f}, {name}"
        rows.append([label, *_row(best[:, :-1], pi), f"{np.mean(best[:, -1] - lowest[:, 0]):.1f}"])
    printed = dict(zip(("bias", "se", "mse", "FP", "FN", "Err"), MASKED[*CELL, "GAET"], strict=True))
    rows.append(["printed in the paper", *(f"{printed[name]:.3f}" for name in ("bias", "se", "FP", "FN", "Err")), ""])
    note = (
        f"{maskings} maskings, p_z = {CELL[1]}, 20 starts each; bias and se of pi x 100, each figure with its "
        "Monte-Carlo standard error. AIC: above the lowest of the same masking, on average."
    )
    header = ["kappa", "bias", "se", "FP", "FN", "Err", "AIC"]
    write_table("wilt_smoothing", "The paper's method on Wilt: how smooth?", header, rows, note)


def _row(found: np.ndarray, pi: float) -> list[str]:
    errors = 100.0 * (found[:, 0] - pi)
    figures = [mean_of(errors), spread_of(errors), *(mean_of(column) for column in found[:, 1:].T)]
    return [f"{figure.value:.3f} ± {figure.error:.3f}" for figure in figures]


if __name__ == "__main__":
    main()
