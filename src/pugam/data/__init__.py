"""Tables and labels in: any data frame or array becomes checked NumPy columns."""

from pugam.data.arguments import read_flag, read_names
from pugam.data.arrays import LARGEST_EXACT, as_array, is_missing
from pugam.data.copies import find_copies
from pugam.data.digests import digest, join_digests
from pugam.data.frames import frame_columns, make_frame, row_index, row_names, series_at
from pugam.data.giveaways import Giveaway, find_giveaways
from pugam.data.labels import Labels, read_labels, read_weights, require_both_kinds
from pugam.data.negatives import read_negatives, require_unlabelled
from pugam.data.parts import NO_COLUMNS, LabelPart, Part, read_label_part, read_part, rows_renumbered
from pugam.data.positive_kinds import FEWEST_LABELLED, PositiveKinds, RareKinds, number_kinds, read_kinds
from pugam.data.roles import (
    NO_ROLES,
    SampleRoles,
    contradiction,
    find_sample,
    require_name,
    require_several,
    sample_name,
)
from pugam.data.samples import ALL_ROWS, SampledRows, names_without_rows, read_samples, tell_samples
from pugam.data.surveys import SurveyRows, effective_weights, number_labels, read_survey
from pugam.data.tables import (
    Column,
    ColumnKind,
    Table,
    numbered_names,
    open_frame,
    read_table,
    require_exact,
    require_numeric,
)
from pugam.data.written import Levels, is_written, value_of

__all__ = [
    "ALL_ROWS",
    "FEWEST_LABELLED",
    "LARGEST_EXACT",
    "NO_COLUMNS",
    "NO_ROLES",
    "Column",
    "ColumnKind",
    "Giveaway",
    "LabelPart",
    "Labels",
    "Levels",
    "Part",
    "PositiveKinds",
    "RareKinds",
    "SampleRoles",
    "SampledRows",
    "SurveyRows",
    "Table",
    "as_array",
    "contradiction",
    "digest",
    "effective_weights",
    "find_copies",
    "find_giveaways",
    "find_sample",
    "frame_columns",
    "is_missing",
    "is_written",
    "join_digests",
    "make_frame",
    "names_without_rows",
    "number_kinds",
    "number_labels",
    "numbered_names",
    "open_frame",
    "read_flag",
    "read_kinds",
    "read_label_part",
    "read_labels",
    "read_names",
    "read_negatives",
    "read_part",
    "read_samples",
    "read_survey",
    "read_table",
    "read_weights",
    "require_both_kinds",
    "require_exact",
    "require_name",
    "require_numeric",
    "require_several",
    "require_unlabelled",
    "row_index",
    "row_names",
    "rows_renumbered",
    "sample_name",
    "series_at",
    "tell_samples",
    "value_of",
]
