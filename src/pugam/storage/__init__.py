"""Saved models: one JSON file that people can read, checked on load, from which a fitted model comes back whole."""

from pugam.storage.document import FORMAT_VERSION, from_json, to_json
from pugam.storage.json_text import MOST_BYTES
from pugam.storage.stored import Provenance, StoredModel

__all__ = ["FORMAT_VERSION", "MOST_BYTES", "Provenance", "StoredModel", "from_json", "to_json"]
