"""From estimates to uncertainty: covariances, intervals, bands, tests, the bootstrap, diagnosis."""

from pugam.inference.audit_findings import AuditedShare, contradicting
from pugam.inference.audits import check_audits
from pugam.inference.best_bin import BestBin
from pugam.inference.bootstrap import Bootstrap, BootstrapKind, require_kind, run_bootstrap
from pugam.inference.calibration import Calibration
from pugam.inference.changes import Changes, Curves, change_columns, compare_effects, curve_columns_of, share_change
from pugam.inference.column_digests import QUANTILES, ColumnDigest, digest_columns
from pugam.inference.common_curves import CurveTest, CurveTests, compare_curves
from pugam.inference.covariance import (
    bayesian_covariance,
    frequentist_covariance,
    in_alpha,
    intercept_covariance,
    posterior_errors,
    share_and_intercept_covariance,
)
from pugam.inference.description import assumed_of_samples
from pugam.inference.diagnosis import (
    Diagnosis,
    diagnose_fit,
    find_separating,
    follow_pi,
)
from pugam.inference.drift import Drift, ShareOfRows, column_drift, drift_columns, share_of_rows
from pugam.inference.effects import (
    Center,
    Scale,
    centered_curves,
    contrast,
    curve_columns,
    default_grid,
    effect_table,
    known_curve,
    standard_errors,
    term_center,
)
from pugam.inference.explanations import Contributions, ShareKnown, explain_rows, with_average
from pugam.inference.findings import Finding, NotConverged
from pugam.inference.first_look import first_look, not_converged
from pugam.inference.hypotheses import (
    HypothesisTest,
    Null,
    fourier_test,
    known_test,
    read_null,
    refit_under_null,
    wald_test,
)
from pugam.inference.importance import (
    Importance,
    OrderName,
    TermMoments,
    effect_spreads,
    measure_importance,
    measure_terms,
)
from pugam.inference.intervals import USUAL_LEVEL, Interval, RatioInterval, normal_quantile, wald_interval_log
from pugam.inference.kind import Inference
from pugam.inference.kind_diagnosis import KindDiagnoses
from pugam.inference.kind_shares import (
    KindLimits,
    kind_posteriors,
    of_found_kinds,
    rows_left,
    share_correlation,
    worst_verdict,
)
from pugam.inference.kinds import inference_of, make_inference, profile_of
from pugam.inference.labelling_bounds import LabellingBounds, bound_labelling
from pugam.inference.labelling_test import LabellingTest, score_labelling
from pugam.inference.labels import preference_of
from pugam.inference.model_comparison import (
    ComparedModel,
    ModelComparison,
    NestedTest,
    require_same_rows,
    what_is_left_out,
)
from pugam.inference.model_error import ALLOWING, allow_for_model_error
from pugam.inference.omnibus import Omnibus
from pugam.inference.pair_test import PairTest
from pugam.inference.pooling import FEWEST_POOLED, pool_shares
from pugam.inference.predictions import logits_of_rows, posterior_limits, posteriors_of_rows
from pugam.inference.profile import PiProfile, profile_interval
from pugam.inference.ranked_rows import RankedRows
from pugam.inference.resampling import Resampling, make_resampling, read_groups, resample_survey, with_negatives
from pugam.inference.rows_of_samples import (
    excess_variances,
    moved_shares,
    shares_by_others,
    shares_of_rows,
    unaudited_rows,
    unlabelled_rows,
)
from pugam.inference.rows_tested import choose_rows
from pugam.inference.sample_positives import PositivesTest, compare_positives
from pugam.inference.sensitivity import Sensitivity, fix_pi, values_around
from pugam.inference.shapes import draw_parameters, shaped_covariance
from pugam.inference.share_tests import EqualShares, ShareDifference, compare_shares, equality_test
from pugam.inference.shares import judge_share, samples_of, share_interval
from pugam.inference.smoothing_uncertainty import curve_covariance
from pugam.inference.surveys import know_survey
from pugam.inference.term_checks import TermChecks, check_fit
from pugam.inference.verdict import ALPHA, DOUBTS, NEEDS_NO_CAVEAT, WELL, Verdict, headline
from pugam.inference.worklists import Worklist, lengths_of_reviews, said_lengths, yield_columns
from pugam.inference.yields import Limits, ModelErrors, Yields, expected_yields

