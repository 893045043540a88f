"""A folder that nobody described: partitions, folders with dates, or files; and what of a name is the batch."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from glob import escape
from pathlib import Path

from avh_ui.config_places import DATE_PARTS
from avh_ui.errors import SourceError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import sort_batches
from avh_ui.scan.dates_in_names import year_last
from avh_ui.scan.file_names import OneFile, file_of, format_of
from avh_ui.scan.lake_looking import delta_table, require_no_lake
from avh_ui.scan.looking_days import by_day, by_hour, may_be_hours, shown
from avh_ui.scan.looking_files import SeenTable, written_at
from avh_ui.scan.looking_inside import ids_at, of_all_files, of_folders
from avh_ui.scan.month_names import MONTH_NAME, month_of

_PARTITION = re.compile(r"([^=/]+)=(.+)")
_YEAR, _TWO_DIGITS = re.compile(r"(?:19|20|21)\d\d"), re.compile(r"\d{1,2}")
# A month by its name alone, or behind its number.
_NAMED_MONTH = re.compile(rf"(?P<number>\d{{1,2}})?[-._ ]*(?P<name>(?i:{MONTH_NAME}))")
_HOUR = re.compile(r"[01]\d|2[0-3]")
_MONTHS = 2
# What a file names that its folder says as well: the year, the month.
_COARSE = ("year", "half year", "quarter", "month", "week")
_LAST_NUMBER = re.compile(r"(.*?)(\d+)(\D*)")
# A part of a year that is no date: `FY23P01` (a fiscal period), `2023-M01`, `GJ2023_Q2`, `H1-2023`, `1H2023`. Two digits are FY's year.
_PART_OF_YEAR = re.compile(
    r"(.*?)(?<![A-Z0-9])((?:(?:FY|GJ)[-_ ]?(?:20)?\d\d|(?:19|20)\d\d)[-_ ]?[PMHSTQ]\d{1,2}"
    r"|(?:H[12]|[TQ][1-4]|[12][HS]|[1-4][TQ])[-_ ]?(?:19|20)\d\d)((?![A-Z0-9]).*)",
    re.IGNORECASE,
)
# A whole date right after a letter: `sales2026-01-31`.
_GLUED = re.compile(r"(.*[A-Za-z])((?:19|20|21)\d\d([-_.])(?:0[1-9]|1[0-2])\3(?:0[1-9]|[12]\d|3[01]))((?:\D.*)?)")

# What follows a year in the version of a release: the `.3` of `2026.3`, the `.2.post0` of `2021.2.post0`.
_RELEASED = r"(?:\.?(?:post|rc|a|b|dev)\d+)?)((?![A-Za-z0-9.]).*)"
_VERSION = re.compile(rf"(\.\d{{1,3}}{_RELEASED}")
# A version of which no part is a year: `codes_1.3.2`, `data-v2.0rc1`.
_RELEASE = re.compile(rf"(.*?)(?<![0-9.])(\d{{1,4}}(?:\.\d{{1,4}})+{_RELEASED}", re.DOTALL)

# What is put behind the name of what was delivered before: `orders-2026-01-31 (1)`, `orders-2026-01-31_v2`.
AGAIN = re.compile(
    r" ?\(\d\)$|[-_ .](v\d|rev\d|copy|copie|kopie|corrected|korrektur|korrigiert|resend|redelivered|neu|new|final)$", re.IGNORECASE
)


def tables_of_folder(path: Path) -> tuple[list[SeenTable], list[OneFile]]:
    """The tables of a folder whose batches are folders, or its files."""
    inside = sorted(p for p in path.iterdir() if not p.name.startswith((".", "_")))
    if (path / "_delta_log").is_dir():
        return [delta_table(path)], []
    require_no_lake(path)
    folders = [p for p in inside if p.is_dir()]
    if not folders:
        return [], [file_of(p) for p in inside if p.is_file() and format_of(p.name)]
    if all(_PARTITION.fullmatch(p.name) for p in folders):
        return _partitions(path, folders), []
    if by_calendar := _calendar(path, folders):
        return by_calendar, []
    last = year_last([p.name for p in folders])
    by_last = (of_folders(named_by(at, path), path / at, ids_at(path / at), [path / name for name in names]) for at, names in last.items())
    found = [seen for tables in by_last for seen in tables]
    by_name: dict[tuple[str, str], list[str]] = defaultdict(list)
    for folder in folders:
        parts = split_name(folder.name)
        if parts is not None and not any(folder.name in names for names in last.values()):
            by_name[parts[0], parts[2]].append(parts[1])
    for (before, after), ids in by_name.items():
        if hours := _hours(path, before, ids, after):
            template, newest = hours
            name = before.strip(" _-.") or template.name.partition("{hour}")[0].strip(" _-.") or path.resolve().name
            found += [_of_files(name, template, newest)] if newest.is_file() else of_folders(name, template, ids_at(template), [newest])
            continue
        template = path / f"{before}{{batch}}{after}"
        days = [path / f"{before}{batch}{after}" for batch in sort_batches(ids)]
        told = may_be_hours(days[-2:], _day(path, before, ids, after))
        found += _with_told(of_folders(before or path.resolve().name, template, ids, days), told)
    if not found and len(folders) == 1:
        return tables_of_folder(folders[0])
    if not found:
        raise SourceError(f"The folders in {path} name no batches: {folders[0].name}.", hint="Name each by its date, or name the files.")
    return found, []


def _hours(path: Path, before: str, ids: Sequence[str], after: str) -> tuple[Path, Path] | None:
    """The template and the newest folder (or file) of days that hold nothing but folders by hour (`20260131/05`), or files by hour; None
    of others.
    """
    template, days = _day(path, before, ids, after), [path / f"{before}{batch}{after}" for batch in sort_batches(ids)[-2:]]
    named = by_hour(days) if template else None
    return (template / named, max(shown(days[-1]) or shown(days[0]))) if template and named else None


def _day(path: Path, before: str, ids: Sequence[str], after: str) -> Path | None:
    """The template of folders by day with the parts of their dates; None of others."""
    date = BatchDate.of(ids[-1])
    if date is None or date.period != "day" or date.marks.get("points"):
        return None
    day = date.marks["between"].join(("{year}", "{month}", "{day}"))
    return path / f"{before}{date.before}{day}{date.after}{after}"


def _with_told(tables: Sequence[SeenTable], told: tuple[str, ...]) -> list[SeenTable]:
    """The tables, the first of them with more remarks."""
    return [replace(seen, remarks=(*seen.remarks, *told)) if seen is tables[0] else seen for seen in tables]


def _calendar(path: Path, folders: Sequence[Path]) -> list[SeenTable]:
    """The tables of folders by year, month, day and hour (`2026/09/30`): files that name their day, else the folders; [] where all is one
    folder a year.
    """
    if not all(_YEAR.fullmatch(p.name) for p in folders):
        return []
    newest, places = folders[-1], ["{year}"]
    while len(places) < len(DATE_PARTS):
        part = DATE_PARTS[len(places)]
        inside = [(_number(p.name, part), p) for p in newest.iterdir() if p.is_dir() and _number(p.name, part)]
        if not inside:
            break
        newest = max(inside)[1]
        places.append(_place(newest.name, part))
    found: dict[Path, tuple[str, Path]] = {}
    for one in (p for p in sorted(newest.iterdir()) if p.is_file() and not p.name.startswith((".", "_")) and format_of(p.name)):
        date = BatchDate.of(file_of(one).stem)
        if date is not None and not _first_of(file_of(one)) and date.period not in _COARSE:
            # Of days `{date}`, which leaves out files of other names.
            place = "{date}" if date.period == "day" and date.marks["between"] in ("", "-") else "{batch}"
            template = path.joinpath(*"*" * len(places), f"{date.before}{place}{date.after}{file_of(one).endings}")
            found[template] = f"{date.before} {date.after}".strip(" _-.") or path.resolve().name, one
    if not found and len(places) > 1:
        template = path.joinpath(*places)
        told: tuple[str, ...] = ()
        if len(places) == len(DATE_PARTS) - 1:
            # The newest day may have begun just now.
            days = [*sorted(path.glob("*/*/*"))[-2:], newest]
            told = may_be_hours(days, template)
            if named := by_hour(days):
                name = named.partition("{hour}")[0].strip(" _-.") or path.resolve().name
                return [_of_files(name, template / named, max(shown(newest)))]
        if len(places) == _MONTHS and (endings := by_day(sorted(path.glob("*/*")))):
            return [_of_files(path.resolve().name, template / f"{{day}}{endings}", max(shown(newest)))]
        return _with_told(of_folders(path.resolve().name, template, ids_at(template), _numbered(path, len(places))), told)
    return [_of_files(name, template, one) for template, (name, one) in found.items()]


def _number(name: str, part: str) -> int:
    """The number of a month, day or hour that a folder's name is, hours from 1 on; 0 of others. A month may be named (`02 - February`)."""
    if _TWO_DIGITS.fullmatch(name):
        return int(name) + (part == "hour")
    found = _NAMED_MONTH.fullmatch(name) if part == "month" else None
    return month_of(found["number"] or found["name"]) if found else 0


