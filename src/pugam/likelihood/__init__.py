"""The profile empirical likelihood as pure functions of arrays."""

from pugam.likelihood.columns import Columns, DenseColumns, ShiftedColumns, products_of_columns
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
from pugam.likelihood.kind_outcomes import KindSizes, kind_outcomes, shares_of_kinds
from pugam.likelihood.mixtures import (
    Mixture,
    Outcomes,
    Predictors,
    mixture_sums,
    mixture_trace_slopes,
    outcome_scores,
)
from pugam.likelihood.own_curves import sample_outcomes
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
    selected_stratum_sums,
    selected_sums,
    selected_trace_slopes,
    tilt_sums,
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
    "KindSizes",
    "Mixture",
    "Outcomes",
    "Predictors",
    "Preference",
    "SampleShares",
    "SampleSizes",
    "SaturatingRows",
    "Scores",
    "ShiftedColumns",
    "StratumSums",
    "Sums",
    "Tilt",
    "alpha_shift",
    "expected_labels",
    "expit",
    "information_slope_rows",
    "kind_outcomes",
    "label_block",
    "label_frequency",
    "log_c_bend",
    "log_c_slope",
    "log_likelihood_rows",
    "logistic_rows",
    "logistic_sums",
    "logit",
    "mixture_sums",
    "mixture_trace_slopes",
    "outcome_scores",
    "preferred_labels",
    "products_of_columns",
    "sample_outcomes",
    "sample_scores",
    "sample_sums",
    "sample_trace_slopes",
    "saturating_rows",
    "saturating_sums",
    "score_sums",
    "selected_stratum_sums",
    "selected_sums",
    "selected_trace_slopes",
    "separate_curve_scores",
    "separate_curve_sums",
    "shares_of_kinds",
    "stratum_scores",
    "tilt_sums",
    "to_logit_pi",
    "trace_slopes",
]
