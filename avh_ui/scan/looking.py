"""Looking at files nobody described: which are the batches of one table, where their ids stand, how they are written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from glob import glob
from pathlib import Path

from avh_ui.config import Source
from avh_ui.config_places import DATE_PARTS, check_places, has_place
from avh_ui.errors import BatchNotFoundError, SourceError, ended, nearest
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import sort_batches
from avh_ui.scan.dates_in_names import year_last
from avh_ui.scan.listing import FileListing
from avh_ui.scan.looking_files import FORMATS, OneFile, batch_column, file_of, format_of, written

_PARTITION = re.compile(r"([^=/]+)=(.+)")
_LAST_NUMBER = re.compile(r"(.*?)(\d+)(\D*)")
# `year={year}` of a path says nothing beside its place.
_PLACED = re.compile(r"(\w+=)?\{\w+\}")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True)
class SeenTable:
    """What one table looks like: its `name`, the source's `format`, `path` (with `{batch}` where the ids stand; of a `table` its name), the
    columns of `batch`, the reader's `options`, the columns with a decimal comma (`commas`), the ids of the `batches` in natural order, and
    `remarks` on what is not as it should be, in sentences.
    """

    name: str
    format: str
    path: str
    batches: tuple[str, ...]
    batch: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    commas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Looked:
    """The `tables` that were seen, and of each file that is `left_out` why it is no table, as a sentence."""

    tables: tuple[SeenTable, ...]
    left_out: tuple[str, ...] = ()


def look(paths: Sequence[Path]) -> Looked:
    """The tables that files and folders hold, in their order.

    Files whose names differ in a date alone are the batches of one table; so are those that differ in a number, or stand together and
    have the same columns. A folder is looked into: partitions (`day=2026-01-31/`) and folders with dates are batches. One file alone is
    cut by the column that holds a few dates, and left out where none does and other tables are seen: a list of codes beside them, a README.
    A path that has places already (`d/{date}.csv`) is taken as it is.
    `BatchNotFoundError` for a path that is not there, `SourceError` where no batch is seen.
    """
    found: list[SeenTable] = []
    files: list[OneFile] = []
    templates = [path for path in paths if not path.exists() and has_place(str(path))]
    found += map(_as_written, templates)
    for path in (present for given in paths if given not in templates for present in _present(given)):
        if path.is_dir():
            seen, inside = _folder(path)
            found += seen
            files += inside
        elif not path.name.startswith((".", "_")):
            files.append(file_of(path))
    tables, odd = _tables(files)
    found += tables
    if not found and odd:
        raise odd[0]
    if not found:
        raise SourceError(f"There is no data file in {', '.join(map(str, paths))}.", hint=f"Looked for {', '.join(FORMATS)}.")
    return Looked(tuple(_named(found)), tuple(error.message for error in odd))


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
    look = written(one.path, one.format)
    unplaced = (_PLACED.sub(" ", part.removesuffix(one.endings)).strip(" _-.*") for part in template.parts[::-1])
    name = next(filter(None, unplaced), one.folder.name)
    return SeenTable(name, one.format, str(template), tuple(batches), (), look.options, look.remarks, look.commas)


def _present(path: Path) -> list[Path]:
    """The path, or what it stands for where it is a pattern that no shell has expanded (`"data/*.csv"` in quotes)."""
    if path.exists():
        return [path]
    if expanded := sorted(Path(name) for name in glob(str(path))):  # noqa: PTH207 (absolute, too)
        return expanded
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise BatchNotFoundError(f"{path} is not there.", hint=nearest(path.name, beside))


def _named(found: list[SeenTable]) -> Iterator[SeenTable]:
    """Each under a name of its own."""
    taken: set[str] = set()
    for seen in found:
        plain = _NOT_IN_NAMES.sub("_", seen.name).strip("_").lower() or "table"
        name = next(name for n in range(1, len(found) + 2) if (name := plain if n == 1 else f"{plain}_{n}") not in taken)
        taken.add(name)
        yield replace(seen, name=name)


def _folder(path: Path) -> tuple[list[SeenTable], list[OneFile]]:
    """The tables of a folder whose batches are folders, or its files."""
    inside = sorted(p for p in path.iterdir() if not p.name.startswith((".", "_")))
    if (path / "_delta_log").is_dir():
        part = next((p for p in path.rglob("*.parquet") if "_delta_log" not in p.parts), None)
        if part is None:
            raise SourceError(f"The Delta table {path} holds no file.", hint="Write a batch to it first.")
        cut = batch_column(part, "parquet")
        remarks = ("Spark's Delta package reads it.", *cut.remarks)
        return [SeenTable(path.name, "delta", str(path), cut.batches, (cut.name,), remarks=remarks)], []
    folders = [p for p in inside if p.is_dir()]
    if not folders:
        return [], [file_of(p) for p in inside if p.is_file() and format_of(p.name)]
    if all(_PARTITION.fullmatch(p.name) for p in folders):
        return [_partitions(path, folders)], []
    last = year_last([p.name for p in folders])
    found = [_of_folders(_named_by(name, path), path / name, _ids(path / name), path / names[-1]) for name, names in last.items()]
    by_name: dict[tuple[str, str], list[str]] = defaultdict(list)
    for folder in folders:
        parts = _split(folder.name)
        if parts is not None and not any(folder.name in names for names in last.values()):
            by_name[parts[0], parts[2]].append(parts[1])
    for (before, after), ids in by_name.items():
        template = path / f"{before}{{batch}}{after}"
        found.append(_of_folders(before or path.name, template, ids, path / f"{before}{ids[-1]}{after}"))
    if not found:
        raise SourceError(f"The folders in {path} name no batches: {folders[0].name}.", hint="Name each by its date, or name the files.")
    return found, []


def _partitions(path: Path, folders: Sequence[Path]) -> SeenTable:
    names = {found[1] for p in folders if (found := _PARTITION.fullmatch(p.name))}
    if len(names) > 1:
        hint = "Name one folder whose partitions are of one column, e.g. day=2026-01-31."
        raise SourceError(f"The folders of {path} are partitions by several columns: {', '.join(sorted(names))}.", hint=hint)
    name = next(iter(names))
    below = next((p.name for p in folders[-1].iterdir() if p.is_dir() and _PARTITION.fullmatch(p.name)), "")
    if name.lower() in ("year", "y") and below:
        return _dated(path, folders[-1])
    ids = [p.name.partition("=")[2] for p in folders]
    if below and not any(map(BatchDate.of, ids)) and (deeper := _deeper(path, folders[-1])):
        return deeper
    return _of_folders(path.name, path / f"{name}={{batch}}", ids, folders[-1])


def _deeper(path: Path, newest: Path) -> SeenTable | None:
    """A table of partitions in which a column below the first is a date; None where none is."""
    depth = 1
    while inside := sorted(p for p in newest.iterdir() if p.is_dir() and _PARTITION.fullmatch(p.name)):
        newest, depth = inside[-1], depth + 1
        name, _, value = newest.name.partition("=")
        if BatchDate.of(value):
            ids = [p.name.partition("=")[2] for p in path.glob("/".join(["*=*"] * (depth - 1) + [f"{name}=*"]))]
            seen = _of_folders(path.name, path, ids, newest)
            return replace(seen, batch=(name,))
    return None


def _dated(path: Path, newest: Path) -> SeenTable:
    """Batches that several columns name together, year before month before day before hour: `year=2026/month=1/day=31`."""
    template = path
    for part in DATE_PARTS:
        found = _PARTITION.fullmatch(newest.name)
        if found is None or not found[1].lower().startswith(part[0]):
            break
        template = template / f"{found[1]}={{{part}}}"
        inside = sorted(p for p in newest.iterdir() if p.is_dir() and _PARTITION.fullmatch(p.name))
        if not inside:
            break
        newest = inside[-1]
    return _of_folders(path.name, template, _ids(template), newest)


def _of_folders(name: str, template: Path, ids: Sequence[str], newest: Path) -> SeenTable:
    """A table whose batches are folders, written as a file of the newest is."""
    part = next((p for p in sorted(newest.rglob("*")) if p.is_file() and not p.name.startswith((".", "_")) and format_of(p.name)), None)
    if part is None:
        raise SourceError(f"The folder {newest} holds no data file.", hint=f"Looked for {', '.join(FORMATS)}.")
    look = written(part, format_of(part.name))
    ids = tuple(sort_batches(set(ids)))
    return SeenTable(name, format_of(part.name), str(template), ids, (), look.options, look.remarks, look.commas)


def _tables(files: Sequence[OneFile]) -> tuple[list[SeenTable], list[SourceError]]:
    """The tables of single files, and why others are none."""
    found, others = _years_last(files)
    by_name: dict[tuple[Path, str, str, str], list[tuple[str, OneFile]]] = defaultdict(list)
    rest: list[OneFile] = []
    for one in others:
        parts = _split(one.stem)
        if parts is None:
            rest.append(one)
        else:
            by_name[one.folder, parts[0], parts[2], one.endings].append((parts[1], one))
    for (folder, before, after, endings), members in by_name.items():
        if len(members) == 1 and BatchDate.of(members[0][0]) is None:
            rest.append(members[0][1])  # `report7` beside no `report8` is a name
            continue
        batches = sort_batches({batch for batch, _ in members})
        newest = next(one for batch, one in members if batch == batches[-1])
        look = written(newest.path, newest.format)
        name = f"{before} {after}".strip(" _-.") or folder.resolve().name
        path = str(folder / f"{before}{{batch}}{after}{endings}")
        found.append(SeenTable(name, newest.format, path, tuple(batches), (), look.options, look.remarks, look.commas))
    more, odd = _undated(rest)
    return [*found, *more], odd


def _years_last(files: Sequence[OneFile]) -> tuple[list[SeenTable], list[OneFile]]:
    """The tables of files whose names hold a date with its year last, and the other files."""
    beside: dict[tuple[Path, str], dict[str, OneFile]] = defaultdict(dict)
    for one in files:
        beside[one.folder, one.endings][one.stem] = one
    found: list[SeenTable] = []
    for (folder, endings), by_stem in beside.items():
        for template, stems in year_last(list(by_stem)).items():
            newest = [by_stem.pop(stem) for stem in stems][-1]
            path, look = folder / (template + endings), written(newest.path, newest.format)
            name = _named_by(template, folder)
            found.append(SeenTable(name, newest.format, str(path), _ids(path), (), look.options, look.remarks, look.commas))
    return found, [one for one in files if one.stem in beside[one.folder, one.endings]]


def _ids(template: Path) -> tuple[str, ...]:
    """The batches of a path with the parts of a date."""
    return tuple(FileListing(Source(path=str(template.absolute())), template.parent).batches())


def _named_by(template: str, folder: Path) -> str:
    """What a name says beside its date, else the name of the folder."""
    return re.sub(r"\{\w+\}", " ", template).strip(" _-.") or folder.resolve().name


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
        look = written(members[-1].path, members[-1].format)
        if len(members) > 1:
            name, batches = folder.resolve().name, tuple(sort_batches(one.stem for one in members))
            path = str(folder / f"{{batch}}{endings}")
            found.append(SeenTable(name, members[0].format, path, batches, (), look.options, look.remarks, look.commas))
            continue
        one = members[0]
        try:
            cut = batch_column(one.path, one.format)
        except SourceError as error:
            odd.append(error)
        else:
            remarks = (*look.remarks, *cut.remarks)
            found.append(SeenTable(one.stem, one.format, str(one.path), cut.batches, (cut.name,), look.options, remarks, look.commas))
    return found, odd


def _split(name: str) -> tuple[str, str, str] | None:
    """What stands before the date of a name (else its last number), it, and what stands after."""
    if (date := BatchDate.of(name)) is not None:
        return date.before, name[len(date.before) : len(name) - len(date.after)], date.after
    found = _LAST_NUMBER.fullmatch(name)
    return (found[1], found[2], found[3]) if found else None
