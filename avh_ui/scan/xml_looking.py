"""How an XML file nobody described is written: the tag of its rows, told from its first bytes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.parsers import expat

from avh_ui.errors import SourceError
from avh_ui.scan.json_looking import Written
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.other_formats import HEAD_BYTES
from avh_ui.scan.packed import codec_of

# Spark looks at XML files by their names once more, as patterns.
_PATTERN = re.compile(r"[\[\]{}*?]")
# The first element, behind the declaration, comments and what says its type; one without an end of its own has no rows.
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<[?!][^>]*>\s*)*<([A-Za-z_][\w.:-]*)(?:\s[^>]*)?(?<!/)>")
# The end of a row fits in so many bytes.
_TAIL_BYTES = 4096


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


def refuse_cut(listing: FileListing, files: Files, row_tag: str) -> None:
    """`SourceError` for a file that ends before its root does: Spark takes one that is cut between two rows for a shorter one. Nothing is
    said of packed files, whose ends are not theirs, nor of those whose rows stand in no root.
    """
    for part in files.parts:
        if not part.size or codec_of(part.path) != "":
            continue
        try:
            with listing.open(part.path) as stream:
                root = _ROOT.match(head := bytes(stream.read(HEAD_BYTES)))
                stream.seek(max(part.size - _TAIL_BYTES, 0))
                tail = bytes(stream.read(_TAIL_BYTES))
        except OSError:
            continue  # who reads it says why it cannot be
        # What is cut within a row Spark tells, with the line.
        behind_a_row = re.search(rf"</{re.escape(row_tag)}\s*>\s*\Z".encode(), tail)
        if root and behind_a_row and root[1] != row_tag.encode() and b"</" + root[1] not in head + tail:
            name = root[1].decode()
            raise SourceError(f"The file {part.path} ends before </{name}>: it was cut off, or is still written.", hint="Deliver it again.")
