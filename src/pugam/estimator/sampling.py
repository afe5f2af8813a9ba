"""Shares of several unlabelled samples: a table, differences, a test that they are equal."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import ALL_ROWS, make_frame
from pugam.errors import InputError
from pugam.estimator.uncertainty import UncertaintyMethods
from pugam.inference import (
    EqualShares,
    Interval,
    ShareDifference,
    check_audits,
    compare_shares,
    equality_test,
    judge_share,
    share_interval,
)
from pugam.likelihood import expit
from pugam.messages import Argument
from pugam.solvers import SampledShares

__all__ = ["SampleMethods"]


class ShareRow(NamedTuple):
    """What is known of the share of a sample."""

    sample: str
    rows: float
    audited: float
    interval: Interval
    verdict: str | None


class SampleMethods(UncertaintyMethods):
    """What a fit to several unlabelled samples says of each of them."""

    verdict_: str | None
    _chances: np.ndarray | None

    def shares(self, level: float = 0.95, *, model_error: bool = True) -> Any:
        """Return the share of positives in each unlabelled sample, as a frame with one row for each.

        The last row is that of all unlabelled rows together, `pi_`; the only one where there was no ``sample``.

        Parameters
        ----------
        level : float
        model_error : bool
            As of `pi_interval`: whether lower limits allow for negatives that look just like positives.

        Returns
        -------
        data frame
            With the columns sample, rows, audited, pi, lower, upper and verdict.

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=2500, random_state=0)
        >>> year = np.where(np.arange(2500) % 2 == 0, 2023, 2024)
        >>> shares = PUGAM().fit(data.X, data.z, sample=year).shares()
        >>> shares["sample"].tolist()
        ['2023', '2024', 'all']
        """
        check_is_fitted(self)
        rows = self._share_rows(level, model_error)
        names, counts, audited, intervals, verdicts = zip(*rows, strict=True)
        columns = {
            "sample": list(names),
            "rows": list(counts),
            "audited": list(audited),
            "pi": [interval.estimate for interval in intervals],
            "lower": [interval.lower for interval in intervals],
            "upper": [interval.upper for interval in intervals],
            "verdict": list(verdicts),
        }
        return make_frame(self._library, columns)

    def share_difference(self, first: Any, second: Any, level: float = 0.95) -> ShareDifference:
        """Compare the shares of two samples: the first less the second, with an interval and a test.

        Errors of the model that both shares have in common count little in a difference, and are not allowed for.

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=2500, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z, sample=np.where(np.arange(2500) % 2 == 0, 2023, 2024))
        >>> model.share_difference(2024, 2023).pvalue > 0.05
        True
        """
        check_is_fitted(self)
        numbers = self._sample_number(first), self._sample_number(second)
        return compare_shares(self._several, *numbers, level, self._settings.pi_range)

    def test_shares(self) -> EqualShares:
        """Test whether all samples have the same share.

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=2500, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z, sample=np.where(np.arange(2500) % 2 == 0, 2023, 2024))
        >>> model.test_shares().df
        1
        """
        check_is_fitted(self)
        return equality_test(self._several, self._settings.pi_range)

    def check_audit(self, level: float = 0.95) -> Any:
        """Compare the model with audited rows: shares by both, as a frame with one row for each audited sample.

        The model's shares know the audited rows, too. Beside them stands an estimate that does not rest on the model:
        the mean posterior of all rows, corrected by the mean error of the posteriors of audited rows. Its interval
        does not rest on the model, if rows were audited at random within their sample, or with the chances given as
        ``audit_chance`` in the fit; it takes some dozens of audited rows for it to be trusted. A small p-value says
        that the posteriors of audited rows are wrong on average: something is wrong with the model, or with how rows
        were audited or labelled.

        Parameters
        ----------
        level : float

        Returns
        -------
        data frame
            With the columns sample, audited, pi (by the model), estimate, lower, upper (without it) and pvalue.

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=800, n=2000, random_state=0)
        >>> audit = np.where((data.z == 0) & (np.arange(2000) % 10 == 0), data.y, np.nan)
        >>> model = PUGAM().fit(data.X, data.z, audit=audit)
        >>> bool(model.check_audit()["pvalue"][0] > 0.05)
        True
        """
        check_is_fitted(self)
        fitted, found = self._fitted("The audit"), self._fit.samples
        if found is None or not found.audited.any():
            raise InputError("No row was audited; give ", Argument("audit"), " in the fit.")
        rows = check_audits(fitted, level, self._chances)
        names = ("sample", "audited", "pi", "estimate", "lower", "upper", "pvalue")
        return make_frame(self._library, {name: [getattr(row, name) for row in rows] for name in names})

    def _share_rows(self, level: float = 0.95, model_error: bool = True) -> list[ShareRow]:
        """What is known of each sample, and of all unlabelled rows together."""
        found, limits = self._fit.samples, self._settings.pi_range
        audited = 0.0 if found is None else float(found.audited.sum())
        together = self.pi_interval(level, model_error=model_error)
        rows = [ShareRow(ALL_ROWS, self.n1_, audited, together, self.verdict_)]
        if found is None or len(found.names) == 1:
            return rows
        intervals = [share_interval(found, number, level, limits, model_error) for number in range(len(found.names))]
        verdicts = [judge_share(interval, self.verdict_) for interval in intervals]
        of_each = zip(found.names, found.rows, found.audited, intervals, verdicts, strict=True)
        return [*(ShareRow(name, float(n), float(k), *known) for name, n, k, *known in of_each), *rows]

    @property
    def _several(self) -> SampledShares:
        found = self._fit.samples
        if found is None or len(found.names) == 1:
            raise InputError(
                "There is one unlabelled sample only; tell samples apart in the fit, ", Argument("sample"), "."
            )
        return found

    def _sample_number(self, name: Any) -> int:
        names = self._several.names
        if str(name) not in names:
            raise InputError(f"There is no sample {str(name)!r}; the samples are {', '.join(map(repr, names))}.")
        return names.index(str(name))

    def _shares_of(self, sample: Any, n_rows: int) -> np.ndarray:
        """The share that holds for each of some rows: of the sample named, or of one named for each row."""
        named = [sample] * n_rows if isinstance(sample, str) or np.ndim(sample) == 0 else list(np.asarray(sample))
        if len(named) != n_rows:
            raise InputError(Argument("sample"), f" needs one name, or one for each of {n_rows} rows.")
        numbers = {name: self._sample_number(name) for name in dict.fromkeys(named)}
        pi = np.asarray(expit(self._several.logits))
        return np.asarray(pi[[numbers[name] for name in named]])
