"""A segment: the rows of a batch that have given values in the pipeline's segment columns (ICDE 2019: partitions such as (EU, Oct)).

Its label reads `origin=EWR`, of several columns `region=EU/country=DE`; null is `region=null`. Names and values that could be read in
two ways stand in JSON quotes: `region="null"`, `"a/b"="c,d"`. What is beyond `MAX_SEGMENTS` is together in `(rest)`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from avh_ui.errors import UsageError

# Segments kept apart of one batch. Each costs about 1 ms per column to measure (its distances included) and 0.3 KB per column to keep,
# so 200 of 20 columns take 4 s and 1 MB a batch, and nobody reads more series than that: a column of more values is a key.
MAX_SEGMENTS = 200
_REST = "(rest)"
# The key of a whole batch among those of its segments.
WHOLE = ""
_NULL = "null"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PAIR = re.compile(rf'({_QUOTED}|[^=/,"()]+)=({_QUOTED}|[^=/,"()]+)')
_LABELS = re.compile(rf"(?:{_QUOTED}|[^\",])+")


@dataclass(frozen=True)
class Segment:
    """Columns with their values as text (None is null), in the order of the pipeline's segment columns; none at all is the rest."""

    values: tuple[tuple[str, str | None], ...]

    @property
    def label(self) -> str:
        """How it is written and shown."""
        return "/".join(f"{_quote(c)}={_NULL if v is None else _quote(v)}" for c, v in self.values) or _REST

    def __str__(self) -> str:
        return self.label

    @classmethod
    def parse(cls, label: str) -> Segment:
        """From its label; `UsageError` for a text that is none."""
        if label == _REST:
            return REST
        found, at = [], 0
        with contextlib.suppress(json.JSONDecodeError):
            while match := _PAIR.match(label, at):
                found.append((_unquote(match[1]), None if match[2] == _NULL else _unquote(match[2])))
                at = match.end() + 1
                if match.end() == len(label):
                    return cls(tuple(found))
                if label[match.end()] != "/":
                    break
        raise UsageError(f"{label!r} is no segment.", hint='Write it as column=value, as in origin=EWR or "a/b"="c,d".')

    @classmethod
    def parse_many(cls, labels: str) -> list[Segment]:
        """From labels with commas between them."""
        return [cls.parse(label.strip()) for label in _LABELS.findall(labels)]

    def within(self, other: Segment) -> bool:
        """Whether it is `other` or a part of it: `region=EU/country=DE` is within `region=EU`. The rest is within itself alone."""
        return self == other or (bool(other.values) and set(other.values) <= set(self.values))


REST = Segment(())


def segment_order(segment: Segment) -> tuple[bool, list[tuple[str, bool, str]]]:
    """Sort key: by columns and values, nulls after texts, the rest last."""
    return not segment.values, [(column, value is None, value or "") for column, value in segment.values]


def sort_segments(segments: Sequence[Segment]) -> list[Segment]:
    """Segments in order, each once."""
    return sorted(set(segments), key=segment_order)


def _quote(text: str) -> str:
    plain = text.isprintable() and text == text.strip() and text not in ("", _NULL) and not re.search(r'[=/,"()\\]', text)
    return text if plain else json.dumps(text, ensure_ascii=not text.isprintable())


def _unquote(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def segment_key(segment: Segment | None) -> str:
    """A segment as ASCII text between tasks; `WHOLE` for a whole batch."""
    return WHOLE if segment is None else json.dumps(segment.values)


def segment_of(key: str) -> Segment | None:
    """The inverse of `segment_key`."""
    return Segment(tuple((name, value) for name, value in json.loads(key))) if key else None