def _place(name: str, part: str) -> str:
    """What stands for such names in a template."""
    return f"{{{part}}}" + ("*" if name[:1].isdigit() and not name.isdigit() else "")


def _of_files(name: str, template: Path, newest: Path) -> SeenTable:
    """A table whose batches are files in several folders."""
    batches = ids_at(template)
    look = written_at(template, batches, newest)
    remarks = (*look.remarks, *_delivered_again(template))
    return SeenTable(name, format_of(newest.name), str(template), batches, (), look.options, remarks, look.fields)


def _delivered_again(template: Path) -> tuple[str, ...]:
    """That files of a template with `{date}` stand beside the first of their day, under another name, as a sentence."""
    depth = next(k for k, part in enumerate(template.parts) if "*" in part or "{" in part)
    before, date, after = template.name.partition("{date}")
    pattern = "*/" * (len(template.parts) - 1 - depth) + f"{escape(before)}*{escape(after)}"
    there = Path(*template.parts[:depth]).glob(pattern) if date else ()
    again = sorted(p.name for p in there if _first_of(file_of(p)))
    if not again:
        return ()
    named = again[-1] if len(again) == 1 else f"{again[-1]} and {len(again) - 1:,} more"
    seem = "seems to be a batch" if len(again) == 1 else "seem to be batches"
    how = "Put each in the place of the first, or judge it by `avh validate PIPELINE --input FILE --batch ID`."
    return (f"{named} {seem} delivered again, and not read. {how}",)


