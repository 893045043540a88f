"""How old a program is: so many batches came since those that it was learned from. What it promises was measured up to an age."""

from __future__ import annotations

from collections.abc import Sequence

from avh_ui.constraints.program import Program
from avh_ui.history.series import batch_order

# False alarms were walked forward for so many batches without a new suggestion (benchmarks/avh); nothing is known of older programs.
HORIZON = 60


def age_of(program: Program, before: Sequence[str]) -> int | None:
    """How many of the batches before one came since the last that the program was learned from; None where no rule was learned from any."""
    learned = [last for c in program.constraints if c.origin == "history" and (last := c.learned.last_batch)]
    if not learned:
        return None
    newest = max(map(batch_order, learned))
    return sum(batch_order(batch) > newest for batch in before)


def age_note(program: Program, before: Sequence[str]) -> tuple[str, ...]:
    """That the program is past its horizon, in a sentence; empty where it is not."""
    age = age_of(program, before)
    if age is None or age <= HORIZON:
        return ()
    said = f"The rules of program version {program.version} were learned {age:,} batches ago"
    return (f"{said}, and their false alarms were measured up to {HORIZON}: suggest anew and publish what you accept.",)
