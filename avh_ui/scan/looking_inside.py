"""Folders that are batches: one table of all their files, or one for each name that comes again in them (`2026-11-01/orders.csv`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.history.series import sort_batches
from avh_ui.scan.file_names import FORMATS, file_of, format_of
from avh_ui.scan.listing import FileListing
from avh_ui.scan.looking_files import SeenTable, written, written_at

# What differs from part to part and from day to day: ids of a writer, dates and numbers.
_CHANGES = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+(?:[-_.:T]\d+)*", re.IGNORECASE)
_DAY = re.compile(r"(?:19|20|21)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])")
# A folder within that splits a table, by a column, a day or an hour.
_SPLITS = re.compile(r"[^=]+=.*|\d+")
# Of one folder or two nothing says which names come again.
_FEW = 3
# How writers name the parts of whatever they write.
_OF_WRITERS = ("", "part", "data", "c")
# So many of what was left out are named.
_SHOWN = 3


def of_folders(name: str, template: Path, ids: Sequence[str], folders: Sequence[Path]) -> list[SeenTable]:
    """The tables whose batches are `folders`, in the order of time; a table is written as its newest file is.

    Files (or folders) of several names that hold other columns are tables of their own, each by its name. What is no data, and lies
    beside, is in none.
    """
    named, beside = _by_name(folders)
    looks = {what: kind for what, one in named.items() if (kind := _kind_of(one))}
    wide = any(len(columns) > 1 for _, columns in looks.values())
    texts = {what for what, kind in looks.items() if wide and _is_prose(what, kind)}
    often = {what for what, one in named.items() if len(one.folders) > 1 or len(folders) < _FEW}
    tables = sorted((looks.keys() - texts) & often)
    several = len({looks[what] for what in tables}) > 1
    left = [*beside, *(named[what].newest.name for what in sorted(named.keys() - set(tables)) if several or what in texts)]
    if several:
        return _with_said([_named_table(named, what, template, name) for what in tables], left)
    whole = of_all_files(name, template, ids, folders[-1])
    if not left or not tables or any(named[what].is_folder for what in tables):
        return [whole]
    if len(tables) == 1:
        return _with_said([replace(_named_table(named, tables[0], template, name), name=name)], left)
    endings = {file_of(named[what].newest).endings for what in tables}
    path = template / f"*{endings.pop()}"
    return [whole] if endings else _with_said([replace(whole, path=str(path), batches=ids_at(path))], left)


@dataclass
class _Named:
    """What has one name in many folders: its newest file that holds a byte (else the newest), and whether the name is a folder's."""

    newest: Path
    is_folder: bool
    folders: list[Path] = field(default_factory=list)


def _by_name(folders: Sequence[Path]) -> tuple[dict[str, _Named], list[str]]:
    """The data files and folders in the folders, by their names without what changes; and the names of what is no data."""
    named: dict[str, _Named] = {}
    beside: dict[str, None] = {}
    for folder in folders:
        for inside, one in _data_in(folder):
            if one is None:
                beside.setdefault(inside.name)
                continue
            what = _CHANGES.sub("*", inside.name)
            known = named.setdefault(what, _Named(one, inside.is_dir()))
            if folder not in known.folders[-1:]:
                known.folders.append(folder)
            if one.stat().st_size or not known.newest.stat().st_size:
                known.newest = one
    return named, list(beside)


def _data_in(folder: Path) -> Iterator[tuple[Path, Path | None]]:
    """What stands in a folder, in the order of names, each with a data file of it; None of what is none. Folders without one are
    passed over.
    """
    for inside in sorted(p for p in folder.iterdir() if not p.name.startswith((".", "_"))):
        if not inside.is_dir():
            yield inside, inside if format_of(inside.name) else None
        elif not _SPLITS.fullmatch(inside.name) and (one := data_file(inside)):
            yield inside, one


