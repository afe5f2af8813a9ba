"""Records of replicates, one line of JSON each, appended as they come: a killed run loses but the last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pugam.errors import InputError

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
        lines = self._whole_lines()
        if lines:
            self._require_same_conditions(json.loads(lines[0]), conditions)
        else:
            self._write({"conditions": dict(conditions)})
        for line in lines[1:]:
            self._keep(json.loads(line))

    def __contains__(self, place: tuple[Cell, int]) -> bool:
        return place in self._records

    def __getitem__(self, place: tuple[Cell, int]) -> Record:
        return self._records[place]

    def append(self, cell: Cell, replicate: int, record: Record) -> None:
        """Keep a record, in the file too."""
        line = {"cell": list(cell), "replicate": replicate, "record": record}
        self._write(line)
        # Kept as it will be read: a resumed run must see the very same values.
        self._keep(json.loads(json.dumps(line)))

    def _keep(self, line: dict[str, Any]) -> None:
        self._records[tuple(line["cell"]), line["replicate"]] = line["record"]

    def _whole_lines(self) -> list[str]:
        if not self.path.exists():
            return []
        text = self.path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            self.path.write_text(whole, encoding="utf-8")
        return whole.splitlines()

    def _write(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _require_same_conditions(self, first_line: dict[str, Any], conditions: Mapping[str, Any]) -> None:
        found = first_line["conditions"]
        for name in sorted({*found, *conditions}):
            if found.get(name) != conditions.get(name):
                raise InputError(
                    f"{self.path} holds records made with {name} = {found.get(name)!r}, not {conditions.get(name)!r}; "
                    "choose another folder with --out, or delete that file."
                )
