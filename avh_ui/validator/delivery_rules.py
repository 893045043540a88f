"""How a batch was delivered, judged: lines that are no rows, files that differ, text that cannot be decoded.

These rules need no program: they hold from the first batch on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Level, Status
from avh_ui.errors import UNREADABLE_BATCH, AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.results import RuleResult

# So many earlier batches say what is usual: all days of a week are among them, with some that failed. Of a month, a fault that was mended
# three weeks ago would be usual: of the files of Italy's provinces one in another encoding passed for that reason.
_RECENT = 10
# Faults that come by chance vary by the root of their number: so many standard deviations (Poisson) above the most that was seen
# are no news.
_DEVIATIONS = 4
# So many deliveries of as many files each make that number a habit: with fewer, a writer's whim would be a rule.
_HABIT = 5
# What most often breaks a line that was whole; Spark's default for CSV and JSON cuts there. A single one is the last of a file that was cut
# off in a row.
MALFORMED = "malformed_rows"
_OVER_LINES = " A text that goes on over a line break makes some; `multiLine: true` in the options of the source reads it."
_CUT_OFF = " A file that was cut off ends in one: look whether it came whole."
# Spark's default takes a backslash for what a doubled quote is in nearly all other CSV: the text ends there, and its comma is one too many.
_DOUBLED = " A quote that is doubled within a quoted text makes some; `escape: '\"'` in the options of the source reads it."

_Share = Callable[[BatchProfile, Delivery], float]


def delivery_results(
    profile: BatchProfile, severity: Severity, history: HistoryRepository, before: Callable[[], Sequence[str]]
) -> tuple[RuleResult, ...]:
    """What is wrong with a delivery, and what is usual of it; nothing when all is well, nothing was measured, or the rules are `off`.

    `before` gives the earlier batches, in order: a table that always has malformed rows does not fail daily. They are asked for only when
    there is something to compare.
    """
    facts = profile.delivery
    if facts is None or severity == "off":
        return ()
    usual, faults = _Usual(history, profile.pipeline, before), facts.faults()
    results = []
    if MALFORMED in faults:
        told = f"The batch has {faults[MALFORMED]}, of {_lines(profile, facts):,}"
        upper, hint = usual.upto(profile, facts, _malformed)
        hint += _why_malformed(profile, facts)
        results.append(_counted(MALFORMED, severity, told, facts.malformed_rows or 0, upper, hint))
    if "undecodable_text" in faults:
        told = f"The batch has {faults['undecodable_text']}, of {profile.rows:,} rows"
        upper, hint = usual.upto(profile, facts, _undecodable)
        results.append(_counted("undecodable_text", severity, told, facts.undecodable, upper, hint))
    if "files_differ" in faults:
        results.append(_result("files_differ", severity, f"The batch has {faults['files_differ']}."))
    if "empty_files" in faults:
        most = usual.most(lambda facts: facts.empty_files)
        results.append(_counted("empty_files", severity, f"The batch has {faults['empty_files']}", facts.empty_files, most, ""))
    if facts.files is not None and (told := usual.another_number(facts.files)):
        # A writer may split its rows otherwise, so that the batch after is not warned of again.
        results.append(RuleResult("file_count", "", "warn", "warning", told))
    if "unread_files" in faults:
        results.append(RuleResult("unread_files", "", "not_evaluated", severity, f"The batch has {faults['unread_files']}."))
    if facts.remarks:
        # How it was read is for a person to look at; what is wrong with the numbers, the other rules say.
        results.append(RuleResult("how_read", "", "warn", "warning", " ".join(facts.remarks)))
    return tuple(results)


@dataclass(frozen=True)
class _Usual:
    """What earlier batches have shown."""

    history: HistoryRepository
    pipeline: str
    before: Callable[[], Sequence[str]]

    def _load(self, batch: str) -> BatchProfile | None:
        """An earlier batch; None for one that cannot be read, which others make up for."""
        try:
            return self.history.load(self.pipeline, batch, [])
        except UNREADABLE_BATCH:
            return None

    @cached_property
    def _kept(self) -> list[BatchProfile]:
        """The recent batches that were measured so and did not fail, or whose failure somebody called right, in order; `AvhError` when the
        history cannot be read.
        """
        kept = [found for batch in self.before()[-_RECENT:] if (found := self._load(batch)) is not None]
        sound = {s.batch for s in self.history.standings(self.pipeline, [p.batch for p in kept]) if s.sound}
        return [p for p in kept if p.delivery is not None and p.batch in sound]

    def most(self, count: Callable[[Delivery], int]) -> int:
        """The largest of a count among them; 0 where nothing is known."""
        try:
            return max((count(p.delivery) for p in self._kept if p.delivery is not None), default=0)
        except AvhError:
            return 0

    def another_number(self, files: int) -> str:
        """Why so many files are not what is usual; '' where they are, and where batches have now more, now fewer.

        The batch before alone is read where it has as many.
        """
        try:
            before = self.before()[-1:]
            last = self._load(before[0]) if before else None
            if last is None or (last.delivery is not None and last.delivery.files == files):
                return ""
            counts = [p.delivery.files for p in self._kept if p.delivery is not None]
        except AvhError:
            return ""
        usual = counts[-1] if counts else None
        if usual is None or usual == files or len(counts) < _HABIT or set(counts[-_HABIT:]) != {usual}:
            return ""
        same = next((k for k, count in enumerate(reversed(counts)) if count != usual), len(counts))
        return f"The batch has {files:,} file{'' if files == 1 else 's'}; each of the last {same:,} deliveries had {usual:,}."

    def upto(self, profile: BatchProfile, facts: Delivery, share: _Share) -> tuple[int, str]:
        """How many are usual in a batch of so many lines; and what to say beside, when too little is known of earlier ones."""
        try:
            shares = [share(p, p.delivery) for p in self._kept if p.delivery is not None]
        except AvhError as error:
            return 0, f" What is usual is not known: {error}"
        hint = "" if shares else " No earlier batch that passed was measured for them; `avh profile --again` does."
        expected = max(shares, default=0.0) * _lines(profile, facts)
        return math.floor(expected + _DEVIATIONS * math.sqrt(expected)), hint


def _counted(rule: str, severity: Level, told: str, count: int, upper: int, hint: str) -> RuleResult:
    if count <= upper:
        return RuleResult(rule, "", "pass", severity, f"{told}, as is usual (up to {upper:,}).")
    return _result(rule, severity, f"{told}; at most {upper:,} are usual.{hint}")


def _result(rule: str, severity: Level, message: str) -> RuleResult:
    status: Status = "fail" if severity == "error" else "warn"
    return RuleResult(rule, "", status, severity, message)


def _lines(profile: BatchProfile, facts: Delivery) -> int:
    return profile.rows + facts.dropped_rows


def _why_malformed(profile: BatchProfile, facts: Delivery) -> str:
    """What breaks such lines most often. Of a quoted text that ended at a doubled quote the opening one is left, where texts are known."""
    texts = [found for column in profile.columns.values() if (found := find(column.states, FrequencyState)) is not None]
    if any(text.startswith('"') for found in texts for text in found.table):
        return _DOUBLED
    if facts.malformed_rows != 1:
        return _OVER_LINES
    return _CUT_OFF if all(found.exact for found in texts) else _CUT_OFF + _DOUBLED


def _malformed(profile: BatchProfile, facts: Delivery) -> float:
    return (facts.malformed_rows or 0) / max(_lines(profile, facts), 1)


def _undecodable(profile: BatchProfile, facts: Delivery) -> float:
    return facts.undecodable / max(_lines(profile, facts), 1)
