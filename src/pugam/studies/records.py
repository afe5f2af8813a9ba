"""Records of replicates, one line of JSON each, appended as they come: a killed run loses but the last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pugam.errors import InputError
from pugam.files import append_line, drop_torn_line, read_lines
from pugam.messages import Argument

__all__ = ["Cell", "Record", "RecordFile"]

Cell = tuple[int | float | str, ...]
Record = dict[str, Any]


class RecordFile:
    """The records of one experiment in a folder, by cell and number of the replicate.

    The first line says under which conditions the records were made; others are refused. A line that was cut off by a
    killed run is dropped.

    Parameters
    ----------
    path : Path
    conditions : mapping
        Whatever the records depend on, apart from cell and replicate.
    """

    def __init__(self, path: Path, conditions: Mapping[str, Any]) -> None:
        self.path = path
        self._records: dict[tuple[Cell, int], Record] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        drop_torn_line(path)
        lines = read_lines(path)
        if lines:
            self._require_same_conditions(lines[0], conditions)
        else:
            append_line(path, {"conditions": dict(conditions)})
        for line in lines[1:]:
            self._keep(line)

    def __contains__(self, place: tuple[Cell, int]) -> bool:
        return place in self._records

    def __getitem__(self, place: tuple[Cell, int]) -> Record:
        return self._records[place]

    def append(self, cell: Cell, replicate: int, record: Record) -> None:
        """Keep a record, in the file too."""
        line = {"cell": list(cell), "replicate": replicate, "record": record}
        append_line(self.path, line)
        # Kept as it will be read: a resumed run must see the very same values.
        self._keep(json.loads(json.dumps(line)))

    def _keep(self, line: dict[str, Any]) -> None:
        self._records[tuple(line["cell"]), line["replicate"]] = line["record"]

    def _require_same_conditions(self, first_line: dict[str, Any], conditions: Mapping[str, Any]) -> None:
        found = first_line["conditions"]
        for name in sorted({*found, *conditions}):
            if found.get(name) != conditions.get(name):
                raise InputError(
                    f"{self.path} holds records made with {name} = {found.get(name)!r}, not {conditions.get(name)!r}; "
                    "give another folder as ",
                    Argument("out"),
                    ", or delete that file.",
                )
