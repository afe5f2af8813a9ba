"""Saved models: one JSON file that people can read, checked on load, from which a fitted model comes back whole."""

from pugam.storage.document import FORMAT_VERSION, from_json, to_json
from pugam.storage.json_text import MOST_BYTES
from pugam.storage.positive_kinds import StoredKinds, kinds_to_json, read_saved
from pugam.storage.stored import Provenance, StoredModel

__all__ = [
    "FORMAT_VERSION",
    "MOST_BYTES",
    "Provenance",
    "StoredKinds",
    "StoredModel",
    "from_json",
    "kinds_to_json",
    "read_saved",
    "to_json",
]
