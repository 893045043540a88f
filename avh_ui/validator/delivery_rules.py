"""How a batch was delivered, judged: lines that are no rows, files that differ, text that cannot be decoded.

These rules need no program: they hold from the first batch on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Level, Status
from avh_ui.errors import UNREADABLE_BATCH, AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.run import RuleResult

# So many earlier batches say what is usual: a month of a daily table.
_RECENT = 30
# Faults that come by chance vary by the root of their number: so many standard deviations (Poisson) above the most that was seen
# are no news.
_DEVIATIONS = 4

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
    if "malformed_rows" in faults:
        told = f"The batch has {faults['malformed_rows']}, of {_lines(profile, facts):,}"
        upper, hint = usual.upto(profile, facts, _malformed)
        results.append(_counted("malformed_rows", severity, told, facts.malformed_rows or 0, upper, hint))
    if "undecodable_text" in faults:
        told = f"The batch has {faults['undecodable_text']}, of {profile.rows:,} rows"
        upper, hint = usual.upto(profile, facts, _undecodable)
        results.append(_counted("undecodable_text", severity, told, facts.undecodable, upper, hint))
    if "files_differ" in faults:
        results.append(_result("files_differ", severity, f"The batch has {faults['files_differ']}."))
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

    def upto(self, profile: BatchProfile, facts: Delivery, share: _Share) -> tuple[int, str]:
        """How many are usual in a batch of so many lines; and what to say beside, when too little is known of earlier ones."""
        try:
            kept = [found for batch in self.before()[-_RECENT:] if (found := self._load(batch)) is not None]
        except AvhError as error:
            return 0, f" What is usual is not known: {error}"
        shares = [share(p, p.delivery) for p in kept if p.delivery is not None and p.extra.get("validation") != "fail"]
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


def _malformed(profile: BatchProfile, facts: Delivery) -> float:
    return (facts.malformed_rows or 0) / max(_lines(profile, facts), 1)


def _undecodable(profile: BatchProfile, facts: Delivery) -> float:
    return facts.undecodable / max(_lines(profile, facts), 1)
