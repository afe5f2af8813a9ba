"""Scores for classifiers where no row is known to be negative, corrected for the positives among the unlabelled."""

from pugam.metrics.decisions import accuracy_score, balanced_accuracy_score, f1_score, precision_score, recall_score
from pugam.metrics.probabilities import brier_score_loss, log_loss
from pugam.metrics.ranking import average_precision_score, roc_auc_score
from pugam.metrics.scorers import scorer

__all__ = [
    "accuracy_score",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "f1_score",
    "log_loss",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "scorer",
]
