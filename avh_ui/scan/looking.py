"""Looking at files nobody described: which are the batches of one table, where their ids stand, how they are written."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path

from avh_ui.config import Source
from avh_ui.config_places import check_places, has_place
from avh_ui.errors import BatchNotFoundError, SourceError, ended, nearest
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import sort_batches
from avh_ui.scan.dates_in_names import year_last
from avh_ui.scan.epochs import are_epochs
from avh_ui.scan.file_names import FORMATS, OneFile, file_of, without_endings
from avh_ui.scan.listing import FileListing
from avh_ui.scan.looking_above import tables_above
from avh_ui.scan.looking_files import SeenTable, UnnamedBatchesError, batch_column, written, written_at, written_together
from avh_ui.scan.looking_folders import AGAIN, named_by, split_name, tables_of_folder
from avh_ui.scan.looking_inside import ids_at
from avh_ui.scan.looking_twins import with_twins
from avh_ui.scan.looking_whole import overwritten, tables_of_parts

# `year={year}` of a path says nothing beside its place.
_PLACED = re.compile(r"(\w+=)?\{\w+\}")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class Looked:
    """The `tables` that were seen, and of each file that is `left_out` why it is no table, as a sentence."""

    tables: tuple[SeenTable, ...]
    left_out: tuple[str, ...] = ()


def look(paths: Sequence[Path]) -> Looked:
    """The tables that files and folders hold, in their order.

    Files whose names differ in a date alone are the batches of one table; so are those that differ in a number, or stand together and
    have the same columns. A folder is looked into: partitions (`day=2026-01-31/`) and folders with dates are batches. One file alone is
    cut by the column that holds a few dates; where none does it is left out beside other tables (a list of codes, a README), and alone
    taken as overwritten by each delivery.
    Files in several such folders (`day=*/*.csv`) are the batches of the table that the folders are, where it holds no others; the parts of
    a Spark job are one table. A path that has places already (`d/{date}.csv`) is taken as it is.
    `BatchNotFoundError` for a path that is not there, `SourceError` where no batch is seen.
    """
    found: list[SeenTable] = []
    files: list[OneFile] = []
    templates = [path for path in paths if not path.exists() and has_place(str(path))]
    found += map(_as_written, templates)
    present = [path for given in paths if given not in templates for path in _present(given)]
    unread: list[SourceError] = []
    for path in (path for path in present if path.is_dir()):
        try:
            seen, inside = tables_of_folder(path)
        except SourceError as error:
            unread.append(error)
            continue
        found += seen
        files += inside
    above, others = tables_above([path for path in present if not path.is_dir() and not path.name.startswith((".", "_"))])
    found += above
    files += map(file_of, others)
    of_parts, files, damaged = tables_of_parts(files)
    tables, odd = _tables(files)
    found, odd = [*found, *of_parts, *tables], [*unread, *damaged, *odd]
    if not found and odd:
        if len(files) == 1 and isinstance(odd[0], UnnamedBatchesError):
            return Looked((*_named([overwritten(files[0])]),))
        raise odd[0]
    if not found:
        for path in (inside for given in paths if given.is_dir() for inside in sorted(given.iterdir()) if not inside.is_dir()):
            file_of(path)  # says what to do with one of its kind
        raise SourceError(f"There is no data file in {', '.join(map(str, paths))}.", hint=f"Looked for {', '.join(FORMATS)}.")
    return Looked(tuple(_named(with_twins(found))), tuple(f"{error.message} {error.hint}".strip() for error in odd))


def _as_written(template: Path) -> SeenTable:
    """The table of a path that says itself where the ids of its batches stand."""
    try:
        check_places(str(template), "")
    except ValueError as error:
        raise SourceError(ended(str(error))) from error
    listing = FileListing(Source(path=str(template.absolute())), template.parent)
    if not (batches := listing.batches()):
        above = next(folder for folder in template.parents if not has_place(str(folder)))
        raise BatchNotFoundError(f"No file is at {template}.", hint=nearest(template.name, (p.name for p in above.iterdir())))
    newest = listing.locate(batches[-1]).parts
    if not newest:
        raise SourceError(f"The newest batch of {template}, {batches[-1]}, holds no file.", hint="Write one to it first.")
    one = file_of(Path(newest[0].path))
    look = written_at(template, batches, one.path)
    unplaced = (_PLACED.sub(" ", without_endings(part)).strip(" _-.*") for part in template.parts[::-1])
    name = next(filter(None, unplaced), one.folder.name)
    return SeenTable(name, one.format, str(template), tuple(batches), (), look.options, look.remarks, look.fields)


def _present(path: Path) -> list[Path]:
    """The path, or what it stands for where it is a pattern that no shell has expanded (`"data/*.csv"` in quotes)."""
    if path.exists():
        return [path]
    if expanded := sorted(Path(name) for name in glob(str(path))):  # noqa: PTH207 (absolute, too)
        return expanded
    if not path.parent.is_dir():
        raise BatchNotFoundError(f"{path} is not there.", hint=f"There is no folder {path.parent}.")
    beside = [p.name for p in path.parent.iterdir()]
    raise BatchNotFoundError(f"{path} is not there.", hint=nearest(path.name, beside) if beside else "Its folder is empty.")


def _named(found: list[SeenTable]) -> Iterator[SeenTable]:
    """Each under a name of its own, in letters without accents."""
    taken: set[str] = set()
    for seen in found:
        letters = "".join(c for c in unicodedata.normalize("NFKD", seen.name) if not unicodedata.combining(c))
        plain = _NOT_IN_NAMES.sub("_", letters).strip("_").lower() or "table"
        name = next(name for n in range(1, len(found) + 2) if (name := plain if n == 1 else f"{plain}_{n}") not in taken)
        taken.add(name)
        yield replace(seen, name=name)


def _tables(files: Sequence[OneFile]) -> tuple[list[SeenTable], list[SourceError]]:
    """The tables of single files, and why others are none."""
    found, left_out, others = _years_last(files)
    by_name: dict[tuple[Path, str, str, str], list[tuple[str, OneFile]]] = defaultdict(list)
    rest: list[OneFile] = []
    for one in others:
        parts = split_name(one.stem)
        if parts is None:
            rest.append(one)
        else:
            by_name[one.folder, parts[0], parts[2], one.endings].append((parts[1], one))
    again, nameless = _again(by_name), dict[OneFile, SourceError]()
    for (folder, before, after, endings), members in by_name.items():
        if len(members) == 1 and BatchDate.of(members[0][0]) is None:
            rest.append(members[0][1])  # `report7` beside no `report8` is a name
            continue
        batches = sort_batches({batch for batch, _ in members})
        by_id = dict(members)
        newest, empty = _filled([by_id[batch] for batch in batches])
        try:
            look = written_together([by_id[batch] for batch in batches], newest)
        except SourceError as error:
            left_out.append(error)
            continue
        name = f"{before} {after if before else AGAIN.sub('', after)}".strip(" _-.") or folder.resolve().name
        # `{batch}` would take what was delivered again for batches of its own.
        dated = again.get((folder, before, endings)) and all(map(_is_day, batches))
        epochs = are_epochs(batches)
        path = str(folder / f"{before}{'{date}' if dated else '{epoch}' if epochs else '{batch}'}{after}{endings}")
        batches = list(ids_at(Path(path))) if epochs else batches
        remarks = (*look.remarks, *empty)
        found.append(SeenTable(name, newest.format, path, tuple(batches), (), look.options, remarks, look.fields))
        nameless |= _without_id(others, before, after, batches, newest)
    # `report7` is of `report8`, and not without an id beside `report7 (1)`.
    nameless = {one: error for one, error in nameless.items() if one in rest}
    more, odd = _undated([one for one in rest if one not in nameless])
    return [*found, *more], [*left_out, *nameless.values(), *(error for errors in again.values() for error in errors), *odd]


def _again(by_name: dict[tuple[Path, str, str, str], list[tuple[str, OneFile]]]) -> dict[tuple[Path, str, str], list[SourceError]]:
    """Takes out what is a batch of another table delivered again, by its name; by what names that table, what is said of each.

    That table's names say nothing of it (`orders-2026-01-31`), or are those of most batches (`_v1` beside a few `_v2`).
    """
    said: dict[tuple[Path, str, str], list[SourceError]] = defaultdict(list)
    for folder, before, after, endings in list(by_name):
        plain = AGAIN.sub("", after)
        alike = [key for key in by_name if key[0] == folder and key[1] == before and key[3] == endings and AGAIN.sub("", key[2]) == plain]
        first = max(alike, key=lambda key: (key[2] == plain, len(by_name[key]), key[2] < after))
        members = by_name[folder, before, after, endings]
        there = {batch for batch, _ in by_name[first]} if first[2] != after else set()
        if there and all(batch in there for batch, _ in members):
            said[folder, before, endings] += (_delivered_again(one, f"batch {batch}") for batch, one in members)
            del by_name[folder, before, after, endings]
    return said


def _without_id(files: Sequence[OneFile], before: str, after: str, batches: Sequence[str], newest: OneFile) -> dict[OneFile, SourceError]:
    """Of files those that are by their name and columns of a table whose other names have an id (`report.csv` beside `report (1).csv`),
    with what is said of each.
    """
    first = int(batches[0]) - 1 if batches[0].isdecimal() and BatchDate.of(batches[0]) is None else -1
    hint = "Give its name the id of its batch, as the others have, and it is one of them."
    if first >= 0:
        hint = f"Name it {before}{str(first).zfill(len(batches[0]))}{after}{newest.endings}, and it is the first of them."
    where = newest.folder, newest.endings, before.rstrip(" _-.(")
    return {
        one: SourceError(
            f"{one.path} seems to be of the table whose batches are {batches[0]} to {batches[-1]}: its name has no id.", hint=hint
        )
        for one in files
        if (one.folder, one.endings, one.stem) == where and _columns(one) == _columns(newest)
    }


def _columns(one: OneFile) -> tuple[str, ...]:
    """The names of a file's columns; none of what cannot be read."""
    try:
        return written(one.path, one.format).columns
    except SourceError:
        return ()


