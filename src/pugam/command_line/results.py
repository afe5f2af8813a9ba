"""What a verb found, as JSON for a program that decides what to do next."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pugam.command_line.options import require_suffix
from pugam.command_line.wording import in_flags
from pugam.data import frame_columns
from pugam.files import replacing

if TYPE_CHECKING:
    from pugam.estimator import PUGAM
    from pugam.inference import Changes, Diagnosis, Drift, Interval

__all__ = ["Json", "changes_found", "drift_found", "fit_found", "require_json", "write_json"]

Json = Annotated[Path | None, typer.Option("--json", help="Write what was found for a program to read (.json).")]


def require_json(path: Path | None) -> None:
    """Refuse a name that would mislead, or that cannot be written."""
    if path is not None:
        require_suffix(path, ".json", "--json")


def write_json(path: Path | None, found: dict[str, Any]) -> None:
    """Write what was found, if it was asked for; numbers that are not finite become null."""
    if path is not None:
        with replacing(path) as temporary:
            text = json.dumps(_plain(found), ensure_ascii=False, allow_nan=False, indent=2)
            temporary.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def fit_found(model: PUGAM, interval: Interval, diagnosis: Diagnosis) -> dict[str, Any]:
    """The verdict, pi with its interval, and the findings behind the verdict, as values and in words."""
    return {
        "verdict": diagnosis.verdict,
        "pi": interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "level": interval.level,
        "interval": interval.method,
        "labelled": model.n0_,
        "unlabelled": model.n1_,
        "findings": list(_findings(diagnosis)),
    }


def drift_found(found: Drift) -> dict[str, Any]:
    """The columns that moved, and whether rows contradict the share asked for."""
    names, moved = (found.columns[name].to_pylist() for name in ("column", "moved"))
    return {
        "rows": found.n_rows,
        "not_scored": found.n_left_out,
        "moved": [name for name, has in zip(names, moved, strict=True) if has],
        "share": found.share.estimate,
        "lower": found.share.lower,
        "upper": found.share.upper,
        "level": found.share.level,
        "pi": found.pi,
        "pvalue": found.pvalue,
        "contradicts": found.contradicts,
    }


def changes_found(changes: Changes, before: PUGAM, now: PUGAM) -> dict[str, Any]:
    """Both shares and verdicts, the difference of the shares, and the largest difference of each effect."""
    share, columns = changes.share, frame_columns(changes.effects)
    names = ("term", "at", "old", "new", "difference", "se", "pvalue")
    rows = zip(*(columns[name] for name in names), strict=True)
    return {
        "old": {"pi": before.pi_, "verdict": before.verdict_},
        "new": {"pi": now.pi_, "verdict": now.verdict_},
        "difference": share.estimate,
        "lower": share.lower,
        "upper": share.upper,
        "level": share.level,
        "effects": [dict(zip(names, row, strict=True)) for row in rows],
    }


def _findings(diagnosis: Any) -> Iterator[dict[str, Any]]:
    """Findings, of the fit or of the fit of each kind of positives."""
    if hasattr(diagnosis, "diagnoses"):
        for name, one in zip(diagnosis.names, diagnosis.diagnoses, strict=True):
            yield from ({"of_kind": name, **finding} for finding in _findings(one))
        return
    for finding in diagnosis.findings:
        yield {"finding": type(finding).__name__, "values": asdict(finding), "said": finding.message.told(in_flags)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
