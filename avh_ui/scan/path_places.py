"""Where the id of a batch stands in a path: whole as `{batch}`, a date as `{date}`, or in parts as `{year}` or `{yy}`, `{month}`, `{day}`,
`{hour}`; or as seconds or milliseconds since 1970, `{epoch}`, of which an id is `2026-01-31T05:00:00Z`.

In parts an id is written `2026-01-31T05`, as far as the parts go. Months and days may lack their zero (`month=1`), as Spark writes numbers;
a month may be its name (`03-Feb-2025`), and a year its last two digits.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from avh_ui.config_places import DATE_PARTS, EPOCH, SHORT_YEAR
from avh_ui.errors import SourceError
from avh_ui.history.batch_dates import year_of
from avh_ui.scan.batch_ids import in_path
from avh_ui.scan.epochs import epoch_id, epoch_of, is_milli
from avh_ui.scan.month_names import MONTH_NAME, month_of, name_like

# What stands in the place of a place while a path is a pattern: no path holds a control character (`in_path`).
_MARKS = {"{batch}": "\x00", "{date}": "\x00", **{f"{{{part}}}": chr(k) for k, part in enumerate((*DATE_PARTS, SHORT_YEAR, EPOCH), 1)}}
MARK = re.compile("[\x00-\x06]")
_YEAR, _MONTH, _SHORT = 1 + DATE_PARTS.index("year"), 1 + DATE_PARTS.index("month"), 1 + len(DATE_PARTS)
_EPOCH = 1 + _SHORT
_DATE = r"\d{4}-?\d{2}-?\d{2}"
_ID = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}))?)?)?")


def as_glob(path: str) -> str:
    """A path with marks as a glob: a `*` in it is one on purpose; brackets and question marks are part of names."""
    return re.sub(r"\*+", "*", MARK.sub("*", re.sub(r"([\[\]?])", r"[\1]", path)))


def _is_date(year: str, month: str = "1", day: str = "1", hour: str = "0") -> bool:
    try:
        datetime(int(year), int(month), int(day), int(hour), tzinfo=UTC)
    except ValueError:
        return False
    return True


class PathPlaces:
    """The places of one path template, and the ids that go there: `parts` stand for an id, 0 where it stands whole.
    `padded`: months, days and hours have two digits; as soon as a path was seen in which one has not, none is padded.
    `named`: how months are written, by their numbers, as far as they were seen by name. `milli`: an epoch was seen in milliseconds.
    """

    def __init__(self, template: str) -> None:
        self.padded = True
        self.named: dict[int, str] = {}
        self.milli = False
        self._template = template
        self.parts = sum(f"{{{part}}}" in template for part in (*DATE_PARTS, SHORT_YEAR, EPOCH))

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
            digits = {0: self.whole, _YEAR: r"\d{4}", _SHORT: r"\d{2}", _EPOCH: r"\d{9,13}"}.get(which, r"\d{1,2}")
            digits = rf"{digits}|(?i:{MONTH_NAME})" if which == _MONTH else digits
            first, *others = text.split(mark)
            text = first + f"(?P<p{which}>{digits})" + f"(?P=p{which})".join(others) if others else first
        return re.compile(text + r"/?$")

    def id_of(self, match: re.Match[str]) -> str:
        """The id that a matched path gives; '' for a path without one, or with parts that are no date."""
        found = match.groupdict()
        if "p0" in found:
            digits = found["p0"].replace("-", "")
            return found["p0"] if "{date}" not in self._template or _is_date(digits[:4], digits[4:6], digits[6:]) else ""
        if epoch := found.get(f"p{_EPOCH}"):
            self.milli = self.milli or is_milli(epoch)
            return epoch_id(epoch)
        if short := found.get(f"p{_SHORT}"):
            found[f"p{_YEAR}"] = str(year_of(short))
        parts = [found[f"p{k}"] for k in range(1, self.parts + 1) if f"p{k}" in found]
        if len(parts) < self.parts or not parts:
            return ""
        written, parts[1:2] = parts[1:2], [f"{month_of(text):02d}" if text.isalpha() else text for text in parts[1:2]]
        if not _is_date(*parts):
            return ""
        if written and written[0].isalpha():
            self.named[int(parts[1])] = written[0]
        self.padded = self.padded and all(len(part) > 1 for part in parts)
        text = "-".join(part.zfill(2) for part in parts[:3])
        return f"{text}T{parts[3].zfill(2)}" if len(parts) > 3 else text

    def filled(self, marked: str, batch: str) -> str:
        """A text with an id in its places; `SourceError` for an id that cannot stand there."""
        if not MARK.search(marked):
            return marked
        if not self.parts:
            return marked.replace("\x00", in_path(batch))
        if chr(_EPOCH) in marked:
            if not (digits := epoch_of(batch, milli=self.milli)):
                raise SourceError(
                    f"{batch[:100]!r} cannot be the id of a batch of {self._template}: it is written like 2026-01-31T05:00:00Z."
                )
            return marked.replace(chr(_EPOCH), digits)
        found = _ID.fullmatch(batch)
        parts = [part for part in found.groups() if part] if found else []
        if len(parts) != self.parts:
            like = "-".join(("2026", "01", "31")[: self.parts]) + ("T05" if self.parts > 3 else "")
            raise SourceError(f"{batch[:100]!r} cannot be the id of a batch of {self._template}: it is written like {like}.")
        for k, part in enumerate(parts, 1):
            text = self._month(int(part)) if k == _MONTH and self.named else part if self.padded or k == 1 else part.lstrip("0") or "0"
            marked = marked.replace(chr(k), text).replace(chr(_SHORT), parts[0][2:])
        return marked

    def _month(self, month: int) -> str:
        """A month's name as it was seen, else written as another was."""
        return self.named.get(month) or name_like(month, self.named.values())
