"""Shares of several unlabelled samples: a table, differences, a test that they are equal."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pugam.data import (
    ALL_ROWS,
    as_array,
    find_sample,
    is_missing,
    make_frame,
    open_frame,
    require_name,
    require_several,
    sample_name,
)
from pugam.engines import one_blas_thread
from pugam.errors import InputError, RowError, warn_user
from pugam.estimator.labelling import LabellingMethods
from pugam.estimator.reading import read_new_rows
from pugam.inference import (
    EqualShares,
    Interval,
    ShareDifference,
    check_audits,
    compare_curves,
    compare_shares,
    equality_test,
    excess_variances,
    judge_share,
    share_interval,
    shares_by_others,
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


class SampleMethods(LabellingMethods):
    """What a fit to several unlabelled samples says of each of them."""

    _chances: np.ndarray | None

    def shares(self, level: float = 0.95, *, model_error: bool = True) -> Any:
        """Return the share of positives in each unlabelled sample, as a frame with one row for each.

        The last row is that of all unlabelled rows together, `pi_`; the only one where there was no ``sample``.

        Parameters
        ----------
        level : float
        model_error : bool
            As of `pi_interval`: whether lower limits allow for negatives that look just like positives, and, where the
            model does not fit, for the estimates of other methods.

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

        Parameters
        ----------
        first, second
            Names of samples, as given to `fit`.
        level : float
            Of the interval.

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
        if numbers[0] == numbers[1]:
            raise InputError(f"Sample {sample_name(first)!r} is named twice; name two samples to compare.")
        return compare_shares(self._require_samples(), *numbers, level, self._settings.pi_range)

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
        return equality_test(self._require_samples(), self._settings.pi_range)

    def test_curves(self) -> Any:
        """Test whether curves are the same in all samples, as a frame with one row for each sample and term.

        Shares rest on it. The alternative is that negatives of a sample look otherwise along a term than those of all
        others. Rows in which term, or sample, is "all" are joint tests. Where a term differs, let it vary with the
        column that was given as ``sample``, as in ``s(age, by=year)``: each sample then has a curve of its own.
        A warning, and the diagnosis, say which terms to write so. The tests know the clusters and strata of the fit.

        Returns
        -------
        data frame
            With the columns sample, term, statistic, df and pvalue.

        Examples
        --------
        >>> import numpy as np
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=2500, random_state=0)
        >>> model = PUGAM().fit(data.X, data.z, sample=np.where(np.arange(2500) % 2 == 0, 2023, 2024))
        >>> tests = model.test_curves()
        >>> bool(tests["pvalue"].iloc[-1] > 0.05)
        True
        """
        check_is_fitted(self)
        self._require_samples()
        if self._fit.labelling is not None:
            raise InputError("There is no test of curves of models that say who is labelled; fit samples one by one.")
        if self._own_column is not None:
            told = f"Curves vary with {self._own_column!r} already, and there is no test of those that are common: "
            raise InputError(told, "fit without by, and test the curves of that model.")
        fitted = self._fitted("The test of curves")
        with one_blas_thread():
            found = compare_curves(fitted, self._survey)
        if found is None:
            raise InputError("There is no test of curves where the rows of a sample are in a single cluster.")
        if found.remedies:
            warn_user(
                f"Curves differ between samples. To model that, write {' + '.join(found.remedies)} among the terms."
            )
        names = ("sample", "term", "statistic", "df", "pvalue")
        return make_frame(self._library, {name: [getattr(test, name) for test in found] for name in names})

    def check_audit(self, level: float = 0.95) -> Any:
        """Compare the model with audited rows: shares by both, as a frame with one row for each audited sample.

        The model's shares know the audited rows, too. Beside them stands an estimate that does not rest on the model:
        the mean posterior of all rows, corrected by the mean error of the posteriors of audited rows. Its interval
        does not rest on the model, if rows were audited at random within their sample, or with the chances given as
        ``audit_chance`` in the fit; it takes some dozens of audited rows for it to be trusted. A small p-value says
        that the posteriors of audited rows are wrong on average, too sure, not sure enough, or wrong where two columns
        meet: something is wrong with the model, or with how rows were audited or labelled. Intervals and p-values know
        the clusters and strata of the fit.

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
        found = self._fit.samples
        if found is None or not found.audited.any():
            raise InputError("No row was audited; give ", Argument("audit"), " in the fit.")
        fitted = self._fitted("The audit")
        rows = check_audits(fitted, level, self._chances, self._survey)
        names = ("sample", "audited", "pi", "estimate", "lower", "upper", "pvalue")
        return make_frame(self._library, {name: [getattr(row, name) for row in rows] for name in names})

    def _share_rows(self, level: float = 0.95, model_error: bool = True) -> list[ShareRow]:
        """What is known of each sample, and of all unlabelled rows together."""
        found = self._fit.samples
        audited = 0.0 if found is None else float(found.audited.sum())
        together = self.pi_interval(level, model_error=model_error)
        rows = [ShareRow(ALL_ROWS, self.n1_, audited, together, self.verdict_)]
        if found is None or len(found.names) == 1:
            return rows
        return [*(self._share_row(found, number, level, model_error) for number in range(len(found.names))), *rows]

    def _share_row(self, found: SampledShares, number: int, level: float, model_error: bool) -> ShareRow:
        others = shares_by_others(self._fit)[:, number].tolist()
        interval = share_interval(found, number, level, self._settings.pi_range, model_error, others)
        verdict = judge_share(found, number, self._settings.pi_range, self.verdict_)
        counts = float(found.rows[number]), float(found.audited[number])
        return ShareRow(found.names[number], *counts, interval, verdict)

    def _require_samples(self) -> SampledShares:
        found = self._fit.samples
        require_several(() if found is None else found.names)
        assert found is not None
        return found

    def _sample_number(self, name: Any) -> int:
        return find_sample(self._require_samples().names, name)

    @property
    def _own_column(self) -> str | None:
        """The column that names the samples of rows, where curves vary with it."""
        fit = self.__dict__.get("_fit")  # a model of several kinds of positives has none
        return None if fit is None or fit.samples is None else fit.samples.own_column

    def _sample_numbers(self, X: Any, sample: Any, n_rows: int) -> np.ndarray | None:
        """Numbers of the samples that rows are said to be from; None where nothing is said.

        Where curves vary with the sample, a column of X says it. Rows of a sample that the fit never saw, and those
        that cannot be scored, have the number behind those of all samples.
        """
        column = self._own_column
        if column is None:
            return None if sample is None else self._numbers_of(self._column_or_name(X, sample), n_rows)
        if sample is not None:
            told = f": curves vary with {column!r}, and that column says which sample a row is from."
            raise InputError("Leave out ", Argument("sample"), told)
        names = self._require_samples().names
        axes = (axis for basis in self._design.bases for axis in basis.axes if axis.column == column)
        numbers = {level: names.index(sample_name(level)) for level in next(axes).levels}  # told apart as by the curves
        values = read_new_rows(self, X).column(column).values.tolist()
        return np.array([numbers.get(value, len(names)) for value in values], dtype=np.intp)

    def _shares_of(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shares that hold for some rows, and by how much their logits vary more than that of all unlabelled rows."""
        shares = np.append(expit(self._require_samples().reported), self.pi_)
        return shares[numbers], self._excess()[numbers]

    def _excess(self) -> np.ndarray:
        """By how much the logit of each sample's share varies more than that of all unlabelled rows, which is last."""
        share = self._design.layout.share
        variance = float(self.covariance()[share, share])
        return np.append(excess_variances(self._require_samples(), self._settings.pi_range, variance), 0.0)

    def _column_or_name(self, X: Any, sample: Any) -> Any:
        """The values of a column of X, where no sample has its name; otherwise what was given."""
        if not isinstance(sample, str) or sample in self._require_samples().names:
            return sample
        frame = None if X is None else open_frame(X)
        return sample if frame is None or sample not in frame.columns else as_array(frame[sample].to_native())

    def _numbers_of(self, sample: Any, n_rows: int) -> np.ndarray:
        """Numbers of the samples of some rows: the one named, or one named for each row."""
        given = as_array(sample)
        if given.ndim == 0:
            return np.full(n_rows, self._sample_number(sample))
        if given.shape != (n_rows,):
            many = f" needs one name, or one for each of {n_rows} rows; got shape {given.shape}."
            raise InputError(Argument("sample"), many)
        named: list[Any] = given.tolist()
        numbers: dict[Any, int] = {}
        for row, name in enumerate(named):
            if is_missing(name):
                raise RowError(Argument("sample"), " is missing in ", row, "; name the sample of every row.")
            require_name(name, row)
            if name not in numbers:
                numbers[name] = self._number_in_row(row, name)
        return np.array([numbers[name] for name in named], dtype=np.intp)

    def _number_in_row(self, row: int, name: Any) -> int:
        names, wanted = self._require_samples().names, sample_name(name)
        if wanted in names:
            return names.index(wanted)
        known = ", ".join(map(repr, names))
        raise RowError(Argument("sample"), f" is {wanted!r} in ", row, f", but the samples of the fit are {known}.")
