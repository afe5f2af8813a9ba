"""Which real tables rules and constants are chosen on, and which they are reported on.

Written down on 2026-11-17, before pi by marginal likelihood, interactions by evidence and tests of fit were begun:
nothing about these is decided by looking at a table of the second group. Both groups hold tables whose classes overlap
and tables whose classes are well apart, with few and with many rows and columns. The default that these are to replace
was made with all of them in sight.

Exceptions. Two constants of how fast the evidence is climbed, `evidence_tol` and `rows_for_a_few`, were set so that
fits to abalone, of the second group, stay as they were. They are to change no result, and were not chosen by any error.
That rows are dealt out to folds three times was settled beforehand, but one, three and five times were compared on both
groups. What shrunken fits need to be called well determined was counted by tests of single terms for a while. That rule
was made for a fit to german_credit, of the first group, and its price on digits and spambase, of the second, was known
when it gave way to one test, in rows held out, that columns say more than any one of them, and to a distance of 4
between the classes instead of 3. Both were chosen on the first group and on the first half of the tables of R packages.
That intervals do not end where one mode of the coefficients does was found on wilt, of the first group, and its one
constant, `least_error`, was chosen on four tables of that group. How far it moves limits on abalone, htru2 and
wine_colour, of the second, was in sight meanwhile; whether these cover the truth was not. digits, ionosphere and
spambase, of the second, are answered by shrunken fits, and constants of these were chosen before the division, with
digits, htru2, spambase and wine_colour in sight (docs/model/shrinkage.md).

Tables of R packages (`many_tables.py`) have a division of their own. On their first half the allowance for model error
was chosen, and the two rules for shrunken fits above. No constant was chosen on their second half, but its figures were
computed seventeen times while verdicts changed (docs/datasets.md).
That terms are counted at a level for all of them together was decided on simulated tables with columns of noise, and
looked at on every fifth table of R packages to choose on. Since then tests of terms have had weights that are known.
That was decided on simulated data alone, but with figures of both groups in sight, which had lost good verdicts by the
first change.
That columns may be seen in held-out rows to say more than one group of them, for every kind of fit, was decided on
simulated data (identification.py), with figures of all tables as they were before in sight.
That labels are tested without interactions that were added, too, was decided on simulated data (misspecification.py).
It was looked at afterwards on tables of the first group, and on every fourth table of R packages to choose on.
That tests of terms look for waves, and by which weight, was decided on simulated data (term_tests.py).
That the upper limit of intervals makes use of the room below was decided on an argument (Imbens and Manski) and
simulated data, with both halves of the tables of R packages, and all tables here, in sight as they would be; the mean
error was chosen anew on the first half, by the criterion of before. That classes are called little apart at the lower
limit of the sampling interval was decided on the first group and the first half. That tests of fit know how much
squares of residuals vary where labels are next to certain was found and decided on mushroom, of the first group, with
labels drawn from a fit.
That levels have no order for trees that test a fit was decided on simulated data, where names of levels had changed a
verdict, without a look at the tables of R packages.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["CHOOSE_ON", "REPORT_ON", "present"]

CHOOSE_ON = ("breast_cancer", "concrete", "german_credit", "heart", "mushroom", "phoneme", "waveform", "wilt")
REPORT_ON = ("abalone", "digits", "htru2", "ionosphere", "spambase", "wine_colour")
SKLEARNS = ("breast_cancer", "digits")  # come with scikit-learn


def present(folder: Path, names: tuple[str, ...]) -> list[str]:
    """Those of the tables that are in a folder, or need none."""
    return [name for name in names if name in SKLEARNS or (folder / f"{name}.csv").exists()]
