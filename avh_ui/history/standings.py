"""What became of the batches before: which of them a batch is compared with, and whether its content was delivered before.

Two-distribution metrics compare a batch with the newest one before it that did not fail and that nobody called wrong. Compared with a
batch that failed, the same fault would pass on its second day, and its end would alarm. A failure that somebody called a false alarm or an
expected change is good again.

Where the last `REACH` batches all failed and nobody said why, the table has changed for good: then the newest of them is what a batch is
compared with, which the run says. Without an end, one false alarm of a table that grows would alarm for ever, each day further away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

# What people say of a batch's data by their labels.
Said = Literal["right", "wrong"]
# A week of a daily table: somebody has seen the failures by then, and distances grow with the days between.
REACH = 7
# A month of a daily table: farther back nothing is compared with, and no repetition is looked for.
FARTHEST = 30
_VALIDATION, _STALE, _FAILED_IN, _FAILED_BY = "validation", "stale", "failed_in", "failed_by"


@dataclass(frozen=True)
class Standing:
    """One kept batch without its measures. `content` is a hash of its rows ('' of a profile by an older release), `failed` whether its
    validation failed, and `stale` whether that said that another's content was delivered again. Where it failed in some columns alone,
    these are `failed_in`. `unread` says why nothing more is known of it, and how to mend that, where its file cannot be read. `begins` are
    the columns of which somebody said that a lasting change begins with it (`history.regimes`). `failed_by` are the rules that failed, by
    the keys of their results. `undated` is a hash of its rows but for their dates; '' by an older release, and where the rest tells little.
    """

    batch: str
    content: str = ""
    failed: bool = False
    stale: bool = False
    said: Said | None = None
    unread: str = ""
    failed_in: frozenset[str] = frozenset()
    begins: frozenset[str] = frozenset()
    failed_by: frozenset[str] = frozenset()
    undated: str = ""

    @classmethod
    def of(cls, batch: str, content: str, extra: Mapping[str, str], said: Said | None, begins: Iterable[str] = ()) -> Standing:
        """From what is kept beside a profile (`outcome`) and what people said."""
        # What passed since it was called wrong was mended.
        still = None if said == "wrong" and extra.get(_VALIDATION) == "pass" else said
        columns, rules = _listed(extra.get(_FAILED_IN, "")), _listed(extra.get(_FAILED_BY, ""))
        return cls(batch, content, extra.get(_VALIDATION) == "fail", _STALE in extra, still, "", columns, frozenset(begins), rules)

    @property
    def sound(self) -> bool:
        """Whether another batch may be compared with it."""
        return not self.unread and (self.said == "right" or (not self.failed and self.said is None))

    def teaches(self, column: str) -> bool:
        """Whether the bounds of a column may follow from it. A fault of one column says nothing of the others."""
        return self.sound or (not self.unread and self.said is None and bool(self.failed_in) and column not in self.failed_in)

    @property
    def accepted(self) -> bool:
        """Whether nothing and nobody objected to its content, should it be another's."""
        return self.said == "right" or (not self.stale and self.said is None)


@dataclass(frozen=True)
class Baseline:
    """The batch that another is compared with, `steps` batches before it. `lasting` when all batches within reach had failed. `unread`
    says of the batches after it that cannot be read, why not; so many that should have come since are `missing`.
    """

    batch: str
    steps: int
    lasting: bool = False
    unread: tuple[str, ...] = ()
    missing: int = 0

    @property
    def apart(self) -> int:
        """How many steps of the table's rhythm it is before the other."""
        return self.steps + self.missing

    @property
    def words(self) -> str:
        """What it is, where it is not simply the batch before; else empty."""
        if self.missing and self.steps == 1 and not self.lasting:
            return f"batch {self.batch}, since {self.missing} that should have come in between did not"
        ago = f", {self.steps} batches ago" if self.steps > 1 else ""
        if self.lasting:
            return f"batch {self.batch}{ago}, since all of the last {REACH} failed or are labelled as wrong"
        if self.unread:
            others = " The others failed or are labelled as wrong." if self.steps > len(self.unread) + 1 else ""
            return f"batch {self.batch}{ago}, since those after it cannot be used: {' '.join(self.unread)}{others}"
        return f"batch {self.batch}{ago}, since those after it failed or are labelled as wrong" if ago else ""

    def looked_back(self, lag: int, ago: int = 0) -> str:
        """The same of a batch found by steps of `lag` batches, in words; it was `ago` batches before (0: by these steps)."""
        before = "the batch before" if (ago or lag * self.steps) == 1 else f"{ago or lag * self.steps} batches before"
        if self.steps == 1:
            return f"batch {self.batch}, {before}"
        others = "those after it" if lag == 1 else f"those at steps of {lag} after it"
        why = f"cannot be used: {' '.join(self.unread)}" if self.unread else "failed or are labelled as wrong"
        return f"batch {self.batch}, {before}, since {others} {why}"


def outcome(status: str, *, stale: bool, failed_in: Iterable[str] = (), failed_by: Iterable[str] = ()) -> dict[str, str]:
    """What is kept beside the profile of a validated batch, of which a `Standing` is made again. `failed_in` are the columns that failed
    where no other result did, `failed_by` the keys of all results that did.
    """
    lists = {_FAILED_IN: sorted(failed_in), _FAILED_BY: sorted(failed_by)}
    told = {name: json.dumps(found) for name, found in lists.items() if found}
    return {_VALIDATION: status} | ({_STALE: "yes"} if stale else {}) | told


def _listed(kept: str) -> frozenset[str]:
    """A list of an `outcome`; empty where another release wrote something else there."""
    if not kept:
        return frozenset()
    try:
        found = json.loads(kept)
    except ValueError:
        return frozenset()
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()


def baseline_of(newest_first: Iterable[Standing]) -> Baseline | None:
    """The batch to compare with, of those before, the newest first; None where there is none. No more are asked for than it takes."""
    failed: Baseline | None = None
    unread: list[str] = []
    for steps, standing in enumerate(newest_first, 1):
        if steps <= REACH and standing.sound:
            return Baseline(standing.batch, steps, unread=tuple(unread))
        if standing.unread:
            unread.append(standing.unread)
        elif failed is None and standing.said != "wrong":
            failed = Baseline(standing.batch, steps, lasting=True)
        if steps >= FARTHEST or (steps >= REACH and failed is not None):
            break
    return failed


def baselines_of(standings: Sequence[Standing]) -> list[Baseline | None]:
    """The baseline of each of the standings, which are in their order."""
    return [baseline_of(standings[k] for k in range(at - 1, -1, -1)) for at in range(len(standings))]
