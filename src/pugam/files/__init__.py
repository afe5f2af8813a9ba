"""Tables in files: CSV and Parquet, read whole or in batches, written never half; and lines that survive a kill."""

from pugam.files.cells import MISSING_WORDS
from pugam.files.folders import look_into
from pugam.files.formats import NO_TYPES, Kind, format_of, is_text, nearest_name
from pugam.files.identity import known_as, require_once
from pugam.files.lines import append_line, drop_torn_line, read_lines, working_alone
from pugam.files.opening import DataFile, open_file, require_text_name
from pugam.files.replacing import replacing
from pugam.files.stamps import stamp_of
from pugam.files.writing import TableWriter, open_writer

__all__ = [
    "MISSING_WORDS",
    "NO_TYPES",
    "DataFile",
    "Kind",
    "TableWriter",
    "append_line",
    "drop_torn_line",
    "format_of",
    "is_text",
    "known_as",
    "look_into",
    "nearest_name",
    "open_file",
    "open_writer",
    "read_lines",
    "replacing",
    "require_once",
    "require_text_name",
    "stamp_of",
    "working_alone",
]
