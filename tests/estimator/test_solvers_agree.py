"""Fisher scoring and EM end at the same optimum, best over the same starts, on a real table."""

import pytest

from pugam import PUGAM
from pugam.datasets import load_tumours


@pytest.mark.parametrize("prior", ["weak", pytest.param(None, marks=pytest.mark.long)])
def test_newton_and_em_agree_on_the_table_of_the_demo(prior):
    tumours = load_tumours()
    chosen = PUGAM(pi_prior=prior, estimate="mode").fit(tumours.X, tumours.z).smoothing_
    newton, em = (
        PUGAM(smoothing=chosen, pi_prior=prior, solver=solver, tol=1e-10, max_iter=20_000, n_starts=4).fit(
            tumours.X, tumours.z
        )
        for solver in ("newton", "em")
    )
    assert newton.converged_
    assert em.converged_
    assert em.pi_penalized_ == pytest.approx(newton.pi_penalized_, abs=1e-6)
    assert em.pi_ == pytest.approx(newton.pi_, abs=1e-6)
    assert em.penalized_loglik_ == pytest.approx(newton.penalized_loglik_, abs=1e-6)
