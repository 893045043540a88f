"""How a batch was delivered, judged: lines that are no rows, files that differ, text that cannot be decoded.

These rules need no program: they hold from the first batch on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Level, Status
from avh_ui.errors import AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.run import RuleResult

# So many earlier batches say what is usual: a month of a daily table.
_RECENT = 30
# Faults that come by chance vary by the root of their number: so many standard deviations (Poisson) above the most that was seen
# are no news.
_DEVIATIONS = 4
# More names are not read.
_NAMES = 5


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
    rules = _Rules(profile, facts, severity, _Usual(history, profile.pipeline, before))
    return tuple(result for rule in (rules.malformed, rules.undecodable, *rules.others) if (result := rule()))


@dataclass(frozen=True)
class _Usual:
    """What earlier batches have shown."""

    history: HistoryRepository
    pipeline: str
    before: Callable[[], Sequence[str]]

    def most(self, share: Callable[[BatchProfile, Delivery], float]) -> tuple[float, int]:
        """The largest share among recent batches that did not fail, and how many were measured; `AvhError` when one cannot be read."""
        found = []
        for batch in self.before()[-_RECENT:]:
            earlier = self.history.load(self.pipeline, batch, [])
            if earlier.delivery is not None and earlier.extra.get("validation") != "fail":
                found.append(share(earlier, earlier.delivery))
        return max(found, default=0.0), len(found)


@dataclass(frozen=True)
class _Rules:
    profile: BatchProfile
    facts: Delivery
    severity: Level
    usual: _Usual

    def malformed(self) -> RuleResult | None:
        """Lines that could not be parsed as rows."""
        count = self.facts.malformed_rows or 0
        dropped = f", {self.facts.dropped_rows:,} of them dropped" if self.facts.dropped_rows else ""
        return self._counted("malformed_rows", count, "malformed rows", _malformed_share, _lines(self.profile, self.facts), dropped)

    def undecodable(self) -> RuleResult | None:
        """Replacement characters, and byte order marks where none belongs."""
        where = sorted({**self.facts.replaced, **self.facts.boms})
        marked = " or a byte order mark" if self.facts.boms else ""
        what = f"values with a replacement character{marked} (in {_named(where)})"
        return self._counted("undecodable_text", _undecodable(self.facts), what, _undecodable_share, self.profile.rows)

    @property
    def others(self) -> list[Callable[[], RuleResult | None]]:
        """Rules without a number."""
        return [self._files_differ, self._unread, self._how_read]

    def _files_differ(self) -> RuleResult | None:
        if not self.facts.differing:
            return None
        told = " ".join(f"{d.name} {d.said}." for d in self.facts.differing[:_NAMES])
        return self._result("files_differ", f"{self.facts.others:,} of its {self.facts.files or 0:,} files have other columns: {told}")

    def _unread(self) -> RuleResult | None:
        if not self.facts.unread:
            return None
        told = f"Spark read no row of {len(self.facts.unread)} files that have some: {_named(self.facts.unread)}."
        return RuleResult("unread_files", "", "not_evaluated", self.severity, told)

    def _how_read(self) -> RuleResult | None:
        # How it was read is for a person to look at; what is wrong with the numbers, the other rules say.
        return RuleResult("how_read", "", "warn", "warning", " ".join(self.facts.remarks)) if self.facts.remarks else None

    def _counted(
        self, rule: str, count: int, what: str, share: Callable[[BatchProfile, Delivery], float], rows: int, more: str = ""
    ) -> RuleResult | None:
        if not count:
            return None
        told = f"The batch has {count:,} {what} of {rows:,}{more}"
        try:
            most, batches = self.usual.most(share)
        except AvhError as error:
            return self._result(rule, f"{told}; what is usual is not known: {error}")
        expected = most * rows
        upper = math.floor(expected + _DEVIATIONS * math.sqrt(expected))
        if count <= upper:
            return RuleResult(rule, "", "pass", self.severity, f"{told}, as is usual (up to {upper:,}).")
        hint = "" if batches else " No earlier batch that passed was measured for them; `avh profile --again` does."
        return self._result(rule, f"{told}; at most {upper:,} are usual.{hint}")

    def _result(self, rule: str, message: str) -> RuleResult:
        status: Status = "fail" if self.severity == "error" else "warn"
        return RuleResult(rule, "", status, self.severity, message)


def _lines(profile: BatchProfile, facts: Delivery) -> int:
    return profile.rows + facts.dropped_rows


def _malformed_share(profile: BatchProfile, facts: Delivery) -> float:
    return (facts.malformed_rows or 0) / max(_lines(profile, facts), 1)


def _undecodable(facts: Delivery) -> int:
    return sum(facts.replaced.values()) + sum(facts.boms.values())


def _undecodable_share(profile: BatchProfile, facts: Delivery) -> float:
    return _undecodable(facts) / max(profile.rows, 1)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more
