"""How an XML file nobody described is written: the tag of its rows, told from its first bytes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.parsers import expat

from avh_ui.errors import SourceError
from avh_ui.scan.json_looking import Written

# Spark looks at XML files by their names once more, as patterns.
_PATTERN = re.compile(r"[\[\]{}*?]")


def look_at_xml(content: bytes, path: Path) -> Written:
    """The reader's `rowTag`: of the elements that come more than once those that stand nearest to the root, and of these the most frequent.
    `SourceError` where none does.
    """
    found: Counter[tuple[int, str]] = Counter()
    above = 0

    def begins(tag: str, _: dict[str, str]) -> None:
        nonlocal above
        found[above, tag] += 1
        above += 1

    def ends(_: str) -> None:
        nonlocal above
        above -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begins, ends
    try:
        parser.Parse(content, False)
    except expat.ExpatError as error:
        raise SourceError(f"{path} is no XML: {error}.", hint="Name its `format`, or deliver it again.") from error
    rows = [(-depth, count, tag) for (depth, tag), count in found.items() if depth and count > 1]
    if not rows:
        raise SourceError(
            f"{path} has no element that comes twice.", hint="Write its pipeline by hand: `format: xml` and `options: {rowTag: ...}`."
        )
    tag = max(rows)[2]
    said: tuple[str, ...] = (
        f"Spark reads it, a row for each <{tag}> (rowTag); Spark 3.5 with the package com.databricks:spark-xml_2.12:0.18.0.",
    )
    if _PATTERN.search(path.name):
        said += ("Spark takes [ ] { } and * in the names of XML files for a pattern: give them names without.",)
    return Written({"rowTag": tag}, (), said)
