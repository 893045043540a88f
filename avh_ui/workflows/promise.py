"""What the live program promises and what came of it: expected and observed alarms side by side, and how old its rules are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from avh_ui.constraints.program import Program
from avh_ui.review.feedback import EXCLUDING, Feedback, standing_labels
from avh_ui.validator.aging import HORIZON, age_of
from avh_ui.validator.run import RunSummary
from avh_ui.workflows.calendar import batches_per_year
from avh_ui.workflows.publishing import expected_alarms


@dataclass(frozen=True)
class Promise:
    """Of a program: false alarms `expected` a year by its constraints' rates; of `batches` that it judged, `alarmed` failed, `true` of them
    for what people called wrong. `age` is how many batches came since it was learned, None where nothing was.
    """

    expected: float
    batches: int
    alarmed: int
    true: int
    per_year: float
    age: int | None

    @property
    def interval(self) -> tuple[float, float]:
        """Between how many false alarms a year the observed ones lie (Wilson's interval, 95 %)."""
        if not self.batches:
            return 0.0, self.per_year
        from scipy.stats import binomtest

        low, high = binomtest(self.alarmed - self.true, self.batches).proportion_ci(method="wilson")
        return low * self.per_year, high * self.per_year

    @property
    def observed_words(self) -> str:
        """`2 of 60 batches failed, 1 of them for a real error: 0.3 to 33 false alarms a year (95 %)`."""
        if not self.batches:
            return "no batch was judged by it yet"
        low, high = self.interval
        real = f", {self.true} of them for what people called wrong" if self.true else ""
        failed = f"{self.alarmed:,} of {self.batches:,} {'batch' if self.batches == 1 else 'batches'} failed{real}"
        return f"{failed}: {low:.2g} to {high:.2g} false alarms a year (95 %)"

    @property
    def expected_words(self) -> str:
        """`about 4.2 false alarms a year`."""
        return a_year(self.expected)

    @property
    def age_words(self) -> str:
        """`12 batches`, with what a program past its horizon is to do; '' where no rule was learned."""
        if self.age is None:
            return ""
        past = f"; false alarms were measured up to {HORIZON}: suggest anew" if self.age > HORIZON else ""
        return f"{self.age:,} {'batch' if self.age == 1 else 'batches'} since it was learned{past}"


def a_year(alarms: float) -> str:
    """`about 4.2 false alarms a year`."""
    said = f"{alarms:.2g}"
    return f"about {said} false alarm{'' if said == '1' else 's'} a year"


def promise_of(program: Program, runs: Iterable[RunSummary], log: Iterable[Feedback], batches: Sequence[str], cadence: str) -> Promise:
    """From the newest run of each batch that this version judged, and what people said of them. `batches` are those of the history."""
    judged = [run for run in runs if run.program_version == program.version]
    wrong = {entry.batch for entry in standing_labels(log).values() if entry.action in EXCLUDING}
    alarmed = [run.batch for run in judged if run.status == "fail"]
    counts = len(judged), len(alarmed), sum(batch in wrong for batch in alarmed)
    return Promise(expected_alarms(program.constraints, cadence), *counts, batches_per_year(cadence), age_of(program, batches))
