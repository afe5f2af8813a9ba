"""Saved models, checked on load, from which a fitted model comes back whole; and scorers for places without pugam."""

from pugam.storage.document import FORMAT_VERSION, from_json, to_json
from pugam.storage.json_text import MOST_BYTES
from pugam.storage.positive_kinds import StoredKinds, kinds_to_json, read_saved
from pugam.storage.python_scorer import write_python
from pugam.storage.scorer import RATIO, Scorer
from pugam.storage.sql_scorer import write_sql
from pugam.storage.stored import Provenance, StoredModel

__all__ = [
    "FORMAT_VERSION",
    "MOST_BYTES",
    "RATIO",
    "Provenance",
    "Scorer",
    "StoredKinds",
    "StoredModel",
    "from_json",
    "kinds_to_json",
    "read_saved",
    "to_json",
    "write_python",
    "write_sql",
]