def _kind_of(one: _Named) -> tuple[str, tuple[str, ...]] | None:
    """The format and the columns of what has one name; None of what cannot be read."""
    try:
        kind = format_of(one.newest.name)
        return kind, written(one.newest, kind).columns
    except SourceError:
        return None


def _is_prose(what: str, kind: tuple[str, tuple[str, ...]]) -> bool:
    """Whether a file is a text that people read, or a check sum: of one column, and by its name no table."""
    return kind[0] == "csv" and len(kind[1]) < 2 and Path(what).suffix.lower() in (".txt", ".dat")


def _named_table(named: Mapping[str, _Named], what: str, template: Path, whole: str) -> SeenTable:
    """The table of what has one name, by the name's words; by the name of the `whole` where these are none, as of a writer's parts."""
    one = named[what]
    endings = "" if one.is_folder else file_of(one.newest).endings
    words = what.removesuffix(endings).replace("*", " ").strip(" _-.")
    path = _path(named, what, template, endings)
    kind = format_of(one.newest.name)
    batches = ids_at(path)
    name = whole if words.lower() in _OF_WRITERS else words
    also = sorted(other.newest.name for key, other in named.items() if key != what and fnmatchcase(other.newest.name, path.name))
    look = written(one.newest, kind) if also else written_at(path, batches, one.newest)
    said = (f"Its path takes {also[0]} along: rename one, or keep them in folders of their own.",) if also and "{" not in path.name else ()
    return SeenTable(name, kind, str(path), batches, (), look.options, (*look.remarks, *said), look.fields)


def _path(named: Mapping[str, _Named], what: str, template: Path, endings: str) -> Path:
    """Where a table's files are: by their name; with the id of its folder where that is all that changes, and else with stars."""
    one = named[what]
    changing = _CHANGES.findall(one.newest.name)
    if "*" not in what or one.is_folder or "{batch}" not in template.name:
        return template / what
    before, _, after = template.name.partition("{batch}")
    folder = one.newest.parent.name
    batch = folder[len(before) : len(folder) - len(after)]
    if set(changing) == {batch}:
        return template / what.replace("*", "{batch}")
    if (
        len(changing) == 1
        and (in_folder := _as_parts(batch))
        and (in_name := _as_parts(changing[0]))
        and _digits(batch) == _digits(changing[0])
    ):
        return template.with_name(f"{before}{in_folder}{after}") / what.replace("*", in_name)
    alone = not any(other.endswith(endings) for other in named if other != what)
    return template / (f"*{endings}" if alone else what)


def _as_parts(text: str) -> str:
    """A day with the year first as the places of its parts; '' of another text."""
    found = _DAY.fullmatch(text)
    return f"{{year}}{found[1]}{{month}}{found[1]}{{day}}" if found else ""


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _with_said(tables: list[SeenTable], left: Sequence[str]) -> list[SeenTable]:
    """The tables, of which the first one says what was left out beside it."""
    if not left:
        return tables
    more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    said = f"Left out beside the data: {', '.join(left[:_SHOWN])}{more}."
    return [replace(tables[0], remarks=(*tables[0].remarks, said)), *tables[1:]]


def of_all_files(name: str, template: Path, ids: Sequence[str], newest: Path) -> SeenTable:
    """A table whose batches are folders with all that is in them, written as a file of the newest is."""
    part = data_file(newest)
    if part is None:
        raise SourceError(f"The folder {newest} holds no data file.", hint=f"Looked for {', '.join(FORMATS)}.")
    batches = tuple(sort_batches(set(ids)))
    look = written_at(template, batches, part)
    return SeenTable(name, format_of(part.name), str(template), batches, (), look.options, look.remarks, look.fields)


def data_file(folder: Path) -> Path | None:
    """The first data file in a folder or below it."""
    return next((p for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.startswith((".", "_")) and format_of(p.name)), None)


def ids_at(template: Path) -> tuple[str, ...]:
    """The batches of a path with the places of an id or the parts of a date."""
    return tuple(FileListing(Source(path=str(template.absolute())), template.parent).batches())
