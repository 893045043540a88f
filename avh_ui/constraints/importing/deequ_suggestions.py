"""The code of Deequ's suggestions as source: Deequ escapes nothing in the values that it writes."""

from __future__ import annotations

import json
import re

# The values of a suggestion, in Scala or Python, and what Deequ puts between them.
_VALUES = re.compile(r"(Array\(|\[)\"(.*?)\"(\)|\])(?=(?:\s*,\s*(?:_|lambda)\b.*)?\)$)", re.DOTALL)
_JOIN = '", "'


def source_of(code: str) -> str:
    """`.isContainedIn("x", Array("he said "hi"", "b"))` with its values as literals. One that holds `", "` itself comes as two."""
    return _VALUES.sub(lambda found: f"{found[1]}{', '.join(map(json.dumps, found[2].split(_JOIN)))}{found[3]}", code)
