"""The profile empirical likelihood as pure functions of arrays."""

from pugam.likelihood.columns import Columns, DenseColumns, forms_by_eigenvectors, products_of_columns
from pugam.likelihood.coordinates import (
    alpha_shift,
    expit,
    label_frequency,
    log_c_bend,
    log_c_slope,
    logit,
    to_logit_pi,
)
from pugam.likelihood.rows import (
    SaturatingRows,
    expected_labels,
    information_slope_rows,
    log_likelihood_rows,
    logistic_rows,
    saturating_rows,
)
from pugam.likelihood.sample_sizes import SampleSizes
from pugam.likelihood.samples import (
    SampleShares,
    sample_scores,
    sample_sums,
    sample_trace_slopes,
    stratum_scores,
)
from pugam.likelihood.separate_curves import CurveSums, separate_curve_scores, separate_curve_sums
from pugam.likelihood.sums import (
    LOWEST_VALUE,
    Scores,
    Sums,
    label_block,
    logistic_sums,
    saturating_sums,
    score_sums,
    trace_slopes,
)

__all__ = [
    "LOWEST_VALUE",
    "Columns",
    "CurveSums",
    "DenseColumns",
    "SampleShares",
    "SampleSizes",
    "SaturatingRows",
    "Scores",
    "Sums",
    "alpha_shift",
    "expected_labels",
    "expit",
    "forms_by_eigenvectors",
    "information_slope_rows",
    "label_block",
    "label_frequency",
    "log_c_bend",
    "log_c_slope",
    "log_likelihood_rows",
    "logistic_rows",
    "logistic_sums",
    "logit",
    "products_of_columns",
    "sample_scores",
    "sample_sums",
    "sample_trace_slopes",
    "saturating_rows",
    "saturating_sums",
    "score_sums",
    "separate_curve_scores",
    "separate_curve_sums",
    "stratum_scores",
    "to_logit_pi",
    "trace_slopes",
]
