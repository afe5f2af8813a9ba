"""`pugam demo`: a real data set from table to report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pugam.command_line.options import Quiet, say
from pugam.command_line.wording import in_flags
from pugam.errors import InputError
from pugam.extras import MATPLOTLIB, is_there, remedy
from pugam.files import open_writer, replacing
from pugam.progress import Waiting

if TYPE_CHECKING:
    from pugam.estimator import PUGAM

__all__ = ["demo"]

PICTURES = "effects", "diagnosis"


def demo(
    out: Annotated[Path, typer.Option(help="Folder for table, model, pictures and report.")] = Path("demo"),
    quiet: Quiet = False,
) -> None:
    """Find hidden malignant tumours: fit a real table in which half of the positive labels are masked.

    Example:

    pugam demo --out demo
    """
    import numpy as np
    import pyarrow as pa

    from pugam.datasets import load_tumours
    from pugam.estimator import PUGAM
    from pugam.version import __version__

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {out} cannot be a folder: {error.strerror}; choose another.") from None
    tumours = load_tumours()
    table, page, saved = out / "tumours.csv", out / "report.html", out / "model.json"
    _require_no_other(table, page, saved, *(out / f"{name}.png" for name in PICTURES))
    rows = pa.RecordBatch.from_pandas(tumours.X.assign(diagnosed=tumours.z.astype(int)), preserve_index=False)
    with open_writer(table, rows.schema) as writer:
        writer.write(rows)
    command = f"pugam fit {table.name} --label diagnosed --out {saved.name} --report {page.name}"

    show = False if quiet else None
    with Waiting("fitting", show):
        model = PUGAM().fit(tumours.X, tumours.z)
        diagnosis = model.diagnose()
    hidden = tumours.y[~tumours.z]
    posterior = model.predict_proba(tumours.X)[~tumours.z, 1]
    say(f"{len(tumours.y)} tumours: {tumours.z.sum()} diagnosed malignant, {len(hidden)} undiagnosed.")
    say(f"Share of malignant tumours among the undiagnosed, pi = {model.pi_interval()}", strong=True)
    say(f"  the same from the profile of the likelihood:       {diagnosis.profile_interval}")
    say(f"  the truth behind the mask: {hidden.mean():.3f}")
    say(f"  rows on the right side of one half: {np.mean((posterior > 0.5) == hidden):.1%}")
    if not quiet:
        say(f"\n{model.summary().told(in_flags)}\n\n{diagnosis.in_words(words=in_flags)}\n")
    drawn = _draw(model, diagnosis, out)
    model.save(saved, command=command, data={"source": table.name, "label": "diagnosed"})
    model.report(
        page,
        title="Hidden malignant tumours",
        about={"Data": f"{table.name}: scikit-learn's breast cancer table, half of the malignant labels masked"},
        repeat={"Command": command, "Version": f"pugam {__version__}"},
        words=in_flags,
        progress=show,
    )
    for line in drawn:
        say(line)
    say(f"Table and model:                     {table}, {saved}")
    say(f"The report, to open in a browser:    {page}", strong=True)
    say(f"\nThe same with a table of your own:   {_program()} fit {table} --label diagnosed --report report.html")


def _require_no_other(table: Path, *others: Path) -> None:
    """Refuse to replace files that no earlier demo wrote: its table would lie beside them."""
    there = [path for path in others if path.exists()]
    if there and not table.exists():
        raise InputError(
            f"--out {table.parent} holds {there[0].name}, which the demo would replace; choose another folder."
        )


def _draw(model: PUGAM, diagnosis: Any, out: Path) -> list[str]:
    """Draw two pictures, where that can be done, and say where they are."""
    if not is_there(MATPLOTLIB):
        return [f"Pictures need matplotlib:            {remedy(MATPLOTLIB)}"]
    for figure, name in zip((model.plot(), model.plot("diagnosis", diagnosis=diagnosis)), PICTURES, strict=True):
        with replacing(out / f"{name}.png") as temporary:
            figure.savefig(temporary, dpi=120)
    return [
        f"Effects, with 95% bands:             {out / 'effects.png'}",
        f"Profile of pi, and calibration:      {out / 'diagnosis.png'}",
    ]


def _program() -> str:
    """The command line as it was called: after `make demo` it is not on the path."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "pugam" else "pugam"