def _first_of(one: OneFile) -> bool:
    """Whether a file is by its name one beside it, delivered again."""
    first = AGAIN.sub("", one.stem)
    return first != one.stem and (one.folder / (first + one.endings)).exists()


def _numbered(path: Path, depth: int) -> list[Path]:
    """The folders of so many numbers below one (`2026/9/30`), in their order."""
    found = []
    for folder in (p for p in path.glob("/".join(["*"] * depth)) if p.is_dir() and _YEAR.fullmatch(p.parts[-depth])):
        year, *others = folder.parts[-depth:]
        numbers = [_number(name, part) for name, part in zip(others, DATE_PARTS[1:], strict=False)]
        found += [([int(year), *numbers], folder)] if all(numbers) else []
    return [folder for _, folder in sorted(found)]


def _partitions(path: Path, folders: Sequence[Path]) -> list[SeenTable]:
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
        return [deeper]
    by_id = dict(zip(ids, folders, strict=True))
    if below and (template := _hours_below(path, name, ids, by_id)):
        return of_folders(path.resolve().name, template, ids_at(template), [max(p for p in by_id[max(ids)].iterdir() if p.is_dir())])
    if hours := _hours(path, f"{name}=", ids, ""):
        return [_of_files(path.resolve().name, *hours)]
    days = [by_id[batch] for batch in sort_batches(ids)]
    told = may_be_hours(days[-2:], _day(path, f"{name}=", ids, ""))
    return _with_told(of_folders(path.resolve().name, path / f"{name}={{batch}}", ids, days), told)


