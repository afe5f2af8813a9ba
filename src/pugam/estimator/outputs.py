"""What one takes away from a fitted model: a summary, pictures, a saved file, a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from pugam.data import read_flag
from pugam.engines import one_blas_thread
from pugam.estimator.storing import stored_text
from pugam.files import replacing
from pugam.inference import Interval, OrderName, headline
from pugam.messages import Words, in_python
from pugam.storage import Provenance
from pugam.version import __version__

__all__ = ["OutputMethods"]


class OutputMethods:
    """Ways out of a fitted model, made in `pugam.presentation` and `pugam.storage`; `self` is the whole estimator."""

    def _repr_mimebundle_(self: Any, **options: Any) -> dict[str, str]:
        """In a notebook: a fitted model shows its summary, another one what scikit-learn shows of estimators."""
        if not hasattr(self, "pi_"):
            return dict(super()._repr_mimebundle_(**options))  # type: ignore[misc]
        said = "" if self.verdict_ is None else f"<div><b>{headline(self.verdict_)}</b></div>"
        return {"text/plain": repr(self), "text/html": said + self.summary().to_html()}

    def summary(
        self: Any, level: float | None = None, interval: Interval | None = None, *, order: OrderName = "formula"
    ) -> Any:
        """Return a summary of the fit, which prints as a table; its parts are tidy frames.

        The frames are `model` (pi with its interval, counts, log-likelihood), `smooth` and `factors` (a test of each
        such term) and `linear` (slopes, levels and effects of missing values, with intervals); `warnings` is a list.
        With several kinds of positives they are `model` and `kinds`.

        Parameters
        ----------
        level : float, optional
            Of the intervals; by default that of `interval`, or 0.95.
        interval : Interval, optional
            For pi, as made by `pi_interval`; by default the one it gives without arguments.
        order : {"formula", "importance"}
            List terms as in the formula, or those that matter most first, as of `importance`; a stored model needs its
            rows for that (`attach`).

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(2, n0=1250, n=1500, random_state=0)
        >>> summary = PUGAM("s(x1) + s(x2) + x3").fit(data.X, data.z).summary()
        >>> list(summary.smooth.columns)
        ['term', 'edf', 'ref_df', 'statistic', 'pvalue', 'smoothing']
        """
        from pugam.presentation.kind_summary import summarize_kinds
        from pugam.presentation.summary import summarize

        check_is_fitted(self)
        if self._kinds is not None:
            return summarize_kinds(self, level, interval)
        with one_blas_thread():
            return summarize(self, level, interval, order)

    def plot(self: Any, what: str = "effects", level: float = 0.95, **options: Any) -> Any:
        """Draw the model and return the matplotlib figure (``pip install matplotlib``).

        A notebook shows it; in a script use its `savefig`, or give `axes` of pyplot's, which `pyplot.show` knows.

        Parameters
        ----------
        what : {"effects", "explain", "posterior", "shares", "kinds", "labelling", "worklist", "profile", "starts", \
                "calibration", "sensitivity", "diagnosis"}
            Every effect with its band, or as a map and slices of it where two numbers act together; one row, from the
            log odds of the average unlabelled row to its own, term by term, as of `explain`; how many unlabelled rows
            have which posterior; the share of each unlabelled sample, or of each kind of positives; pi against how
            much chances of being labelled vary, as of `labelling_bounds`; what a review of the likeliest rows is
            expected to find, as of `worklist`; one of the pictures of a diagnosis; "diagnosis": profile, starts and
            calibration side by side.
        level : float
        **options
            For all: `axes`, those to draw in. For effects: `terms`, those to be drawn, `order`, "importance" (the most
            important first, the default where the model has its rows) or "formula", `rug`, `shared_scale`, and
            `simultaneous`, `scale` and `derivative` as of `effect`. For "explain": `row`, a table of one row, and `pi`
            or `sample` as of `explain`. For the pictures of a diagnosis: `diagnosis`, one made before; for
            "labelling": `bounds`, those of `labelling_bounds`, of many values of Gamma; for "worklist": `worklist`,
            one made before, of any rows.

        Examples
        --------
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = PUGAM("x1 + x2", pi=0.4).fit(data.X, data.z)
        >>> figure = model.plot(terms=["x1"])
        >>> [axes.get_title() for axes in figure.axes]
        ['l(x1)']
        """
        from pugam.presentation.plots import draw

        check_is_fitted(self)
        return draw(self, what, level, **options)

    def save(
        self: Any, path: Any, *, command: str | None = None, data: Mapping[str, str | float | bool | None] | None = None
    ) -> None:
        """Save the model as one JSON file that people can read, and that runs no code when `pugam.load` reads it.

        It holds everything but the rows: after loading, predictions, intervals, effects and tests are the same to the
        last bit; for a profile, a bootstrap, a diagnosis or a report give the rows back with `attach`.

        Parameters
        ----------
        path : path-like
        command : str, optional
            What to keep as the command that made the model.
        data : mapping from a name to a value, optional
            What to keep about the data, such as the name of their file.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import pugam
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> model = pugam.PUGAM().fit(data.X, data.z)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder, "model.json"))
        ...     loaded = pugam.load(Path(folder, "model.json"))
        >>> bool((loaded.predict_proba(data.X) == model.predict_proba(data.X)).all())
        True
        """
        check_is_fitted(self)
        with one_blas_thread():
            text = stored_text(self, Provenance.now(command, data))
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")

    def report(
        self: Any,
        path: Any,
        *,
        title: str = "Hidden positives among unlabelled rows",
        names: Any = None,
        about: Mapping[str, str] | None = None,
        repeat: Mapping[str, str] | None = None,
        n_candidates: int = 20,
        interval: Interval | None = None,
        diagnosis: Any = None,
        progress: bool | None = None,
        words: Words = in_python,
    ) -> None:
        """Write a report: one self-contained HTML page to read, print or send.

        Parameters
        ----------
        path : path-like
            Where to write it.
        title : str
        names : sequence, optional
            A name for each row of X, to show with the most likely positives; by default they are known by their
            place, "row 17".
        about, repeat : mappings from a name to a value, optional
            What to say about the data, and how to repeat the fit.
        n_candidates : int
            How many of the most likely positives to list.
        interval : Interval, optional
            For pi, as made by `pi_interval`; by default the one it gives without arguments. All other intervals of the
            report have its level.
        diagnosis : Diagnosis, optional
            One made before, by `diagnose`.
        progress : bool, optional
            Show a progress bar; None shows one on a terminal when the work takes longer than two seconds.
        words : callable
            How to word advice; by default in Python. The command line has words of its own.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from pugam import PUGAM
        >>> from pugam.datasets import simulate
        >>> data = simulate(1, n0=800, n=1000, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     PUGAM("s(x1) + s(x2)").fit(data.X, data.z).report(Path(folder, "report.html"))
        ...     Path(folder, "report.html").read_text(encoding="utf-8")[:15]
        '<!doctype html>'
        """
        from pugam.presentation.report import collect, collect_kinds, render

        check_is_fitted(self)
        progress = None if progress is None else read_flag("progress", progress)
        call = f"{_call(self)}.fit(X, z)" if self._kinds is None else f"{_call(self)}.fit(X, z, kind=kind)"
        said = {"Python": call, "Version": f"pugam {__version__}"} if repeat is None else repeat
        given = self, title, about or {}, said, names, n_candidates, interval, diagnosis
        with one_blas_thread():
            one_kind = self._kinds is None
            page = render(collect(*given, progress, words) if one_kind else collect_kinds(*given, words))
        with replacing(path) as temporary:
            temporary.write_text(page, encoding="utf-8")


def _call(model: Any) -> str:
    """How the estimator was made, in one line: scikit-learn's representation breaks long formulas."""
    defaults = type(model)().get_params(deep=False)
    given = [f"{name}={value!r}" for name, value in model._fitted_with.items() if repr(value) != repr(defaults[name])]
    return f"{type(model).__name__}({', '.join(given)})"
