"""Tables in files: CSV and Parquet, read whole or in batches, and written so that no half-written file is left."""

from pugam.files.formats import NO_TYPES, Kind, is_text
from pugam.files.opening import DataFile, open_file
from pugam.files.replacing import replacing
from pugam.files.writing import TableWriter, open_writer

__all__ = ["NO_TYPES", "DataFile", "Kind", "TableWriter", "is_text", "open_file", "open_writer", "replacing"]
