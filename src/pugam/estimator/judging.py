"""The diagnosis of a fit, its verdict, and what is warned of."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from pugam.data import read_flag
from pugam.engines import one_blas_thread
from pugam.errors import VerdictWarning, warn_user
from pugam.estimator.uncertainty import UncertaintyMethods
from pugam.inference import Diagnosis, Finding, NotConverged, diagnose_fit, follow_pi, known_test

__all__ = ["JudgingMethods"]


class JudgingMethods(UncertaintyMethods):
    """Comes to a verdict on a fit."""

    check: bool
    verdict_: str | None
    _diagnosis: Diagnosis | None
    _judged: Diagnosis | None
    _chances: np.ndarray | None
    _origins: np.ndarray | None

    def diagnose(self) -> Any:
        """Find out whether pi is well determined by these data, and what to do if it is not.

        Print the result to read it. It looks at

        - pi: its profile, the boundary, and the starts, of a mode;
        - what identifies it: the number of terms distinguishable from a constant (two are needed), whether they say
          more together than one alone, the interactions that were added, the condition of the information, how much
          rests on curves being smooth, and separation;
        - whether the model fits: the calibration of P(z = 1 | x), products of pairs of columns, whether labels depend
          on columns, what boosting finds in the residuals, whether curves are the same in all samples, and whether
          audited rows agree;
        - what holds without the model: an upper bound on pi by the best bin, and other opinions on pi;
        - what becomes of the model when pi is fixed along a grid.

        A check is left out where it has too few rows or columns.

        Returns
        -------
        Diagnosis or KindDiagnoses
            With `verdict`, `findings`, `warnings` and the figures behind them. With several kinds of positives
            KindDiagnoses, which has a diagnosis of each, and the worst of their verdicts.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=1500, random_state=0)
        >>> PUGAM().fit(data.X, data.z).diagnose().verdict
        'well determined'
        """
        check_is_fitted(self)
        if self._kinds is not None:
            return self._kinds.diagnose()
        fitted = self._fitted("The diagnosis")
        if getattr(self, "_diagnosis", None) is None:
            found = getattr(self, "_judged", None) or self._find_verdict()
            with one_blas_thread():
                self._diagnosis = follow_pi(found, fitted)
        return self._diagnosis

    def _find_verdict(self) -> Diagnosis:
        """Diagnose as far as a verdict goes."""
        with one_blas_thread():
            known = self._design.known_terms
            tests = [
                known_test(self._design, number) if number in known else self._wald_test([number], "zero")
                for number in range(len(self._design.bases))
            ]
            fitted = self._fitted("The diagnosis")
            drawn = self._survey
            return diagnose_fit(fitted, self.pi_, tests, self.at_boundary_, drawn, self._chances, self._origins)

    def _judge(self) -> None:
        """Come to a verdict, if one is asked for, and remember what intervals for pi have to know of it."""
        self._diagnosis, self.verdict_ = None, None
        self._judged = self._find_verdict() if read_flag("check", self.check) else None
        if self._judged is not None:
            self.verdict_ = self._judged.verdict
            self._fit = self._judged.remembered(self._fit)

    def _warn(self, findings: list[Finding]) -> None:
        """Warn of a verdict that leaves doubts, in its own words; otherwise of what was found at once."""
        said = None if self._judged is None else self._judged.caveat()
        for finding in findings:
            if isinstance(finding, NotConverged):
                warn_user(finding.message, category=ConvergenceWarning)
            elif said is None:
                warn_user(finding.message)
        if said is not None:
            warn_user(said, category=VerdictWarning)
