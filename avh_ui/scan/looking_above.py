"""Files that a pattern (or a shell) names one by one, in folders that are batches: the table is what stands above these folders."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from avh_ui.config import Source
from avh_ui.config_places import has_place
from avh_ui.errors import SourceError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.scan.disk import without_dots
from avh_ui.scan.file_names import file_of, format_of
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.looking_files import SeenTable, written
from avh_ui.scan.looking_folders import tables_of_folder
from avh_ui.scan.looking_inside import ids_at

# A partition, or a number such as a year, a month or an hour.
_OF_A_BATCH = re.compile(r"[^=]+=.+|\d{1,4}")


def tables_above(files: Sequence[Path]) -> tuple[list[SeenTable], list[Path]]:
    """The tables whose batches are folders, or stand in them, and that hold none but these files; and the files of no such table.

    `data/year=*/month=*/*.csv` is so what the folder `data` is, and no table for each month.
    """
    by_root: dict[Path, list[Path]] = defaultdict(list)
    for path in files:
        by_root[_root(path)].append(path)
    found: list[SeenTable] = []
    others: list[Path] = []
    for root, members in by_root.items():
        tables = _tables(root, members) if len({path.parent for path in members}) > 1 else []
        found += tables
        others += [] if tables else members
    return found, others


def _root(path: Path) -> Path:
    """The folder above those whose names could be of a batch."""
    folder = path.parent
    while folder.name and (_OF_A_BATCH.fullmatch(folder.name) or BatchDate.of(folder.name)):
        folder = folder.parent
    return folder


def _tables(root: Path, members: Sequence[Path]) -> list[SeenTable]:
    """The tables of a folder that hold these files and no others, each file in one; none where files or tables are left."""
    asked = {without_dots(str(path.absolute())) for path in members}
    try:
        found = tables_of_folder(root)[0]
    except SourceError:
        return []
    held = [(seen, _held(seen)) for seen in found]
    inside = [(seen, paths) for seen, paths in held if paths <= asked]
    if set().union(*(paths for _, paths in inside)) == asked:
        return [seen for seen, _ in inside]
    narrow = (_narrowed(seen, members) for seen, paths in held if paths >= asked)
    return [seen for seen in narrow if seen and _held(seen) == asked][:1]


def _narrowed(seen: SeenTable, members: Sequence[Path]) -> SeenTable | None:
    """A table of which a batch is a folder, with these files of its folders alone, by their name or how it ends; None of others."""
    endings = {file_of(path).endings for path in members}
    whole = Path(seen.path)
    folder = whole if has_place(whole.name) else whole.parent
    if not has_place(folder.name) or seen.batch or len(endings) > 1:
        return None
    names = {path.name for path in members}
    newest = file_of(max(members))
    look = written(newest.path, newest.format)
    path = f"{folder}/{names.pop() if len(names) == 1 else f'*{newest.endings}'}"
    return SeenTable(seen.name, newest.format, path, ids_at(Path(path)), (), look.options, look.remarks, look.fields)


def _held(seen: SeenTable) -> set[str]:
    """The data files of a table, as absolute paths."""
    path = Path(seen.path)
    if not has_place(seen.path):
        return {without_dots(str(one.absolute())) for one in path.rglob("*") if one.is_file() and format_of(one.name)}
    listing = FileListing(Source(path=str(path.absolute())), path.parent)
    return {part.path for found in listing.locate_each(seen.batches) if isinstance(found, Files) for part in found.parts}
