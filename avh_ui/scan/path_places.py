"""Where the id of a batch stands in a path: whole as `{batch}`, a date as `{date}`, or in parts as `{year}`, `{month}`, `{day}`, `{hour}`.

In parts an id is written `2026-01-31T05`, as far as the parts go. Months and days may lack their zero (`month=1`), as Spark writes numbers.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from avh_ui.config_places import DATE_PARTS
from avh_ui.errors import SourceError
from avh_ui.scan.batch_ids import in_path

# What stands in the place of a place while a path is a pattern: no path holds a control character (`in_path`).
_MARKS = {"{batch}": "\x00", "{date}": "\x00", **{f"{{{part}}}": chr(k) for k, part in enumerate(DATE_PARTS, 1)}}
MARK = re.compile("[\x00-\x04]")
_DATE = r"\d{4}-?\d{2}-?\d{2}"
_ID = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}))?)?)?")


def _is_date(year: str, month: str = "1", day: str = "1", hour: str = "0") -> bool:
    try:
        datetime(int(year), int(month), int(day), int(hour), tzinfo=UTC)
    except ValueError:
        return False
    return True


class PathPlaces:
    """The places of one path template, and the ids that go there: `parts` of a date stand apart, 0 where an id stands whole.
    `padded`: months, days and hours have two digits; as soon as a path was seen in which one has not, none is padded.
    """

    def __init__(self, template: str) -> None:
        self.padded = True
        self._template = template
        self.parts = sum(f"{{{part}}}" in template for part in DATE_PARTS)

    def marked(self, text: str) -> str:
        """A text with a mark in each place."""
        for place, mark in _MARKS.items():
            text = text.replace(place, mark)
        return text

    @property
    def whole(self) -> str:
        """What an id that stands whole is, as a regex."""
        return _DATE if "{date}" in self._template else "[^/]+"

    def pattern(self, marked: str) -> re.Pattern[str]:
        """What matches the paths of batches; the same place may stand in the template twice: folder and file. `*` is any part of a name."""
        text = re.escape(marked).replace(r"\*", "[^/]*")
        for mark in dict.fromkeys(MARK.findall(text)):
            which = ord(mark)
            digits = self.whole if which == 0 else r"\d{4}" if which == 1 else r"\d{1,2}"
            first, *others = text.split(mark)
            text = first + f"(?P<p{which}>{digits})" + f"(?P=p{which})".join(others) if others else first
        return re.compile(text + r"/?$")

    def id_of(self, match: re.Match[str]) -> str:
        """The id that a matched path gives; '' for a path without one, or with parts that are no date."""
        found = match.groupdict()
        if "p0" in found:
            digits = found["p0"].replace("-", "")
            return found["p0"] if "{date}" not in self._template or _is_date(digits[:4], digits[4:6], digits[6:]) else ""
        parts = [found[f"p{k}"] for k in range(1, self.parts + 1) if f"p{k}" in found]
        if len(parts) < self.parts or not parts or not _is_date(*parts):
            return ""
        self.padded = self.padded and all(len(part) > 1 for part in parts)
        text = "-".join(part.zfill(2) for part in parts[:3])
        return f"{text}T{parts[3].zfill(2)}" if len(parts) > 3 else text

    def filled(self, marked: str, batch: str) -> str:
        """A text with an id in its places; `SourceError` for an id that cannot stand there."""
        if not MARK.search(marked):
            return marked
        if not self.parts:
            return marked.replace("\x00", in_path(batch))
        found = _ID.fullmatch(batch)
        parts = [part for part in found.groups() if part] if found else []
        if len(parts) != self.parts:
            like = "-".join(("2026", "01", "31")[: self.parts]) + ("T05" if self.parts > 3 else "")
            raise SourceError(f"{batch[:100]!r} cannot be the id of a batch of {self._template}: it is written like {like}.")
        for k, part in enumerate(parts, 1):
            marked = marked.replace(chr(k), part if self.padded or k == 1 else part.lstrip("0") or "0")
        return marked
