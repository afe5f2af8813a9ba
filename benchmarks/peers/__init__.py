"""Other estimators of the share of positives among unlabelled rows, each a `Method`, in the order of a table.

Six are written here from their papers; those named after a package (pip install '.[peers]' in the clone) go through it.
"""

from __future__ import annotations

from pugam.studies.answers import Method

from . import with_pu_toolbox, with_pulearn
from .best_bin import best_bin_estimation, transform_estimate_discard
from .dedpul import dedpul
from .elkan_noto import elkan_noto
from .kernel_mean import kernel_mean
from .scores import boosting_scores, forest_scores
from .tice import tice

__all__ = ["PEERS"]

PEERS: dict[str, Method] = {
    "Elkan-Noto": elkan_noto,
    "TIcE": tice,
    "KM2": kernel_mean,
    "DEDPUL (boosting)": dedpul(boosting_scores),
    "DEDPUL (forest)": dedpul(forest_scores),
    "BBE (boosting)": best_bin_estimation(boosting_scores),
    "BBE (forest)": best_bin_estimation(forest_scores),
    "TED^n-like (boosting)": transform_estimate_discard,
    "pulearn histogram match": with_pulearn.histogram_match,
    "pulearn SCAR EM": with_pulearn.scar_em,
    "pulearn Elkan-Noto (forest)": with_pulearn.elkan_noto_classifier,
    "pu-toolbox penL1": with_pu_toolbox.penalised_l1,
    "pu-toolbox KM1": with_pu_toolbox.km1,
    "pu-toolbox KM2": with_pu_toolbox.km2,
    "pu-toolbox KM2 (MMD width)": with_pu_toolbox.km2_widest,
    "pu-toolbox ReCPE": with_pu_toolbox.recpe,
    "pu-toolbox Elkan-Noto": with_pu_toolbox.elkan_noto_classifier,
}
