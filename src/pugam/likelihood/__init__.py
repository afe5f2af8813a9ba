"""The profile empirical likelihood as pure functions of arrays."""

from pugam.likelihood.columns import Columns, DenseColumns, products_of_columns
from pugam.likelihood.coordinates import (
    alpha_shift,
    expit,
    label_frequency,
    log_c_bend,
    log_c_slope,
    logit,
    preferred_labels,
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
from pugam.likelihood.selection import (
    Preference,
    StratumSums,
    Tilt,
    selected_scores,
    selected_stratum_sums,
    selected_sums,
    selected_trace_slopes,
    tilt_sums,
)
from pugam.likelihood.separate_curves import CurveSums, separate_curve_sums
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
    "Preference",
    "SampleShares",
    "SampleSizes",
    "SaturatingRows",
    "Scores",
    "StratumSums",
    "Sums",
    "Tilt",
    "alpha_shift",
    "expected_labels",
    "expit",
    "information_slope_rows",
    "label_block",
    "label_frequency",
    "log_c_bend",
    "log_c_slope",
    "log_likelihood_rows",
    "logistic_rows",
    "logistic_sums",
    "logit",
    "preferred_labels",
    "products_of_columns",
    "sample_scores",
    "sample_sums",
    "sample_trace_slopes",
    "saturating_rows",
    "saturating_sums",
    "score_sums",
    "selected_scores",
    "selected_stratum_sums",
    "selected_sums",
    "selected_trace_slopes",
    "separate_curve_sums",
    "stratum_scores",
    "tilt_sums",
    "to_logit_pi",
    "trace_slopes",
]
