"""Coverage: of every column and class of fault, from which share of the rows on some rule notices it, and what would close the holes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import number
from avh_ui.issues.faults import CLASSES, SEVERITIES, TABLE, Fault, FaultClass

# A bound as it is written in a rule.
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Closing:
    """A rule that would notice a fault, in `words`: its `price` in false alarms a year (None = no rate is stated), whether the budget of a
    column pays for it, and the id of the suggestion that it is ('' = the draft has none). What is no suggestion is stated by its `check`,
    None where its bounds compare with the batch before, which nobody states.
    """

    words: str
    price: float | None
    affordable: bool = True
    suggestion: str = ""
    check: Check | None = None

    @property
    def applicable(self) -> bool:
        """Whether it can be put into the draft as it is."""
        return bool(self.suggestion) or self.check is not None

    @property
    def form(self) -> str:
        """What it says whatever its bounds; a suggestion stands for itself."""
        return self.suggestion or _NUMBER.sub("…", self.words)

    def or_rather(self, other: Closing) -> Closing:
        """Which of one rule at two bounds to offer: a tighter one costs more."""
        first, second = sorted((self, other), key=lambda one: one.price or 0.0)
        return second if second.affordable else first

    @property
    def cost(self) -> str:
        """The price in words."""
        return "no rate is stated" if self.price is None else alarms(self.price)

    @property
    def sentence(self) -> str:
        """What to do, and what it costs."""
        price = f"{self.cost}{'' if self.affordable else ', more than the budget of a column'}"
        if not self.applicable:
            return f"only {self.words} would: {price}; what compares with the batch before is suggested, and cannot be added"
        return f"{'accept' if self.suggestion else 'add'} {self.words}: {price}"


@dataclass(frozen=True)
class FaultFinding:
    """One fault, the rules that notice it, and where none does what would (`closing`), or `why` nothing would."""

    fault: Fault
    by: tuple[str, ...]
    closing: Closing | None = None
    why: str = ""

    @property
    def advice(self) -> str:
        """What would notice the fault that nothing does."""
        return self.closing.sentence if self.closing is not None else self.why


@dataclass(frozen=True)
class Cell:
    """One class of fault of one column (`TABLE`: of whole rows), all severities and ways; no findings where it is none of its faults."""

    column: str
    cls: FaultClass
    findings: tuple[FaultFinding, ...]

    def at(self, severity: float) -> tuple[FaultFinding, ...]:
        """The findings of one severity, one for each way."""
        return tuple(found for found in self.findings if found.fault.severity == severity)

    def noticed(self, severity: float) -> float | None:
        """The share of the ways that are noticed at a severity; None where the class is no fault of the column."""
        found = self.at(severity)
        return sum(bool(one.by) for one in found) / len(found) if found else None

    @property
    def missed(self) -> tuple[FaultFinding, ...]:
        """What no rule notices, the most severe first."""
        return tuple(sorted((one for one in self.findings if not one.by), key=lambda one: -one.fault.severity))

    @property
    def closable(self) -> float:
        """The largest severity of what no rule notices and one within the budget would; 0 without any."""
        return max((f.fault.severity for f in self.missed if f.closing is not None and f.closing.affordable), default=0.0)

    @property
    def worst(self) -> FaultFinding | None:
        """Of what no rule notices the most severe, before it what something within the budget would; None without a hole."""
        return max(self.missed, key=lambda f: (f.closing is not None and f.closing.affordable, f.fault.severity), default=None)

    @property
    def closings(self) -> tuple[Closing, ...]:
        """What would notice something that no rule does and can be put into the draft, each once: what the budget pays for first, then by
        the most severe fault. Of one rule at several bounds it is the tightest that the budget pays for, else the cheapest.
        """
        found: dict[str, Closing] = {}
        for closing in (f.closing for f in self.missed if f.closing is not None and f.closing.applicable):
            known = found.get(closing.form)
            found[closing.form] = closing if known is None else known.or_rather(closing)
        return tuple(sorted(found.values(), key=lambda closing: not closing.affordable))

    @property
    def least(self) -> float | None:
        """The severity from which on every way is noticed; None where not even all rows are."""
        found = None
        for severity in reversed(SEVERITIES):
            share = self.noticed(severity)
            if share is not None and share < 1:
                break
            found = severity if share is not None else found
        return found


@dataclass(frozen=True)
class Coverage:
    """What the rules `of` a program or draft notice of the faults of a `batch`. `rules` is their number, `seconds` what it took;
    `notes` say what it was told on and which rules could not be tried.
    """

    pipeline: str
    of: str
    batch: str
    rules: int
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    seconds: float

    @cached_property
    def by_place(self) -> dict[tuple[str, str], Cell]:
        """The cells by column and class."""
        return {(cell.column, cell.cls): cell for cell in self.cells}

    @cached_property
    def holes(self) -> tuple[Cell, ...]:
        """The cells with faults that no rule notices, the worst first: those that something would notice, the more rows the worse, then in
        the order of the cells. Rows mixed up, which of a table without a key nothing notices in any column, come last.
        """
        found = [cell for cell in self.cells if cell.missed]
        return tuple(sorted(found, key=lambda cell: (-cell.closable, cell.cls == "mixed-up rows", -cell.missed[0].fault.severity)))

    def share(self, severity: float) -> tuple[int, int]:
        """Of how many of the cells every way is noticed at a severity, and how many cells have such faults."""
        told = [share for cell in self.cells if (share := cell.noticed(severity)) is not None]
        return sum(share == 1 for share in told), len(told)


def cells_of(findings: Iterable[FaultFinding], columns: Sequence[str]) -> tuple[Cell, ...]:
    """The findings by place: whole rows first, then column by column, each class in its order; a cell for every place."""
    found: dict[tuple[str, str], list[FaultFinding]] = {}
    for one in findings:
        found.setdefault((one.fault.column, one.fault.cls), []).append(one)
    places = [(column, cls) for column in (TABLE, *columns) for cls in CLASSES]
    return tuple(Cell(column, cls, tuple(found.get((column, cls), ()))) for column, cls in places)


def percent_of(severity: float) -> str:
    """A severity as people say it."""
    return f"{100 * severity:g}%"


def alarms(per_year: float) -> str:
    """A price as people say it."""
    years = number(float(f"{1 / per_year:.2g}")) if per_year >= 1e-3 else ""
    if per_year >= 1 or years == "1":
        said = number(round(per_year, 0 if per_year >= 10 else 1))
        return f"{said} false alarm{'' if said == '1' else 's'} a year"
    return f"1 false alarm in {years} years" if years else "no false alarm in 1,000 years"
