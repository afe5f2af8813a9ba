"""Fisher scoring and EM end at the same optimum, best over the same starts, on a real table."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from pugam import PUGAM

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "breast_cancer.py"))


@pytest.mark.parametrize("prior", ["weak", None])
def test_newton_and_em_agree_on_the_table_of_the_demo(prior):
    tumours = load_breast_cancer(as_frame=True)
    malignant = (tumours.target == 0).to_numpy()
    diagnosed = malignant & (np.random.default_rng(1).random(len(malignant)) < 0.5)
    chosen = PUGAM(EXAMPLE["FORMULA"], pi_prior=prior).fit(tumours.data, diagnosed).smoothing_
    newton, em = (
        PUGAM(
            EXAMPLE["FORMULA"], smoothing=chosen, pi_prior=prior, solver=solver, tol=1e-10, max_iter=20_000, n_starts=4
        ).fit(tumours.data, diagnosed)
        for solver in ("newton", "em")
    )
    assert newton.converged_
    assert em.converged_
    assert em.pi_penalized_ == pytest.approx(newton.pi_penalized_, abs=1e-6)
    assert em.pi_ == pytest.approx(newton.pi_, abs=1e-6)
    assert em.penalized_loglik_ == pytest.approx(newton.penalized_loglik_, abs=1e-6)
