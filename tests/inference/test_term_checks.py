"""What a check of terms finds, and how it reads."""

import numpy as np

from pugam.inference.basis_checks import BasisCheck
from pugam.inference.calibration import Calibration
from pugam.inference.concurvity import Concurvity
from pugam.inference.findings import LabelsDisagree
from pugam.inference.term_checks import SaysTheSame, TermChecks, TooFewFunctions, _findings

BASES = (BasisCheck("s(age)", 9, 4.2, 40.0, 8.0, 1e-6), BasisCheck("s(dose)", 9, 2.0, 8.0, 8.0, 0.4))
SHARES = Concurvity(
    ("s(age)", "s(dose)"), np.array([0.9, 0.9]), np.array([0.85, 0.2]), np.array([0.7, 0.1]), ("s(dose)", "s(age)")
)


def calibration(pvalue):
    return Calibration(np.array([0.2]), np.array([0.3]), np.array([0.1]), np.array([9.0]), 12.0, 8.0, pvalue)


def test_findings_are_values():
    found = list(_findings(BASES, calibration(1e-5), SHARES))

    assert found == [
        TooFewFunctions(("s(age)",), 1e-6, 20),
        LabelsDisagree(1e-5),
        SaysTheSame("s(age)", "s(dose)", 0.85),
    ]


def test_p_values_are_held_against_the_number_of_terms():
    lines = tuple(BasisCheck(f"s(x{n})", 9, 2.0, 20.0, 8.0, 0.006) for n in range(2))

    assert not [one for one in _findings(lines, calibration(0.5), SHARES) if isinstance(one, TooFewFunctions)]
    assert [one for one in _findings(lines[:1], calibration(0.5), SHARES) if isinstance(one, TooFewFunctions)]


def test_it_reads_as_a_table():
    text = str(TermChecks(BASES, calibration(0.5), SHARES, (TooFewFunctions(("s(age)",), 1e-6, 20),), "pandas"))

    assert "  s(age)      9   4.20     1e-06  !" in text.split("\n")
    assert "  s(age)    0.90      0.85      0.70  s(dose)  !" in text.split("\n")
    assert "chi-square 12 on 8 df, p = 0.5" in text
    assert "\n! Too few functions: residuals still vary along s(age) (smallest p = 1e-06). Fit again" in text
