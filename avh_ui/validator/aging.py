"""How old a program is: so many batches came since those that it was learned from. What it promises was measured up to an age."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avh_ui.constraints.program import Program
from avh_ui.history.series import batch_order

# False alarms were walked forward for so many batches without a new suggestion (benchmarks/avh); nothing is known of older programs.
HORIZON = 60
# Bounds learned from fewer batches are wide or guesses, and what never happens is not known yet: it is worth a new suggestion each time
# that the batches have doubled, first when the history alone says what is usual.
YOUNG, LEAST = 30, 7


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


def outgrown_note(program: Program, before: Callable[[], Sequence[str]]) -> tuple[str, ...]:
    """That the history has outgrown the few batches that the program was suggested from, in a sentence; empty where it has not. For a
    program of many batches none are listed.
    """
    made = program.approval.batches
    if not 0 < made < YOUNG or (count := len(before())) < max(LEAST, 2 * made):
        return ()
    said = f"Program version {program.version} was suggested from {made} batch{'' if made == 1 else 'es'}, and there are {count:,} now"
    return (f"{said}: suggest anew and publish what you accept.",)