__all__ = [
    "ALLOWING",
    "ALPHA",
    "DOUBTS",
    "FEWEST_POOLED",
    "NEEDS_NO_CAVEAT",
    "QUANTILES",
    "USUAL_LEVEL",
    "WELL",
    "AuditedShare",
    "BestBin",
    "Bootstrap",
    "BootstrapKind",
    "Calibration",
    "Center",
    "Changes",
    "ColumnDigest",
    "ComparedModel",
    "Contributions",
    "CurveTest",
    "CurveTests",
    "Curves",
    "Diagnosis",
    "Drift",
    "EqualShares",
    "Finding",
    "HypothesisTest",
    "Importance",
    "Inference",
    "Interval",
    "KindDiagnoses",
    "KindLimits",
    "LabellingBounds",
    "LabellingTest",
    "Limits",
    "ModelComparison",
    "ModelErrors",
    "NestedTest",
    "NotConverged",
    "Null",
    "Omnibus",
    "OrderName",
    "PairTest",
    "PiProfile",
    "PositivesTest",
    "RankedRows",
    "RatioInterval",
    "Resampling",
    "Scale",
    "Sensitivity",
    "ShareDifference",
    "ShareKnown",
    "ShareOfRows",
    "TermChecks",
    "TermMoments",
    "Verdict",
    "Worklist",
    "Yields",
    "allow_for_model_error",
    "assumed_of_samples",
    "bayesian_covariance",
    "bound_labelling",
    "centered_curves",
    "change_columns",
    "check_audits",
    "check_fit",
    "choose_rows",
    "column_drift",
    "compare_curves",
    "compare_effects",
    "compare_positives",
    "compare_shares",
    "contradicting",
    "contrast",
    "curve_columns",
    "curve_columns_of",
    "curve_covariance",
    "default_grid",
    "diagnose_fit",
    "digest_columns",
    "draw_parameters",
    "drift_columns",
    "effect_spreads",
    "effect_table",
    "equality_test",
    "excess_variances",
    "expected_yields",
    "explain_rows",
    "find_separating",
    "first_look",
    "fix_pi",
    "follow_pi",
    "fourier_test",
    "frequentist_covariance",
    "headline",
    "in_alpha",
    "inference_of",
    "intercept_covariance",
    "judge_share",
    "kind_posteriors",
    "know_survey",
    "known_curve",
    "known_test",
    "lengths_of_reviews",
    "logits_of_rows",
    "make_inference",
    "make_resampling",
    "measure_importance",
    "measure_terms",
    "moved_shares",
    "normal_quantile",
    "not_converged",
    "of_found_kinds",
    "pool_shares",
    "posterior_errors",
    "posterior_limits",
    "posteriors_of_rows",
    "preference_of",
    "profile_interval",
    "profile_of",
    "read_groups",
    "read_null",
    "refit_under_null",
    "require_kind",
    "require_same_rows",
    "resample_survey",
    "rows_left",
    "run_bootstrap",
    "said_lengths",
    "samples_of",
    "score_labelling",
    "shaped_covariance",
    "share_and_intercept_covariance",
    "share_change",
    "share_correlation",
    "share_interval",
    "share_of_rows",
    "shares_by_others",
    "shares_of_rows",
    "standard_errors",
    "term_center",
    "unaudited_rows",
    "unlabelled_rows",
    "values_around",
    "wald_interval_log",
    "wald_test",
    "what_is_left_out",
    "with_average",
    "with_negatives",
    "worst_verdict",
    "yield_columns",
]