def _delivered_again(one: OneFile, what: str) -> SourceError:
    return SourceError(
        f"{one.path} seems to be {what} delivered again.",
        hint="Put it in the place of the first, or judge it by `avh validate PIPELINE --input FILE --batch ID`.",
    )


def _is_day(batch: str) -> bool:
    """Whether `{date}` is such an id."""
    date = BatchDate.of(batch)
    return date is not None and date.period == "day" and date.marks["between"] in ("", "-")


def _filled(files: Sequence[OneFile]) -> tuple[OneFile, tuple[str, ...]]:
    """The newest of files in their order that holds a byte, and of those that hold none a sentence; the newest where none does."""
    empty = [one for one in files if not one.path.stat().st_size]
    if not empty or len(empty) == len(files):
        return files[-1], ()
    named = empty[-1].path.name if len(empty) == 1 else f"{empty[-1].path.name} and {len(empty) - 1:,} more"
    filled = next(one for one in reversed(files) if one not in empty)
    unless = "unless `severities: {empty: off}` of the pipeline says that it may be so"
    return filled, (f"{named} hold{'s' * (len(empty) == 1)} no byte: a validation of such a batch fails, {unless}.",)


def _years_last(files: Sequence[OneFile]) -> tuple[list[SeenTable], list[SourceError], list[OneFile]]:
    """The tables of files whose names hold a date with its year last, what is said of those that are left out, and the other files."""
    beside: dict[tuple[Path, str], dict[str, OneFile]] = defaultdict(dict)
    for one in files:
        beside[one.folder, one.endings][one.stem] = one
    found: list[SeenTable] = []
    left_out: list[SourceError] = []
    for (folder, endings), by_stem in beside.items():
        tables = year_last(list(by_stem))
        for template, stems in tables.items():
            first = set(tables.get(AGAIN.sub("", template), ())) - set(stems)
            if all(AGAIN.sub("", stem) in first for stem in stems):
                left_out += (_delivered_again(by_stem.pop(stem), f"{AGAIN.sub('', stem)}{endings}") for stem in stems)
                continue
            members = [by_stem.pop(stem) for stem in stems]
            newest = members[-1]
            try:
                look = written_together(members, newest)
            except SourceError as error:
                left_out.append(error)
                continue
            path, name = folder / (template + endings), named_by(template, folder)
            found.append(SeenTable(name, newest.format, str(path), ids_at(path), (), look.options, look.remarks, look.fields))
    return found, left_out, [one for one in files if one.stem in beside[one.folder, one.endings]]


def _undated(files: Sequence[OneFile]) -> tuple[list[SeenTable], list[SourceError]]:
    """Files that stand together and have the same columns are batches of one table; each of the others is cut by a column."""
    beside: dict[tuple[Path, str, tuple[str, ...]], list[OneFile]] = defaultdict(list)
    found: list[SeenTable] = []
    odd: list[SourceError] = []
    for one in files:
        try:
            beside[one.folder, one.endings, written(one.path, one.format).columns].append(one)
        except SourceError as error:
            odd.append(error)
    for (folder, endings, _), members in beside.items():
        look = written_together(members, members[-1])
        if len(members) > 1:
            name, batches = folder.resolve().name, tuple(sort_batches(one.stem for one in members))
            path = str(folder / f"{{batch}}{endings}")
            found.append(SeenTable(name, members[0].format, path, batches, (), look.options, look.remarks, look.fields))
            continue
        one = members[0]
        try:
            cut = batch_column(one.path, one.format)
        except SourceError as error:
            odd.append(error)
        else:
            remarks = (*look.remarks, *cut.remarks)
            found.append(SeenTable(one.stem, one.format, str(one.path), cut.batches, (cut.name,), look.options, remarks, look.fields))
    return found, odd