def _hours_below(path: Path, name: str, ids: Sequence[str], by_id: dict[str, Path]) -> Path | None:
    """The template of days whose partitions below are those of their hours (`dt=2026-01-31/hour=05`); None of others."""
    found = [_PARTITION.fullmatch(p.name) for batch in sorted(ids)[-2:] for p in by_id[batch].iterdir() if p.is_dir()]
    names = {one[1] if one and one[1].lower().startswith("h") and _HOUR.fullmatch(one[2].zfill(2)) else "" for one in found}
    hour, day = names.pop() if len(names) == 1 else "", _day(path, f"{name}=", ids, "")
    return day / f"{hour}={{hour}}" if day and hour else None


def _deeper(path: Path, newest: Path) -> SeenTable | None:
    """A table of partitions in which a column below the first is a date; None where none is."""
    depth = 1
    while inside := sorted(p for p in newest.iterdir() if p.is_dir() and _PARTITION.fullmatch(p.name)):
        newest, depth = inside[-1], depth + 1
        name, _, value = newest.name.partition("=")
        if name.lower() in ("year", "y") and (parts := _calendar_below(newest)):
            dated = (f"{part}={{{place}}}" for part, place in zip((name, *parts), DATE_PARTS, strict=False))
            template = path.joinpath(*["*=*"] * (depth - 1), *dated)
            return replace(of_all_files(path.resolve().name, path, ids_at(template), newest), batch=(name, *parts))
        if BatchDate.of(value):
            ids = [p.name.partition("=")[2] for p in path.glob("/".join(["*=*"] * (depth - 1) + [f"{name}=*"]))]
            seen = of_all_files(path.resolve().name, path, ids, newest)
            return replace(seen, batch=(name,))
    return None


def _calendar_below(year: Path) -> tuple[str, ...]:
    """The names of the partitions by month, day and hour below one by year, as far as they go."""
    names: tuple[str, ...] = ()
    for part in DATE_PARTS[1:]:
        below = next((p for p in sorted(year.iterdir()) if p.is_dir() and _PARTITION.fullmatch(p.name)), None)
        if below is None or not below.name.lower().startswith(part[0]):
            break
        year, names = below, (*names, below.name.partition("=")[0])
    return names


def _dated(path: Path, newest: Path) -> list[SeenTable]:
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
    if len(template.parts) - len(path.parts) == _MONTHS and (endings := by_day(sorted(path.glob("*=*/*=*")))):
        return [_of_files(path.resolve().name, template / f"{{day}}{endings}", max(shown(newest)))]
    return of_folders(path.resolve().name, template, ids_at(template), [newest])


def named_by(template: str, folder: Path) -> str:
    """What a name says beside its date, else the name of the folder."""
    return re.sub(r"\{\w+\}", " ", template).strip(" _-.") or folder.resolve().name


def split_name(name: str) -> tuple[str, str, str] | None:
    """What stands before the date of a name (else its last number), it, and what stands after."""
    date = BatchDate.of(name)
    if (date is None or date.period == "year") and (part := _PART_OF_YEAR.fullmatch(name)):
        return part[1], part[2], part[3]
    if date is not None and date.period == "year" and (version := _VERSION.fullmatch(date.after)):
        return date.before, name[len(date.before) : len(name) - len(version[2])], version[2]
    if date is not None:
        return date.before, name[len(date.before) : len(name) - len(date.after)], date.after
    if glued := _GLUED.fullmatch(name):
        return glued[1], glued[2], glued[4]
    found = _RELEASE.fullmatch(name) or _LAST_NUMBER.fullmatch(name)
    return (found[1], found[2], found[3]) if found else None
