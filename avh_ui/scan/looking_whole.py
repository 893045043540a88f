"""What is one whole table though no name says its batches: the folder that a Spark job has written, in parts, and one file alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.history.series import sort_batches
from avh_ui.scan.file_names import OneFile
from avh_ui.scan.looking_files import BatchColumn, SeenTable, batch_column, written, written_together
from avh_ui.scan.snapshots import current

# `part-00000-3f1c2d4e-...-c000.snappy`, `part-00000`, `part-r-00000-...` of older ones.
_PART = re.compile(r"part-(r-)?\d{5}(-.*)?")
_NOW = (
    "so it is taken as overwritten by each delivery (batch: now): its batch is the day on which it is read. Profile it after each "
    "delivery; its profiles are the history."
)


def tables_of_parts(files: Sequence[OneFile]) -> tuple[list[SeenTable], list[OneFile], list[SourceError]]:
    """The tables of folders that hold nothing but parts, the files that are none, and why such a folder cannot be read."""
    beside: dict[Path, list[OneFile]] = defaultdict(list)
    for one in files:
        beside[one.folder].append(one)
    jobs = {folder: parts for folder, parts in beside.items() if all(map(_is_part, parts))}
    found: list[SeenTable] = []
    odd: list[SourceError] = []
    for folder, parts in jobs.items():
        try:
            found.append(_table(folder, parts))
        except SourceError as error:
            odd.append(error)
    return found, [one for one in files if one.folder not in jobs], odd


def _is_part(one: OneFile) -> bool:
    return _PART.fullmatch(one.stem) is not None


def _table(folder: Path, parts: Sequence[OneFile]) -> SeenTable:
    """Cut by the column that names batches in all parts; else taken as overwritten by each delivery."""
    filled = [one for one in parts if one.path.stat().st_size] or list(parts)
    look = written_together(filled, filled[-1])
    of = f"{len(parts):,} parts of one table, as a Spark job writes them: each is no batch"
    said, name = f"The folder holds {of if len(parts) > 1 else 'one part, as a Spark job writes it'}.", folder.resolve().name
    if cut := _cut(filled):
        batches = tuple(sort_batches({batch for one in cut for batch in one.batches}))
        remarks = (said, *look.remarks, *cut[0].remarks)
        return SeenTable(name, filled[0].format, str(folder), batches, (cut[0].name,), look.options, remarks, look.fields)
    above = "Where each delivery is a folder of its own, run `avh init` on the folder above them."
    source = Source(path=str(folder), batch=("now",))
    remarks = (said, f"No column names its batches, {_NOW}", above, *look.remarks)
    return SeenTable(name, filled[0].format, str(folder), (current(source),), source.batch, look.options, remarks, look.fields)


def overwritten(one: OneFile) -> SeenTable:
    """The table of a file that says nowhere when it was delivered."""
    look, source = written(one.path, one.format), Source(path=str(one.path), batch=("now",))
    said = (
        f"Neither its name nor a column of it names its batches, {_NOW}",
        "Where a column names the batches, write batch: COLUMN instead; where each delivery is kept, give each a name with its date "
        f"({one.stem}-{current(source)}{one.endings}) and run `avh init` on all.",
    )
    remarks = (*said, *look.remarks)
    return SeenTable(one.stem, one.format, str(one.path), (current(source),), source.batch, look.options, remarks, look.fields)


def _cut(parts: Sequence[OneFile]) -> list[BatchColumn]:
    """By part the column that names the batches, of all the same; [] where some part has no such column."""
    try:
        found = [batch_column(one.path, one.format) for one in parts]
    except SourceError:
        return []
    return found if len({one.name for one in found}) == 1 else []
