"""Where the id of a batch may stand in a path or query of avh.yml, and what is said of a place that names none."""

from __future__ import annotations

import re

# A name in braces. `{a,b}` of a path is a choice of Hadoop's, `{3}` and `\p{L}` of a query are a pattern's.
_PLACE = re.compile(r"(?<!\\[pP])\{[A-Za-z_][^{},]*\}")
# The parts of a date that may stand apart in a path, each after the ones before it.
DATE_PARTS = ("year", "month", "day", "hour")


def check_places(path: str, query: str) -> None:
    """`ValueError` for places of a path or query that name no batch, or two of them."""
    if (other := _PLACE.search(query)) is not None and "{batch}" not in query:
        raise ValueError(f"{query!r} has {other[0]}: the place of the batch is written {{batch}}, whatever it names")
    places = {found[0] for found in _PLACE.finditer(path)}
    parts = [part for part in DATE_PARTS if f"{{{part}}}" in places]
    if "{batch}" in places:
        beside = next((p for p in sorted(places) if p in ("{date}", *(f"{{{part}}}" for part in DATE_PARTS))), None)
        if beside is not None:
            raise ValueError(f"{path!r} has {{batch}} and {beside}: the id of a batch is one or the other")
    elif unknown := sorted(places - {"{date}", *(f"{{{part}}}" for part in DATE_PARTS)}):
        dates = "{date}, or {year}, {month}, {day}, {hour}"
        raise ValueError(f"{path!r} has {unknown[0]}: the place of the batch is written {{batch}}, or {dates}")
    elif "{date}" in places and parts:
        raise ValueError(f"{path!r} has {{date}} and {{{parts[0]}}}: the date of a batch is one or the other")
    elif parts != list(DATE_PARTS[: len(parts)]):
        lacking = next(part for part in DATE_PARTS if part not in parts)
        raise ValueError(f"{path!r} has {{{parts[-1]}}} without {{{lacking}}}: a date is told from the year on")


def check_named(path: str, query: str, batch_column: str, batch: str) -> None:
    """`ValueError` for a source that does not say which batch is which, or says it twice."""
    named = bool(batch_column) or any(place in path + query for place in ("{batch}", "{date}", "{year}"))
    if batch and named:
        raise ValueError(f"batch: {batch} is of a source that is overwritten, and this one names its batches by a place or a column")
    if not named and not batch:
        text = "either the path (or query) contains {batch}, or batch_column names the column with the batch id"
        raise ValueError(f"{text}; of what is overwritten each time, write batch: now")
