"""What the live program promises and what came of it: expected and observed alarms side by side, and how old its rules are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from avh_ui.config_budget import BUDGETS
from avh_ui.constraints.program import Program
from avh_ui.review.feedback import EXCLUDING, Feedback, standing_labels
from avh_ui.validator.aging import HORIZON, age_of
from avh_ui.validator.run import RunSummary
from avh_ui.workflows.calendar import batches_per_year
from avh_ui.workflows.expected import expected_alarms, two_digits

_BY_SIZE = sorted(BUDGETS.items(), key=lambda budget: budget[1])
_A_WEEK = BUDGETS["week"]
# The upper end of Wilson's interval (95%) of no alarm in n batches is this over n and itself: the square of the normal's quantile.
_TOLD = 1.959964**2


@dataclass(frozen=True)
class Promise:
    """Of a program: false alarms `expected` a year by its constraints' rates; of `batches` that it judged, `alarmed` failed, `true` of them
    for what people called wrong, and `untold` have no label. `age` is how many batches came since it was learned, None where nothing was.
    """

    expected: float
    batches: int
    alarmed: int
    true: int
    per_year: float
    age: int | None
    untold: int = 0

    @property
    def interval(self) -> tuple[float, float]:
        """Between how many false alarms a year the observed ones lie (Wilson's interval, 95 %): below, where none of what has no label is
        one, and above, where all of it are.
        """
        if not self.batches:
            return 0.0, self.per_year
        from scipy.stats import binomtest

        most = self.alarmed - self.true
        least, found = most - self.untold, {}
        for false in {least, most}:
            found[false] = binomtest(false, self.batches).proportion_ci(method="wilson")
        return found[least].low * self.per_year, found[most].high * self.per_year

    @property
    def interval_words(self) -> str:
        """`0.3 to 33`."""
        low, high = self.interval
        return f"{two_digits(low)} to {two_digits(high)}"

    @property
    def observed_words(self) -> str:
        """`2 of 60 batches failed, 1 of them for what people called wrong: 0.3 to 33 false alarms a year (95%)`; where some have no label,
        that nobody knows.
        """
        if not self.batches:
            return "no batch was judged by it yet"
        real = f", {self.true} of them for what people called wrong" if self.true else ""
        many = f"{self.alarmed:,}" if self.alarmed else "none"
        failed = f"{many} of {self.batches:,} {'batch' if self.batches == 1 else 'batches'} failed{real}"
        return f"{failed}; {self.untold_words}" if self.untold else f"{failed}: {self.interval_words} false alarms a year (95%)"

    @property
    def untold_words(self) -> str:
        """`2 have no label: whether they were false alarms is not known`; '' where people said of all what they were."""
        if not self.untold:
            return ""
        if self.untold == 1:
            return "1 has no label: whether it was a false alarm is not known"
        many = "none of them has a label" if self.untold == self.alarmed else f"{self.untold:,} have no label"
        return f"{many}: whether they were false alarms is not known"

    @property
    def expected_words(self) -> str:
        """`about 4.2 false alarms a year`."""
        return a_year(self.expected)

    @property
    def promised_words(self) -> str:
        """`at most one false alarm a month`: the smallest budget that the expected ones keep; beyond one a week their number."""
        period = next((name for name, most in _BY_SIZE if self.expected <= most), "")
        return f"at most one false alarm a {period}" if period else f"about {self.expected / _A_WEEK:.2g} false alarms a week"

    @property
    def kept_words(self) -> str:
        """Whether what was observed keeps the promise, in a sentence: the interval lies below it, above it, or has it in between."""
        most = next((most for _, most in _BY_SIZE if self.expected <= most), self.expected)
        low, high = self.interval
        if self.batches and low > most:
            return "That is more than promised: suggest anew."
        if self.batches and high <= most:
            return "So it is kept."
        if self.untold:
            return "Label what failed: whether the promise is kept is told then."
        needed = math.ceil(_TOLD * (self.per_year / most - 1))
        return f"Too few batches to tell: {needed:,} in a row without a false alarm would show that it is kept."

    @property
    def age_words(self) -> str:
        """`12 batches`, with what a program past its horizon is to do; '' where no rule was learned."""
        if self.age is None:
            return ""
        past = f"; false alarms were measured up to {HORIZON}: suggest anew" if self.age > HORIZON else ""
        return f"{self.age:,} {'batch' if self.age == 1 else 'batches'} since it was learned{past}"


def a_year(alarms: float) -> str:
    """`about 4.2 false alarms a year`."""
    said = two_digits(alarms)
    return f"about {said} false alarm{'' if said == '1' else 's'} a year"


def promise_of(program: Program, runs: Iterable[RunSummary], log: Iterable[Feedback], batches: Sequence[str], cadence: str) -> Promise:
    """From the newest run of each batch that this version judged, and what people said of them. `batches` are those of the history."""
    judged = [run for run in runs if run.program_version == program.version]
    labels = standing_labels(log).values()
    wrong, told = {entry.batch for entry in labels if entry.action in EXCLUDING}, {entry.batch for entry in labels}
    alarmed = [run.batch for run in judged if run.status == "fail"]
    counts = len(judged), len(alarmed), sum(batch in wrong for batch in alarmed)
    expected, untold = expected_alarms(program.constraints, cadence), sum(batch not in told for batch in alarmed)
    return Promise(expected, *counts, batches_per_year(cadence), age_of(program, batches), untold)
