"""Tables whose files have the same names but for how they end: deliveries packed since some day are one table, of several formats it is
said that no pipeline reads both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from avh_ui.config import Source
from avh_ui.config_places import has_place
from avh_ui.errors import SourceError
from avh_ui.history.series import sort_batches
from avh_ui.scan.file_names import file_of, format_of
from avh_ui.scan.listing import FileListing
from avh_ui.scan.looking_files import SeenTable, written
from avh_ui.scan.packed import packed_as


def with_twins(found: Sequence[SeenTable]) -> list[SeenTable]:
    """The tables in their order: those that differ in their packing alone as one, and others told of one another."""
    alike: dict[str, list[SeenTable]] = defaultdict(list)
    for seen in found:
        if not seen.batch and has_place(name := Path(seen.path).name) and format_of(name):
            alike[_bare(seen.path)].append(seen)
    now: dict[str, SeenTable | None] = {seen.path: seen for seen in found}
    for twins in alike.values():
        known = {columns for one in twins if (columns := _columns(one))} if len(twins) > 1 else set()
        if len(twins) == 1 or len(known) > 1:
            continue
        if whole := _packed_since(twins):
            now |= dict.fromkeys(one.path for one in twins[1:]) | {twins[0].path: whole}
        else:
            now |= {one.path: _with_said(one, [other for other in twins if other is not one]) for one in twins}
    return [seen for seen in now.values() if seen is not None]


def _bare(path: str) -> str:
    one = file_of(Path(path))
    return str(one.folder / one.stem)


def _files(path: str, batches: Sequence[str]) -> set[str]:
    listing = FileListing(Source(path=str(Path(path).absolute())), Path(path).parent)
    return {part.path for batch in batches for part in listing.locate(batch).parts}


def _columns(seen: SeenTable) -> frozenset[str]:
    """The names of the columns of the newest batch; none of JSON, whose first bytes do not tell them."""
    try:
        return frozenset(written(Path(max(_files(seen.path, seen.batches[-1:]))), seen.format).columns)
    except SourceError:
        return frozenset((seen.path,))  # it is told elsewhere, and taken for no other table


def _packed_since(twins: Sequence[SeenTable]) -> SeenTable | None:
    """One table of those whose files end as one another but for `.gz`, where no batch is in two and no other file has such a name."""
    plain = {one.path.removesuffix(packed_as(one.path)) for one in twins}
    batches = sort_batches(batch for one in twins for batch in one.batches)
    if len(plain) > 1 or sum(len(one.batches) for one in twins) > len(batches):
        return None
    path = f"{plain.pop()}*"
    newest = next(one for one in twins if batches[-1] in one.batches)
    listing = FileListing(Source(path=str(Path(path).absolute())), Path(path).parent)
    held = {file for one in twins for file in _files(one.path, one.batches)}
    if sort_batches(listing.batches()) != batches or _files(path, batches) != held:
        return None
    return replace(newest, path=path, batches=tuple(batches))


def _with_said(one: SeenTable, others: Sequence[SeenTable]) -> SeenTable:
    names = " and ".join(Path(other.path).name for other in others)
    mine, theirs = set(one.batches), set().union(*(other.batches for other in others))
    if mine == theirs:
        said = f"The same batches stand there twice, as {names} too: keep one of these pipelines."
    elif mine & theirs:
        said = f"Some batches stand there twice, as {names} too: keep one of each, and describe all as one pipeline."
    else:
        said = (
            f"Other batches of this name are {names}: a pipeline reads one format, so that each of these lacks the other's batches. "
            "Deliver all in one format, and describe them as one pipeline."
        )
    return replace(one, remarks=(*one.remarks, said))
